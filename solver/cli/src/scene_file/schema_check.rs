//! Checks a document against the scene schema: kinds, fields, choices and ranges, all from the one definition in
//! `dollop_scene`. It supports only the part of JSON Schema that those types use (a test keeps it so). In exchange each
//! fault is one sentence with the unit, also inside tagged unions, where general validators list every variant.

use super::Fault;
use crate::schema::{resolve, tag};
use dollop_scene::JsonPath;
use dollop_sim::wording::short;
use serde_json::{Map, Value};

/// Checks a document; the first fault is the error.
pub fn check(root: &Value, document: &Value) -> Result<(), Fault> {
    Checker { root }.value(root, document, &JsonPath::default(), "")
}

/// Checks the value at a place of a document against its part of the schema.
pub fn check_part(root: &Value, schema: &Value, value: &Value, path: &JsonPath) -> Result<(), Fault> {
    Checker { root }.value(schema, value, path, "")
}

struct Checker<'a> {
    root: &'a Value,
}

impl Checker<'_> {
    fn value(&self, schema: &Value, value: &Value, path: &JsonPath, unit: &str) -> Result<(), Fault> {
        let unit = schema.get("x-unit").and_then(Value::as_str).unwrap_or(unit);
        let schema = resolve(self.root, schema);
        if let Some(options) = schema.get("anyOf").and_then(Value::as_array) {
            return self.optional(options, value, path, unit);
        }
        if let Some(variants) = schema.get("oneOf").and_then(Value::as_array) {
            return self.one_of(variants, value, path);
        }
        self.plain(schema, value, path, unit)
    }

    /// `anyOf` comes only from `Option`: a value or null.
    fn optional(&self, options: &[Value], value: &Value, path: &JsonPath, unit: &str) -> Result<(), Fault> {
        let some = options.iter().find(|option| option.get("type").is_none_or(|kind| kind != "null"));
        match some {
            Some(schema) if !value.is_null() => self.value(schema, value, path, unit),
            _ => Ok(()),
        }
    }

    /// `oneOf` comes from enums: choices of a word, or objects distinguished by `type`.
    fn one_of(&self, variants: &[Value], value: &Value, path: &JsonPath) -> Result<(), Fault> {
        let words: Vec<_> = variants.iter().filter_map(|variant| variant.get("const")?.as_str()).collect();
        if !words.is_empty() {
            return choice(&words, value, path);
        }
        let tags: Vec<_> = variants.iter().filter_map(tag).collect();
        let Some(object) = value.as_object() else { return Err(wrong_kind("an object", value, path, "")) };
        let named = object.get("type").ok_or_else(|| missing("type", path, &list(&tags)))?;
        choice(&tags, named, &path.key("type"))?;
        match variants.iter().find(|variant| tag(variant) == named.as_str()) {
            Some(variant) => self.plain(variant, value, path, ""),
            None => Ok(()),
        }
    }

    fn plain(&self, schema: &Value, value: &Value, path: &JsonPath, unit: &str) -> Result<(), Fault> {
        let kinds = schema.get("type");
        let can_be = |kind: &str| match kinds {
            Some(Value::String(only)) => only == kind,
            Some(Value::Array(all)) => all.iter().any(|one| one == kind),
            _ => false,
        };
        match value {
            Value::Null if can_be("null") => Ok(()),
            Value::Object(object) if can_be("object") => self.object(schema, object, path),
            Value::Array(items) if can_be("array") => self.array(schema, items, path, unit),
            Value::Number(number) if can_be("integer") => {
                whole(number, path).and_then(|()| range(schema, number, path, unit))
            }
            Value::Number(number) if can_be("number") => range(schema, number, path, unit),
            Value::String(_) if can_be("string") => Ok(()),
            Value::Bool(_) if can_be("boolean") => Ok(()),
            _ => Err(wrong_kind(expected(&can_be), value, path, unit)),
        }
    }

    fn object(&self, schema: &Value, object: &Map<String, Value>, path: &JsonPath) -> Result<(), Fault> {
        let nothing = Map::new();
        let properties = schema.get("properties").and_then(Value::as_object).unwrap_or(&nothing);
        for (key, value) in object {
            match properties.get(key) {
                Some(property) => self.value(property, value, &path.key(key), "")?,
                None => return Err(unknown(key, properties, path)),
            }
        }
        let required = schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
        for name in required {
            if !object.contains_key(name) {
                let meaning = properties.get(name).and_then(|property| property.get("description")?.as_str());
                return Err(missing(name, path, meaning.unwrap_or_default()));
            }
        }
        Ok(())
    }

    fn array(&self, schema: &Value, items: &[Value], path: &JsonPath, unit: &str) -> Result<(), Fault> {
        let bound = |key| schema.get(key).and_then(Value::as_u64).map(|count| count as usize);
        let (least, most) = (bound("minItems").unwrap_or(0), bound("maxItems").unwrap_or(usize::MAX));
        if !(least..=most).contains(&items.len()) {
            let count = if least == most { format!("{least}") } else { format!("at least {least}") };
            return Err(Fault::new(path.clone(), format!("has {} items, but needs {count}", items.len())));
        }
        let Some(schema) = schema.get("items") else { return Ok(()) };
        items.iter().enumerate().try_for_each(|(index, item)| self.value(schema, item, &path.index(index), unit))
    }
}

