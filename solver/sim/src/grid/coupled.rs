//! The velocities and pressures of a step together: generalised conjugate residuals (Eisenstat, Elman, Schultz 1983)
//! with a block-triangular preconditioner.
//!
//! Split solves let stiff matter flow apart that both together hold: the front of a slump at 1,000 Pa s goes 1.3 to
//! 1.8 times too far.

use super::fields::{Field, Fields, RowAction, pass, product, zeros};
use super::level::{Level, Stresses};
use super::multigrid::Multigrid;
use super::rows::Rows;

/// Earlier directions that a new one is made orthogonal to.
const WINDOW: usize = 16;

/// Velocities on faces and pressures in cells, or the two sides of their equations.
#[derive(Debug, Clone, Default)]
pub struct Flow {
    pub u: Fields,
    pub p: Field,
}

/// How a solve went.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Convergence {
    pub iterations: usize,
    /// Size of the residual over that of the right side.
    pub residual: f64,
}

impl Flow {
    pub fn zeros(len: usize) -> Self {
        Self { u: zeros(len), p: vec![0.0; len] }
    }

    fn fields_mut(&mut self) -> [&mut Field; 4] {
        let ([x, y, z], p) = (&mut self.u, &mut self.p);
        [x, y, z, p]
    }

    /// The values in a row.
    #[inline(always)]
    fn row<'a>(&'a self, rows: &Rows, row: usize) -> [&'a [f32]; 4] {
        let ([x, y, z], p) = (&self.u, &self.p);
        [rows.own(x, row), rows.own(y, row), rows.own(z, row), rows.own(p, row)]
    }
}

/// A direction of a solve with its left sides.
#[derive(Debug, Default)]
struct Direction {
    flow: Flow,
    image: Flow,
    /// The scalar product of the left sides with themselves.
    square: f64,
}

impl Direction {
    fn zeros(len: usize) -> Self {
        Self { flow: Flow::zeros(len), image: Flow::zeros(len), square: 0.0 }
    }

    fn fields_mut(&mut self) -> [&mut Field; 8] {
        let ([a, b, c, d], [e, f, g, h]) = (self.flow.fields_mut(), self.image.fields_mut());
        [a, b, c, d, e, f, g, h]
    }
}

/// The left sides of all equations.
pub fn left(level: &Level, flow: &Flow, stresses: &mut Stresses, out: &mut Flow) {
    level.find_stresses(&flow.u, stresses);
    pass(&level.rows, out.fields_mut(), &LeftSides { level, flow, stresses });
}

struct LeftSides<'a> {
    level: &'a Level,
    flow: &'a Flow,
    stresses: &'a Stresses,
}

impl RowAction<4> for LeftSides<'_> {
    type Found = ();

    #[inline(always)]
    fn act(&self, (): &mut (), row: usize, [x, y, z, inflow]: [&mut [f32]; 4]) {
        let Self { level, flow: Flow { u, p }, stresses } = *self;
        let mut axis = 0;
        for out in [x, y, z] {
            level.momentum(axis, row, level.rows.own(&u[axis], row), stresses, p, out);
            axis += 1;
        }
        level.convergence(row, u, inflow);
    }
}

/// The right sides less what is in `sides`, the left ones.
struct Rest<'a> {
    rows: &'a Rows,
    right: &'a Flow,
}

impl RowAction<4> for Rest<'_> {
    /// The scalar products of the rest and of the right sides with themselves.
    type Found = [f64; 2];

    #[inline(always)]
    fn act(&self, squares: &mut [f64; 2], row: usize, sides: [&mut [f32]; 4]) {
        for (left, right) in sides.into_iter().zip(self.right.row(self.rows, row)) {
            subtract_from(right, left);
            squares[0] += product(left, left);
            squares[1] += product(right, right);
        }
    }
}

