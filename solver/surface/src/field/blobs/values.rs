//! The field of a component at the nodes of a block, stored compactly.

use crate::lattice::blocks::SLOTS;

/// Largest number of nodes stored as a list.
const MAX_LISTED: usize = 128;

/// Values at the nodes of a block. Spray has one component per particle, each with few nodes in several blocks.
pub(crate) enum CompactValues {
    All(Box<[f32; SLOTS]>),
    /// The nonzero values, by slot.
    Few(Vec<(u16, f32)>),
}

impl CompactValues {
    pub fn new(values: Box<[f32; SLOTS]>) -> Self {
        let nonzero = || (0_u16..).zip(values.iter().copied()).filter(|(_, value)| *value > 0.0);
        let count = values.iter().filter(|value| **value > 0.0).count();
        if count > MAX_LISTED {
            return Self::All(values);
        }
        let mut few = Vec::with_capacity(count);
        few.extend(nonzero());
        Self::Few(few)
    }

    /// The values at all nodes; may use `buffer` to hold them.
    pub fn all<'a>(&'a self, buffer: &'a mut [f32; SLOTS]) -> &'a [f32; SLOTS] {
        match self {
            Self::All(values) => values,
            Self::Few(few) => {
                buffer.fill(0.0);
                for (slot, value) in few {
                    buffer[usize::from(*slot)] = *value;
                }
                buffer
            }
        }
    }

    /// The values at all nodes, multiplied by a gain.
    pub fn times(self, gain: f32) -> Box<[f32; SLOTS]> {
        match self {
            Self::All(mut values) => {
                values.iter_mut().for_each(|value| *value *= gain);
                values
            }
            Self::Few(_) => {
                let mut sums = Box::new([0.0; SLOTS]);
                self.add_to(&mut sums, gain);
                sums
            }
        }
    }

    /// Adds the values, multiplied by a gain, to sums at the same nodes.
    pub fn add_to(&self, sums: &mut [f32; SLOTS], gain: f32) {
        match self {
            Self::All(values) => sums.iter_mut().zip(values.iter()).for_each(|(sum, value)| *sum += gain * value),
            Self::Few(values) => values.iter().for_each(|(slot, value)| sums[usize::from(*slot)] += gain * value),
        }
    }
}
