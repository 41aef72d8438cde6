//! Values of settings as people write them on a command line.

use serde_json::Value;

/// A text as the value that a scene file would have there.
pub fn value(text: &str) -> Value {
    match serde_json::from_str(text) {
        Ok(value) if !matches!(value, Value::String(_)) => value,
        // A text may stand in quotes, if it is to look like something else.
        Ok(text) => text,
        // JSON knows no `.5`, `5.` and `+1`, and other kinds of settings none of them either.
        _ => number(text).unwrap_or_else(|| text.into()),
    }
}

/// A number as people write it; `inf` and `nan` are none.
fn number(text: &str) -> Option<Value> {
    let text = text.trim();
    match text.parse::<i64>() {
        Ok(whole) => Some(whole.into()),
        Err(_) => serde_json::Number::from_f64(text.parse().ok()?).map(Value::Number),
    }
}
