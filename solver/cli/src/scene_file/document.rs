//! Strict JSON: every key once.

use crate::failure::{Failure, FileLocation};
use dollop_scene::JsonPath;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};
use std::fmt;
use std::path::Path;

/// The reason why a text is not a JSON document.
#[derive(Debug)]
pub struct DocumentFault {
    path: JsonPath,
    line: usize,
    column: usize,
    message: String,
}

impl DocumentFault {
    /// The failure, for the file that the text came from.
    pub fn at(&self, file: &Path, text: &str) -> Failure {
        let place = FileLocation {
            line: Some(self.line),
            column: Some(self.column),
            path: Some(self.path.to_string()),
            ..FileLocation::file(file)
        };
        let failure = Failure::input(place, &self.message);
        match help(&self.message, text.lines().nth(self.line.saturating_sub(1)).unwrap_or_default()) {
            Some(help) => failure.with_help(help),
            None => failure,
        }
    }
}

fn help(message: &str, line: &str) -> Option<&'static str> {
    if message.contains("nested") {
        Some("a scene is at most a dozen levels deep")
    } else if line.trim_start().starts_with("//") || line.contains(" //") || line.contains("/*") {
        Some("JSON has no comments; remove what starts with // or /*")
    } else if line.contains("NaN") || line.contains("Infinity") {
        Some("JSON has no NaN and no Infinity; write a finite number")
    } else if message.contains("number out of range") {
        Some("the largest number is about 1.8e308")
    } else {
        None
    }
}

/// Parses a text.
pub fn parse(text: &str) -> Result<Value, DocumentFault> {
    let mut source = serde_json::Deserializer::from_str(text);
    let Strict(value) = serde_path_to_error::deserialize(&mut source)
        .map_err(|error| fault(&JsonPath::parse(&error.path().to_string()), error.inner()))?;
    source.end().map_err(|error| fault(&JsonPath::default(), &error))?;
    Ok(value)
}

fn fault(path: &JsonPath, error: &serde_json::Error) -> DocumentFault {
    let (line, column) = (error.line(), error.column());
    let text = error.to_string();
    let sentence = text.strip_suffix(&format!(" at line {line} column {column}")).unwrap_or(&text);
    if sentence == "recursion limit exceeded" {
        // The path would consist of a hundred brackets.
        return DocumentFault {
            path: JsonPath::default(),
            line,
            column,
            message: "the JSON is nested too deeply".into(),
        };
    }
    let message = if error.is_data() { sentence.into() } else { format!("this is not valid JSON: {sentence}") };
    DocumentFault { path: path.clone(), line, column, message }
}

/// A value in which no object has a key twice: `serde_json` alone would keep the last one and say nothing.
struct Strict(Value);

impl<'de> Deserialize<'de> for Strict {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(StrictVisitor).map(Self)
    }
}

struct StrictVisitor;

impl<'de> Visitor<'de> for StrictVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        Number::from_f64(value).map(Value::Number).ok_or_else(|| E::custom("number out of range"))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut values = Vec::new();
        while let Some(Strict(value)) = items.next_element()? {
            values.push(value);
        }
        Ok(values.into())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some(key) = entries.next_key::<String>()? {
            if object.contains_key(&key) {
                return Err(A::Error::custom(format!("the field `{key}` is given twice; keep one")));
            }
            let Strict(value) = entries.next_value()?;
            object.insert(key, value);
        }
        Ok(object.into())
    }
}
