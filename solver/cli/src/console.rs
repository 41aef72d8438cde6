//! Standard output and error that survive a closed pipe: a reader that has gone must not end a bake.

use std::io::{self, Write};

/// Writes a line to standard output.
pub fn line(text: &str) {
    put(&mut io::stdout().lock(), text);
}

/// Writes a line to standard error.
pub fn error_line(text: &str) {
    put(&mut io::stderr().lock(), text);
}

/// Writes warnings to standard error, a line each.
pub fn warn(warnings: &[String]) {
    for warning in warnings {
        error_line(&format!("warning: {warning}"));
    }
}

fn put(stream: &mut dyn Write, text: &str) {
    // One call a line, so that lines of several writers do not mix. A failure here has nowhere to be told.
    let _ = stream.write_all(format!("{text}\n").as_bytes()).and_then(|()| stream.flush());
}
