//! The JSON schema of the scene file, from the types of `dollop_scene`.

use dollop_cache::OutputKind;
use dollop_scene::Scene;
use dollop_sim::wording::short;
use serde_json::{Value, json};

/// The schema of a scene: JSON Schema 2020-12 with `x-unit` and `x-derived` beside the standard keywords.
pub fn scene_schema() -> Value {
    let mut schema = schemars::schema_for!(Scene).to_value();
    for kind in OutputKind::ALL {
        offer_formats(&mut schema, kind);
    }
    unwrap_descriptions(&mut schema);
    schema
}

/// Adds the existing formats to the schema of a format's name: the scene types do not know the file formats.
fn offer_formats(schema: &mut Value, kind: OutputKind) {
    let definitions =
        schema.get_mut("$defs").and_then(Value::as_object_mut).into_iter().flat_map(|all| all.values_mut());
    for definition in definitions.filter(|definition| definition["x-formats"] == kind.name()) {
        let choice = |(name, about)| json!({"type": "string", "const": name, "description": about});
        let choices: Vec<_> = kind.formats().into_iter().map(choice).collect();
        *definition = json!({"oneOf": choices, "description": definition["description"]});
    }
}

/// Follows a `$ref` into `$defs`; any other schema is returned as it is.
pub fn resolve<'a>(root: &'a Value, schema: &'a Value) -> &'a Value {
    let name = schema.get("$ref").and_then(Value::as_str).and_then(|link| link.strip_prefix("#/$defs/"));
    name.and_then(|name| root.get("$defs")?.get(name)).unwrap_or(schema)
}

/// The constant of the `type` property of a variant of a tagged union.
pub fn tag(variant: &Value) -> Option<&str> {
    variant.pointer("/properties/type/const").and_then(Value::as_str)
}

/// The words that a value can be; none if it is not a choice of words.
pub fn words<'a>(root: &'a Value, schema: &'a Value) -> Vec<&'a str> {
    let variants = resolve(root, schema).get("oneOf").and_then(Value::as_array);
    variants.into_iter().flatten().filter_map(|variant| variant.get("const")?.as_str()).collect()
}

/// The range of a number, or of the numbers in a list: `0.1 to 2`; empty if it has none.
pub fn value_range(schema: &Value) -> String {
    let schema = schema.get("items").filter(|items| items.get("minimum").is_some()).unwrap_or(schema);
    let bound = |key| schema.get(key).and_then(Value::as_f64).map(short);
    match (bound("minimum"), bound("maximum")) {
        (Some(low), Some(high)) if low == high => low,
        (Some(low), Some(high)) => format!("{low} to {high}"),
        _ => String::new(),
    }
}

/// Doc comments break lines to fit the source; readers of the schema break them to fit theirs.
fn unwrap_descriptions(schema: &mut Value) {
    match schema {
        Value::Object(entries) => {
            if let Some(Value::String(text)) = entries.get_mut("description") {
                *text = text.replace('\n', " ");
            }
            entries.values_mut().for_each(unwrap_descriptions);
        }
        Value::Array(items) => items.iter_mut().for_each(unwrap_descriptions),
        _ => {}
    }
}
