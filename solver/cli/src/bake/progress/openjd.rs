use super::human::{Lines, sentence};
use super::{Event, Progress};
use crate::console;

/// What Open Job Description reads on standard output, and lines for people on standard error.
pub struct OpenJobLines;

impl Progress for OpenJobLines {
    fn tell(&mut self, event: &Event) {
        match event {
            Event::Frame(frame) => {
                let percent = 100.0 * frame.index as f64 / frame.total.max(1) as f64;
                console::progress_line(&format!("openjd_progress: {:.1}", percent.clamp(0.0, 100.0)));
                console::progress_line(&format!("openjd_status: {}", sentence(frame)));
            }
            Event::Error { message, file, line, path, .. } => {
                let place = [file.clone(), line.map(|line| line.to_string()), path.clone()];
                let words: Vec<String> = place.into_iter().flatten().chain([message.replace('\n', " ")]).collect();
                // One line: what follows a break would not be told.
                console::progress_line(&format!("openjd_fail: {}", words.join(": ")));
            }
            _ => {}
        }
        Lines.tell(event);
    }
}
