//! Failures of the binary: one sentence, the place, advice, and an exit code.

use std::fmt;
use std::path::{Path, PathBuf};

/// Exit codes, as documented in `dollop --help` and docs/command-line.md. They never change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExitCode {
    /// Success.
    Success = 0,
    /// The operating system failed, but not through bad input or a refused write.
    Unexpected = 1,
    /// The command line, the scene, a mesh or an input cache is wrong.
    BadInput = 2,
    /// A file could not be written: disk full, no permission.
    CannotWrite = 3,
    /// The cache folder holds files that must not be overwritten.
    Refused = 4,
    /// A fault in Dollop itself.
    Internal = 70,
    /// Another process is in the way; the same command may succeed later. `EX_TEMPFAIL` of sysexits.h, which makes
    /// farms try again.
    TryAgain = 75,
    /// Stopped by Ctrl-C, a termination signal or the end of standard input; the cache is valid up to the last frame it
    /// lists.
    Cancelled = 130,
}

/// Advice for files that this user may not read.
pub const LET_READ: &str =
    "let this user read the file and enter the folders around it, or copy it to where that is so";

/// The place of a fault in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileLocation {
    /// The file.
    pub file: PathBuf,
    /// Line, from 1.
    pub line: Option<usize>,
    /// Column in characters, from 1.
    pub column: Option<usize>,
    /// Path inside a JSON file, such as `bodies[0].material.stiffness`.
    pub path: Option<String>,
}

impl FileLocation {
    /// A whole file.
    pub fn file(file: &Path) -> Self {
        Self { file: file.to_owned(), line: None, column: None, path: None }
    }

    /// A line of a file.
    pub fn line(file: &Path, line: Option<usize>) -> Self {
        Self { line, ..Self::file(file) }
    }
}

impl fmt::Display for FileLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file.display())?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
            if let Some(column) = self.column {
                write!(f, ":{column}")?;
            }
        }
        match self.path.as_deref() {
            Some(path) if !path.is_empty() => write!(f, ": {path}"),
            _ => Ok(()),
        }
    }
}

/// A failure of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// The exit code of the process.
    pub code: ExitCode,
    /// The place, if in a file.
    pub place: Option<Box<FileLocation>>,
    /// The message.
    pub message: String,
    /// Advice, if the message has none.
    pub help: Option<String>,
}

impl Failure {
    /// A failure without a place.
    pub fn new(code: ExitCode, message: impl Into<String>) -> Self {
        Self { code, place: None, message: message.into(), help: None }
    }

    /// Wrong input at a place.
    pub fn input(place: FileLocation, message: impl Into<String>) -> Self {
        Self { place: Some(Box::new(place)), ..Self::new(ExitCode::BadInput, message) }
    }

    /// The same failure with advice.
    #[must_use]
    pub fn with_help(self, help: impl Into<String>) -> Self {
        Self { help: Some(help.into()), ..self }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = &self.place {
            write!(f, "{place}: ")?;
        }
        write!(f, "{}", self.message)?;
        match &self.help {
            Some(help) => write!(f, "\n  help: {help}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Failure {}
