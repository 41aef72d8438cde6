use super::{Event, Progress};
use crate::console;

/// One JSON object a line on standard output.
pub struct JsonLines;

impl Progress for JsonLines {
    fn tell(&mut self, event: &Event) {
        if let Ok(text) = serde_json::to_string(event) {
            console::progress_line(&text);
        }
    }
}