fn expected(can_be: &dyn Fn(&str) -> bool) -> &'static str {
    let kinds = [
        ("integer", "a whole number"),
        ("number", "a number"),
        ("array", "a list in [ ]"),
        ("object", "an object in { }"),
        ("string", "text in quotes"),
        ("boolean", "true or false"),
    ];
    kinds.iter().find(|(kind, _)| can_be(kind)).map_or("null", |(_, words)| words)
}

fn whole(number: &serde_json::Number, path: &JsonPath) -> Result<(), Fault> {
    if number.is_f64() {
        return Err(Fault::new(
            path.clone(),
            format!("must be a whole number without a decimal point, but is {number}"),
        ));
    }
    Ok(())
}

fn range(schema: &Value, number: &serde_json::Number, path: &JsonPath, unit: &str) -> Result<(), Fault> {
    let bound = |key| schema.get(key).and_then(Value::as_f64);
    let low = bound("minimum").unwrap_or(f64::NEG_INFINITY);
    let high = bound("maximum").unwrap_or(f64::INFINITY);
    match number.as_f64() {
        Some(value) if value >= low && value <= high => Ok(()),
        _ => {
            let message = format!("must be from {} to {}{}, but is {number}", short(low), short(high), spaced(unit));
            Err(Fault::new(path.clone(), message))
        }
    }
}

fn spaced(unit: &str) -> String {
    if unit.is_empty() { String::new() } else { format!(" {unit}") }
}

fn choice(words: &[&str], value: &Value, path: &JsonPath) -> Result<(), Fault> {
    let Some(word) = value.as_str() else {
        return Err(wrong_kind(&format!("one of {}", list(words)), value, path, ""));
    };
    if words.contains(&word) {
        return Ok(());
    }
    let guess = nearest(word, words.iter().copied());
    Err(Fault::new(path.clone(), format!("cannot be `{word}`{guess}; it can be {}", list(words))))
}

fn wrong_kind(expected: &str, value: &Value, path: &JsonPath, unit: &str) -> Fault {
    let found = match value {
        Value::Null => "null".into(),
        Value::Bool(value) => value.to_string(),
        Value::Number(number) => format!("the number {number}"),
        Value::String(text) => format!("the text \"{}\"", shortened(text)),
        Value::Array(_) => "a list".into(),
        Value::Object(_) => "an object".into(),
    };
    let unit_words = if unit.is_empty() { String::new() } else { format!(" in {unit}") };
    let fault = Fault::new(path.clone(), format!("must be {expected}{unit_words}, but is {found}"));
    match value {
        Value::String(text)
            if expected.contains("number") && text.trim_start().starts_with(|c: char| c.is_ascii_digit()) =>
        {
            Fault {
                help: Some(format!(
                    "write the number alone, without quotes or unit; the unit is always {unit_name}",
                    unit_name = if unit.is_empty() { "the one in docs/parameters.md" } else { unit }
                )),
                ..fault
            }
        }
        _ => fault,
    }
}

fn shortened(text: &str) -> String {
    const LONGEST: usize = 40;
    if text.chars().count() <= LONGEST {
        text.into()
    } else {
        text.chars().take(LONGEST).chain("...".chars()).collect()
    }
}

fn missing(name: &str, path: &JsonPath, meaning: &str) -> Fault {
    let help = if meaning.is_empty() { None } else { Some(format!("`{name}`: {meaning}")) };
    Fault { help, ..Fault::new(path.clone(), format!("the field `{name}` is missing")) }
}

fn unknown(key: &str, properties: &Map<String, Value>, path: &JsonPath) -> Fault {
    let names: Vec<_> = properties.keys().map(String::as_str).collect();
    let guess = nearest(key, names.iter().copied());
    Fault {
        help: Some(if names.is_empty() {
            "it takes no fields".into()
        } else {
            format!("its fields are {}", list(&names))
        }),
        ..Fault::new(path.key(key), format!("there is no such field{guess}"))
    }
}

/// Whether a known name is so similar that a typing error explains the difference.
fn nearest<'a>(word: &str, names: impl Iterator<Item = &'a str>) -> String {
    let best = names.map(|name| (strsim::jaro_winkler(word, name), name)).max_by(|a, b| a.0.total_cmp(&b.0));
    match best {
        Some((likeness, name)) if likeness > 0.8 => format!(" (did you mean `{name}`?)"),
        _ => String::new(),
    }
}

fn list(words: &[&str]) -> String {
    match words {
        [] => String::new(),
        [only] => format!("`{only}`"),
        [most @ .., last] => {
            let most: Vec<_> = most.iter().map(|word| format!("`{word}`")).collect();
            format!("{} or `{last}`", most.join(", "))
        }
    }
}
