//! Eight numbers in a register of AVX2.

#![allow(clippy::inline_always)]

use super::{Eight, LANES, Row, Task};
use crate::packed::PackedPosition;
use pulp::x86::V3;
use pulp::{Simd, WithSimd, cast};
use std::arch::x86_64::{__m128, __m256, __m256i, _CMP_LT_OQ};

/// Runs a task on AVX2 with all features that a machine has.
#[inline(always)]
pub fn run<M: Simd, T: Task>(machine: M, instructions: V3, task: T) -> T::Output {
    machine.vectorize(OnAvx2 { eight: Avx2(instructions), task })
}

struct OnAvx2<T> {
    eight: Avx2,
    task: T,
}

impl<T: Task> WithSimd for OnAvx2<T> {
    type Output = T::Output;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> T::Output {
        self.task.run(self.eight)
    }
}

/// For each pattern of wanted lanes the order that moves these to the front.
static ORDERS: [[i32; LANES]; 256] = orders();

const fn orders() -> [[i32; LANES]; 256] {
    let mut orders = [[0; LANES]; 256];
    let mut pattern = 0;
    while pattern < 256 {
        let (mut lane, mut count) = (0, 0);
        while lane < LANES {
            if pattern >> lane & 1 == 1 {
                orders[pattern][count] = lane as i32;
                count += 1;
            }
            lane += 1;
        }
        pattern += 1;
    }
    orders
}

/// Operations on registers of AVX2.
#[derive(Debug, Clone, Copy)]
pub struct Avx2(V3);

impl Avx2 {
    /// Columns of eight rows; lanes l and l + 4 share a register.
    #[inline(always)]
    fn transpose(self, rows: [__m128; LANES]) -> [__m256; 4] {
        let avx = self.0.avx;
        let pair = |l: usize| avx._mm256_setr_m128(rows[l], rows[l + 4]);
        let (a, b, c, d) = (pair(0), pair(1), pair(2), pair(3));
        let (ab, cd) = (avx._mm256_unpacklo_ps(a, b), avx._mm256_unpacklo_ps(c, d));
        let (ef, gh) = (avx._mm256_unpackhi_ps(a, b), avx._mm256_unpackhi_ps(c, d));
        [
            avx._mm256_shuffle_ps::<0b01_00_01_00>(ab, cd),
            avx._mm256_shuffle_ps::<0b11_10_11_10>(ab, cd),
            avx._mm256_shuffle_ps::<0b01_00_01_00>(ef, gh),
            avx._mm256_shuffle_ps::<0b11_10_11_10>(ef, gh),
        ]
    }
}

impl Eight for Avx2 {
    type Numbers = __m256;
    type Integers = __m256i;
    type Mask = __m256;

    #[inline(always)]
    fn splat(self, value: f32) -> __m256 {
        self.0.avx._mm256_set1_ps(value)
    }
    #[inline(always)]
    fn add(self, a: __m256, b: __m256) -> __m256 {
        self.0.avx._mm256_add_ps(a, b)
    }
    #[inline(always)]
    fn sub(self, a: __m256, b: __m256) -> __m256 {
        self.0.avx._mm256_sub_ps(a, b)
    }
    #[inline(always)]
    fn mul(self, a: __m256, b: __m256) -> __m256 {
        self.0.avx._mm256_mul_ps(a, b)
    }
    #[inline(always)]
    fn div(self, a: __m256, b: __m256) -> __m256 {
        self.0.avx._mm256_div_ps(a, b)
    }
    #[inline(always)]
    fn sqrt(self, a: __m256) -> __m256 {
        self.0.avx._mm256_sqrt_ps(a)
    }
    #[inline(always)]
    fn larger(self, a: __m256, b: __m256) -> __m256 {
        self.0.avx._mm256_max_ps(a, b)
    }
    #[inline(always)]
    fn smaller(self, a: __m256, b: __m256) -> __m256 {
        self.0.avx._mm256_min_ps(a, b)
    }
    #[inline(always)]
    fn below(self, a: __m256, b: __m256) -> __m256 {
        self.0.avx._mm256_cmp_ps::<_CMP_LT_OQ>(a, b)
    }
    #[inline(always)]
    fn keep(self, mask: __m256, a: __m256) -> __m256 {
        self.0.avx._mm256_and_ps(mask, a)
    }
    #[inline(always)]
    fn any(self, mask: __m256) -> bool {
        self.0.avx._mm256_movemask_ps(mask) != 0
    }
    #[cfg(test)]
    fn store(self, a: __m256) -> [f32; LANES] {
        cast(a)
    }

    #[inline(always)]
    fn sum(self, a: __m256) -> f32 {
        let (avx, sse) = (self.0.avx, self.0.sse);
        let four = sse._mm_add_ps(avx._mm256_castps256_ps128(a), avx._mm256_extractf128_ps::<1>(a));
        let two = sse._mm_add_ps(four, sse._mm_movehl_ps(four, four));
        sse._mm_cvtss_f32(sse._mm_add_ss(two, sse._mm_shuffle_ps::<1>(two, two)))
    }
    #[inline(always)]
    fn max(self, a: __m256) -> f32 {
        let (avx, sse) = (self.0.avx, self.0.sse);
        let four = sse._mm_max_ps(avx._mm256_castps256_ps128(a), avx._mm256_extractf128_ps::<1>(a));
        let two = sse._mm_max_ps(four, sse._mm_movehl_ps(four, four));
        sse._mm_cvtss_f32(sse._mm_max_ss(two, sse._mm_shuffle_ps::<1>(two, two)))
    }

    #[inline(always)]
    fn splat_integer(self, value: i32) -> __m256i {
        self.0.avx._mm256_set1_epi32(value)
    }
    #[inline(always)]
    fn load(self, values: &[i32; LANES]) -> __m256i {
        cast(*values)
    }
    #[inline(always)]
    fn load_numbers(self, values: [f32; LANES]) -> __m256 {
        cast(values)
    }
    #[inline(always)]
    fn difference(self, a: __m256i, b: __m256i) -> __m256i {
        self.0.avx2._mm256_sub_epi32(a, b)
    }
    #[inline(always)]
    fn equal(self, a: __m256i, b: __m256i) -> __m256 {
        cast(self.0.avx2._mm256_cmpeq_epi32(a, b))
    }
    #[inline(always)]
    fn choose(self, mask: __m256, a: __m256i, b: __m256i) -> __m256i {
        self.0.avx2._mm256_blendv_epi8(b, a, cast(mask))
    }
    #[inline(always)]
    fn to_numbers(self, a: __m256i) -> __m256 {
        self.0.avx._mm256_cvtepi32_ps(a)
    }
    #[inline(always)]
    fn pack(self, with: __m256, without: __m256, a: __m256i) -> ([i32; LANES], usize) {
        let wanted = self.0.avx._mm256_movemask_ps(self.0.avx._mm256_andnot_ps(without, with)) as u8;
        let order = self.load(&ORDERS[usize::from(wanted)]);
        (cast(self.0.avx2._mm256_permutevar8x32_epi32(a, order)), wanted.count_ones() as usize)
    }

    #[inline(always)]
    fn turn(self, rows: [&Row; LANES]) -> [__m256; 4] {
        self.transpose(rows.map(|row| cast(*row)))
    }
    #[inline(always)]
    fn turn_places(self, rows: [&PackedPosition; LANES]) -> [__m256i; 4] {
        self.transpose(rows.map(|row| cast(*row))).map(cast)
    }
}
