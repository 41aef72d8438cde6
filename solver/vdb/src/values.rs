//! Encodes the values of one node: those of active slots, and a code from which readers rebuild the inactive ones.

use crate::bytes::put_value;
use crate::codec::Encoder;
use crate::mask;
use crate::value::VoxelValue;

/// The values of a node's slots, and the kind of each slot.
#[derive(Clone, Copy)]
pub(crate) struct Slots<'a, T> {
    pub(crate) values: &'a [T],
    pub(crate) active: &'a [u64],
    /// Slots that hold a child instead of a value; empty in a leaf.
    pub(crate) children: &'a [u64],
}

/// Encodes the values of one node after another.
pub(crate) struct ValuesEncoder<T> {
    background: T,
    encoder: Encoder,
    gathered: Vec<T>,
}

impl<T: VoxelValue> ValuesEncoder<T> {
    pub(crate) fn new(background: T, encoder: Encoder) -> Self {
        Self { background, encoder, gathered: Vec::new() }
    }

    /// Count of encoded values beyond the range of halves.
    pub(crate) fn clamped(&self) -> u64 {
        self.encoder.clamped
    }

    /// Appends a value in full precision, after rounding it to the precision of the grid.
    pub(crate) fn put_rounded(&self, out: &mut Vec<u8>, value: T) {
        put_value(out, value.map(|component| self.encoder.precision.round(component)));
    }

    /// Appends the active values; every inactive slot is the background.
    pub(crate) fn put_active(&mut self, out: &mut Vec<u8>, slots: Slots<T>) {
        self.put_code(out, &Inactive::Background);
        self.put_gathered(out, slots);
    }

    /// Appends the active values, and the inactive ones in the shortest way.
    pub(crate) fn put_all(&mut self, out: &mut Vec<u8>, slots: Slots<T>) {
        let inactive = Inactive::of(slots, self.background);
        self.put_code(out, &inactive);
        if let Some(second) = inactive.selected(self.background) {
            put_selection(out, slots, second);
        }
        if let Inactive::Many = inactive {
            self.encoder.put(out, T::flatten(slots.values));
        } else {
            self.put_gathered(out, slots);
        }
    }

    fn put_code(&self, out: &mut Vec<u8>, inactive: &Inactive<T>) {
        out.push(inactive.code());
        for value in inactive.stored() {
            self.put_rounded(out, value);
        }
    }

    fn put_gathered(&mut self, out: &mut Vec<u8>, slots: Slots<T>) {
        gather(slots, &mut self.gathered);
        self.encoder.put(out, T::flatten(&self.gathered));
    }
}

/// The active values in the order of their slots.
fn gather<T: VoxelValue>(slots: Slots<T>, gathered: &mut Vec<T>) {
    gathered.clear();
    for (values, &word) in slots.values.chunks_exact(64).zip(slots.active) {
        if word == u64::MAX {
            gathered.extend_from_slice(values);
        } else {
            gathered.extend(mask::ones(word).map(|slot| values[slot]));
        }
    }
}

/// The inactive slots of a node, 64 at a time.
fn inactive_words<T: VoxelValue>(slots: Slots<T>) -> impl Iterator<Item = u64> {
    slots.active.iter().enumerate().map(move |(i, active)| !(active | slots.children.get(i).copied().unwrap_or(0)))
}

fn put_selection<T: VoxelValue>(out: &mut Vec<u8>, slots: Slots<T>, second: T) {
    for (values, word) in slots.values.chunks_exact(64).zip(inactive_words(slots)) {
        let chosen = mask::ones(word).filter(|&slot| values[slot] == second);
        out.extend_from_slice(&chosen.fold(0_u64, |bits, slot| bits | 1 << slot).to_le_bytes());
    }
}

/// The distinct values of the inactive slots, relative to the background.
#[derive(Debug, PartialEq)]
enum Inactive<T> {
    Background,
    Negated,
    One(T),
    NegatedAndBackground,
    OneAndBackground(T),
    Two(T, T),
    Many,
}

