//! Wedges: one scene baked with several values of a setting.

use crate::failure::{ExitCode, Failure};
use crate::json_text;
use serde_json::Value;
use std::collections::BTreeSet;
use std::str::FromStr;
use std::sync::Arc;

/// More bakes than this are surely a typing error.
const MOST: usize = 10_000;
/// Longer names do not fit into all file systems, together with the rest of a file's name.
const LONGEST_NAME: usize = 120;

/// A setting and its values.
#[derive(Debug, Clone)]
pub struct Wedge {
    path: String,
    steps: Vec<WedgeStep>,
    values: Vec<String>,
}

/// One step down into a scene.
#[derive(Debug, Clone, PartialEq, Eq)]
enum WedgeStep {
    Key(String),
    /// An item of a list, by its number or its `name`.
    Item(String),
}

/// One value for each setting.
#[derive(Debug, Clone)]
pub struct Combination {
    /// The name of the folder.
    pub name: String,
    choices: Vec<(Arc<Wedge>, String)>,
}

impl FromStr for Wedge {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (path, values) =
            text.split_once('=').ok_or("write a setting and its values: bodies[0].material.stiffness=50,100")?;
        let path = path.trim();
        let steps = steps(path).ok_or_else(|| {
            format!("{path:?} is no setting; name it as error messages do: bodies[0].material.stiffness, or by the name of a body: bodies[dough].temperature")
        })?;
        let values = split(values);
        let is_broken = |value: &&String| value.starts_with(['[', '{']) && json_text::value(value).is_string();
        if let Some(broken) = values.iter().find(is_broken) {
            return Err(format!(
                "{broken} is not valid JSON: in brackets write -0.5, not -.5, and words in double quotes"
            ));
        }
        if values.iter().any(String::is_empty) {
            return Err(format!("a value of {path} is empty; part values by commas: {path}=50,100"));
        }
        Ok(Self { path: path.to_owned(), steps, values })
    }
}

/// The steps of `bodies[0].material.stiffness`.
fn steps(path: &str) -> Option<Vec<WedgeStep>> {
    let mut steps = Vec::new();
    let mut rest = path;
    while !rest.is_empty() {
        if let Some(inside) = rest.strip_prefix('[') {
            let (item, after) = inside.split_once(']')?;
            steps.push(WedgeStep::Item(item.to_owned()));
            rest = after;
        } else {
            let own = if steps.is_empty() { rest } else { rest.strip_prefix('.')? };
            let end = own.find(['.', '[']).unwrap_or(own.len());
            if end == 0 {
                return None;
            }
            steps.push(WedgeStep::Key(own[..end].to_owned()));
            rest = &own[end..];
        }
    }
    if steps.is_empty() { None } else { Some(steps) }
}

/// Values separated by the commas that are not within brackets or quotes.
fn split(text: &str) -> Vec<String> {
    let (mut depth, mut is_quoted, mut is_escaped) = (0_i32, false, false);
    let mut values = vec![String::new()];
    for letter in text.chars() {
        match letter {
            '"' if !is_escaped => is_quoted = !is_quoted,
            '[' | '{' if !is_quoted => depth += 1,
            ']' | '}' if !is_quoted => depth -= 1,
            ',' if !is_quoted && depth == 0 => {
                values.push(String::new());
                continue;
            }
            _ => {}
        }
        is_escaped = letter == '\\' && !is_escaped;
        if let Some(last) = values.last_mut() {
            last.push(letter);
        }
    }
    values.iter().map(|value| value.trim().to_owned()).collect()
}

