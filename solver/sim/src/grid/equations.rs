//! The symmetric equations that a multigrid solves: those of velocities at given pressures, and of a pressure.

use super::fields::{Field, Fields, RowAction, pass, zeros};
use super::level::{Level, Stresses};
use super::transfer::Location;

/// Symmetric, positive equations with N unknown fields on a level. Their left side is found in two passes, so that the
/// second reads of the unknowns those of its own row alone and may change them.
pub trait Equations<const N: usize>: Sync {
    /// What the second pass reads.
    type Between: std::fmt::Debug + Send + Sync;

    /// Where the unknowns lie.
    const LOCATIONS: [Location; N];

    /// A bound of the largest eigenvalue of the left side over its diagonal.
    const LARGEST: f32;

    fn between(len: usize) -> Self::Between;

    /// The first pass.
    fn prepare(level: &Level, u: &[Field; N], between: &mut Self::Between);

    /// The second pass: the left side of the n-th field in a row, whose unknowns are `u`.
    fn left(level: &Level, n: usize, row: usize, u: &[f32], between: &Self::Between, out: &mut [f32]);

    /// The inverse diagonal; zero where nothing is unknown.
    fn inverse(level: &Level) -> [&Field; N];

    /// 1 where there is an unknown.
    fn unknown(level: &Level) -> [&Field; N];
}

/// (m + K) u = right: the velocities of a step at given pressures.
#[derive(Debug)]
pub struct Momentum;

impl Equations<3> for Momentum {
    type Between = Stresses;

    const LOCATIONS: [Location; 3] = [Location::Faces(0), Location::Faces(1), Location::Faces(2)];

    /// By rows: the diagonal of K is at least half of what the others of a row add up to.
    const LARGEST: f32 = 3.0;

    fn between(len: usize) -> Stresses {
        Stresses::zeros(len)
    }

    fn prepare(level: &Level, u: &Fields, stresses: &mut Stresses) {
        level.find_stresses(u, stresses);
    }

    #[inline(always)]
    fn left(level: &Level, axis: usize, row: usize, u: &[f32], stresses: &Stresses, out: &mut [f32]) {
        level.forces(axis, row, u, stresses, out);
    }

    fn inverse(level: &Level) -> [&Field; 3] {
        level.inverse.each_ref()
    }

    fn unknown(level: &Level) -> [&Field; 3] {
        level.free.each_ref()
    }
}

/// B' (1/m) B p = right: the pressure that changes the volume flow of thin matter.
#[derive(Debug)]
pub struct Poisson;

impl Equations<1> for Poisson {
    /// Flows through faces.
    type Between = Fields;

    const LOCATIONS: [Location; 1] = [Location::Cells];

    const LARGEST: f32 = 2.0;

    fn between(len: usize) -> Fields {
        zeros(len)
    }

    fn prepare(level: &Level, [p]: &[Field; 1], flows: &mut Fields) {
        level.find_flows(p, flows);
    }

    #[inline(always)]
    fn left(level: &Level, _: usize, row: usize, p: &[f32], flows: &Fields, out: &mut [f32]) {
        level.outflow(row, flows, out);
        add_products(level.rows.own(&level.airy, row), p, out);
    }

    fn inverse(level: &Level) -> [&Field; 1] {
        [&level.inverse_laplacian]
    }

    fn unknown(level: &Level) -> [&Field; 1] {
        [&level.full]
    }
}

/// out = right - left side where there are unknowns.
pub fn residual<const N: usize, E: Equations<N>>(
    level: &Level,
    right: &[Field; N],
    u: &[Field; N],
    between: &mut E::Between,
    out: &mut [Field; N],
) {
    E::prepare(level, u, between);
    for (n, out) in out.iter_mut().enumerate() {
        let action = Residual::<N, E> { level, n, right: &right[n], u: &u[n], between };
        pass(&level.rows, [out], &action);
    }
}

/// The [residual] of one field.
struct Residual<'a, const N: usize, E: Equations<N>> {
    level: &'a Level,
    n: usize,
    right: &'a Field,
    u: &'a Field,
    between: &'a E::Between,
}

impl<const N: usize, E: Equations<N>> RowAction<1> for Residual<'_, N, E> {
    type Found = ();

    #[inline(always)]
    fn act(&self, (): &mut (), row: usize, [out]: [&mut [f32]; 1]) {
        let (level, rows) = (self.level, &self.level.rows);
        E::left(level, self.n, row, rows.own(self.u, row), self.between, out);
        subtract_from(rows.own(self.right, row), rows.own(E::unknown(level)[self.n], row), out);
    }
}

#[inline(always)]
fn add_products(a: &[f32], b: &[f32], out: &mut [f32]) {
    let n = out.len();
    let (a, b) = (&a[..n], &b[..n]);
    for i in 0..n {
        out[i] += a[i] * b[i];
    }
}

#[inline(always)]
fn subtract_from(right: &[f32], unknown: &[f32], out: &mut [f32]) {
    let n = out.len();
    let (right, unknown) = (&right[..n], &unknown[..n]);
    for i in 0..n {
        out[i] = unknown[i] * (right[i] - out[i]);
    }
}