/// The scalar products of left sides with those of earlier directions.
struct Products<'a> {
    rows: &'a Rows,
    image: &'a Flow,
    earlier: &'a [Direction],
}

impl RowAction<0> for Products<'_> {
    type Found = [f64; WINDOW];

    #[inline(always)]
    fn act(&self, sums: &mut [f64; WINDOW], row: usize, []: [&mut [f32]; 0]) {
        let own = self.image.row(self.rows, row);
        for (sum, Direction { image, .. }) in sums.iter_mut().zip(self.earlier) {
            let other = image.row(self.rows, row);
            for n in 0..4 {
                *sum += product(own[n], other[n]);
            }
        }
    }
}

/// Takes shares of earlier directions from a direction and its left sides.
struct Orthogonalize<'a> {
    rows: &'a Rows,
    earlier: &'a [Direction],
    shares: &'a [f32],
    rest: &'a Flow,
}

impl RowAction<8> for Orthogonalize<'_> {
    /// The scalar products of the left sides with themselves and with the rest.
    type Found = [f64; 2];

    #[inline(always)]
    fn act(&self, products: &mut [f64; 2], row: usize, [a, b, c, d, e, f, g, h]: [&mut [f32]; 8]) {
        let rest = self.rest.row(self.rows, row);
        let (flow, image) = ([a, b, c, d], [e, f, g, h]);
        for (share, other) in self.shares.iter().zip(self.earlier) {
            let (of_flow, of_image) = (other.flow.row(self.rows, row), other.image.row(self.rows, row));
            for n in 0..4 {
                take_share(flow[n], of_flow[n], *share);
                take_share(image[n], of_image[n], *share);
            }
        }
        for n in 0..4 {
            products[0] += product(image[n], image[n]);
            products[1] += product(image[n], rest[n]);
        }
    }
}

/// Goes along a direction.
struct Advance<'a> {
    rows: &'a Rows,
    along: &'a Direction,
    by: f32,
}

impl RowAction<8> for Advance<'_> {
    /// The scalar product of the rest with itself.
    type Found = [f64; 1];

    #[inline(always)]
    fn act(&self, square: &mut [f64; 1], row: usize, [a, b, c, d, e, f, g, h]: [&mut [f32]; 8]) {
        let (flow, image) = (self.along.flow.row(self.rows, row), self.along.image.row(self.rows, row));
        let (own, rest) = ([a, b, c, d], [e, f, g, h]);
        for n in 0..4 {
            take_share(own[n], flow[n], -self.by);
            take_share(rest[n], image[n], self.by);
            square[0] += product(rest[n], rest[n]);
        }
    }
}

#[inline(always)]
fn subtract_from(right: &[f32], left: &mut [f32]) {
    let n = left.len();
    let right = &right[..n];
    for i in 0..n {
        left[i] = right[i] - left[i];
    }
}

#[inline(always)]
fn take_share(out: &mut [f32], other: &[f32], share: f32) {
    let n = out.len();
    let other = &other[..n];
    for i in 0..n {
        out[i] -= share * other[i];
    }
}

/// Adds up what the parts of a pass found.
fn total<const N: usize>(parts: Vec<[f64; N]>) -> [f64; N] {
    parts.into_iter().fold([0.0; N], |sums, part| std::array::from_fn(|n| sums[n] + part[n]))
}

/// About the flow with some left sides. The pressure comes first, from the Schur complements of thin and of thick
/// matter (Cahouet and Chabard 1988); then the velocities at that pressure.
fn precondition(grid: &mut Multigrid, sides: &Flow, out: &mut Flow) {
    out.p.clone_from(grid.pressure(&sides.p));
    let level = grid.finest();
    pass(&level.rows, [&mut out.p], &AddThick { level, side: &sides.p });
    out.u.clone_from(&sides.u);
    let [x, y, z] = &mut out.u;
    pass(&level.rows, [x, y, z], &TakeGradient { level, p: &out.p });
    let u = grid.velocities(&out.u);
    out.u.clone_from(u);
}

