//! What matter does to itself neither moves nor turns it on the whole.

use super::cells::{CellPoints, Cells, Point};
use super::fluids::Fluids;
use glam::{DMat3, DVec3, Vec3};
use rayon::prelude::*;
use std::ops::Add;

/// Cells whose sums are one thread's.
const AT_ONCE: usize = 512;
/// The mean square of the offsets of what a particle moves on the grid, along an axis, in cells.
const EXTENT: f64 = 0.25;
/// The least inertia, as a part of the mass and of all inertia.
const LEAST: f64 = 1e-6;

/// Sums over particles with vectors, about a place, in cells.
#[derive(Debug, Clone, Copy, Default)]
struct Sums {
    mass: f64,
    /// Mass times place.
    place: DVec3,
    momentum: DVec3,
    angular_momentum: DVec3,
    inertia: DMat3,
}

impl Add for Sums {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            mass: self.mass + other.mass,
            place: self.place + other.place,
            momentum: self.momentum + other.momentum,
            angular_momentum: self.angular_momentum + other.angular_momentum,
            inertia: self.inertia + other.inertia,
        }
    }
}

impl Sums {
    fn of(mass: f64, arm: DVec3, Vectors { own, spin }: Vectors) -> Self {
        let (own, outer) = (own.as_dvec3(), DMat3::from_cols(arm * arm.x, arm * arm.y, arm * arm.z));
        Self {
            mass,
            place: arm * mass,
            momentum: own * mass,
            angular_momentum: (arm.cross(own) + spin.as_dvec3() * EXTENT) * mass,
            inertia: (DMat3::from_diagonal(DVec3::splat(arm.length_squared())) - outer) * mass,
        }
    }
}

/// Takes from ways of particles what moves and turns the matter on the whole: what particles do to each other by a grid
/// does a little of it, as they lie among the cells.
pub fn balance(cells: &Cells, fluids: &Fluids, ways: &mut [Vec3]) {
    let Motion { middle, mean, rate } = motion(cells, fluids, 0.0, |at| Vectors { own: ways[at], spin: Vec3::ZERO });
    for cell in &cells.occupied {
        let own = cell.points.start as usize..cell.points.end as usize;
        for (way, point) in ways[own].iter_mut().zip(cells.of(cell)) {
            *way -= (mean + rate.cross(place_of(cell, point) - middle)).as_vec3();
        }
    }
}

/// What a particle does.
#[derive(Debug, Clone, Copy)]
struct Vectors {
    /// Its own velocity or way.
    own: Vec3,
    /// Of its gradient: twice its rate of turning.
    spin: Vec3,
}

/// The motion of matter on the whole: the mean velocity, and the rate at which it turns about its middle, in cells.
struct Motion {
    middle: DVec3,
    mean: DVec3,
    rate: DVec3,
}

/// `extent` is the mean square of the offsets of what a particle turns with it, along an axis, in cells.
fn motion(cells: &Cells, fluids: &Fluids, extent: f64, of: impl Fn(usize) -> Vectors + Sync) -> Motion {
    let Sums { mass, place, .. } = sums(cells, fluids, &of, DVec3::ZERO);
    let middle = place / mass;
    let Sums { momentum, angular_momentum, inertia, .. } = sums(cells, fluids, &of, middle);
    // Particles in a row turn about it with no effort.
    let least = LEAST * (mass + inertia.x_axis.x + inertia.y_axis.y + inertia.z_axis.z);
    let inertia = inertia + DMat3::from_diagonal(DVec3::splat(2.0 * extent * mass + least));
    Motion { middle, mean: momentum / mass, rate: inertia.inverse() * angular_momentum }
}

/// Twice the rate at which a gradient of velocity turns.
fn spin_of([x, y, z]: [Vec3; 3]) -> Vec3 {
    Vec3::new(z.y - y.z, x.z - z.x, y.x - x.y)
}

/// The gradient of velocity of what turns at a rate, by rows.
fn turning(rate: Vec3) -> [Vec3; 3] {
    [Vec3::new(0.0, -rate.z, rate.y), Vec3::new(rate.z, 0.0, -rate.x), Vec3::new(-rate.y, rate.x, 0.0)]
}

/// Gives particles what their motion on the whole lacks of the one that they had before the solve, with gravity:
/// pressure acts on faces whose mass is not quite that of their particles.
pub fn keep_motion(cells: &mut Cells, fluids: &Fluids, before: impl Fn(&Point) -> (Vec3, [Vec3; 3]) + Sync) {
    let lost = |point: &Point| {
        let (velocity, [x, y, z]) = before(point);
        let [of_x, of_y, of_z] = point.gradient;
        Vectors { own: velocity - point.velocity, spin: spin_of([x - of_x, y - of_y, z - of_z]) }
    };
    let lost: Vec<Vectors> = cells.points.par_iter().map(lost).collect();
    let Motion { middle, mean, rate } = motion(cells, fluids, EXTENT, |at| lost[at]);
    let [x, y, z] = turning(rate.as_vec3());
    let Cells { points, occupied, .. } = cells;
    for cell in &*occupied {
        for point in &mut points[cell.points.start as usize..cell.points.end as usize] {
            point.velocity += (mean + rate.cross(place_of(cell, point) - middle)).as_vec3();
            let [of_x, of_y, of_z] = point.gradient;
            point.gradient = [of_x + x, of_y + y, of_z + z];
        }
    }
}

/// The sums about a place, in a fixed order.
fn sums(cells: &Cells, fluids: &Fluids, vectors: impl Fn(usize) -> Vectors + Sync, about: DVec3) -> Sums {
    let of = |some: &[CellPoints]| {
        let points = some.iter().flat_map(|cell| cells.of(cell).iter().map(move |point| (cell, point)));
        let each = points.zip(some[0].points.start as usize..).map(|((cell, point), at)| {
            let mass = f64::from(fluids.shares[point.source as usize].mass);
            Sums::of(mass, place_of(cell, point) - about, vectors(at))
        });
        each.fold(Sums::default(), Sums::add)
    };
    let parts: Vec<Sums> = cells.occupied.par_chunks(AT_ONCE).map(of).collect();
    parts.into_iter().fold(Sums::default(), Sums::add)
}

/// The place of a particle, in cells.
fn place_of(cell: &CellPoints, point: &Point) -> DVec3 {
    cell.cell.as_dvec3() + point.part.as_dvec3()
}
