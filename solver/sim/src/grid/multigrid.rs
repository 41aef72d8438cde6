//! V-cycles of geometric multigrid, smoothed by Chebyshev polynomials of the scaled left side (Adams et al. 2003), so
//! that all passes are over whole rows and have the same bits for any number of threads.

use super::equations::{Equations, Momentum, Poisson, residual};
use super::fields::{Field, Fields, RowAction, pass, pass_by, product};
use super::level::{Level, keep};
use super::rows::Rows;
use super::transfer::{IN_CELLS, INSIDE, Location, ON_FACES, SAME, Weights, interpolate, restrict};

/// Steps of the smoother before a coarser level and after it.
const DEGREE: usize = 2;
/// The smoother damps the part of the spectrum from the largest eigenvalue down to it over this.
const BAND: f32 = 8.0;
/// A level of fewer active cells is the coarsest.
const FEW: usize = 300;
/// Iterations on the coarsest level, at most, and the part of the residual that ends them.
const MOST_ITERATIONS: usize = 40;
const NEGLIGIBLE: f64 = 1e-8;

/// Levels from the finest to the coarsest, and what cycles over them need.
#[derive(Debug)]
pub struct Multigrid {
    levels: Vec<Level>,
    momentum: Vec<Work<3, Momentum>>,
    poisson: Vec<Work<1, Poisson>>,
}

/// What a cycle has on a level.
#[derive(Debug)]
struct Work<const N: usize, E: Equations<N>> {
    right: [Field; N],
    u: [Field; N],
    step: [Field; N],
    rest: [Field; N],
    between: E::Between,
}

impl<const N: usize, E: Equations<N>> Work<N, E> {
    fn new(len: usize) -> Self {
        let [right, u, step, rest] = std::array::from_fn(|_| std::array::from_fn(|_| vec![0.0; len]));
        Self { right, u, step, rest, between: E::between(len) }
    }
}

impl Multigrid {
    /// Makes the coarser levels of one.
    pub fn new(finest: Level) -> Self {
        let mut levels = vec![finest];
        while let Some(coarse) = levels.last().filter(|last| last.rows.active() >= FEW).map(coarse) {
            levels.push(coarse);
        }
        let momentum = levels.iter().map(|level| Work::new(level.rows.len())).collect();
        let poisson = levels.iter().map(|level| Work::new(level.rows.len())).collect();
        Self { levels, momentum, poisson }
    }

    /// The finest level.
    pub fn finest(&self) -> &Level {
        &self.levels[0]
    }

    /// The finest level.
    pub fn into_finest(self) -> Level {
        let mut levels = self.levels;
        levels.swap_remove(0)
    }

    /// The rows of the finest level.
    pub fn into_rows(self) -> Rows {
        self.into_finest().rows
    }

    /// One cycle for the velocities of [`Momentum`], from zero.
    pub fn velocities(&mut self, right: &Fields) -> &Fields {
        solve::<3, Momentum>(&self.levels, &mut self.momentum, right)
    }

    /// One cycle for the pressure of [`Poisson`], from zero.
    pub fn pressure(&mut self, right: &Field) -> &Field {
        let [p] = solve::<1, Poisson>(&self.levels, &mut self.poisson, std::array::from_ref(right));
        p
    }

    /// Some cycles for the pressure of [`Poisson`], from zero.
    pub fn cycles(&mut self, right: &Field, count: usize) -> Field {
        let mut pressure = [vec![0.0; right.len()]];
        let mut rest = [right.clone()];
        for n in 0..count {
            if n > 0 {
                let Work { between, .. } = &mut self.poisson[0];
                residual::<1, Poisson>(&self.levels[0], std::array::from_ref(right), &pressure, between, &mut rest);
            }
            let more = self.pressure(&rest[0]);
            pressure[0].iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
        }
        let [pressure] = pressure;
        pressure
    }
}

/// The weights of a field that lies on faces across an axis, along the axes.
fn across(axis: usize, own: Weights, other: Weights) -> [Weights; 3] {
    std::array::from_fn(|n| if n == axis { own } else { other })
}