/// Takes the gradient of a pressure.
struct TakeGradient<'a> {
    level: &'a Level,
    p: &'a Field,
}

impl RowAction<3> for TakeGradient<'_> {
    type Found = ();

    #[inline(always)]
    fn act(&self, (): &mut (), row: usize, out: [&mut [f32]; 3]) {
        let mut axis = 0;
        for out in out {
            self.level.add_gradient(axis, row, self.p, -1.0, out);
            axis += 1;
        }
    }
}

/// Adds the part of thick matter to a pressure, and turns its sign.
struct AddThick<'a> {
    level: &'a Level,
    side: &'a Field,
}

impl RowAction<1> for AddThick<'_> {
    type Found = ();

    #[inline(always)]
    fn act(&self, (): &mut (), row: usize, [p]: [&mut [f32]; 1]) {
        let Level { rows, stretch, full, .. } = self.level;
        add_thick(p, rows.own(self.side, row), rows.own(&stretch[0], row), rows.own(full, row));
    }
}

#[inline(always)]
fn add_thick(p: &mut [f32], side: &[f32], stretch: &[f32], full: &[f32]) {
    let n = p.len();
    let (side, stretch, full) = (&side[..n], &stretch[..n], &full[..n]);
    for i in 0..n {
        p[i] = -(p[i] + full[i] * stretch[i] * side[i]);
    }
}

/// Solves for a flow, from what it is, until the residual is below a part of the right sides.
pub fn solve(grid: &mut Multigrid, right: &Flow, flow: &mut Flow, tolerance: f64, most: usize) -> Convergence {
    let len = grid.finest().rows.len();
    let mut stresses = Stresses::zeros(len);
    let mut rest = Flow::zeros(len);
    let level = grid.finest();
    left(level, flow, &mut stresses, &mut rest);
    let rows = &level.rows;
    let [square, whole] = total(pass(rows, rest.fields_mut(), &Rest { rows, right }));
    let residual = |square: f64| (square / whole.max(f64::MIN_POSITIVE)).sqrt();
    let mut found = Convergence { iterations: 0, residual: residual(square) };
    // The left sides of each are orthogonal to those of the others.
    let mut earlier: Vec<Direction> = Vec::new();
    while found.residual > tolerance && found.iterations < most {
        let mut next = if earlier.len() < WINDOW { Direction::zeros(len) } else { earlier.remove(0) };
        precondition(grid, &rest, &mut next.flow);
        let level = grid.finest();
        left(level, &next.flow, &mut stresses, &mut next.image);
        let Some(share) = orthogonalize(level, &mut next, &earlier, &rest) else { break };
        let ([a, b, c, d], [e, f, g, h]) = (flow.fields_mut(), rest.fields_mut());
        let advance = Advance { rows: &level.rows, along: &next, by: share };
        let [square] = total(pass(&level.rows, [a, b, c, d, e, f, g, h], &advance));
        earlier.push(next);
        found = Convergence { iterations: found.iterations + 1, residual: residual(square) };
    }
    found
}

/// Makes the left sides of a direction orthogonal to those of earlier ones. Returns how far to go along it; none if
/// nothing is left of it.
fn orthogonalize(level: &Level, next: &mut Direction, earlier: &[Direction], rest: &Flow) -> Option<f32> {
    let rows = &level.rows;
    let products = total(pass(rows, [], &Products { rows, image: &next.image, earlier }));
    let shares: Vec<f32> =
        earlier.iter().zip(products).map(|(earlier, product)| (product / earlier.square) as f32).collect();
    let action = Orthogonalize { rows, earlier, shares: &shares, rest };
    let [square, with_rest] = total(pass(rows, next.fields_mut(), &action));
    next.square = square;
    (square > 0.0 && square.is_finite()).then(|| (with_rest / square) as f32)
}
