//! `dollop schema`: the settings of the scene file, for programs and people.

mod markdown;

use crate::commands::farm::engines;
use crate::console;
use crate::failure::{ExitCode, Failure};
use crate::schema::scene_schema;
use markdown::markdown;
use serde_json::{Value, json};

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
    let mut schema = scene_schema();
    if arguments.markdown {
        console::line(markdown(&schema).trim_end())?;
        return Ok(ExitCode::Success);
    }
    schema["x-engines"] = engines();
    console::line(&format!("{schema:#}"))?;
    Ok(ExitCode::Success)
}

/// The supported farms, which the extension offers.
fn engines() -> Value {
    let told = |engine: &&dyn engines::Engine| json!({"name": engine.name(), "title": engine.title(), "description": engine.description()});
    engines::ALL.iter().map(told).collect()
}