/// The level of cells twice as wide. Each coefficient is shared out among the coarse differences that its own is a
/// mean of, once interpolated. So no coarse flow has less energy than the same fine one, of which a cycle would then
/// take away too much, and faces beyond the surface have some.
fn coarse(fine: &Level) -> Level {
    let mut coarse = Level::empty(fine.rows.coarse());
    let rows = [&fine.rows, &coarse.rows];
    // Over twice the width the same difference is a quarter of the energy.
    restrict(rows, [INSIDE; 3], &fine.full, 1.0, &mut coarse.full);
    coarse.full.iter_mut().for_each(|full| *full = f32::from(*full > 0.0));
    let (inner, airy) = fine.inner_and_airy();
    restrict(rows, [IN_CELLS; 3], &airy, 1.0, &mut coarse.airy);
    coarse.airy.iter_mut().zip(&coarse.full).for_each(|(airy, full)| *airy *= full);
    for (axis, inner) in inner.iter().enumerate() {
        let (stretch, drag) = fine.inner_and_held(axis);
        let (edges, faces) = (across(axis, IN_CELLS, ON_FACES), across(axis, ON_FACES, IN_CELLS));
        restrict(rows, across(axis, INSIDE, IN_CELLS), &stretch, 0.25, &mut coarse.stretch[axis]);
        restrict(rows, edges, &fine.shear[axis], 0.25, &mut coarse.shear[axis]);
        restrict(rows, faces, &fine.mass[axis], 1.0, &mut coarse.mass[axis]);
        restrict(rows, across(axis, ON_FACES, IN_CELLS), inner, 0.25, &mut coarse.lightness[axis]);
        restrict(rows, faces, &drag, 1.0, &mut coarse.drag[axis]);
        restrict(rows, across(axis, SAME, INSIDE), &fine.covered[axis], 0.25, &mut coarse.covered[axis]);
        restrict(rows, faces, &fine.free[axis], 1.0, &mut coarse.free[axis]);
        let faces = coarse.free[axis].iter_mut().zip(&coarse.covered[axis]);
        faces.for_each(|(free, covered)| *free = f32::from(*free > 0.0 && *covered < 1.0));
    }
    coarse.invert_diagonals();
    coarse
}

fn solve<'a, const N: usize, E: Equations<N>>(
    levels: &[Level],
    work: &'a mut [Work<N, E>],
    right: &[Field; N],
) -> &'a [Field; N] {
    work[0].right.clone_from(right);
    cycle(levels, work);
    &work[0].u
}

fn cycle<const N: usize, E: Equations<N>>(levels: &[Level], work: &mut [Work<N, E>]) {
    let ([level, coarser @ ..], [own, below @ ..]) = (levels, work) else { return };
    let Some((coarse, next)) = coarser.first().zip(below.first_mut()) else { return conjugate_gradients(level, own) };
    smooth(level, own, true);
    let Work { right, u, rest, between, .. } = own;
    residual::<N, E>(level, right, u, between, rest);
    let rows = [&level.rows, &coarse.rows];
    for (n, location) in E::LOCATIONS.into_iter().enumerate() {
        let weights = match location {
            Location::Cells => [IN_CELLS; 3],
            Location::Faces(axis) => across(axis, ON_FACES, IN_CELLS),
        };
        restrict(rows, weights, &rest[n], 1.0, &mut next.right[n]);
        let unknown = E::unknown(coarse)[n];
        pass_by::<1, ()>(&coarse.rows, [&mut next.right[n]], |(), row, [out]| keep(out, coarse.rows.own(unknown, row)));
    }
    cycle(coarser, below);
    for (n, location) in E::LOCATIONS.into_iter().enumerate() {
        interpolate(rows, location, &below[0].u[n], E::unknown(level)[n], &mut u[n]);
    }
    smooth(level, own, false);
}

/// Factors of the last step and of the residual in each step of a Chebyshev iteration (Saad 2003, algorithm 12.1).
fn chebyshev(largest: f32) -> [(f32, f32); DEGREE] {
    let (low, high) = (largest / BAND, largest);
    let (middle, half) = (f32::midpoint(high, low), (high - low) / 2.0);
    let mut last = half / middle;
    std::array::from_fn(|n| {
        if n == 0 {
            return (0.0, 1.0 / middle);
        }
        let next = 1.0 / (2.0 * middle / half - last);
        (std::mem::replace(&mut last, next) * next, 2.0 * next / half)
    })
}

fn smooth<const N: usize, E: Equations<N>>(level: &Level, work: &mut Work<N, E>, from_zero: bool) {
    let (Work { right, u, step, between, .. }, rows) = (work, &level.rows);
    for (count, factors) in chebyshev(E::LARGEST).into_iter().enumerate() {
        let is_zero = count == 0 && from_zero;
        if !is_zero {
            E::prepare(level, u, between);
        }
        for (n, (u, step)) in u.iter_mut().zip(&mut *step).enumerate() {
            let (right, inverse) = (&right[n], E::inverse(level)[n]);
            if is_zero {
                pass(rows, [u, step], &FirstStep { rows, right, inverse, factor: factors.1 });
            } else {
                pass(rows, [u, step], &NextStep::<N, E> { level, n, right, inverse, between, factors });
            }
        }
    }
}

