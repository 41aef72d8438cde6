//! Memory for making the outputs of a frame: counts of the blocks that matter touches, from the boxes around the
//! bodies, times the bytes that the surface and volume code keeps for each. Factors are measured.

use dollop_scene::Scene;
use dollop_sim::{Frame, Outline, SmoothingKernel};
use dollop_surface::bounds::{LONGEST_PATH, MAX_TILES, SHORT_PATH, coarse_cell_size};
use glam::{DVec3, Vec3};
use std::collections::BTreeMap;

/// Nodes along the edge of a block.
const BLOCK: f64 = 8.0;
/// Bytes per particle of a surface: its neighbourhood, its blob and the place of that.
const PER_BLOB: f64 = 300.0;
/// Bytes per particle of a file: its row.
const PER_ROW: f64 = 76.0;
/// Bytes per block of a scalar field.
const PER_SCALAR_BLOCK: f64 = 2112.0;
/// Bytes per block of the survey: the field at its nodes, and the data for finding levels.
const PER_SURVEYED_BLOCK: f64 = 6200.0;
/// Bytes per vertex: the field around it, the vertex and its attributes, its neighbours, its share of two triangles,
/// and their bytes in the file.
const PER_VERTEX: f64 = 500.0;
/// Vertices per square cell of surface.
const VERTICES_PER_CELL: f64 = 1.5;
/// Voxels by which averages reach beyond the kernel, and at least by which motion extends them.
const BORDER: f64 = 2.5;
/// How far the tiles of long paths reach to all sides, voxels.
const TILES_REACH: f64 = 16.0;
/// Bytes per particle of a volume: sorting it, and the particle without its averaged values.
const PER_POINT: f64 = 60.0;
/// Bytes per piece of a particle's path: sorting it, and the piece.
const PER_PIECE: f64 = 64.0;
/// Bytes per number that is averaged over a particle.
const PER_NUMBER: f64 = 8.0;
/// Bytes per triangle to which distances are measured.
const PER_FACET: f64 = 160.0;
/// Bytes per column of voxels that crosses the surface.
const PER_CROSSING: f64 = 40.0;
/// Blocks of a level set per square voxel of surface: the band is six voxels thick, and cuts blocks anywhere.
const BAND_BLOCKS: f64 = 0.04;
/// Bytes per tile: its sum while tiles are gathered and spread, the tile, and its place in the file's tree.
const PER_TILE: f64 = 250.0;

/// Share of the memory of one piece of work that stays fragmented, so that the next cannot use it.
const SCATTERED: f64 = 0.3;

/// Bytes for pieces of work that run one after another.
pub fn after_another(works: impl IntoIterator<Item = f64>) -> f64 {
    let (largest, sum) = works.into_iter().fold((0.0_f64, 0.0), |(largest, sum), one| (largest.max(one), sum + one));
    largest + SCATTERED * (sum - largest)
}

/// The matter of a scene at its start.
pub struct MatterExtent {
    particles: f64,
    /// Particle spacing, m.
    spacing: f64,
    /// Edges of the box around each body, m, and the filled fraction of it.
    bodies: Vec<(DVec3, f64)>,
    /// Radius of a particle's influence, m.
    support: f64,
    /// An upper bound of any particle's path in half a frame, m, by free fall all the time and the speed at the start.
    path: f64,
}

impl MatterExtent {
    /// The matter of a scene.
    pub fn new(scene: &Scene, outlines: &[Outline]) -> Self {
        let volume = scene.particle_spacing.powi(3);
        let body = |outline: &Outline| {
            let edges = (outline.bounds.high - outline.bounds.low).max(DVec3::splat(scene.particle_spacing));
            (edges, (outline.particles * volume / edges.element_product()).min(1.0))
        };
        let speeds = scene.bodies.iter().zip(outlines).map(|(body, outline)| outline.fastest(body));
        let fastest = speeds.fold(0.0, f64::max);
        let duration = f64::from(scene.frames.end - scene.frames.start) / scene.frames.rate;
        let fallen = DVec3::from(scene.gravity).length() * duration;
        Self {
            particles: outlines.iter().map(|outline| outline.particles).sum(),
            spacing: scene.particle_spacing,
            bodies: outlines.iter().map(body).collect(),
            support: SmoothingKernel::of(scene).support(),
            path: (fastest + fallen) / (2.0 * scene.frames.rate),
        }
    }