impl<T: VoxelValue> Inactive<T> {
    fn of(slots: Slots<T>, background: T) -> Self {
        let mut distinct = [None; 2];
        for (values, word) in slots.values.chunks_exact(64).zip(inactive_words(slots)) {
            for value in mask::ones(word).map(|slot| values[slot]) {
                match distinct {
                    [Some(first), _] if first == value => {}
                    [_, Some(second)] if second == value => {}
                    [None, _] => distinct[0] = Some(value),
                    [_, None] => distinct[1] = Some(value),
                    _ => return Self::Many,
                }
            }
        }
        Self::from_distinct(distinct, background)
    }

    fn from_distinct(distinct: [Option<T>; 2], background: T) -> Self {
        let negated = background.negated();
        match distinct {
            [None, _] => Self::Background,
            [Some(one), None] if one == background => Self::Background,
            [Some(one), None] if one == negated => Self::Negated,
            [Some(one), None] => Self::One(one),
            [Some(one), Some(other)] | [Some(other), Some(one)] if other == background => {
                if one == negated {
                    Self::NegatedAndBackground
                } else {
                    Self::OneAndBackground(one)
                }
            }
            [Some(first), Some(second)] => Self::Two(first, second),
        }
    }

    fn code(&self) -> u8 {
        match self {
            Self::Background => 0,
            Self::Negated => 1,
            Self::One(_) => 2,
            Self::NegatedAndBackground => 3,
            Self::OneAndBackground(_) => 4,
            Self::Two(..) => 5,
            Self::Many => 6,
        }
    }

    /// The values written before the payload.
    fn stored(&self) -> impl Iterator<Item = T> {
        let pair = match *self {
            Self::One(one) | Self::OneAndBackground(one) => [Some(one), None],
            Self::Two(first, second) => [Some(first), Some(second)],
            _ => [None, None],
        };
        pair.into_iter().flatten()
    }

    /// The value whose slots the selection mask marks, if the code has such a mask.
    fn selected(&self, background: T) -> Option<T> {
        match *self {
            Self::NegatedAndBackground | Self::OneAndBackground(_) => Some(background),
            Self::Two(_, second) => Some(second),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::{GridCompression, GridPrecision};

    /// A leaf with two active voxels and these inactive values in turn.
    fn encode(inactive: &[f32]) -> Vec<u8> {
        let mut values: [f32; 512] = std::array::from_fn(|i| inactive[i % inactive.len()]);
        let mut active = [0; 8];
        for (slot, value) in [(1, 10.0), (200, 20.0)] {
            mask::set(&mut active, slot);
            values[slot] = value;
        }
        let mut out = Vec::new();
        let slots = Slots { values: &values, active: &active, children: &[] };
        ValuesEncoder::new(3.0, Encoder::new(GridPrecision::Full, GridCompression::None)).put_all(&mut out, slots);
        out
    }

    #[test]
    fn each_set_of_inactive_values_has_its_code_and_length() {
        let cases: [(&[f32], u8, usize); 8] = [
            (&[3.0], 0, 8),
            (&[-3.0], 1, 8),
            (&[5.0], 2, 4 + 8),
            (&[3.0, -3.0], 3, 64 + 8),
            (&[-3.0, 3.0], 3, 64 + 8),
            (&[5.0, 3.0], 4, 4 + 64 + 8),
            (&[5.0, 6.0], 5, 8 + 64 + 8),
            (&[3.0, -3.0, 5.0], 6, 512 * 4),
        ];
        for (inactive, code, length) in cases {
            let bytes = encode(inactive);
            assert_eq!((bytes[0], bytes.len()), (code, 1 + length), "{inactive:?}");
        }
    }

    #[test]
    fn the_selection_marks_the_background_and_no_active_slot() {
        // Even slots -3, odd slots 3; slot 1 is active.
        let bytes = encode(&[-3.0, 3.0]);
        assert_eq!(bytes[1], 0b1010_1000);
        assert_eq!(bytes[2], 0b1010_1010);
    }

    #[test]
    fn children_count_as_no_value() {
        let mut values = vec![3.0_f32; 4096];
        values[7] = 9.0;
        let mut children = [0; mask::LOWER_WORDS];
        mask::set(&mut children, 7);
        let slots = Slots { values: &values, active: &[0; mask::LOWER_WORDS], children: &children };
        assert_eq!(Inactive::of(slots, 3.0), Inactive::Background);
        assert_eq!(Inactive::of(Slots { children: &[], ..slots }, 3.0), Inactive::OneAndBackground(9.0));
    }
}