/// The first step of a smoother from zero.
struct FirstStep<'a> {
    rows: &'a Rows,
    right: &'a Field,
    inverse: &'a Field,
    factor: f32,
}

impl RowAction<2> for FirstStep<'_> {
    type Found = ();

    #[inline(always)]
    fn act(&self, (): &mut (), row: usize, [u, step]: [&mut [f32]; 2]) {
        first_step(u, step, self.rows.own(self.right, row), self.rows.own(self.inverse, row), self.factor);
    }
}

/// Another step of it, for one field.
struct NextStep<'a, const N: usize, E: Equations<N>> {
    level: &'a Level,
    n: usize,
    right: &'a Field,
    inverse: &'a Field,
    between: &'a E::Between,
    factors: (f32, f32),
}

impl<const N: usize, E: Equations<N>> RowAction<2> for NextStep<'_, N, E> {
    /// The left side of a row.
    type Found = Vec<f32>;

    #[inline(always)]
    fn act(&self, left: &mut Vec<f32>, row: usize, [u, step]: [&mut [f32]; 2]) {
        let rows = &self.level.rows;
        left.resize(u.len(), 0.0);
        E::left(self.level, self.n, row, u, self.between, left);
        next_step(u, step, rows.own(self.right, row), left, rows.own(self.inverse, row), self.factors);
    }
}

#[inline(always)]
fn first_step(u: &mut [f32], step: &mut [f32], right: &[f32], inverse: &[f32], factor: f32) {
    let n = u.len();
    let (step, right, inverse) = (&mut step[..n], &right[..n], &inverse[..n]);
    for i in 0..n {
        step[i] = factor * inverse[i] * right[i];
        u[i] = step[i];
    }
}

#[inline(always)]
fn next_step(
    u: &mut [f32],
    step: &mut [f32],
    right: &[f32],
    left: &[f32],
    inverse: &[f32],
    (of_last, of_residual): (f32, f32),
) {
    let n = u.len();
    let (step, right, left, inverse) = (&mut step[..n], &right[..n], &left[..n], &inverse[..n]);
    for i in 0..n {
        step[i] = of_last * step[i] + of_residual * inverse[i] * (right[i] - left[i]);
        u[i] += step[i];
    }
}

/// Conjugate gradients with the inverse diagonal, from zero.
fn conjugate_gradients<const N: usize, E: Equations<N>>(level: &Level, work: &mut Work<N, E>) {
    let Work { right: rest, u, step: direction, rest: image, between } = work;
    let (rows, inverse) = (&level.rows, E::inverse(level));
    u.iter_mut().chain(&mut *direction).for_each(|field| field.fill(0.0));
    let (mut last, mut first) = (1.0, None);
    for _ in 0..MOST_ITERATIONS {
        let scaled =
            |n: usize| -> Field { rest[n].iter().zip(inverse[n]).map(|(rest, inverse)| rest * inverse).collect() };
        let scaled: [Field; N] = std::array::from_fn(scaled);
        let now: f64 = rest.iter().zip(&scaled).map(|(rest, scaled)| product(rest, scaled)).sum();
        if now <= NEGLIGIBLE * *first.get_or_insert(now) {
            break;
        }
        let kept = if first == Some(now) { 0.0 } else { (now / last) as f32 };
        last = now;
        for (direction, scaled) in direction.iter_mut().zip(&scaled) {
            direction.iter_mut().zip(scaled).for_each(|(direction, scaled)| *direction = scaled + kept * *direction);
        }
        E::prepare(level, direction, between);
        for (n, image) in image.iter_mut().enumerate() {
            let (direction, between) = (&direction[n], &*between);
            pass_by::<1, ()>(rows, [image], |(), row, [out]| {
                E::left(level, n, row, rows.own(direction, row), between, out);
                keep(out, rows.own(E::unknown(level)[n], row));
            });
        }
        let energy: f64 = direction.iter().zip(&*image).map(|(direction, image)| product(direction, image)).sum();
        if energy <= 0.0 {
            break;
        }
        let length = (now / energy) as f32;
        for n in 0..N {
            u[n].iter_mut().zip(&direction[n]).for_each(|(u, direction)| *u += length * direction);
            rest[n].iter_mut().zip(&image[n]).for_each(|(rest, image)| *rest -= length * image);
        }
    }
}