    /// The matter of a frame: each body in its box, which it may fill entirely.
    pub fn of_frame(frame: &Frame) -> Self {
        let mut boxes: BTreeMap<u32, (Vec3, Vec3)> = BTreeMap::new();
        for (&position, &source) in frame.positions.iter().zip(&frame.sources) {
            let around = boxes.entry(source).or_insert((position, position));
            *around = (around.0.min(position), around.1.max(position));
        }
        let edges = |(low, high): &(Vec3, Vec3)| ((*high - *low).as_dvec3().max(DVec3::splat(frame.spacing)), 1.0);
        let fastest = frame.velocities.iter().map(|velocity| velocity.length()).fold(0.0, f32::max);
        Self {
            particles: frame.len() as f64,
            spacing: frame.spacing,
            bodies: boxes.values().map(edges).collect(),
            support: frame.kernel.support(),
            path: f64::from(fastest) * frame.interval / 2.0,
        }
    }

    /// Bytes of a stored frame.
    pub fn frame(&self) -> f64 {
        self.particles * PER_ROW
    }

    /// Bytes for making a surface: blobs, the survey of the field, then the mesh.
    pub fn surface(&self, cell: f64) -> f64 {
        let surveyed = self.blocks(coarse_cell_size(self.spacing, cell), self.support) * PER_SURVEYED_BLOCK;
        let vertices = VERTICES_PER_CELL * self.area() / (cell * cell);
        self.particles * PER_BLOB + after_another([surveyed, vertices * PER_VERTEX])
    }

    /// Bytes for making a volume with so many numbers per voxel.
    pub fn volume(&self, voxel: f64, numbers: f64) -> f64 {
        let reach = self.support + BORDER * voxel;
        let path = (self.path + voxel).min(SHORT_PATH * voxel);
        // Each path in pieces no longer than a block.
        let pieces = (2.0 * path / (BLOCK * voxel)).ceil().max(1.0);
        let points = self.particles * (PER_POINT + pieces * PER_PIECE + numbers * PER_NUMBER);
        let near = self.blocks(voxel, reach + path);
        let tiles = if self.path + voxel > SHORT_PATH * voxel { self.tiles(voxel, near) * PER_TILE } else { 0.0 };
        points + 1.5 * near * numbers * PER_SCALAR_BLOCK + tiles
    }

    /// Bytes for making a level set on such voxels from a surface on such cells.
    pub fn level_set(&self, cell: f64, voxel: f64) -> f64 {
        let vertices = VERTICES_PER_CELL * self.area() / (cell * cell);
        let columns = self.area() / (voxel * voxel);
        let band = columns * (PER_CROSSING + BAND_BLOCKS * PER_SCALAR_BLOCK);
        let distances = vertices * (PER_VERTEX + 2.0 * PER_FACET) + band + self.blocks(voxel, 0.0) * PER_TILE;
        after_another([self.surface(cell), distances])
    }

    /// An upper bound of the tiles on long paths: all blocks in reach of the matter, up to the limit.
    fn tiles(&self, voxel: f64, near: f64) -> f64 {
        let reach = self.support + TILES_REACH * voxel + self.path.min(LONGEST_PATH * voxel);
        (MAX_TILES as f64 * near).min(self.blocks(voxel, reach))
    }

    /// Bytes of a particle file.
    pub fn particle_file(&self) -> f64 {
        self.particles * PER_ROW
    }

    /// Pairs of a particle and a block that it touches.
    fn pairs(&self, cell: f64, reach: f64) -> f64 {
        self.particles * (2.0 * reach / (BLOCK * cell) + 1.0).powi(3)
    }

    /// Blocks that matter touches: at most the number of pairs.
    fn blocks(&self, cell: f64, reach: f64) -> f64 {
        let count =
            |&(edges, filled): &(DVec3, f64)| ((edges + 2.0 * reach) / (BLOCK * cell) + 1.0).element_product() * filled;
        self.bodies.iter().map(count).sum::<f64>().min(self.pairs(cell, reach))
    }

    /// Surface, m^2: the area of the boxes, less for rounder bodies.
    fn area(&self) -> f64 {
        let area = |&(edges, filled): &(DVec3, f64)| 2.0 * edges.dot(DVec3::new(edges.y, edges.z, edges.x)) * filled;
        self.bodies.iter().map(area).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A half-metre box of some 20,000 particles on voxels as wide as their spacing.
    fn volume_of(path: f64) -> f64 {
        let bodies = vec![(DVec3::new(0.5, 0.5, 0.64), 1.0)];
        MatterExtent { particles: 19220.0, spacing: 0.02, bodies, support: 0.08, path }.volume(0.02, 5.0)
    }

    #[test]
    fn speed_costs_little() {
        let rest = volume_of(0.0);
        for path in [0.05, 0.2, 1.0, 5.0, 1e9] {
            let fast = volume_of(path);
            assert!(fast > rest && fast < 4.0 * rest, "{fast} for a path of {path} m, {rest} at rest");
        }
    }
}
