//! How hard particles of different pieces are pressed together over a frame: what fusion is decided by, DG95 section 5.2.

use super::contact::Pressed;
use crate::lattice::between_layers_in_space;
use glam::DVec3;
use std::collections::{BTreeMap, BTreeSet};

/// What has been pressed over some time.
#[derive(Debug, Default)]
pub struct Pressures {
    /// Particle numbers of all patches, the lower first.
    pairs: BTreeSet<[u32; 2]>,
    /// What other pieces gave each in all, N s, by particle number.
    impulses: BTreeMap<u32, DVec3>,
}

impl Pressures {
    /// Adds what presses for some seconds.
    pub fn add(&mut self, pressed: &[Pressed], seconds: f64) {
        for &Pressed { pair, force } in pressed {
            self.pairs.insert(pair);
            for (number, sign) in [(pair[0], 1.0), (pair[1], -1.0)] {
                *self.impulses.entry(number).or_default() += force * (sign * seconds);
            }
        }
    }

    /// Pairs and the mean pressure on them over a time, s, Pa: of what presses each on the area that it has in a face, at a spacing, m. Of a pair of which
    /// one is known not to bear anything by itself, as it has fused with others, the other counts.
    pub fn pairs(
        &self,
        (seconds, spacing): (f64, f64),
        fused: impl Fn(u32) -> bool,
    ) -> impl Iterator<Item = ([u32; 2], f64)> {
        let area = spacing.powi(3) / between_layers_in_space(spacing);
        let pressure = move |number: u32| self.impulses[&number].length() / (area * seconds);
        self.pairs.iter().map(move |&pair| {
            let [a, b] = pair.map(|number| (pressure(number), fused(number)));
            let of_pair = match (a.1, b.1) {
                (true, false) => b.0,
                (false, true) => a.0,
                _ => a.0.midpoint(b.0),
            };
            (pair, of_pair)
        })
    }
}
