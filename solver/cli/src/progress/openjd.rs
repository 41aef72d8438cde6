use super::human::{ProgressLines, advance_sentence, sentence};
use super::{Event, Progress};
use crate::console;

/// Lines for Open Job Description on standard output, and lines for people on standard error.
#[derive(Default)]
pub struct OpenJobLines {
    lines: ProgressLines,
    /// It never falls, although a frame is simulated while older ones are written.
    percent: f64,
}

impl OpenJobLines {
    fn put(&mut self, done: f64, total: usize, words: &str) {
        self.percent = (100.0 * done / total.max(1) as f64).clamp(self.percent, 100.0);
        console::progress_line(&format!("openjd_progress: {:.1}", self.percent));
        console::progress_line(&format!("openjd_status: {words}"));
    }
}

impl Progress for OpenJobLines {
    fn tell(&mut self, event: &Event) {
        match event {
            Event::Frame(frame) => {
                self.put(frame.index as f64, frame.total, &sentence(frame));
            }
            Event::Advance(frame) if self.lines.is_quiet() => {
                self.put(frame.done(), frame.total, &advance_sentence(frame));
            }
            Event::Error { message, file, line, path, .. } => {
                let place = [file.clone(), line.map(|line| line.to_string()), path.clone()];
                let words: Vec<String> = place.into_iter().flatten().chain([message.replace('\n', " ")]).collect();
                // One line: the rest after a line break would be lost.
                console::progress_line(&format!("openjd_fail: {}", words.join(": ")));
            }
            _ => {}
        }
        self.lines.tell(event);
    }
}
