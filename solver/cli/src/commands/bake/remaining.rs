//! Estimates the remaining time of a bake from the durations of its last frames.

use std::collections::VecDeque;

/// Number of frames that count.
const LAST: usize = 8;

/// The last frames' durations.
#[derive(Debug, Default)]
pub struct Pace {
    /// Seconds of simulation.
    simulated: VecDeque<f64>,
    /// Seconds for making and writing the files.
    written: VecDeque<f64>,
}

impl Pace {
    /// Adds a frame: its seconds of simulation, if it was simulated and not the first frame, and of writing.
    pub fn add(&mut self, simulating: Option<f64>, writing: f64) {
        push(&mut self.written, writing);
        if let Some(seconds) = simulating {
            push(&mut self.simulated, seconds);
        }
    }

    /// Seconds that so many more frames will take; unknown before a frame was simulated.
    pub fn remaining(&self, frames: usize) -> Option<f64> {
        if frames == 0 {
            return Some(0.0);
        }
        // If steps have just grown shorter, they will more likely stay so.
        let simulating = mean(&self.simulated).max(*self.simulated.back()?);
        // One frame is written while the next is simulated.
        Some(frames as f64 * simulating.max(mean(&self.written)))
    }
}

/// The remaining time of the frame that is being simulated, and of all frames.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Left {
    /// Seconds until the frame is simulated.
    pub of_frame: f64,
    /// Seconds until all frames are done.
    pub of_all: f64,
}

impl Pace {
    /// The remaining time after a part of a frame, above 0, took so many seconds, with so many frames after it.
    pub fn left(&self, part: f64, seconds: f64, frames: usize) -> Left {
        let whole = seconds / part;
        let (of_frame, last) = (whole - seconds, self.simulated.back().copied().unwrap_or(0.0));
        // As for whole frames; the last one must still be written.
        let each = mean(&self.simulated).max(last).max(whole).max(mean(&self.written));
        Left { of_frame, of_all: of_frame + frames as f64 * each + mean(&self.written) }
    }
}

fn push(seconds: &mut VecDeque<f64>, new: f64) {
    if seconds.len() == LAST {
        seconds.pop_front();
    }
    seconds.push_back(new);
}

fn mean(seconds: &VecDeque<f64>) -> f64 {
    seconds.iter().sum::<f64>() / seconds.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn the_first_frame_does_not_count_as_simulated() {
        let mut pace = Pace::default();
        pace.add(None, 0.5);
        assert_eq!((pace.remaining(10), pace.remaining(0)), (None, Some(0.0)));
        pace.add(Some(4.0), 0.5);
        assert!((pace.remaining(10).unwrap() - 40.0).abs() < 1e-9);
    }

    #[test]
    fn writing_counts_where_it_takes_longer() {
        let mut pace = Pace::default();
        (0..3).for_each(|_| pace.add(Some(1.0), 2.5));
        assert!((pace.remaining(2).unwrap() - 5.0).abs() < 1e-9);
    }

    #[test]
    fn the_remaining_time_follows_a_longer_current_frame() {
        let mut pace = Pace::default();
        assert_eq!(pace.left(0.25, 10.0, 0), Left { of_frame: 30.0, of_all: 30.0 });
        pace.add(Some(1.0), 0.5);
        assert_eq!(pace.left(0.25, 10.0, 2), Left { of_frame: 30.0, of_all: 110.5 });
        pace.add(Some(100.0), 0.5);
        assert_eq!(pace.left(0.25, 10.0, 2), Left { of_frame: 30.0, of_all: 230.5 });
    }

    #[test]
    fn steps_that_grow_shorter_count_at_once_and_old_frames_are_forgotten() {
        let mut pace = Pace::default();
        (0..20).for_each(|_| pace.add(Some(1.0), 0.0));
        pace.add(Some(8.0), 0.0);
        assert!((pace.remaining(2).unwrap() - 16.0).abs() < 1e-9);
        (0..LAST).for_each(|_| pace.add(Some(2.0), 0.0));
        assert!((pace.remaining(2).unwrap() - 4.0).abs() < 1e-9);
    }
}
