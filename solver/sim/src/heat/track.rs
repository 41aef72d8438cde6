//! A number that changes over time.

use dollop_scene::{Collider, ValueKey};

/// Numbers at rising times: linear in between, held before and after.
#[derive(Debug, Clone, PartialEq)]
pub struct Track(Vec<(f64, f64)>);

impl Track {
    /// The track of some keys, or of one fixed number if there are none; `time_of` maps frames to seconds.
    pub fn new(fixed: f64, keys: &[ValueKey], time_of: impl Fn(i32) -> f64) -> Self {
        if keys.is_empty() { Self(vec![(0.0, fixed)]) } else { Self::of(keys, time_of) }
    }

    /// The temperature of a wall, K; none where no heat passes it.
    pub fn of_wall(wall: &Collider, time_of: impl Fn(i32) -> f64) -> Option<Self> {
        let fixed = wall.temperature.or_else(|| wall.temperatures.first().map(|key| key.value))?;
        Some(Self::new(fixed, &wall.temperatures, time_of))
    }

    fn of(keys: &[ValueKey], time_of: impl Fn(i32) -> f64) -> Self {
        Self(keys.iter().map(|key| (time_of(key.frame), key.value)).collect())
    }

    /// The greatest number between two times.
    pub fn greatest(&self, from: f64, to: f64) -> f64 {
        let within = self.0.iter().filter(|(time, _)| (from..=to).contains(time)).map(|&(_, value)| value);
        within.fold(self.at(from).max(self.at(to)), f64::max)
    }

    /// The number at a time.
    pub fn at(&self, time: f64) -> f64 {
        let after = self.0.partition_point(|&(t, _)| t <= time);
        if after == 0 || after == self.0.len() {
            return self.0[after.saturating_sub(1)].1;
        }
        let ((t0, a), (t1, b)) = (self.0[after - 1], self.0[after]);
        a + (b - a) * ((time - t0) / (t1 - t0))
    }
}
