//! The frames to draw, read from the cache in groups.

use crate::failure::{ExitCode, Failure};
use crate::frame_range::FrameList;
use crate::machine;
use crate::particle_frames::particle_frames;
use dollop_cache::{FrameRecord, Index, read_particles};
use dollop_preview::{Options, SeriesBounds};
use dollop_sim::Frame;
use rayon::prelude::*;
use std::path::Path;

/// How many frames of so many bytes fit into some memory; at least one.
fn that_fit(memory: f64, frame: f64) -> usize {
    // Casts saturate at the largest number.
    ((memory / frame) as usize).max(1)
}

/// Frames of a cache, in rising order; at least one.
pub struct Series<'a> {
    root: &'a Path,
    index: &'a Index,
    records: Vec<FrameRecord>,
    /// Maximum number of frames processed in parallel.
    at_once: usize,
}

impl<'a> Series<'a> {
    /// The frames of a list; without a list, all frames with particles. Processing a frame takes so many bytes per
    /// particle.
    ///
    /// # Errors
    /// When no frame has particles, or one of the list has none.
    pub fn new(root: &'a Path, index: &'a Index, list: Option<&FrameList>, bytes: f64) -> Result<Self, Failure> {
        let records = particle_frames(root, index, list)?;
        let largest = records.iter().map(|record| record.particles as f64 * bytes).fold(0.0, f64::max);
        let at_once = that_fit(machine::memory_for_frames(), largest);
        Ok(Self { root, index, records, at_once })
    }

    /// Their number.
    pub fn len(&self) -> usize {
        self.records.len()
    }

    /// Their numbers.
    pub fn numbers(&self) -> impl Iterator<Item = i32> {
        self.records.iter().map(|record| record.frame)
    }

    /// The display time of each, s: until the next one; the last one is shown for one frame.
    pub fn delays(&self) -> Vec<f64> {
        let next = self.numbers().skip(1).map(Some).chain([None]);
        let frames = self.numbers().zip(next).map(|(frame, next)| next.map_or(1, |next| next.abs_diff(frame)));
        frames.map(|frames| f64::from(frames) / self.index.frames.rate).collect()
    }

    /// At most so many frames, spread over all.
    pub fn spread(&self, most: usize) -> Self {
        let records = self.records.iter().step_by(self.len().div_ceil(most)).cloned().collect();
        Self { records, ..*self }
    }

    /// The data needed before the first frame is drawn.
    ///
    /// # Errors
    /// When a frame cannot be read or lacks the field to colour by.
    pub fn bounds(&self, options: &Options) -> Result<SeriesBounds, Failure> {
        let mut known: Option<SeriesBounds> = None;
        let add = |bounds: SeriesBounds| {
            known = Some(known.map_or(bounds, |known| known.union(bounds)));
            Ok(())
        };
        self.each(|frame| Ok(SeriesBounds::of(frame, options)?), add)?;
        known.ok_or_else(|| Failure::new(ExitCode::Internal, "there is no frame to look at"))
    }

    /// Makes a result from each frame, as many in parallel as threads and memory allow, and passes the results on in
    /// order.
    ///
    /// # Errors
    /// The first failure of any.
    pub fn each<T: Send>(
        &self,
        make: impl Fn(&Frame) -> Result<T, Failure> + Sync,
        mut take: impl FnMut(T) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        for records in self.records.chunks(self.at_once.min(rayon::current_num_threads())) {
            let made: Vec<_> =
                records.par_iter().map(|record| make(&read_particles(self.root, self.index, record)?)).collect();
            made.into_iter().try_for_each(|made| take(made?))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::that_fit;

    #[test]
    fn frames_share_the_memory() {
        assert_eq!(that_fit(1e9, 3e8), 3);
        assert_eq!(that_fit(1e9, 3e9), 1, "one is always worked on");
        assert_eq!(that_fit(1e9, 0.0), usize::MAX);
        assert_eq!(that_fit(f64::INFINITY, 3e9), usize::MAX);
        assert_eq!(that_fit(f64::NAN, 0.0), 1);
    }
}
