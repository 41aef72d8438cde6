//! The statistics of a frame, each declared once. The solver's counters, the index of a bake, its lines of progress,
//! its plots and the page about them follow from this list.

use crate::timeline::BINS;
use serde::{Deserialize, Serialize};

/// Hands all statistics to a macro: name, kind, unit (empty for pure numbers) and sentence; the statistics of steps
/// come before those of the matter. At the first frame the statistics of steps, and drifts, are 0.
#[macro_export]
macro_rules! for_statistics {
    ($then:ident) => {
        $then! {
            steps {
                steps: u64, "", "Times since the frame before at which steps of particles ended.";
                smallest_step: f64, "s", "Smallest of these steps.";
                force_evaluations: u64, "", "Evaluations of the forces on a particle since the frame before, summed over the particles.";
                global_force_evaluations: u64, "", "As many as that would have been, had all particles taken the shortest step at any time.";
            }
            matter {
                neighbours: f64, "", "Mean number of neighbours within the kernel's support.";
                kinetic_energy: f64, "J", "Kinetic energy.";
                elastic_energy: f64, "J", "Elastic energy.";
                energy_drift: f64, "J", "Energy that the steps since the frame before gave the matter by their inaccuracy; negative where they took some.";
                momentum: f64, "kg m/s", "Momentum, as the sum of its amounts over all particles: what to compare its drift with.";
                momentum_drift: f64, "kg m/s", "Momentum that the forces between particles gave them in all since the frame before; without inaccuracy it would be none.";
                max_speed: f64, "m/s", "Largest speed.";
                max_compression: f64, "", "Largest density over rest density, minus one.";
            }
        }
    };
}

/// A number that each frame reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Statistic {
    /// Its name in the index.
    pub name: &'static str,
    /// SI unit; empty for pure numbers.
    pub unit: &'static str,
    /// One sentence.
    pub description: &'static str,
}

/// The value of a statistic.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Amount {
    /// A count.
    Count(u64),
    /// A measured number.
    Measure(f64),
}

impl From<u64> for Amount {
    fn from(count: u64) -> Self {
        Self::Count(count)
    }
}

impl From<f64> for Amount {
    fn from(measure: f64) -> Self {
        Self::Measure(measure)
    }
}

impl From<Amount> for f64 {
    fn from(amount: Amount) -> Self {
        match amount {
            Amount::Count(count) => count as Self,
            Amount::Measure(measure) => measure,
        }
    }
}

macro_rules! frame_stats {
    ($($group:ident { $($name:ident: $kind:ty, $unit:tt, $description:literal;)* })*) => {
        /// The cost of advancing one frame, and the state of the matter.
        #[derive(Debug, Clone, Copy, Default, PartialEq)]
        pub struct FrameStats {
            $($(
                #[doc = concat!($description, "\n\nUnit: `", $unit, "`")]
                pub $name: $kind,
            )*)*
            /// Particles by the bin of their step, averaged over the frame: bin n has from 2^n to 2^(n + 1) - 1 steps a
            /// frame.
            pub particles_in_bins: [f64; BINS],
            /// Heat, if it flows.
            pub heat: Option<HeatStats>,
        }

        /// All statistics.
        pub const STATISTICS: &[Statistic] =
            &[$($(Statistic { name: stringify!($name), unit: $unit, description: $description },)*)*];

        impl FrameStats {
            /// The amount of the [`STATISTICS`] entry of a name.
            pub fn amount(&self, name: &str) -> Option<Amount> {
                match name {
                    $($(stringify!($name) => Some(self.$name.into()),)*)*
                    _ => None,
                }
            }
        }
    };
}

for_statistics!(frame_stats);

/// The heat of all matter, and the heat that it received since the frame before, by source.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct HeatStats {
    /// Heat of all matter, counted from 0 K, J.
    pub stored: f64,
    /// Heat from colliders, J.
    pub walls: f64,
    /// Heat from the air, J; below zero where the matter is warmer.
    pub air: f64,
    /// Heat from heaters, J.
    pub heaters: f64,
    /// Heat from outflows, J: below zero, as the matter that they removed had it.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub outflows: f64,
}

/// For an amount that the index lists only where there is some.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_zero(amount: &f64) -> bool {
    *amount == 0.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_statistic_is_read_by_its_name() {
        let stats = FrameStats { steps: 3, max_speed: 0.5, ..FrameStats::default() };
        assert_eq!(stats.amount("steps"), Some(Amount::Count(3)));
        assert_eq!(stats.amount("max_speed"), Some(Amount::Measure(0.5)));
        assert_eq!(stats.amount("speed"), None);
        for statistic in STATISTICS {
            assert!(stats.amount(statistic.name).is_some() && statistic.description.ends_with('.'), "{statistic:?}");
        }
    }
}
