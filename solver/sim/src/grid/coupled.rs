//! The velocities and pressures of a step together: generalised conjugate residuals (Eisenstat, Elman, Schultz 1983)
//! with a block-triangular preconditioner.
//!
//! Split solves let stiff matter flow apart that both together hold: the front of a slump at 1,000 Pa s goes 1.3 to
//! 1.8 times too far.

use super::fields::{Field, Fields, RowAction, pass, product, zeros};
use super::level::{Level, Stresses};
use super::multigrid::Multigrid;
use super::rows::Rows;
use super::ties::Tie;
use glam::Vec3;

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

    /// Makes all of it no numbers.
    fn lose(&mut self) {
        self.fields_mut().into_iter().for_each(|field| field.fill(f32::NAN));
    }

    /// The values in a row.
    #[inline(always)]
    fn row<'a>(&'a self, rows: &Rows, row: usize) -> [&'a [f32]; 4] {
        let ([x, y, z], p) = (&self.u, &self.p);
        [rows.own(x, row), rows.own(y, row), rows.own(z, row), rows.own(p, row)]
    }
}

/// What is unknown of islands that are solved together, or the sides of their equations.
#[derive(Debug, Default)]
struct Unknowns {
    /// By island.
    flows: Vec<Flow>,
    /// Of contacts.
    tractions: Vec<Vec3>,
}

/// The equations of islands that are solved together.
struct Equations<'a> {
    levels: Vec<&'a Level>,
    ties: &'a [Tie],
}

impl Equations<'_> {
    fn zeros(&self) -> Unknowns {
        let flows = self.levels.iter().map(|level| Flow::zeros(level.rows.len())).collect();
        Unknowns { flows, tractions: vec![Vec3::ZERO; self.ties.len()] }
    }

    /// The left sides of flows, by island, and tractions. Returns their scalar products with some images.
    fn left(
        &self,
        flows: &[&Flow],
        tractions: &[Vec3],
        stresses: &mut [Stresses],
        out: &mut Unknowns,
        images: &[Image],
    ) -> [f64; MOST_DIRECTIONS] {
        let mut products = [0.0; MOST_DIRECTIONS];
        for (island, level) in self.levels.iter().enumerate() {
            let (flow, stresses) = (flows[island], &mut stresses[island]);
            level.find_stresses(&flow.u, stresses);
            let action = LeftSides { level, flow, stresses, images, island };
            let parts = pass(&level.rows, out.flows[island].fields_mut(), &action);
            products = total(std::iter::once(products).chain(parts));
        }
        let Unknowns { flows: sides, tractions: of_ties } = out;
        for ((tie, traction), out) in self.ties.iter().zip(tractions).zip(of_ties) {
            let mut add = |island: usize, axis: usize, at: usize, part: f32| {
                sides[island].u[axis][at] += part;
                for (product, image) in products.iter_mut().zip(images) {
                    *product += f64::from(part) * f64::from(image.sides.flows[island].u[axis][at]);
                }
            };
            tie.add_left(*traction, &mut add);
            tie.stood_in(flows, |island, axis, at, part| add(island, axis, at, -part));
            *out = tie.left(flows, *traction);
        }
        for (product, image) in products.iter_mut().zip(images) {
            *product += product_of_tractions(&out.tractions, &image.sides.tractions);
        }
        products
    }

    /// Turns left sides into what the right ones are more. Returns the squares of the sizes of that and of the right
    /// sides.
    fn rest(&self, rights: &[&Flow], sides: &mut Unknowns) -> [f64; 2] {
        let mut squares = [0.0; 2];
        for (level, (right, sides)) in self.levels.iter().zip(rights.iter().zip(&mut sides.flows)) {
            let rows = &level.rows;
            let parts = pass(rows, sides.fields_mut(), &Rest { rows, right });
            squares = total(std::iter::once(squares).chain(parts));
        }
        for (tie, side) in self.ties.iter().zip(&mut sides.tractions) {
            let right = tie.right();
            *side = right - *side;
            squares[0] += f64::from(side.length_squared());
            squares[1] += f64::from(right.length_squared());
        }
        squares
    }
}

fn product_of_tractions(a: &[Vec3], b: &[Vec3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a.as_dvec3().dot(b.as_dvec3())).sum()
}

struct LeftSides<'a> {
    level: &'a Level,
    flow: &'a Flow,
    stresses: &'a Stresses,
    images: &'a [Image],
    island: usize,
}

