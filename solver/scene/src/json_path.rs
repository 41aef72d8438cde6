//! Places in a scene file.

use std::fmt;

/// A place in a JSON document: `bodies[0].material.stiffness`; empty for the whole.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct JsonPath {
    steps: Vec<Step>,
}

/// One step down into a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// Into the value of a key.
    Key(String),
    /// Into an item of an array, from 0.
    Index(usize),
}

impl JsonPath {
    /// An item of a list of the document's own, such as `bodies[0]`.
    pub fn item(list: &str, index: usize) -> Self {
        Self { steps: vec![Step::Key(list.to_owned()), Step::Index(index)] }
    }

    /// This place's value of a key.
    #[must_use]
    pub fn key(&self, key: &str) -> Self {
        self.with(Step::Key(key.to_owned()))
    }

    /// This place's item of an array.
    #[must_use]
    pub fn index(&self, index: usize) -> Self {
        self.with(Step::Index(index))
    }

    /// Whether the path has a key of that name.
    pub fn has_key(&self, name: &str) -> bool {
        self.steps.iter().any(|step| matches!(step, Step::Key(key) if key == name))
    }

    /// The steps from the whole document to this place.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// As a JSON pointer (RFC 6901).
    pub fn pointer(&self) -> String {
        let step = |step: &Step| match step {
            Step::Key(key) => format!("/{}", key.replace('~', "~0").replace('/', "~1")),
            Step::Index(index) => format!("/{index}"),
        };
        self.steps.iter().map(step).collect()
    }

    /// Reads the form that `Display` writes; any other text counts as a key.
    pub fn parse(text: &str) -> Self {
        // serde_path_to_error writes `?` where it does not know the key.
        let parts = text.split('.').filter(|part| !part.is_empty() && *part != "?");
        Self { steps: parts.flat_map(parse_part).collect() }
    }

    fn with(&self, step: Step) -> Self {
        let mut steps = self.steps.clone();
        steps.push(step);
        Self { steps }
    }
}

/// `bodies[0]` is a key and an index.
fn parse_part(part: &str) -> Vec<Step> {
    let mut pieces = part.split('[');
    let key = pieces.next().filter(|key| !key.is_empty()).map(|key| Step::Key(key.to_owned()));
    let indices = pieces.filter_map(|piece| piece.strip_suffix(']')?.parse().ok()).map(Step::Index);
    key.into_iter().chain(indices).collect()
}

impl fmt::Display for JsonPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, step) in self.steps.iter().enumerate() {
            match step {
                Step::Index(index) => write!(f, "[{index}]")?,
                Step::Key(key) if position == 0 => write!(f, "{key}")?,
                Step::Key(key) => write!(f, ".{key}")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_back() {
        let path = JsonPath::default().key("bodies").index(12).key("motion").index(3).index(0);
        assert_eq!(path.to_string(), "bodies[12].motion[3][0]");
        assert_eq!(JsonPath::parse("bodies[12].motion[3][0]"), path);
        assert_eq!(JsonPath::parse(""), JsonPath::default());
    }
}
