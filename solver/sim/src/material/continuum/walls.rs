//! Walls on the grid: what they cover of cells and faces, and how they drag on faces.
//!
//! All of it follows from the distances of walls at the middles of half cells. The matter of a face that a wall cuts
//! lies around the middle of the rest. Drag and shear count from there, so a flow along a wall is right to second
//! order wherever the wall stands between nodes.

use super::cells::Cells;
use crate::grid::others;
use glam::{IVec3, Vec3};
use rustc_hash::FxHashSet;

/// Distance from the middle of a cell, in cells, from which on no wall matters to it.
pub const REACH: f32 = 2.0;
/// Half the diagonal of a cell, in cells.
const HALF_DIAGONAL: f32 = 0.87;
/// The least distance, in cells, of the middle of what a wall leaves of a face's volume.
const LEAST: f32 = 0.05;

/// A cell near walls. Its distances to the nearest wall, in cells, are at its places half a cell behind the low corner
/// along the axes whose bits are set in their number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WallCell {
    pub distances: [f32; 8],
    /// The open part of the cell.
    pub open: f32,
    /// How much of a kernel is open at the middles of its low faces and of the cell.
    pub parts: [f32; 4],
    /// Covered parts of the areas of the low faces.
    pub covered: [f32; 3],
    /// Of its half cells, by the bits of their number: distances of their middles, in cells, and how much of a kernel a
    /// spacing wide is open there.
    pub halves: [(f32, f32); 8],
    /// Normals of the wall nearest to each of them.
    pub normals: [Vec3; 4],
    /// The number of the nearest collider.
    pub collider: u32,
}

/// The number of the middle of a cell, of the middle of its low face across an axis, and of that of its edge along one.
pub const MIDDLE: usize = 7;
pub const fn face(axis: usize) -> usize {
    MIDDLE ^ (1 << axis)
}
const fn edge(axis: usize) -> usize {
    1 << axis
}

/// The cells of a step that are near walls.
#[derive(Debug)]
pub struct NearWalls {
    /// A cell's number among [those](Self::cells) near walls, by storage; [`u32::MAX`] for others.
    pub numbers: Vec<u32>,
    /// With their places in storage.
    pub cells: Vec<(IVec3, usize, WallCell)>,
}

impl NearWalls {
    /// No walls near so many stored cells.
    pub fn none(len: usize) -> Self {
        Self { numbers: vec![u32::MAX; len], cells: Vec::new() }
    }

    /// Those in the cells that are kept, by their numbers among all.
    #[must_use]
    pub fn only(&self, keep: impl Fn(usize) -> bool) -> Self {
        let mut only = Self::none(self.numbers.len());
        for (_, cell) in self.cells.iter().enumerate().filter(|(number, _)| keep(*number)) {
            only.numbers[cell.1] = only.cells.len() as u32;
            only.cells.push(*cell);
        }
        only
    }

    /// The cells near walls that hold particles, by storage.
    pub fn occupied(&self, cells: &Cells) -> FxHashSet<usize> {
        cells.occupied.iter().map(|cell| cell.at).filter(|at| self.at(*at).is_some()).collect()
    }

    /// The walls near a cell, by its storage.
    pub fn at(&self, at: usize) -> Option<&WallCell> {
        self.cells.get(self.numbers[at] as usize).map(|(_, _, wall)| wall)
    }
}

impl WallCell {
    /// The normal at the middle.
    pub fn normal(&self) -> Vec3 {
        self.normals[3]
    }

    /// The normal at the middle of the low face across an axis.
    pub fn normal_at_face(&self, axis: usize) -> Vec3 {
        self.normals[axis]
    }

    /// Distance of the middle, in cells.
    pub fn distance(&self) -> f32 {
        self.distances[MIDDLE]
    }

    /// Whether a place in the cell may be nearer to the wall than so many cells.
    pub fn may_be_within(&self, reach: f32) -> bool {
        self.distance() < reach + HALF_DIAGONAL
    }

    /// Distance of a place in the cell, in cells, as if the wall were flat.
    pub fn distance_at(&self, part: Vec3) -> f32 {
        self.distances[MIDDLE] + self.normals[3].dot(part - 0.5)
    }

    /// Distance of the middle of the low face across an axis, in cells.
    pub fn distance_of_face(&self, axis: usize) -> f32 {
        self.distances[face(axis)]
    }

    /// Half the extent of a cell along a normal, in cells.
    fn half(normal: Vec3) -> f32 {
        normal.abs().element_sum() / 2.0
    }

