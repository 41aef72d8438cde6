//! Loops over the neighbours of one particle, eight at a time.
//!
//! A loop is written once over [`Eight`], which stands for eight numbers in vector registers of AVX2, or in plain
//! arrays that the compiler maps to the instructions of the machine. Sums are kept in eight lanes and added up in one
//! fixed order, and products are never fused, so the bits of a result depend neither on the machine nor on the number
//! of threads.

// Only code that is inlined into a task for `dispatch` uses the machine's vector instructions.
#![allow(clippy::inline_always)]

#[cfg(target_arch = "x86_64")]
mod avx2;
mod plain;

use crate::kernel::Real;
use crate::packed::{FRACTION_BITS, PackedPosition, TO_Q};
use pulp::Arch;

/// Numbers handled at a time.
pub const LANES: usize = 8;
/// Four numbers that are loaded together.
pub type Row = [f32; 4];

/// The kernel's support in units of h, squared.
pub const SUPPORT_SQUARED: f32 = 4.0;

/// An offset of three supports.
const OUT_OF_REACH: i32 = 3 << FRACTION_BITS;

/// A machine's operations on eight numbers.
pub trait Eight: Copy {
    /// Eight numbers.
    type Numbers: Copy;
    /// Eight integers.
    type Integers: Copy;
    /// Eight booleans.
    type Mask: Copy;

    fn splat(self, value: f32) -> Self::Numbers;
    fn add(self, a: Self::Numbers, b: Self::Numbers) -> Self::Numbers;
    fn sub(self, a: Self::Numbers, b: Self::Numbers) -> Self::Numbers;
    fn mul(self, a: Self::Numbers, b: Self::Numbers) -> Self::Numbers;
    fn div(self, a: Self::Numbers, b: Self::Numbers) -> Self::Numbers;
    fn sqrt(self, a: Self::Numbers) -> Self::Numbers;
    /// `if a > b { a } else { b }`.
    fn larger(self, a: Self::Numbers, b: Self::Numbers) -> Self::Numbers;
    /// `if a < b { a } else { b }`.
    fn smaller(self, a: Self::Numbers, b: Self::Numbers) -> Self::Numbers;
    /// Where a < b.
    fn below(self, a: Self::Numbers, b: Self::Numbers) -> Self::Mask;
    /// The numbers where the mask is set, zero elsewhere.
    fn keep(self, mask: Self::Mask, a: Self::Numbers) -> Self::Numbers;
    /// Whether any of a mask is set.
    fn any(self, mask: Self::Mask) -> bool;
    /// The lanes as an array.
    #[cfg(test)]
    fn store(self, a: Self::Numbers) -> [f32; LANES];
    /// The sum of the lanes: `((0 + 4) + (2 + 6)) + ((1 + 5) + (3 + 7))`.
    fn sum(self, a: Self::Numbers) -> f32;
    /// The [`larger`](Self::larger) of all lanes, in the order of the [`sum`](Self::sum).
    fn max(self, a: Self::Numbers) -> f32;

    fn splat_integer(self, value: i32) -> Self::Integers;
    fn load(self, values: &[i32; LANES]) -> Self::Integers;
    fn load_numbers(self, values: [f32; LANES]) -> Self::Numbers;
    /// a - b modulo 2^32.
    fn difference(self, a: Self::Integers, b: Self::Integers) -> Self::Integers;
    fn equal(self, a: Self::Integers, b: Self::Integers) -> Self::Mask;
    /// `if mask { a } else { b }`.
    fn choose(self, mask: Self::Mask, a: Self::Integers, b: Self::Integers) -> Self::Integers;
    fn to_numbers(self, a: Self::Integers) -> Self::Numbers;
    /// The integers where the first mask is set and the second is not, moved to the front, and how many they are.
    fn pack(self, with: Self::Mask, without: Self::Mask, a: Self::Integers) -> ([i32; LANES], usize);

    /// Columns of eight rows.
    fn turn(self, rows: [&Row; LANES]) -> [Self::Numbers; 4];
    /// Columns of eight places: x, y, z and tags.
    fn turn_places(self, rows: [&PackedPosition; LANES]) -> [Self::Integers; 4];
}

/// A loop for [`dispatch`]; all code that is inlined into it uses the machine's vector instructions.
pub trait Task {
    type Output;
    fn run<E: Eight>(self, eight: E) -> Self::Output;
}

/// Runs a loop with the vector instructions of the machine.
#[inline(always)]
pub fn dispatch<T: Task>(arch: Arch, task: T) -> T::Output {
    match arch {
        #[cfg(target_arch = "x86_64")]
        Arch::V3(machine) => avx2::run(machine, machine, task),
        // With twice as many registers all sums of the force loop fit; wider registers would not be faster.
        #[cfg(target_arch = "x86_64")]
        Arch::V4(machine) => avx2::run(machine, *machine, task),
        other => other.dispatch(plain::Plain(task)),
    }
}

/// Eight numbers with the operators of a single number.
#[derive(Clone, Copy)]
pub struct Lanes<E: Eight> {
    eight: E,
    numbers: E::Numbers,
}

impl<E: Eight> Lanes<E> {
    /// The same value in all lanes.
    #[inline(always)]
    pub fn splat(eight: E, value: f32) -> Self {
        Self { eight, numbers: eight.splat(value) }
    }

    /// A value for each lane.
    #[inline(always)]
    pub fn load(eight: E, values: [f32; LANES]) -> Self {
        Self { eight, numbers: eight.load_numbers(values) }
    }