/// All combinations of the values of the settings; empty if there are no settings.
///
/// # Errors
/// When there are too many, or two of them would have the same name.
pub fn combinations(wedges: &[Wedge]) -> Result<Vec<Combination>, Failure> {
    let refused = |message: String| Failure::new(ExitCode::BadInput, message);
    let paths: BTreeSet<&str> = wedges.iter().map(|wedge| wedge.path.as_str()).collect();
    if paths.len() < wedges.len() {
        return Err(refused("--wedge: a setting is there twice".into()).with_help("give all of its values at once"));
    }
    let count = wedges.iter().try_fold(1_usize, |count, wedge| count.checked_mul(wedge.values.len()));
    if count.is_none_or(|count| count > MOST) {
        return Err(refused(format!("--wedge: these are more than {MOST} bakes")).with_help("give fewer values"));
    }
    if wedges.is_empty() {
        return Ok(Vec::new());
    }
    let mut found = vec![Vec::new()];
    for wedge in wedges.iter().cloned().map(Arc::new) {
        let with = |choices: &Vec<(Arc<Wedge>, String)>| {
            let each = wedge.values.iter().map(|value| [&choices[..], &[(Arc::clone(&wedge), value.clone())]].concat());
            each.collect::<Vec<_>>()
        };
        found = found.iter().flat_map(with).collect();
    }
    let labels = labels(wedges);
    let all: Vec<_> =
        found.into_iter().map(|choices| Combination { name: folder_name(&labels, &choices), choices }).collect();
    let mut names = BTreeSet::new();
    match all.iter().find(|one| !names.insert(one.name.to_lowercase())) {
        Some(twice) => Err(refused(format!("--wedge: two bakes would go into the folder {}", twice.name))
            .with_help("give values that differ in letters and digits")),
        None => Ok(all),
    }
}

/// A short word for each setting: its last key, or the whole setting if another one has the same key.
fn labels(wedges: &[Wedge]) -> Vec<String> {
    let last = |wedge: &Wedge| match wedge.steps.last() {
        Some(WedgeStep::Key(key)) => Some(key.clone()),
        _ => None,
    };
    let is_own = |label: &String| wedges.iter().filter(|other| last(other).as_ref() == Some(label)).count() == 1;
    wedges.iter().map(|wedge| last(wedge).filter(is_own).unwrap_or_else(|| wedge.path.clone())).collect()
}

fn folder_name(labels: &[String], choices: &[(Arc<Wedge>, String)]) -> String {
    let parts = labels.iter().zip(choices).map(|(label, (_, value))| format!("{}={}", plain(label), plain(value)));
    let name = parts.collect::<Vec<_>>().join("_");
    name.chars().take(LONGEST_NAME).collect()
}

/// A text in letters that every file system, shell and engine accepts.
pub fn plain(text: &str) -> String {
    let kept = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '.' | '-' | '+' | '_');
    let plain: String = text.chars().map(|letter| if kept(letter) { letter } else { '_' }).collect();
    plain.split('_').filter(|word| !word.is_empty()).collect::<Vec<_>>().join("_")
}

impl Combination {
    /// Puts the values into a scene.
    ///
    /// # Errors
    /// The setting that is missing.
    pub fn put_into(&self, document: &mut Value) -> Result<(), Failure> {
        let mut before = Vec::new();
        for (wedge, value) in &self.choices {
            let pointer = wedge.pointer(document);
            if before.contains(&pointer) {
                let message = format!("--wedge: {} is there twice", wedge.path);
                return Err(Failure::new(ExitCode::BadInput, message).with_help("give all of its values at once"));
            }
            before.push(pointer);
            let Some(place) = wedge.place(document) else {
                let message = format!("--wedge: the scene has no place for {}", wedge.path);
                return Err(Failure::new(ExitCode::BadInput, message)
                    .with_help("name the setting as error messages do: bodies[0].material.stiffness"));
            };
            *place = json_text::value(value);
        }
        Ok(())
    }
}

/// The index of a list's item, from its number or name.
fn item(items: &[Value], name: &str) -> Option<usize> {
    let is_named = |other: &Value| other.get("name").and_then(Value::as_str) == Some(name);
    name.parse().ok().filter(|&at| at < items.len()).or_else(|| items.iter().position(is_named))
}

