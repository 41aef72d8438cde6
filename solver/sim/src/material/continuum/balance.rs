//! What matter does to itself neither moves nor turns it on the whole.

use super::cells::{CellPoints, Cells, Point};
use super::fluids::Fluids;
use super::freedom::Freedom;
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

/// Takes from ways of particles what moves and turns the matter on the whole, where that is free of walls: what
/// particles do to each other by a grid does a little of it, as they lie among the cells.
pub fn balance(cells: &Cells, fluids: &Fluids, freedom: Freedom, ways: &mut [Vec3]) {
    if freedom.is_none() {
        return;
    }
    let of = |at: usize| Vectors { own: ways[at], spin: Vec3::ZERO };
    let Motion { middle, mean, rate, .. } = motion(cells, fluids, 0.0, of);
    let [mean, rate] = freedom.of([mean, rate]);
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
    mass: f64,
    /// From angular momentum to rates.
    inverse: DMat3,
}

/// What walls take of the motion of matter.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Taken {
    /// Over the mass of a full cell, m/s.
    pub momentum: DVec3,
    /// The same about the origin, in cells.
    pub angular_momentum: DVec3,
}

impl Add for Taken {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            momentum: self.momentum + other.momentum,
            angular_momentum: self.angular_momentum + other.angular_momentum,
        }
    }
}

/// `extent` is the mean square of the offsets of what a particle turns with it, along an axis, in cells.
fn motion(cells: &Cells, fluids: &Fluids, extent: f64, of: impl Fn(usize) -> Vectors + Sync) -> Motion {
    let Sums { mass, place, .. } = sums(cells, fluids, &of, DVec3::ZERO);
    let middle = place / mass;
    let Sums { momentum, angular_momentum, inertia, .. } = sums(cells, fluids, &of, middle);
    // Particles in a row turn about it with no effort.
    let least = LEAST * (mass + inertia.x_axis.x + inertia.y_axis.y + inertia.z_axis.z);
    let inertia = inertia + DMat3::from_diagonal(DVec3::splat(2.0 * extent * mass + least));
    let inverse = inertia.inverse();
    Motion { middle, mean: momentum / mass, rate: inverse * angular_momentum, mass, inverse }
}

impl Motion {
    /// What of it is left, where it is free of walls, when walls have taken their part. It is no more than all and goes
    /// the same way, as a solve of stiff matter leaves errors in what walls take: so it brings no energy.
    fn without(&self, taken: Taken, freedom: Freedom) -> [DVec3; 2] {
        let turning = taken.angular_momentum - self.middle.cross(taken.momentum);
        let all = freedom.of([self.mean, self.rate]);
        let taken = freedom.of([taken.momentum / self.mass, self.inverse * turning]);
        let left = |n: usize| {
            let (all, taken): (DVec3, DVec3) = (all[n], taken[n]);
            all * (1.0 - taken.dot(all) / all.length_squared().max(f64::MIN_POSITIVE)).clamp(0.0, 1.0)
        };
        [left(0), left(1)]
    }
}

/// Twice the rate at which a gradient of velocity turns.
fn spin_of([x, y, z]: [Vec3; 3]) -> Vec3 {
    Vec3::new(z.y - y.z, x.z - z.x, y.x - x.y)
}

/// The gradient of velocity of what turns at a rate, by rows.
fn turning(rate: Vec3) -> [Vec3; 3] {
    [Vec3::new(0.0, -rate.z, rate.y), Vec3::new(rate.z, 0.0, -rate.x), Vec3::new(-rate.y, rate.x, 0.0)]
}

/// Gives particles what their motion on the whole lacks, where it is free of walls, of the one that they had before
/// the solve, with gravity, without what walls have taken: pressure acts on faces whose mass is not quite that of their
/// particles.
pub fn keep_motion(
    cells: &mut Cells,
    fluids: &Fluids,
    freedom: Freedom,
    taken: Taken,
    before: impl Fn(&Point) -> (Vec3, [Vec3; 3]) + Sync,
) {
    if freedom.is_none() {
        return;
    }
    let lost = |point: &Point| {
        let (velocity, [x, y, z]) = before(point);
        let [of_x, of_y, of_z] = point.gradient;
        Vectors { own: velocity - point.velocity, spin: spin_of([x - of_x, y - of_y, z - of_z]) }
    };
    let lost: Vec<Vectors> = cells.points.par_iter().map(lost).collect();
    let lost = motion(cells, fluids, EXTENT, |at| lost[at]);
    let ([mean, rate], middle) = (lost.without(taken, freedom), lost.middle);
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
