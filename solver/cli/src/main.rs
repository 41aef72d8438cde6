//! The `dollop` binary: reads the command line, runs one command, and turns the result into an exit code.

mod cache_failure;
mod commands;
mod console;
mod failure;
mod frame_range;
mod heat;
mod interrupt;
mod json_text;
mod ledger;
mod machine;
mod meshes;
mod outputs;
mod panics;
mod particle_frames;
mod pictures;
mod progress;
mod scene_file;
mod scene_hash;
mod schema;
mod setup;
mod shell;
mod stepping;
mod steps;
mod threads;

use clap::Parser;
use commands::Arguments;
use failure::{ExitCode, Failure};

fn main() -> std::process::ExitCode {
    panics::silence();
    let code = panics::catch(|| match Arguments::try_parse() {
        Ok(arguments) => arguments.command.run(),
        Err(error) => usage(&error),
    })
    .and_then(|result| result)
    .unwrap_or_else(|failure| {
        console::error_line(&format!("error: {failure}"));
        failure.code
    });
    std::process::ExitCode::from(code as u8)
}

/// Prints help, the version, or an error in the command line.
fn usage(error: &clap::Error) -> Result<ExitCode, Failure> {
    if error.use_stderr() {
        commands::tell_usage_error(error);
        // A failure here cannot be reported anywhere.
        let _ = error.print();
        return Ok(ExitCode::BadInput);
    }
    console::written(error.print())?;
    Ok(ExitCode::Success)
}
