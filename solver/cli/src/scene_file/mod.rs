//! Reads a scene file: text, strict JSON, the schema, then the checks beyond a schema.

mod document;
mod locate;
mod schema_check;
mod text;

pub use text::is_standard_input;

use crate::failure::{Failure, FileLocation};
use crate::schema::scene_schema;
use dollop_scene::{JsonPath, Output, SCENE_VERSION, Scene};
use dollop_sim::SetupError;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// A fault at one place of a scene.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The place.
    pub path: JsonPath,
    /// The message.
    pub message: String,
    /// Advice, if the message has none.
    pub help: Option<String>,
}

impl Fault {
    fn new(path: JsonPath, message: impl Into<String>) -> Self {
        Self { path, message: message.into(), help: None }
    }
}

impl From<SetupError> for Fault {
    fn from(error: SetupError) -> Self {
        Self::new(error.path, error.message)
    }
}

/// A scene with the file that it was read from, so that later faults can name line and column.
#[derive(Debug)]
pub struct SceneFile {
    /// The scene.
    pub scene: Scene,
    /// The file as the user named it.
    pub file: PathBuf,
    text: String,
}

impl SceneFile {
    /// Reads and validates a scene.
    ///
    /// # Errors
    /// The first fault, with place, message and advice; exit code 2.
    pub fn read(file: &Path) -> Result<Self, Failure> {
        let text = text::read(file)?;
        let document = document::parse(&text).map_err(|fault| fault.at(file, &text))?;
        let scene = validate(&document).map_err(|fault| failure(file, &text, fault))?;
        Ok(Self { scene, file: file.to_owned(), text })
    }

    /// The scene as a document.
    pub fn document(&self) -> Value {
        // It was a document when it was read.
        serde_json::from_str(&self.text).unwrap_or_default()
    }

    /// Another scene in the place of this one.
    ///
    /// # Errors
    /// As [`read`](Self::read), but without line and column, as no file has the text.
    pub fn with_document(&self, document: &Value) -> Result<Self, Failure> {
        let scene = validate(document).map_err(|fault| failure(&self.file, "", fault))?;
        Ok(Self { scene, file: self.file.clone(), text: document.to_string() })
    }

    /// A failure at a place of this scene.
    pub fn failure(&self, path: &JsonPath, message: impl Into<String>) -> Failure {
        failure(&self.file, &self.text, Fault::new(path.clone(), message))
    }

    /// The folder that relative paths in the scene start at.
    pub fn folder(&self) -> &Path {
        self.file.parent().unwrap_or(Path::new(""))
    }
}

fn failure(file: &Path, text: &str, fault: Fault) -> Failure {
    let position = locate::locate(text, &fault.path);
    let place = FileLocation {
        line: position.map(|(line, _)| line),
        column: position.map(|(_, column)| column),
        path: Some(fault.path.to_string()),
        ..FileLocation::file(file)
    };
    Failure { help: fault.help, ..Failure::input(place, fault.message) }
}

fn validate(document: &Value) -> Result<Scene, Fault> {
    check_version(document)?;
    schema_check::check(&scene_schema(), document)?;
    let scene: Scene = serde_path_to_error::deserialize(document)
        .map_err(|error| Fault::new(JsonPath::parse(&error.path().to_string()), error.inner().to_string()))?;
    dollop_sim::check(&scene)?;
    Ok(scene)
}

/// Reads the settings of one kind of output, as they stand under `output` in a scene.
///
/// # Errors
/// The first fault, with its place from the kind on.
pub fn output_settings(kind: &str, settings: &Value) -> Result<Output, Fault> {
    let (schema, root) = (scene_schema(), JsonPath::default());
    let document = json!({kind: settings});
    let own = schema.pointer("/properties/output").unwrap_or(&schema);
    schema_check::check_part(&schema, own, &document, &root)?;
    let output = serde_path_to_error::deserialize(&document)
        .map_err(|error| Fault::new(JsonPath::parse(&error.path().to_string()), error.inner().to_string()))?;
    dollop_sim::check_output(&output, &root)?;
    Ok(output)
}

/// A scene of another version would first fail elsewhere, with a message that hides the reason.
fn check_version(document: &Value) -> Result<(), Fault> {
    match document.get("version") {
        Some(Value::Number(version)) if version.as_u64() != Some(SCENE_VERSION.into()) => Err(Fault {
            help: Some("open it with the release of Dollop that made it, or export it again".into()),
            ..Fault::new(
                JsonPath::default().key("version"),
                format!("this is a scene of version {version}; this release reads version {SCENE_VERSION}"),
            )
        }),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests;
