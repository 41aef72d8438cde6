//! Eight numbers in an array.

#![allow(clippy::inline_always)]

use super::{Eight, LANES, Row, Task};
use crate::packed::PackedPosition;
use pulp::{Simd, WithSimd};
use std::array::from_fn;

/// A task for any machine.
pub struct Plain<T>(pub T);

impl<T: Task> WithSimd for Plain<T> {
    type Output = T::Output;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> T::Output {
        self.0.run(Arrays)
    }
}

/// Operations on arrays.
#[derive(Debug, Clone, Copy)]
pub struct Arrays;

type Numbers = [f32; LANES];

impl Eight for Arrays {
    type Numbers = Numbers;
    type Integers = [i32; LANES];
    type Mask = [bool; LANES];

    #[inline(always)]
    fn splat(self, value: f32) -> Numbers {
        [value; LANES]
    }
    #[inline(always)]
    fn add(self, a: Numbers, b: Numbers) -> Numbers {
        from_fn(|l| a[l] + b[l])
    }
    #[inline(always)]
    fn sub(self, a: Numbers, b: Numbers) -> Numbers {
        from_fn(|l| a[l] - b[l])
    }
    #[inline(always)]
    fn mul(self, a: Numbers, b: Numbers) -> Numbers {
        from_fn(|l| a[l] * b[l])
    }
    #[inline(always)]
    fn div(self, a: Numbers, b: Numbers) -> Numbers {
        from_fn(|l| a[l] / b[l])
    }
    #[inline(always)]
    fn sqrt(self, a: Numbers) -> Numbers {
        a.map(f32::sqrt)
    }
    #[inline(always)]
    fn larger(self, a: Numbers, b: Numbers) -> Numbers {
        from_fn(|l| if a[l] > b[l] { a[l] } else { b[l] })
    }
    #[inline(always)]
    fn smaller(self, a: Numbers, b: Numbers) -> Numbers {
        from_fn(|l| if a[l] < b[l] { a[l] } else { b[l] })
    }
    #[inline(always)]
    fn below(self, a: Numbers, b: Numbers) -> [bool; LANES] {
        from_fn(|l| a[l] < b[l])
    }
    #[inline(always)]
    fn keep(self, mask: [bool; LANES], a: Numbers) -> Numbers {
        from_fn(|l| if mask[l] { a[l] } else { 0.0 })
    }
    #[inline(always)]
    fn any(self, mask: [bool; LANES]) -> bool {
        mask.into_iter().any(|set| set)
    }
    #[cfg(test)]
    fn store(self, a: Numbers) -> [f32; LANES] {
        a
    }

    #[inline(always)]
    fn sum(self, [a, b, c, d, e, f, g, h]: [f32; LANES]) -> f32 {
        ((a + e) + (c + g)) + ((b + f) + (d + h))
    }
    #[inline(always)]
    fn max(self, [a, b, c, d, e, f, g, h]: [f32; LANES]) -> f32 {
        let larger = |a: f32, b: f32| if a > b { a } else { b };
        larger(larger(larger(a, e), larger(c, g)), larger(larger(b, f), larger(d, h)))
    }

    #[inline(always)]
    fn splat_integer(self, value: i32) -> [i32; LANES] {
        [value; LANES]
    }
    #[inline(always)]
    fn load(self, values: &[i32; LANES]) -> [i32; LANES] {
        *values
    }
    #[inline(always)]
    fn load_numbers(self, values: [f32; LANES]) -> Numbers {
        values
    }
    #[inline(always)]
    fn difference(self, a: [i32; LANES], b: [i32; LANES]) -> [i32; LANES] {
        from_fn(|l| a[l].wrapping_sub(b[l]))
    }
    #[inline(always)]
    fn equal(self, a: [i32; LANES], b: [i32; LANES]) -> [bool; LANES] {
        from_fn(|l| a[l] == b[l])
    }
    #[inline(always)]
    fn choose(self, mask: [bool; LANES], a: [i32; LANES], b: [i32; LANES]) -> [i32; LANES] {
        from_fn(|l| if mask[l] { a[l] } else { b[l] })
    }
    #[inline(always)]
    fn to_numbers(self, a: [i32; LANES]) -> Numbers {
        a.map(|value| value as f32)
    }
    #[inline(always)]
    fn pack(self, with: [bool; LANES], without: [bool; LANES], a: [i32; LANES]) -> ([i32; LANES], usize) {
        let (mut packed, mut count) = ([0; LANES], 0);
        for l in 0..LANES {
            // Written in any case, and kept if wanted: no branch can be mispredicted.
            packed[count] = a[l];
            count += usize::from(with[l] && !without[l]);
        }
        (packed, count)
    }

    #[inline(always)]
    fn turn(self, rows: [&Row; LANES]) -> [Numbers; 4] {
        from_fn(|column| rows.map(|row| row[column]))
    }
    #[inline(always)]
    fn turn_places(self, rows: [&PackedPosition; LANES]) -> [[i32; LANES]; 4] {
        from_fn(|column| rows.map(|row| row[column]))
    }
}
