//! Bodies filled with points that their surface arranges, instead of a lattice along the axes of the world
//! ([`Packing`]).

mod balance;
mod cells;
mod count;
mod surface;

use crate::geometry::Solid;
use crate::laws::packing::Packing;
use balance::is_balanced;
use cells::{Cells, Cubes};
use count::{counted, scattered};
use dollop_scene::{Dimensions, Scene};
use glam::DVec3;
use rayon::prelude::*;
use std::ops::Range;
use surface::{Patch, patches};

/// Times that all points are pushed.
const SWEEPS: u32 = 24;

/// Weights of the first push and of the last. Long waves of density take many pushes to even out, or heavy ones; the
/// light ones then calm what these stir up.
const WEIGHTS: [f64; 2] = [2.0, 0.6];

/// The longest way that a point goes at once, in spacings.
const FARTHEST: f64 = 0.25;

/// Fewer points than this stay on the lattice: the shape of so few is lost anyway.
const FEWEST: usize = 20;

/// How many times as many points the lattice may have as are asked for, and the other way round. Beyond it the lattice
/// misses parts of the body, where no point could go, or has more than there is room for.
const MOST_OF_LATTICE: f64 = 2.0;
const MOST_OF_ASKED: f64 = 1.25;

/// A point on its way, with its number.
#[derive(Debug, Clone, Copy)]
struct Point {
    place: DVec3,
    number: u32,
}

/// The patches of the surface in and around a cube.
struct Beside<'a>(Vec<&'a [Patch]>);

impl Beside<'_> {
    fn patches(&self) -> impl Iterator<Item = &Patch> {
        self.0.iter().flat_map(|row| row.iter())
    }

    fn is_empty(&self) -> bool {
        self.patches().next().is_none()
    }
}

/// The room that points are packed into.
struct Room<'a> {
    solid: &'a Solid,
    law: Packing,
    /// The mean distance of points, m.
    spacing: f64,
    cubes: Cubes,
    surface: Cells<Patch>,
}

impl<'a> Room<'a> {
    /// None where the surface is too large.
    fn new(solid: &'a Solid, dimensions: Dimensions, spacing: f64) -> Option<Self> {
        let law = Packing::new(dimensions, spacing);
        let cubes = Cubes { origin: solid.bounds().low, edge: law.reach };
        let patches = patches(solid, dimensions, spacing)?;
        let surface = Cells::new(&cubes, &patches, |patch| patch.place);
        Some(Self { solid, law, spacing, cubes, surface })
    }

    /// Calls a function for each point, with its displacement by all others and the surface, m, and the patches of the
    /// surface that may be within reach.
    fn pushed<T: Send>(
        &self,
        law: &Packing,
        points: &[Point],
        act: impl Fn(&Point, DVec3, &Beside) -> T + Sync,
    ) -> Vec<T> {
        let cells = Cells::new(&self.cubes, points, |point| point.place);
        let of_cell = |(cube, range): ([i32; 3], Range<usize>)| {
            let others: Vec<&[Point]> = cells.around(cube).collect();
            let beside = Beside(self.surface.around(cube).collect());
            let push = |point: &Point| {
                let points = others.iter().flat_map(|row| row.iter());
                let by_points = points.map(|other| law.by_point(point.place - other.place)).sum::<DVec3>();
                let by_areas = beside.patches().map(|patch| law.by_area(point.place - patch.place, patch.area));
                act(point, by_points + by_areas.sum::<DVec3>(), &beside)
            };
            cells.things[range].iter().map(push).collect::<Vec<T>>()
        };
        cells.cubes().flat_map_iter(of_cell).collect()
    }

    /// All points after one push each, of so much weight.
    fn swept(&self, points: &[Point], weight: f64) -> Vec<Point> {
        self.pushed(&self.law, points, |point, by, beside| {
            let by = (by * weight).clamp_length_max(FARTHEST * self.spacing);
            Point { place: if beside.is_empty() { point.place + by } else { self.inside(point.place, by) }, ..*point }
        })
    }

    /// The end of a way from a place inside, or of the first part of it that ends inside.
    fn inside(&self, from: DVec3, by: DVec3) -> DVec3 {
        let parts = [1.0, 0.5, 0.25].map(|part| from + by * part);
        parts.into_iter().find(|&to| self.solid.contains(to)).unwrap_or(from)
    }
}

/// The points of a lattice within a solid, or its cut by the plane y = 0, arranged beneath its surface, and as many as
/// asked for; none where the lattice fits the surface by itself, or there is nothing to arrange.
pub fn pack(lattice: &[DVec3], solid: &Solid, asked: f64, scene: &Scene) -> Option<Vec<DVec3>> {
    let found = lattice.len() as f64;
    let fits = found <= MOST_OF_LATTICE * asked && asked <= MOST_OF_ASKED * found;
    if lattice.len() < FEWEST || !fits {
        return None;
    }
    let (dimensions, spacing) = (scene.discretization.dimensions, scene.particle_spacing);
    let room = Room::new(solid, dimensions, spacing)?;
    if is_balanced(&room, lattice, asked) {
        return None;
    }
    let count = asked.round().max(1.0) as usize;
    let mut points = scattered(&counted(lattice, count), &room, dimensions);
    for sweep in 0..SWEEPS {
        let done = f64::from(sweep) / f64::from(SWEEPS - 1);
        points = room.swept(&points, WEIGHTS[0] + (WEIGHTS[1] - WEIGHTS[0]) * done);
    }
    points.par_sort_unstable_by_key(|point| point.number);
    Some(points.into_iter().map(|point| point.place).collect())
}
