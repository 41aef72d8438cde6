//! How the binary fails: one sentence, the place, what to do, and an exit code.

use std::fmt;
use std::path::{Path, PathBuf};

/// Exit codes. Documented in `dollop --help` and docs/command-line.md; they stay as they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExitCode {
    /// All went well.
    Success = 0,
    /// The operating system failed in a way that is neither bad input nor a refused write.
    Unexpected = 1,
    /// The command line, the scene, a mesh or a cache to read is wrong.
    BadInput = 2,
    /// A file could not be written: disk full, no permission.
    CannotWrite = 3,
    /// The cache folder holds something that must not be overwritten.
    Refused = 4,
    /// A fault in Dollop itself.
    Internal = 70,
    /// Another process is in the way; later the same command may go through. `EX_TEMPFAIL` of sysexits.h, which farms
    /// take for a wish to try again.
    TryAgain = 75,
    /// Stopped by Ctrl-C, a termination signal or the end of standard input; the cache is valid up to the last frame it
    /// lists.
    Cancelled = 130,
}

/// What to do where the system lets this user not read a file.
pub const LET_READ: &str =
    "let this user read the file and enter the folders around it, or copy it to where that is so";

/// Where in which file something is wrong.
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
    /// How the process ends.
    pub code: ExitCode,
    /// Where, if in a file.
    pub place: Option<Box<FileLocation>>,
    /// What is wrong.
    pub message: String,
    /// What to do, where the message does not say it.
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