impl Wedge {
    /// Its steps with numbers in place of names: the same for all names of a setting.
    fn pointer(&self, document: &Value) -> Vec<WedgeStep> {
        let mut place = document;
        let mut pointer = Vec::new();
        for step in &self.steps {
            let at = match step {
                WedgeStep::Item(name) => place.as_array().and_then(|items| item(items, name)),
                WedgeStep::Key(_) => None,
            };
            place = match (step, at) {
                (WedgeStep::Key(key), _) => &place[key.as_str()],
                (WedgeStep::Item(_), Some(at)) => &place[at],
                (WedgeStep::Item(_), None) => &Value::Null,
            };
            pointer.push(at.map_or_else(|| step.clone(), |at| WedgeStep::Item(at.to_string())));
        }
        pointer
    }

    /// The place of its value in a scene. Missing keys are made: the later check of the scene finds keys that it may
    /// not have.
    fn place<'a>(&self, document: &'a mut Value) -> Option<&'a mut Value> {
        let mut place = document;
        for step in &self.steps {
            place = match step {
                WedgeStep::Key(key) => {
                    if place.is_null() {
                        *place = Value::Object(serde_json::Map::new());
                    }
                    place.as_object_mut()?.entry(key.clone()).or_insert(Value::Null)
                }
                WedgeStep::Item(name) => {
                    let items = place.as_array_mut()?;
                    let at = item(items, name)?;
                    items.get_mut(at)?
                }
            };
        }
        Some(place)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use serde_json::json;

    fn names(wedges: &[&str]) -> Vec<String> {
        let wedges: Vec<Wedge> = wedges.iter().map(|text| text.parse().unwrap()).collect();
        combinations(&wedges).unwrap().into_iter().map(|one| one.name).collect()
    }

    #[test]
    fn each_combination_has_a_folder() {
        assert!(names(&[]).is_empty());
        assert_eq!(names(&["particle_spacing=.1, 0.2"]), ["particle_spacing=.1", "particle_spacing=0.2"]);
        let all = names(&["bodies[0].temperature=300,400", "gravity=[0,0,-1],[0, 0, -2]"]);
        assert_eq!(all[3], "temperature=400_gravity=0_0_-2");
        let two = names(&["bodies[0].temperature=1", "bodies[a b].temperature=2"]);
        assert_eq!(two, ["bodies_0_.temperature=1_bodies_a_b_.temperature=2"]);
    }

    #[test]
    fn texts_that_are_no_wedge_are_refused() {
        for text in ["", "a", "=1", "a=", "a=1,,2", "a..b=1", "a[0=1", ".a=1", "a[0]b=1"] {
            assert!(text.parse::<Wedge>().is_err(), "{text}");
        }
        let wedges = |texts: &[&str]| combinations(&texts.iter().map(|text| text.parse().unwrap()).collect::<Vec<_>>());
        assert!(wedges(&["a=1", "a=2"]).unwrap_err().message.contains("twice"));
        assert!(wedges(&["a=x y,X_y"]).unwrap_err().message.contains("two bakes"));
        let many = (0..101).map(|n| n.to_string()).collect::<Vec<_>>().join(",");
        assert!(wedges(&[&format!("a={many}"), &format!("b={many}")]).unwrap_err().message.contains("10000"));
    }

    #[test]
    fn values_go_where_they_belong() {
        let scene = json!({"gravity": [0, 0, 1], "bodies": [{"name": "a"}, {"name": "dough.2"}]});
        let with = |texts: &[&str]| {
            let wedges: Vec<Wedge> = texts.iter().map(|text| text.parse().unwrap()).collect();
            let mut scene = scene.clone();
            combinations(&wedges).unwrap()[0].put_into(&mut scene).map(|()| scene)
        };
        let found = with(&["bodies[dough.2].material.stiffness=.5", "gravity=[0,0,-2]", "x=text"]).unwrap();
        assert_eq!(found["bodies"][1]["material"]["stiffness"], 0.5);
        assert_eq!((&found["gravity"], &found["x"]), (&json!([0, 0, -2]), &json!("text")));
        for missing in ["bodies[2].x=1", "bodies[b].x=1", "gravity.x=1", "bodies.x=1"] {
            assert!(with(&[missing]).unwrap_err().message.contains("no place"), "{missing}");
        }
    }
}
