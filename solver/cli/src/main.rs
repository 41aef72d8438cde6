//! The `dollop` binary: reads the command line, runs one command, and turns what happened into an exit code.

mod arguments;
mod bake;
mod cache_failure;
mod check;
mod collect;
mod console;
mod failure;
mod farm;
mod fit;
mod frame_range;
mod heat;
mod info;
mod json_text;
mod ledger;
mod machine;
mod meshes;
mod number;
mod panics;
mod pictures;
mod plot;
mod preview;
mod rebuild;
mod scene_file;
mod scene_hash;
mod schema;
mod setup;
mod stepping;
mod steps;
mod warnings;

use arguments::{Arguments, Command};
use clap::Parser;
use failure::{ExitCode, Failure};

fn main() -> std::process::ExitCode {
    panics::silence();
    let code = panics::catch(|| match Arguments::try_parse() {
        Ok(arguments) => run(arguments.command),
        Err(error) => usage(&error),
    })
    .and_then(|result| result)
    .unwrap_or_else(|failure| {
        console::error_line(&format!("error: {failure}"));
        failure.code
    });
    std::process::ExitCode::from(code as u8)
}

/// Help, the version, or what is wrong with the command line.
fn usage(error: &clap::Error) -> Result<ExitCode, Failure> {
    if error.use_stderr() {
        bake::tell_usage_error(error);
        // A failure here has nowhere to be told.
        let _ = error.print();
        return Ok(ExitCode::BadInput);
    }
    console::written(error.print())?;
    Ok(ExitCode::Success)
}

fn run(command: Command) -> Result<ExitCode, Failure> {
    match command {
        Command::Check { scene, json } => check::check(&scene, json),
        Command::Bake(arguments) => bake::bake(&arguments),
        Command::Simulate(arguments) => bake::simulate(&arguments),
        Command::Mesh(arguments) => rebuild::rebuild(&arguments),
        Command::Volume(arguments) => rebuild::rebuild(&arguments),
        Command::Collect { dir } => collect::collect(&dir),
        Command::Farm(arguments) => farm::farm(&arguments),
        Command::Info { dir, json } => info::info(&dir, json),
        Command::Preview(arguments) => preview::preview(&arguments),
        Command::Plot { cache, out, overwrite } => plot::plot(&cache, &out, overwrite),
        Command::Fit(arguments) => fit::fit(&arguments),
        Command::Schema { markdown } => {
            let text = if markdown { schema::markdown(&schema::scene_schema()) } else { schema::json() };
            console::line(text.trim_end())?;
            Ok(ExitCode::Success)
        }
    }
}
