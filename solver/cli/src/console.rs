//! Standard output and error that survive a closed pipe: a bake must not end because a reader has gone.

use crate::failure::{ExitCode, Failure};
use std::io::{self, ErrorKind, Write};

/// Writes a line to standard output.
///
/// # Errors
/// When it cannot be written, unless the reader has gone.
pub fn line(text: &str) -> Result<(), Failure> {
    written(put(&mut io::stdout().lock(), text))
}

/// The result of writing to standard output; success if the reader has gone.
///
/// # Errors
/// As [`line`].
pub fn written(result: io::Result<()>) -> Result<(), Failure> {
    match result {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            let reason =
                if error.kind() == ErrorKind::StorageFull { "the disk is full".into() } else { error.to_string() };
            Err(Failure::new(ExitCode::CannotWrite, format!("standard output cannot be written: {reason}")))
        }
        _ => Ok(()),
    }
}

/// Writes a line to standard output; ignores errors, as the bake must continue.
pub fn progress_line(text: &str) {
    let _ = put(&mut io::stdout().lock(), text);
}

/// Writes a line to standard error.
pub fn error_line(text: &str) {
    // A failure here cannot be reported anywhere.
    let _ = put(&mut io::stderr().lock(), text);
}

/// Writes warnings to standard error, a line each.
pub fn warn(warnings: &[String]) {
    for warning in warnings {
        error_line(&format!("warning: {warning}"));
    }
}

fn put(stream: &mut dyn Write, text: &str) -> io::Result<()> {
    // One call per line, so that lines of several writers do not mix.
    stream.write_all(format!("{text}\n").as_bytes())?;
    stream.flush()
}
