//! The supported farms, one engine in each file. The command line, its help, the extension and the removal of older
//! jobs all follow from [`ALL`].
//!
//! A new engine is a file, its `mod` line, and its row in the table.

mod flamenco;
mod openjd;
mod slurm;

use super::job::Job;
use crate::failure::Failure;
use std::fmt::Debug;

/// All engines, in the order of the help text.
pub const ALL: &[&dyn Engine] = &[&openjd::Openjd, &slurm::Slurm, &flamenco::Flamenco];

/// A render farm, which runs the tasks of a job on many machines.
pub trait Engine: Debug + Send + Sync {
    /// Its name on the command line, and the name of its folder within the job's folder: lower case letters.
    fn name(&self) -> &'static str;

    /// Its usual name.
    fn title(&self) -> &'static str;

    /// A short description of its files.
    fn description(&self) -> &'static str;

    /// Extensions of its files: a new job may remove such files.
    fn extensions(&self) -> &'static [&'static str];

    /// The command that starts Blender if the user names none.
    fn blender(&self) -> &'static str {
        "blender"
    }

    /// The job in the language of the engine.
    ///
    /// # Errors
    /// When the engine cannot run such a job.
    fn write(&self, job: &Job) -> Result<WrittenFiles, Failure>;
}

/// Files of a job, and how to submit it.
#[derive(Debug)]
pub struct WrittenFiles {
    /// Texts by file name, in the engine's folder. A text that begins with `#!` is a program.
    pub files: Vec<(&'static str, String)>,
    /// The file that is submitted.
    pub main: &'static str,
    /// The shell command that submits it.
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
    fn engines_have_unique_names_and_documentation() {
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
