//! The sources of heat.

use std::iter::Sum;
use std::ops::{Add, AddAssign};

/// Heat that the matter received over some time, by source, J.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct HeatFlows {
    /// From walls.
    pub walls: f64,
    /// From the air; radiation of the surface counts here.
    pub air: f64,
    /// From heaters.
    pub heaters: f64,
    /// From a changing stiffness: elastic energy that the matter gained.
    pub elastic: f64,
}

impl Add for HeatFlows {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            walls: self.walls + other.walls,
            air: self.air + other.air,
            heaters: self.heaters + other.heaters,
            elastic: self.elastic + other.elastic,
        }
    }
}

impl AddAssign for HeatFlows {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sum for HeatFlows {
    fn sum<I: Iterator<Item = Self>>(flows: I) -> Self {
        flows.fold(Self::default(), Add::add)
    }
}
