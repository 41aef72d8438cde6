//! The field of one component at the nodes of a block, kept small.

use crate::blocks::SLOTS;

/// Values at so many nodes are few.
const FEW: usize = 128;

/// Values at the nodes of a block. Spray has a component a particle, each felt at few nodes of several blocks.
pub(crate) enum Values {
    All(Box<[f32; SLOTS]>),
    /// Those that are not zero, by slot.
    Few(Vec<(u16, f32)>),
}

impl Values {
    pub fn new(values: Box<[f32; SLOTS]>) -> Self {
        let felt = || (0_u16..).zip(values.iter().copied()).filter(|(_, value)| *value > 0.0);
        let count = values.iter().filter(|value| **value > 0.0).count();
        if count > FEW {
            return Self::All(values);
        }
        let mut few = Vec::with_capacity(count);
        few.extend(felt());
        Self::Few(few)
    }

    /// The values at all nodes; `room` is where they may be put.
    pub fn all<'a>(&'a self, room: &'a mut [f32; SLOTS]) -> &'a [f32; SLOTS] {
        match self {
            Self::All(values) => values,
            Self::Few(few) => {
                room.fill(0.0);
                for (slot, value) in few {
                    room[usize::from(*slot)] = *value;
                }
                room
            }
        }
    }

    /// The values at all nodes, so many times.
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

    /// Adds them, so many times, to sums at the same nodes.
    pub fn add_to(&self, sums: &mut [f32; SLOTS], gain: f32) {
        match self {
            Self::All(values) => sums.iter_mut().zip(values.iter()).for_each(|(sum, value)| *sum += gain * value),
            Self::Few(values) => values.iter().for_each(|(slot, value)| sums[usize::from(*slot)] += gain * value),
        }
    }
}