impl RowAction<4> for LeftSides<'_> {
    /// The scalar products with the images.
    type Found = [f64; MOST_DIRECTIONS];

    #[inline(always)]
    fn act(&self, products: &mut [f64; MOST_DIRECTIONS], row: usize, [x, y, z, inflow]: [&mut [f32]; 4]) {
        let Self { level, flow: Flow { u, p }, stresses, images, island } = *self;
        let rows = &level.rows;
        level.momentum(0, row, rows.own(&u[0], row), stresses, p, x);
        level.momentum(1, row, rows.own(&u[1], row), stresses, p, y);
        level.momentum(2, row, rows.own(&u[2], row), stresses, p, z);
        level.convergence(row, u, inflow);
        for (sum, image) in products.iter_mut().zip(images) {
            let [of_x, of_y, of_z, of_inflow] = image.sides.flows[island].row(rows, row);
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
    island: usize,
}

impl RowAction<4> for Orthogonalize<'_> {
    /// The scalar products of what is left with itself and with the rest.
    type Found = [f64; 2];

    #[inline(always)]
    fn act(&self, products: &mut [f64; 2], row: usize, sides: [&mut [f32]; 4]) {
        let rest = self.rest.row(self.rows, row);
        for (share, image) in self.shares.iter().zip(self.images) {
            let image = image.sides.flows[self.island].row(self.rows, row);
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
    directions: &'a [Unknowns],
    shares: &'a [f32],
    island: usize,
}

impl RowAction<4> for AddUp<'_> {
    type Found = ();

    #[inline(always)]
    fn act(&self, (): &mut (), row: usize, flow: [&mut [f32]; 4]) {
        for (share, direction) in self.shares.iter().zip(self.directions) {
            let direction = direction.flows[self.island].row(self.rows, row);
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
fn total<const N: usize>(parts: impl IntoIterator<Item = [f64; N]>) -> [f64; N] {
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
    sides: Unknowns,
    /// Their scalar product with themselves.
    square: f64,
    /// The shares of earlier images that were taken from them.
    taken: Vec<f32>,
    /// How far the solve goes along what is left of the direction.
    along: f32,
}

impl Image {
    /// Takes shares of earlier images from the left sides of a direction, and goes along what is left. Returns with it
    /// the square of the size of the rest; none if nothing is left of the direction.
    fn new(
        equations: &Equations,
        mut sides: Unknowns,
        images: &[Self],
        taken: Vec<f32>,
        rest: &mut Unknowns,
    ) -> Option<(Self, f64)> {
        let mut products = [0.0; 2];
        for (island, level) in equations.levels.iter().enumerate() {
            let (rows, rest) = (&level.rows, &rest.flows[island]);
            let action = Orthogonalize { rows, images, shares: &taken, rest, island };
            let parts = pass(rows, sides.flows[island].fields_mut(), &action);
            products = total(std::iter::once(products).chain(parts));
        }
        for (share, image) in taken.iter().zip(images) {
            take_traction(&mut sides.tractions, &image.sides.tractions, *share);
        }
        products[0] += product_of_tractions(&sides.tractions, &sides.tractions);
        products[1] += product_of_tractions(&sides.tractions, &rest.tractions);
        let [square, with_rest] = products;
        if square <= 0.0 {
            return None;
        }
        // What is too large for numbers leaves no rest of a size: the solve ends.
        let along = if square.is_finite() { (with_rest / square) as f32 } else { f32::NAN };
        let mut left = [0.0];
        for (island, level) in equations.levels.iter().enumerate() {
            let action = Advance { rows: &level.rows, image: &sides.flows[island], share: along };
            let parts = pass(&level.rows, rest.flows[island].fields_mut(), &action);
            left = total(std::iter::once(left).chain(parts));
        }
        take_traction(&mut rest.tractions, &sides.tractions, along);
        let left = left[0] + product_of_tractions(&rest.tractions, &rest.tractions);
        Some((Self { sides, square, taken, along }, left))
    }
}

fn take_traction(out: &mut [Vec3], other: &[Vec3], share: f32) {
    out.iter_mut().zip(other).for_each(|(out, other)| *out -= *other * share);
}

/// The directions of a solve, as they came from the preconditioner, and their images.
#[derive(Debug, Default)]
struct Directions {
    ways: Vec<Unknowns>,
    images: Vec<Image>,
}

impl Directions {
    /// Adds a direction and goes along it. Returns the square of the size of the rest; none if nothing is left of the
    /// direction.
    fn go(
        &mut self,
        equations: &Equations,
        direction: Unknowns,
        stresses: &mut [Stresses],
        rest: &mut Unknowns,
    ) -> Option<f64> {
        let mut sides = equations.zeros();
        let flows: Vec<&Flow> = direction.flows.iter().collect();
        let products = equations.left(&flows, &direction.tractions, stresses, &mut sides, &self.images);
        let taken = self.images.iter().zip(products).map(|(image, product)| (product / image.square) as f32).collect();
        let (image, left) = Image::new(equations, sides, &self.images, taken, rest)?;
        self.ways.push(direction);
        self.images.push(image);
        Some(left)
    }

    /// Adds to islands all that the solve went, and forgets it.
    fn add_to(&mut self, islands: &mut [Island], tractions: &mut [Vec3]) {
        // What was taken from later directions counts for the earlier ones.
        let mut shares: Vec<f32> = self.images.iter().map(|image| image.along).collect();
        for (n, image) in self.images.iter().enumerate().rev() {
            let own = shares[n];
            shares.iter_mut().zip(&image.taken).for_each(|(share, taken)| *share -= own * taken);
        }
        for (island, Island { grid, flow, .. }) in islands.iter_mut().enumerate() {
            let rows = &grid.finest().rows;
            pass(rows, flow.fields_mut(), &AddUp { rows, directions: &self.ways, shares: &shares, island });
        }
        for (share, way) in shares.iter().zip(&self.ways) {
            take_traction(tractions, &way.tractions, -share);
        }
        *self = Self::default();
    }
}

/// An island in a solve.
#[derive(Debug)]
pub struct Island<'a> {
    pub grid: &'a mut Multigrid,
    pub right: &'a Flow,
    /// From what it is to what solves the equations.
    pub flow: &'a mut Flow,
}

fn equations<'a>(islands: &'a [Island], ties: &'a [Tie]) -> Equations<'a> {
    Equations { levels: islands.iter().map(|island| island.grid.finest()).collect(), ties }
}

/// About what is unknown with some sides. Contacts come first, by what the matter beside them yields.
fn precondition_all(islands: &mut [Island], ties: &[Tie], sides: &Unknowns, out: &mut Unknowns) {
    let mut pushed = if ties.is_empty() { Vec::new() } else { sides.flows.clone() };
    for ((tie, side), traction) in ties.iter().zip(&sides.tractions).zip(&mut out.tractions) {
        let [about, push] = tie.guess(*side);
        *traction = about;
        tie.add_left(push, |island, axis, at, part| pushed[island].u[axis][at] += part);
    }
    let flows = if ties.is_empty() { &sides.flows } else { &pushed };
    for ((island, sides), out) in islands.iter_mut().zip(flows).zip(&mut out.flows) {
        precondition(island.grid, sides, out);
    }
}

/// Solves for the flows of islands, and the tractions of what ties them, from what they are, until the residual is
/// below a part of the right sides. Where it is no number no flow is one either: matter must not go on as if nothing
/// acted on it.
pub fn solve_together(
    islands: &mut [Island],
    ties: &[Tie],
    tractions: &mut [Vec3],
    tolerance: f64,
    most: usize,
) -> Convergence {
    let own = equations(islands, ties);
    let mut stresses: Vec<Stresses> = own.levels.iter().map(|level| Stresses::zeros(level.rows.len())).collect();
    let mut rest = own.zeros();
    let flows: Vec<&Flow> = islands.iter().map(|island| &*island.flow).collect();
    own.left(&flows, tractions, &mut stresses, &mut rest, &[]);
    let rights: Vec<&Flow> = islands.iter().map(|island| island.right).collect();
    let [square, whole] = own.rest(&rights, &mut rest);
    let residual = |square: f64| (square / whole.max(f64::MIN_POSITIVE)).sqrt();
    let mut found = Convergence { iterations: 0, residual: residual(square) };
    let mut directions = Directions::default();
    while found.residual > tolerance && found.iterations < most {
        if directions.ways.len() == MOST_DIRECTIONS {
            directions.add_to(islands, tractions);
        }
        let mut direction = equations(islands, ties).zeros();
        precondition_all(islands, ties, &rest, &mut direction);
        let own = equations(islands, ties);
        let Some(square) = directions.go(&own, direction, &mut stresses, &mut rest) else { break };
        found = Convergence { iterations: found.iterations + 1, residual: residual(square) };
    }
    directions.add_to(islands, tractions);
    if !found.residual.is_finite() {
        for island in islands.iter_mut() {
            island.flow.lose();
        }
    }
    found
}

/// The left sides of the equations of an island alone.
#[cfg(test)]
pub fn left(level: &Level, flow: &Flow) -> Flow {
    let own = Equations { levels: vec![level], ties: &[] };
    let mut out = own.zeros();
    own.left(&[flow], &[], &mut [Stresses::zeros(level.rows.len())], &mut out, &[]);
    out.flows.swap_remove(0)
}

/// Solves for the flow of an island alone.
#[cfg(test)]
pub fn solve(grid: &mut Multigrid, right: &Flow, flow: &mut Flow, tolerance: f64, most: usize) -> Convergence {
    solve_together(&mut [Island { grid, right, flow }], &[], &mut [], tolerance, most)
}