    /// The distance of the middle of the open part of a volume like a cell, given the distance of its own middle and
    /// half its extent along the normal.
    fn centre(distance: f32, half: f32) -> f32 {
        if distance < half { f32::midpoint(distance, half).max(LEAST) } else { distance }
    }

    /// The open part of the cell, and how much of a kernel at its middle is open.
    pub fn of_cell(&self) -> (f32, f32) {
        (self.open, self.parts[3])
    }

    /// How much of a kernel at the middle of a face is open.
    pub fn part_of_face(&self, axis: usize) -> f32 {
        self.parts[axis]
    }

    /// The distance of the middle of a half cell, in cells, and how much of a kernel half as wide is open there.
    pub fn of_half(&self, bits: usize) -> (f32, f32) {
        self.halves[bits]
    }

    /// Whether nothing of the cell is open.
    pub fn is_closed(&self) -> bool {
        self.open <= 0.0
    }

    /// The covered part of the area of a face.
    pub fn covered(&self, axis: usize) -> f32 {
        self.covered[axis]
    }

    /// How much of a velocity along an axis is along the wall.
    pub fn along(&self, axis: usize) -> f32 {
        1.0 - self.normals[axis][axis] * self.normals[axis][axis]
    }

    /// Drag on a face over the viscosity times the width of a cell: the area of the wall at its volume over the
    /// distance of the middle of that volume.
    pub fn drag(&self, axis: usize) -> f32 {
        let (distance, half) = (self.distance_of_face(axis), Self::half(self.normals[axis]));
        self.dragged_area(axis) / Self::centre(distance, half)
    }

    /// The area of the wall at the volume of a face, times how much of its velocity is along the wall.
    pub fn dragged_area(&self, axis: usize) -> f32 {
        let (distance, half) = (self.distance_of_face(axis), Self::half(self.normals[axis]));
        if distance <= -half || distance > half + 1e-3 {
            return 0.0;
        }
        self.along(axis) / self.normals[axis].abs().max_element()
    }

    /// A factor on the shear stress of an edge: what lies between the middles of the open volumes of faces is thinner
    /// than a cell.
    pub fn shear(&self, axis: usize) -> f32 {
        let [b, c] = others(axis);
        let distance = self.distances[edge(axis)];
        let (along, half) = (self.normals[3].abs(), Self::half(self.normals[3]));
        let across = along[b].max(along[c]);
        if along[axis] > across {
            return ((distance + half) / (2.0 * half)).clamp(0.0, 1.0);
        }
        let (low, high) = (distance - across / 2.0, distance + across / 2.0);
        if low <= -half {
            return 0.0;
        }
        across / (Self::centre(high, half) - Self::centre(low, half)).max(LEAST)
    }

    /// The neighbour of a cell away from the wall, for the low face across an axis, and how far it is along the
    /// normal, in cells.
    pub fn away(&self, axis: usize) -> (IVec3, f32) {
        let by = nearest_axis(self.normals[axis]);
        (by, self.normals[axis].abs().max_element())
    }

    /// The neighbour of a cell away from the wall, by the normal at its middle.
    pub fn away_from_middle(&self) -> IVec3 {
        self.away(3).0
    }

    /// Where the middle of the open volume of a face lies between the middle of the face (0) and that of the next face
    /// away from the wall (1), for a velocity along the wall.
    pub fn toward_next(&self, axis: usize) -> f32 {
        let (distance, half) = (self.distance_of_face(axis), Self::half(self.normals[axis]));
        if distance <= -half || distance >= half {
            return 0.0;
        }
        ((Self::centre(distance, half) - distance) / self.away(axis).1).min(1.0) * self.along(axis)
    }

    /// The velocity along the wall, relative to it, at the middle of a face, given that at the middle of its open
    /// volume and that of the next face away from the wall: between them and nothing at the wall it is linear, behind
    /// the wall mirrored.
    pub fn at_middle(&self, axis: usize, own: f32, next: f32) -> f32 {
        let (distance, half) = (self.distance_of_face(axis), Self::half(self.normals[axis]));
        if distance >= half {
            return own;
        }
        let (centre, depth) = (Self::centre(distance, half), distance.abs());
        let there = if depth <= centre {
            own * depth / centre
        } else {
            own + (next - own) * ((depth - centre) / (distance + self.away(axis).1 - centre).max(LEAST)).min(1.0)
        };
        if distance < 0.0 { -there } else { there }
    }
}

/// The way along an axis that is nearest to a normal.
pub fn nearest_axis(normal: Vec3) -> IVec3 {
    let most = normal.abs().max_position();
    IVec3::AXES[most] * normal[most].signum() as i32
}
