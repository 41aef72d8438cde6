//! The velocities and pressures of a step together: generalised conjugate residuals (Eisenstat, Elman, Schultz 1983)
//! with a block-triangular preconditioner.
//!
//! Split solves let stiff matter flow apart that both together hold: the front of a slump at 1,000 Pa s goes 1.3 to
//! 1.8 times too far.

use super::fields::{Field, Fields, RowAction, pass, product, zeros};
use super::level::{Level, Stresses};
use super::multigrid::Multigrid;
use super::rows::Rows;

/// Directions after which a solve starts anew from where it is.
const MOST_DIRECTIONS: usize = 24;

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

/// The left sides of all equations.
pub fn left(level: &Level, flow: &Flow, stresses: &mut Stresses, out: &mut Flow) {
    left_with_products(level, flow, stresses, out, &[]);
}

/// The left sides of all equations. Returns their scalar products with some images.
fn left_with_products(
    level: &Level,
    flow: &Flow,
    stresses: &mut Stresses,
    out: &mut Flow,
    images: &[Image],
) -> [f64; MOST_DIRECTIONS] {
    level.find_stresses(&flow.u, stresses);
    total(pass(&level.rows, out.fields_mut(), &LeftSides { level, flow, stresses, images }))
}

struct LeftSides<'a> {
    level: &'a Level,
    flow: &'a Flow,
    stresses: &'a Stresses,
    images: &'a [Image],
}

impl RowAction<4> for LeftSides<'_> {
    /// The scalar products with the images.
    type Found = [f64; MOST_DIRECTIONS];

    #[inline(always)]
    fn act(&self, products: &mut [f64; MOST_DIRECTIONS], row: usize, [x, y, z, inflow]: [&mut [f32]; 4]) {
        let Self { level, flow: Flow { u, p }, stresses, images } = *self;
        let rows = &level.rows;
        level.momentum(0, row, rows.own(&u[0], row), stresses, p, x);
        level.momentum(1, row, rows.own(&u[1], row), stresses, p, y);
        level.momentum(2, row, rows.own(&u[2], row), stresses, p, z);
        level.convergence(row, u, inflow);
        for (sum, image) in products.iter_mut().zip(images) {
            let [of_x, of_y, of_z, of_inflow] = image.sides.row(rows, row);
            *sum += (product(x, of_x) + product(y, of_y)) + (product(z, of_z) + product(inflow, of_inflow));
        }
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

/// Takes shares of images from the left sides of a direction.
struct Orthogonalize<'a> {
    rows: &'a Rows,
    images: &'a [Image],
    shares: &'a [f32],
    rest: &'a Flow,
}

impl RowAction<4> for Orthogonalize<'_> {
    /// The scalar products of what is left with itself and with the rest.
    type Found = [f64; 2];

    #[inline(always)]
    fn act(&self, products: &mut [f64; 2], row: usize, sides: [&mut [f32]; 4]) {
        let rest = self.rest.row(self.rows, row);
        for (share, image) in self.shares.iter().zip(self.images) {
            let image = image.sides.row(self.rows, row);
            for n in 0..4 {
                take_share(sides[n], image[n], *share);
            }
        }
        for n in 0..4 {
            products[0] += product(sides[n], sides[n]);
            products[1] += product(sides[n], rest[n]);
        }
    }
}

/// Takes a share of an image from the rest.
struct Advance<'a> {
    rows: &'a Rows,
    image: &'a Flow,
    share: f32,
}

impl RowAction<4> for Advance<'_> {
    /// The scalar product of the rest with itself.
    type Found = [f64; 1];

    #[inline(always)]
    fn act(&self, square: &mut [f64; 1], row: usize, rest: [&mut [f32]; 4]) {
        let image = self.image.row(self.rows, row);
        for n in 0..4 {
            take_share(rest[n], image[n], self.share);
            square[0] += product(rest[n], rest[n]);
        }
    }
}

/// Adds shares of directions to a flow.
struct AddUp<'a> {
    rows: &'a Rows,
    directions: &'a [Flow],
    shares: &'a [f32],
}

