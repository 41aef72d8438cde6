//! The density of a frame (DG96 equation (3), relative to rest), sampled on blocks.
//!
//! | symbol | meaning |
//! |---|---|
//! | f | density over rest density, sum over j of `V_j W(abs(x - x_j))` |
//! | V | volume of a particle at rest, m^3 |
//! | W | smoothing kernel of support 2 h, 1/m^3 |
//!
//! As the kernel has integral 1, f has mean 1 within matter at rest whatever the packing, and integral `sum V_j`: nothing
//! else is to be normalised. At the particles themselves f is higher than between them.

use crate::blocks::{BlockIndex, LatticeBox, SLOTS, local};
use crate::profile::Profile;
use dollop_sim::Frame;
use dollop_sim::kernel::Shape;
use dollop_sim::with_shape;
use glam::{DVec3, Vec3};
use rayon::prelude::*;

/// The particles of a frame that count, on a lattice.
pub(crate) struct Field<'a> {
    pub frame: &'a Frame,
    /// Edge length of a cell, m.
    pub cell_size: f64,
    pub profile: Profile,
    pub index: BlockIndex,
}

/// A particle as seen from a block.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Nearby {
    /// Position relative to the block's lowest node, cells.
    pub position: Vec3,
    /// What the kernel's polynomial is multiplied by.
    pub factor: f32,
    pub particle: u32,
}

/// Sums over particles at the nodes of a block.
pub(crate) struct Sums<const N: usize> {
    /// Sum of V W.
    pub weight: [f32; SLOTS],
    /// Sums of V W times the particle's values.
    pub columns: [[f32; SLOTS]; N],
}

/// A shape by distance to which weights fall off.
pub(crate) trait Reach {
    /// Squared distance to a point, cells^2.
    fn distance_squared(&self, point: Vec3) -> f32;
    /// Lowest and highest coordinates of the shape.
    fn bounds(&self) -> (Vec3, Vec3);
}

impl Reach for Vec3 {
    #[inline]
    fn distance_squared(&self, point: Vec3) -> f32 {
        (point - *self).length_squared()
    }

    fn bounds(&self) -> (Vec3, Vec3) {
        (*self, *self)
    }
}

impl<'a> Field<'a> {
    /// None where the cell size or the kernel makes no sense. Particles whose position is not finite or lies more than
    /// 2^30 cells from the origin, or whose volume is not positive, are left out.
    pub fn new(frame: &'a Frame, cell_size: f64) -> Option<Self> {
        let sensible = |x: f64| x.is_finite() && x > 0.0;
        let profile = Profile::new(&frame.kernel, cell_size);
        if !sensible(cell_size) || !sensible(f64::from(profile.support)) {
            return None;
        }
        let mut field = Self { frame, cell_size, profile, index: BlockIndex::default() };
        let reach = |particle| field.box_around(particle, f64::from(profile.support));
        let boxes: Vec<_> = (0..frame.len()).into_par_iter().map(reach).collect();
        field.index = BlockIndex::new(&boxes);
        Some(field)
    }

    /// The lattice box around a particle, with that radius in cells; none for a particle that is left out.
    pub fn box_around(&self, particle: usize, radius: f64) -> Option<LatticeBox> {
        let volume = self.frame.rest_volumes[particle];
        let bounds = LatticeBox::around(self.lattice_position(particle), radius)?;
        (volume.is_finite() && volume > 0.0).then_some(bounds)
    }

    /// Position of a particle in lattice coordinates.
    pub fn lattice_position(&self, particle: usize) -> DVec3 {
        self.frame.positions[particle].as_dvec3() / self.cell_size
    }

    /// What the kernel's polynomial is multiplied by to give a particle's part of the density.
    pub fn factor(&self, particle: usize) -> f32 {
        (f64::from(self.frame.rest_volumes[particle]) * self.profile.normalization) as f32
    }

    /// The particles that touch a block, in their order.
    pub fn nearby(&self, block: usize) -> impl Iterator<Item = Nearby> {
        let key = self.index.key(block);
        self.index.items(block).iter().map(move |&particle| Nearby {
            position: local(self.lattice_position(particle as usize), key),
            factor: self.factor(particle as usize),
            particle,
        })
    }

    /// The sums at the nodes of a block, with N values of each particle.
    pub fn sums<const N: usize>(&self, block: usize, values: impl Fn(usize) -> [f32; N]) -> Box<Sums<N>> {
        let mut sums = Sums::zero();
        with_shape!(self.profile.kind, S => for near in self.nearby(block) {
            sums.add::<S>(&near.position, self.profile.support, near.factor, values(near.particle as usize));
        });
        sums
    }
}

impl<const N: usize> Sums<N> {
    pub fn zero() -> Box<Self> {
        Box::new(Self { weight: [0.0; SLOTS], columns: [[0.0; SLOTS]; N] })
    }

    /// Adds one item to the nodes within `support` of it. A row of eight nodes is taken whole, so that it vectorises.
    pub fn add<S: Shape>(&mut self, item: &impl Reach, support: f32, factor: f32, values: [f32; N]) {
        let (low, high) = item.bounds();
        let range = |axis: usize| {
            let first = (low[axis] - support).ceil().max(0.0) as usize;
            let last = (high[axis] + support).floor().min(7.0);
            first..(last + 1.0).max(0.0) as usize
        };
        let scale = 2.0 / support;
        for (x, y) in range(0).flat_map(|x| range(1).map(move |y| (x, y))) {
            let part = |z: usize| {
                let point = Vec3::new(x as f32, y as f32, z as f32);
                factor * S::value(item.distance_squared(point).sqrt() * scale)
            };
            let parts: [f32; 8] = std::array::from_fn(part);
            let row = x << 6 | y << 3;
            add_row(&mut self.weight, row, &parts, 1.0);
            for (column, value) in self.columns.iter_mut().zip(values) {
                add_row(column, row, &parts, value);
            }
        }
    }

    /// The weighted mean of a value at a node; zero where nothing reaches.
    pub fn mean(&self, column: usize, slot: usize) -> f32 {
        let weight = self.weight[slot];
        if weight > 0.0 { self.columns[column][slot] / weight } else { 0.0 }
    }
}

#[inline]
fn add_row(column: &mut [f32; SLOTS], row: usize, parts: &[f32; 8], value: f32) {
    for (sum, part) in column[row..row + 8].iter_mut().zip(parts) {
        *sum += part * value;
    }
}
