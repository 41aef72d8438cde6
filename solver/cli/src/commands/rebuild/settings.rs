//! The settings of an output as options of the command line. Names, help and checks come from the schema of the scene.

use super::RebuildKind;
use crate::failure::{ExitCode, Failure, FileLocation};
use crate::json_text;
use crate::scene_file::{Fault, output_settings};
use crate::schema::{resolve, scene_schema, value_range, words};
use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};
use dollop_cache::{INDEX_FILE, Index, OutputKind};
use dollop_scene::{MeshOutput, Output};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::marker::PhantomData;
use std::path::Path;

/// The settings that the user gave, as text by name.
pub type GivenSettings = BTreeMap<String, String>;

/// The options of one kind of output.
#[derive(Debug, Clone)]
pub struct Settings<K> {
    /// The given settings.
    pub given: GivenSettings,
    kind: PhantomData<K>,
}

/// The settings of a kind with their schemas, by name.
fn properties(root: &Value, kind: OutputKind) -> Map<String, Value> {
    let output = root.pointer("/properties/output").map(|output| resolve(root, output));
    let part = output.and_then(|output| output.get("properties")?.get(kind.name()));
    let own = part.map(|part| resolve(root, not_null(part)).get("properties"));
    own.flatten().and_then(Value::as_object).cloned().unwrap_or_default()
}

/// The schema of a present optional value.
fn not_null(schema: &Value) -> &Value {
    let options = schema.get("anyOf").and_then(Value::as_array);
    let some = options.and_then(|options| options.iter().find(|one| one.get("type").is_none_or(|kind| kind != "null")));
    some.unwrap_or(schema)
}

/// `voxel_size` as `voxel-size`.
fn option_name(setting: &str) -> String {
    setting.replace('_', "-")
}

fn argument(root: &Value, name: &str, property: &Value) -> Arg {
    let description = property.get("description").and_then(Value::as_str).unwrap_or_default();
    let list = property.get("items");
    let choices = words(root, not_null(list.unwrap_or(property)));
    let values = if choices.is_empty() { value_range(property) } else { choices.join(", ") };
    let values = match (values.is_empty(), list) {
        (true, _) => String::new(),
        (false, None) => format!(" [{values}]"),
        (false, Some(_)) => format!(" [a list with commas of {values}]"),
    };
    Arg::new(name.to_owned())
        .long(option_name(name))
        .value_name("VALUE")
        .allow_hyphen_values(true)
        .help_heading("Settings, by default those that the cache was baked with")
        .help(format!("{}{values}", description.trim_end_matches('.')))
}

impl<K: RebuildKind> Args for Settings<K> {
    fn augment_args(command: Command) -> Command {
        let root = scene_schema();
        properties(&root, K::KIND)
            .iter()
            .fold(command, |command, (name, property)| command.arg(argument(&root, name, property)))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl<K: RebuildKind> FromArgMatches for Settings<K> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let names = properties(&scene_schema(), K::KIND).into_iter().map(|(name, _)| name);
        let given = names.filter_map(|name| {
            let text = matches.get_one::<String>(&name)?.clone();
            Some((name, text))
        });
        Ok(Self { given: given.collect(), kind: PhantomData })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// The settings of the files to make: the settings of the cache for the kind, or the defaults of a scene, overridden by
/// the given ones.
///
/// # Errors
/// When a given setting, or one in the index, is wrong; the error names it.
pub fn output(root: &Path, index: &Index, kind: OutputKind, given: &GivenSettings) -> Result<Output, Failure> {
    let schema = scene_schema();
    let known = properties(&schema, kind);
    let recorded = index.output(kind).and_then(|output| output.settings.as_ref()?.as_object());
    // A newer release may have recorded settings that this one lacks.
    let mut settings: Map<_, _> =
        recorded.into_iter().flatten().filter(|(name, _)| known.contains_key(*name)).map(owned).collect();
    settings.extend(given.iter().map(|(name, text)| {
        let schema = known.get(name).map_or(&Value::Null, |property| property);
        (name.clone(), value(schema, text))
    }));
    output_settings(kind.name(), &settings.into()).map_err(|fault| failure(root, given, fault))
}

/// The settings of the meshes of a cache, if it has any.
///
/// # Errors
/// When a setting in the index is wrong; the error names it.
pub fn mesh(root: &Path, index: &Index) -> Result<Option<MeshOutput>, Failure> {
    match index.output(OutputKind::Mesh) {
        Some(_) => Ok(output(root, index, OutputKind::Mesh, &GivenSettings::new())?.mesh),
        None => Ok(None),
    }
}

fn owned((name, value): (&String, &Value)) -> (String, Value) {
    (name.clone(), value.clone())
}

/// A text as the value of a setting in a scene file. The schema finds faults as in a scene file.
fn value(schema: &Value, text: &str) -> Value {
    let own = not_null(schema);
    if own.get("type").is_some_and(|kind| kind == "array") && !text.starts_with('[') {
        let items = text.split(',').map(str::trim).filter(|item| !item.is_empty());
        return items.map(|item| value(own.get("items").unwrap_or(&Value::Null), item)).collect();
    }
    json_text::value(text)
}

/// A fault, placed at its option or else in the index.
fn failure(root: &Path, given: &GivenSettings, fault: Fault) -> Failure {
    let Some(name) = given.keys().find(|name| fault.path.has_key(name)) else {
        let path = Some(format!("settings of {}", fault.path));
        let failure =
            Failure::input(FileLocation { path, ..FileLocation::file(&root.join(INDEX_FILE)) }, fault.message);
        return Failure { help: fault.help, ..failure };
    };
    // Advice on quotes and units in scene files does not fit a command line.
    let is_number = fault.message.starts_with("must be a number");
    let help = if is_number { Some("write it with a point and without a unit: 0.5".into()) } else { fault.help };
    let message = format!("--{}: {}", option_name(name), fault.message);
    Failure { help, ..Failure::new(ExitCode::BadInput, message) }
}