impl RowAction<4> for AddUp<'_> {
    type Found = ();

    #[inline(always)]
    fn act(&self, (): &mut (), row: usize, flow: [&mut [f32]; 4]) {
        for (share, direction) in self.shares.iter().zip(self.directions) {
            let direction = direction.row(self.rows, row);
            for n in 0..4 {
                take_share(flow[n], direction[n], -share);
            }
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
        for (axis, out) in out.into_iter().enumerate() {
            self.level.add_gradient(axis, row, self.p, -1.0, out);
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

/// Left sides of a direction, orthogonal to those of all before.
#[derive(Debug)]
struct Image {
    sides: Flow,
    /// Their scalar product with themselves.
    square: f64,
    /// The shares of earlier images that were taken from them.
    taken: Vec<f32>,
    /// How far the solve goes along what is left of the direction.
    along: f32,
}

/// The directions of a solve, as they came from the preconditioner, and their images.
#[derive(Debug, Default)]
struct Directions {
    flows: Vec<Flow>,
    images: Vec<Image>,
}

impl Directions {
    /// Adds a direction and goes along it. Returns the square of the size of the rest; none if nothing is left of the
    /// direction.
    fn go(&mut self, level: &Level, direction: Flow, stresses: &mut Stresses, rest: &mut Flow) -> Option<f64> {
        let rows = &level.rows;
        let mut sides = Flow::zeros(rows.len());
        let products = left_with_products(level, &direction, stresses, &mut sides, &self.images);
        let taken: Vec<f32> =
            self.images.iter().zip(products).map(|(image, product)| (product / image.square) as f32).collect();
        let action = Orthogonalize { rows, images: &self.images, shares: &taken, rest };
        let [square, with_rest] = total(pass(rows, sides.fields_mut(), &action));
        if square <= 0.0 || !square.is_finite() {
            return None;
        }
        let along = (with_rest / square) as f32;
        let [left] = total(pass(rows, rest.fields_mut(), &Advance { rows, image: &sides, share: along }));
        self.flows.push(direction);
        self.images.push(Image { sides, square, taken, along });
        Some(left)
    }

    /// Adds to a flow all that the solve went, and forgets it.
    fn add_to(&mut self, level: &Level, flow: &mut Flow) {
        // What was taken from later directions counts for the earlier ones.
        let mut shares: Vec<f32> = self.images.iter().map(|image| image.along).collect();
        for (n, image) in self.images.iter().enumerate().rev() {
            let own = shares[n];
            shares.iter_mut().zip(&image.taken).for_each(|(share, taken)| *share -= own * taken);
        }
        let action = AddUp { rows: &level.rows, directions: &self.flows, shares: &shares };
        pass(&level.rows, flow.fields_mut(), &action);
        *self = Self::default();
    }
}

/// Solves for a flow, from what it is, until the residual is below a part of the right sides.
pub fn solve(grid: &mut Multigrid, right: &Flow, flow: &mut Flow, tolerance: f64, most: usize) -> Convergence {
    let level = grid.finest();
    let len = level.rows.len();
    let (mut stresses, mut rest) = (Stresses::zeros(len), Flow::zeros(len));
    left(level, flow, &mut stresses, &mut rest);
    let rows = &level.rows;
    let [square, whole] = total(pass(rows, rest.fields_mut(), &Rest { rows, right }));
    let residual = |square: f64| (square / whole.max(f64::MIN_POSITIVE)).sqrt();
    let mut found = Convergence { iterations: 0, residual: residual(square) };
    let mut directions = Directions::default();
    while found.residual > tolerance && found.iterations < most {
        if directions.flows.len() == MOST_DIRECTIONS {
            directions.add_to(grid.finest(), flow);
        }
        let mut direction = Flow::zeros(len);
        precondition(grid, &rest, &mut direction);
        let Some(square) = directions.go(grid.finest(), direction, &mut stresses, &mut rest) else { break };
        found = Convergence { iterations: found.iterations + 1, residual: residual(square) };
    }
    directions.add_to(grid.finest(), flow);
    found
}