    #[inline(always)]
    pub fn sqrt(self) -> Self {
        Self { numbers: self.eight.sqrt(self.numbers), ..self }
    }

    /// The larger of two in each lane; the other where one is not a number.
    #[inline(always)]
    pub fn larger(self, other: Self) -> Self {
        Self { numbers: self.eight.larger(self.numbers, other.numbers), ..self }
    }

    /// The smaller of two in each lane; the other where one is not a number.
    #[inline(always)]
    pub fn smaller(self, other: Self) -> Self {
        Self { numbers: self.eight.smaller(self.numbers, other.numbers), ..self }
    }

    /// The negative numbers, with zeros in place of the others.
    #[inline(always)]
    pub fn negative(self) -> Self {
        Self { numbers: self.eight.smaller(self.numbers, self.eight.splat(0.0)), ..self }
    }

    /// A mask of the lanes where these numbers are less than the others.
    #[inline(always)]
    pub fn below(self, other: Self) -> E::Mask {
        self.eight.below(self.numbers, other.numbers)
    }

    /// The numbers where the mask is set, zero elsewhere.
    #[inline(always)]
    pub fn keep(self, mask: E::Mask) -> Self {
        Self { numbers: self.eight.keep(mask, self.numbers), ..self }
    }

    /// The sum of the lanes, in a fixed order.
    #[inline(always)]
    pub fn sum(self) -> f32 {
        self.eight.sum(self.numbers)
    }

    /// The largest of the lanes.
    #[inline(always)]
    pub fn max(self) -> f32 {
        self.eight.max(self.numbers)
    }
}

macro_rules! operator {
    ($name:ident, $function:ident) => {
        impl<E: Eight> std::ops::$name for Lanes<E> {
            type Output = Self;

            #[inline(always)]
            fn $function(self, other: Self) -> Self {
                Self { numbers: self.eight.$function(self.numbers, other.numbers), ..self }
            }
        }
    };
}

operator!(Add, add);
operator!(Sub, sub);
operator!(Mul, mul);
operator!(Div, div);

impl<E: Eight> Real for Lanes<E> {
    #[inline(always)]
    fn constant(self, value: f32) -> Self {
        Self::splat(self.eight, value)
    }

    #[inline(always)]
    fn positive(self) -> Self {
        self.larger(self.constant(0.0))
    }
}

/// Differences of position to eight neighbours, in units of support / 2^20, and their squared lengths in units of h^2.
pub struct Offsets<E: Eight> {
    pub along: [Lanes<E>; 3],
    pub squared: Lanes<E>,
}

/// A place in all lanes.
#[derive(Clone, Copy)]
pub struct Centre<E: Eight> {
    eight: E,
    slot: E::Integers,
    place: [E::Integers; 3],
    far: E::Integers,
}

impl<E: Eight> Centre<E> {
    /// The place of a slot.
    #[inline(always)]
    pub fn new(eight: E, slot: usize, place: &PackedPosition) -> Self {
        let [x, y, z, _] = *place;
        let place = [eight.splat_integer(x), eight.splat_integer(y), eight.splat_integer(z)];
        Self { eight, slot: eight.splat_integer(slot as i32), place, far: eight.splat_integer(OUT_OF_REACH) }
    }

    /// A mask of the lanes that hold this slot.
    #[inline(always)]
    pub fn is(&self, slots: &[u32; LANES]) -> E::Mask {
        self.eight.equal(self.slot, self.eight.load(&slots.map(|slot| slot as i32)))
    }

    /// Offsets to a group of neighbours, given their places; the slot's own entries, which fill up its last group, are
    /// set beyond the support.
    #[inline(always)]
    pub fn offsets(&self, group: &[u32; LANES], [x, y, z, _]: [E::Integers; 4]) -> Offsets<E> {
        let x = self.eight.choose(self.is(group), self.eight.difference(self.place[0], self.far), x);
        self.offsets_to([x, y, z])
    }

    /// Offsets to eight places.
    #[inline(always)]
    pub fn offsets_to(&self, places: [E::Integers; 3]) -> Offsets<E> {
        let eight = self.eight;
        let difference =
            |axis: usize| Lanes { eight, numbers: eight.to_numbers(eight.difference(self.place[axis], places[axis])) };
        let along @ [x, y, z] = [difference(0), difference(1), difference(2)];
        // Scaling by a power of two is exact.
        Offsets { along, squared: (x * x + y * y + z * z) * Lanes::splat(eight, TO_Q * TO_Q) }
    }
}

/// Columns of the rows of four for a group of slots.
#[inline(always)]
pub fn columns<E: Eight>(eight: E, rows: [&Row; LANES]) -> [Lanes<E>; 4] {
    let [a, b, c, d] = eight.turn(rows);
    let lanes = |numbers| Lanes { eight, numbers };
    [lanes(a), lanes(b), lanes(c), lanes(d)]
}

/// Integers as numbers.
#[inline(always)]
pub fn numbers<E: Eight>(eight: E, integers: E::Integers) -> Lanes<E> {
    Lanes { eight, numbers: eight.to_numbers(integers) }
}

/// The items of a group of slots. Each is written out: the `map` of arrays is not always inlined.
#[inline(always)]
pub fn named<'a, T>(items: &'a [T], group: &[u32; LANES]) -> [&'a T; LANES] {
    let of = |lane: usize| &items[group[lane] as usize];
    [of(0), of(1), of(2), of(3), of(4), of(5), of(6), of(7)]
}

#[cfg(test)]
mod tests;
