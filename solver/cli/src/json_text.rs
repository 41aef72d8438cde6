//! Values of settings in the notation of a command line.

use serde_json::Value;

/// A text as the value of a setting in a scene file.
pub fn value(text: &str) -> Value {
    match serde_json::from_str(text) {
        Ok(value) if !matches!(value, Value::String(_)) => value,
        // A text may stand in quotes, if it looks like another kind of value.
        Ok(text) => text,
        // JSON lacks `.5`, `5.` and `+1`; a command line allows them.
        _ => number(text).unwrap_or_else(|| text.into()),
    }
}

/// A number in everyday notation; not `inf` and `nan`.
fn number(text: &str) -> Option<Value> {
    let text = text.trim();
    match text.parse::<i64>() {
        Ok(whole) => Some(whole.into()),
        Err(_) => serde_json::Number::from_f64(text.parse().ok()?).map(Value::Number),
    }
}
