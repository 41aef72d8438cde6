//! The command line.

use crate::farm::FarmArguments;
use crate::fit::FitArguments;
use crate::frame_range::FrameList;
use crate::preview::PreviewArguments;
use crate::rebuild::{Kind, MeshKind, Settings, VolumeKind};
use clap::{Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

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
    Check {
        /// Scene file (JSON); - reads standard input
        scene: PathBuf,
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
    /// Simulate a scene and write its frames into a cache folder
    #[command(after_help = EXIT_CODES)]
    Bake(BakeArguments),
    /// Simulate a scene, or the next frames of it, and write particles alone, for `mesh` and `volume` to go on from
    #[command(after_help = EXIT_CODES)]
    Simulate(SimulateArguments),
    /// Make the meshes of a bake again from its particles, with other settings, without simulating
    #[command(after_help = EXIT_CODES)]
    Mesh(RebuildArguments<MeshKind>),
    /// Make the volumes of a bake again from its particles, with other settings, without simulating
    #[command(after_help = EXIT_CODES)]
    Volume(RebuildArguments<VolumeKind>),
    /// Take over into the index of a cache what workers made side by side, and check that nothing is missing
    #[command(after_help = EXIT_CODES)]
    Collect {
        /// Cache folder
        dir: PathBuf,
    },
    /// Write a job for a render farm that bakes a scene, and renders it if asked to
    #[command(after_help = EXIT_CODES)]
    Farm(FarmArguments),
    /// Tell what a cache folder holds
    #[command(after_help = EXIT_CODES)]
    Info {
        /// Cache folder
        dir: PathBuf,
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
    /// Draw frames of a cache as PNG files or one animated GIF, from its particles
    #[command(after_help = EXIT_CODES)]
    Preview(PreviewArguments),
    /// Plot energies, volume, particles and steps of a bake over time
    #[command(after_help = EXIT_CODES)]
    Plot {
        /// Cache folder
        cache: PathBuf,
        /// File to write: FILE.svg or FILE.png; its folder is made if it is not there
        #[arg(long, value_name = "FILE")]
        out: PathBuf,
        /// Replace the file, if it is there
        #[arg(long)]
        overwrite: bool,
    },
    /// Fit a closed surface to points, with or without normals, and write its mesh
    #[command(after_help = EXIT_CODES)]
    Fit(FitArguments),
    /// Print the JSON schema of the scene file
    Schema {
        /// Print the settings as a Markdown page instead
        #[arg(long, hide = true)]
        markdown: bool,
    },
}

/// Arguments of `dollop bake`.
#[derive(Debug, clap::Args)]
pub struct BakeArguments {
    #[command(flatten)]
    #[allow(missing_docs, reason = "a sentence would become the help of the command")]
    pub common: SimulateArguments,
    /// Go on with the bake of this scene that the folder holds, from its last checkpoint; begin one if there is none
    #[arg(long, conflicts_with = "overwrite")]
    pub resume: bool,
}

/// Arguments of `dollop simulate`, and of `dollop bake` as far as they are the same.
#[derive(Debug, clap::Args)]
pub struct SimulateArguments {
    /// Scene file (JSON); - reads standard input
    pub scene: PathBuf,
    /// Folder to write into: a new or empty one
    #[arg(long, value_name = "DIR")]
    pub cache: PathBuf,
    /// Frames to write: 5, 1-6, 1..6, 7-20:2, 1-3,5, -3..2. Time always runs from the scene's first frame [default: all]
    #[arg(long, value_name = "FRAMES", allow_hyphen_values = true)]
    pub frames: Option<FrameList>,
    /// Number of threads; 0 uses all cores. The result does not depend on it
    #[arg(long, value_name = "N", default_value_t = 0, allow_hyphen_values = true, value_parser = threads)]
    pub threads: u16,
    /// How to tell of progress
    #[arg(long, value_enum, default_value_t = ProgressKind::Human)]
    pub progress: ProgressKind,
    /// Replace the bake that the folder holds
    #[arg(long)]
    pub overwrite: bool,
    /// Frames between two checkpoints, or fewer where these take more than a minute; 0 makes one only where a bake is stopped
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub checkpoint: u32,
    /// End, as by Ctrl-C, when standard input is closed: when the program that holds it open has gone
    #[arg(long)]
    pub until_stdin_closes: bool,
}

/// Arguments of `dollop mesh` and `dollop volume`.
#[derive(Debug, clap::Args)]
pub struct RebuildArguments<K: Kind> {
    /// Cache folder of a bake with particles
    pub cache: PathBuf,
    /// Frames to make: 5, 1-6, 1..6, 7-20:2, 1-3,5, -3..2 [default: all that have particles]
    #[arg(long, value_name = "FRAMES", allow_hyphen_values = true)]
    pub frames: Option<FrameList>,
    /// Folder to write into, which becomes a cache: a new or empty one [default: the cache itself]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Leave out frames whose files are there and whole
    #[arg(long, conflicts_with = "out")]
    pub resume: bool,
    /// Replace the cache that the folder of --out holds
    #[arg(long, requires = "out")]
    pub overwrite: bool,
    /// Number of threads; 0 uses all cores. The result does not depend on it
    #[arg(long, value_name = "N", default_value_t = 0, allow_hyphen_values = true, value_parser = threads)]
    pub threads: u16,
    /// How to tell of progress
    #[arg(long, value_enum, default_value_t = ProgressKind::Human)]
    pub progress: ProgressKind,
    #[command(flatten)]
    #[allow(missing_docs, reason = "a sentence would become the help of the command")]
    pub settings: Settings<K>,
}

/// Of an option for the number of threads.
pub fn threads(text: &str) -> Result<u16, String> {
    let count = text.parse().ok().filter(|count| (0..=1024).contains(count));
    count.ok_or_else(|| "write a whole number from 0 to 1024".into())
}

/// Kinds of progress report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ProgressKind {
    /// A bar on a terminal, otherwise a line for each frame, on standard error
    Human,
    /// A JSON object a line on standard output; see docs/command-line.md
    Json,
    /// As human, and lines for Open Job Description on standard output
    Openjd,
    /// None
    None,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn no_option_is_there_twice() {
        Arguments::command().debug_assert();
    }
}
