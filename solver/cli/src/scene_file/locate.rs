//! Line and column of a place in a JSON text.

use dollop_scene::{JsonPath, Step};
use serde_json::value::RawValue;
use std::collections::HashMap;

/// Line and column, from 1, of the value at a path, or of the deepest part of the path that exists.
pub fn locate(text: &str, path: &JsonPath) -> Option<(usize, usize)> {
    let mut value: &RawValue = serde_json::from_str(text).ok()?;
    for step in path.steps() {
        match descend(value, step) {
            Some(part) => value = part,
            None => break,
        }
    }
    // A borrowed raw value is a slice of the text it was read from.
    let offset = value.get().as_ptr().addr().checked_sub(text.as_ptr().addr())?;
    Some(line_and_column(text, offset))
}

fn descend<'a>(value: &'a RawValue, step: &Step) -> Option<&'a RawValue> {
    match step {
        Step::Key(key) => serde_json::from_str::<HashMap<String, &RawValue>>(value.get()).ok()?.remove(key),
        Step::Index(index) => serde_json::from_str::<Vec<&RawValue>>(value.get()).ok()?.get(*index).copied(),
    }
}

fn line_and_column(text: &str, offset: usize) -> (usize, usize) {
    let before = text.get(..offset).unwrap_or(text);
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_found() {
        let text = "{\n  \"a\": [1,\n    {\"ü\": 1, \"b\": 5}]\n}";
        let at = |path: &str| locate(text, &JsonPath::parse(path));
        assert_eq!(at(""), Some((1, 1)));
        assert_eq!(at("a"), Some((2, 8)));
        assert_eq!(at("a[0]"), Some((2, 9)));
        assert_eq!(at("a[1].b"), Some((3, 19)));
        assert_eq!(at("a[1].missing.more"), Some((3, 5)), "the deepest part that exists");
    }
}
