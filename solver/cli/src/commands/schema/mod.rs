//! `dollop schema`: the settings of the scene file, for programs and people.

mod markdown;

use crate::console;
use crate::failure::{ExitCode, Failure};
use crate::schema::scene_schema;
use markdown::markdown;

/// Arguments of `dollop schema`.
#[derive(Debug, clap::Args)]
pub struct SchemaArguments {
    /// Print the settings as a Markdown page instead
    #[arg(long, hide = true)]
    pub markdown: bool,
}

/// Prints the schema of the scene file.
///
/// # Errors
/// When standard output cannot be written.
pub fn schema(arguments: &SchemaArguments) -> Result<ExitCode, Failure> {
    let schema = scene_schema();
    let text = if arguments.markdown { markdown(&schema) } else { format!("{schema:#}") };
    console::line(text.trim_end())?;
    Ok(ExitCode::Success)
}
