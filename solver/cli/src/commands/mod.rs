//! The command line: each command is a file or a folder here, with its arguments and its code.

mod bake;
mod check;
mod collect;
mod farm;
mod fit;
mod info;
mod plot;
mod preview;
mod rebuild;
mod schema;

use crate::failure::{ExitCode, Failure};
use crate::progress;
use clap::{CommandFactory, Parser, Subcommand};
use rebuild::{MeshKind, VolumeKind};

const EXIT_CODES: &str = "\
Exit codes:
    0  all went well
    1  the operating system failed unexpectedly
    2  the command line, the scene, a mesh, points or a cache to read is wrong
    3  a file could not be written
    4  the cache folder holds something that must not be overwritten
   70  a fault in Dollop itself
   75  another process is writing into the folder: the same command may go through later
  130  stopped by Ctrl-C, a termination signal or --until-stdin-closes; the cache is valid";

/// Soft, melting, tearing matter for Blender: bakes a scene into meshes, volumes and particles.
#[derive(Debug, Parser)]
#[command(name = "dollop", version, after_help = EXIT_CODES)]
pub struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Validate a scene and tell what a bake of it will take
    #[command(after_help = EXIT_CODES)]
    Check(check::CheckArguments),
    /// Simulate a scene and write its frames into a cache folder
    #[command(after_help = EXIT_CODES)]
    Bake(bake::BakeArguments),
    /// Simulate a scene, or the next frames of it, and write particles alone, for `mesh` and `volume` to go on from
    #[command(after_help = EXIT_CODES)]
    Simulate(bake::SimulateArguments),
    /// Make the meshes of a bake again from its particles, with other settings, without simulating
    #[command(after_help = EXIT_CODES)]
    Mesh(rebuild::RebuildArguments<MeshKind>),
    /// Make the volumes of a bake again from its particles, with other settings, without simulating
    #[command(after_help = EXIT_CODES)]
    Volume(rebuild::RebuildArguments<VolumeKind>),
    /// Take over into the index of a cache what workers made side by side, and check that nothing is missing
    #[command(after_help = EXIT_CODES)]
    Collect(collect::CollectArguments),
    /// Write a job for a render farm that bakes a scene, and renders it if asked to
    #[command(after_help = EXIT_CODES)]
    Farm(farm::FarmArguments),
    /// Tell what a cache folder holds
    #[command(after_help = EXIT_CODES)]
    Info(info::InfoArguments),
    /// Draw frames of a cache as PNG files or one animated GIF, from its particles
    #[command(after_help = EXIT_CODES)]
    Preview(preview::PreviewArguments),
    /// Plot energies, volume, particles and steps of a bake over time
    #[command(after_help = EXIT_CODES)]
    Plot(plot::PlotArguments),
    /// Fit a closed surface to points, with or without normals, and write its mesh
    #[command(after_help = EXIT_CODES)]
    Fit(fit::FitArguments),
    /// Print the JSON schema of the scene file
    Schema(schema::SchemaArguments),
}

impl Command {
    /// Runs the command.
    ///
    /// # Errors
    /// The failure, with its exit code.
    pub fn run(&self) -> Result<ExitCode, Failure> {
        match self {
            Self::Check(arguments) => check::check(arguments),
            Self::Bake(arguments) => bake::bake(arguments),
            Self::Simulate(arguments) => bake::simulate(arguments),
            Self::Mesh(arguments) => rebuild::rebuild(arguments),
            Self::Volume(arguments) => rebuild::rebuild(arguments),
            Self::Collect(arguments) => collect::collect(arguments),
            Self::Farm(arguments) => farm::farm(arguments),
            Self::Info(arguments) => info::info(arguments),
            Self::Preview(arguments) => preview::preview(arguments),
            Self::Plot(arguments) => plot::plot(arguments),
            Self::Fit(arguments) => fit::fit(arguments),
            Self::Schema(arguments) => schema::schema(arguments),
        }
    }
}

/// Reports an error in the command line itself as an event, if the command line asks for events.
pub fn tell_usage_error(error: &clap::Error) {
    let words: Vec<_> = std::env::args_os().skip(1).collect();
    let pair = words.windows(2).any(|pair| pair[0] == "--progress" && pair[1] == "json");
    let Some(command) = words.first().and_then(|word| word.to_str()).filter(|word| tells_progress(word)) else {
        return;
    };
    if pair || words.iter().any(|word| word == "--progress=json") {
        let text = error.to_string();
        let message = text.lines().take_while(|line| !line.is_empty()).map(str::trim).collect::<Vec<_>>().join(" ");
        let message = message.strip_prefix("error: ").unwrap_or(&message);
        let failure = Failure::new(ExitCode::BadInput, message).with_help(format!("see dollop {command} --help"));
        progress::reporter(progress::ProgressKind::Json).tell(&(&failure).into());
    }
}

/// Whether a command can report its progress.
fn tells_progress(name: &str) -> bool {
    let all = Arguments::command();
    all.find_subcommand(name).is_some_and(|command| command.get_arguments().any(|option| option.get_id() == "progress"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_option_exists_twice() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn long_commands_report_progress() {
        assert!(["bake", "simulate", "mesh", "volume"].into_iter().all(tells_progress));
        assert!(!["check", "farm", "none"].into_iter().any(tells_progress));
    }
}
