//! The farms that jobs are written for, an engine a file. The command line, its help, the extension and what is taken
//! away of a job before all follow from [`ALL`].
//!
//! A new engine is a file with its `mod` line, and its place in the table.

mod flamenco;
mod openjd;
mod slurm;

use super::job::Job;
use crate::failure::Failure;
use std::fmt::Debug;

/// All engines, in the order in which they are offered.
pub const ALL: &[&dyn Engine] = &[&openjd::Openjd, &slurm::Slurm, &flamenco::Flamenco];

/// What runs the tasks of a job on many machines.
pub trait Engine: Debug + Send + Sync {
    /// Its name on the command line, and that of the folder of its files in a job's: lower case letters.
    fn name(&self) -> &'static str;

    /// What people call it.
    fn title(&self) -> &'static str;

    /// What it gets, in a few words.
    fn description(&self) -> &'static str;

    /// Extensions of its files: what may be taken away when another job takes their place.
    fn extensions(&self) -> &'static [&'static str];

    /// The command that starts Blender where the user names none.
    fn blender(&self) -> &'static str {
        "blender"
    }

    /// The job in its words.
    ///
    /// # Errors
    /// When it cannot run such a job.
    fn write(&self, job: &Job) -> Result<WrittenFiles, Failure>;
}

/// Files of a job, and how to submit it.
#[derive(Debug)]
pub struct WrittenFiles {
    /// By their names in the engine's folder: text. What begins with `#!` is a program.
    pub files: Vec<(&'static str, String)>,
    /// The one that is submitted.
    pub main: &'static str,
    /// How, as a command of a shell.
    pub submit: String,
}

/// The engine of that name.
pub fn named(name: &str) -> Option<&'static dyn Engine> {
    ALL.iter().copied().find(|engine| engine.name() == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn engines_are_told_apart_and_told_of() {
        let page = include_str!("../../../../../../docs/farm.md");
        for (at, engine) in ALL.iter().enumerate() {
            let name = engine.name();
            assert!(!name.is_empty() && name.chars().all(|letter| letter.is_ascii_lowercase()), "{name}");
            assert!(ALL[..at].iter().all(|other| other.name() != name), "{name}");
            assert!(named(name).is_some_and(|found| found.title() == engine.title()));
            for word in [format!("`{name}`"), format!("\n## {}\n", engine.title())] {
                assert!(page.contains(&word), "docs/farm.md does not tell of {word:?}");
            }
        }
        assert!(named("deadline").is_none());
    }
}
