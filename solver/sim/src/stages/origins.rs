//! Where and when particles came to be.

use crate::reshape::Born;
use glam::Vec3;

/// By particle number.
#[derive(Debug, Clone, Default)]
pub struct Origins {
    /// Where each was filled in, m, or between its parents' places then.
    pub positions: Vec<Vec3>,
    /// Normals then of those of woven sheets; empty where there is none.
    pub normals: Vec<Vec3>,
    /// Seconds from the first frame until those came into being that were not there from the start, from the first of them on.
    pub births: Vec<f64>,
}

impl Origins {
    /// Adds those that were born at some time, s.
    pub fn add(&mut self, born: Born, time: f64) {
        for parents in born {
            let [a, b] = parents.map(|number| self.positions[number as usize]);
            self.positions.push(a.midpoint(b));
            if !self.normals.is_empty() {
                let [a, b] = parents.map(|number| self.normals[number as usize]);
                self.normals.push((a + b).normalize_or(a));
            }
            self.births.push(time);
        }
    }

    /// Seconds since each came into being, at some time, s.
    pub fn ages(&self, now: f64) -> Vec<f32> {
        let later = self.births.iter().map(|born| (now - born) as f32);
        let first = self.positions.len() - self.births.len();
        std::iter::repeat_n(now as f32, first).chain(later).collect()
    }
}
