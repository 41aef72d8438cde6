//! How much memory the outputs of a frame take while they are made: counts of the blocks that matter touches, by the
//! boxes around the bodies, times what the surface and volume code keeps for each. Factors are measured.

use dollop_scene::Scene;
use dollop_sim::{Outline, SmoothingKernel};
use glam::DVec3;

/// Nodes along the edge of a block.
const BLOCK: f64 = 8.0;
/// For each particle: its box, and its place in the frame.
const PER_PARTICLE: f64 = 56.0;
/// For each pair of a particle and a block that it touches: while pairs are gathered and sorted, and afterwards.
const PER_PAIR: (f64, f64) = (22.4, 4.0);
/// For each block of a field of one number a node.
const PER_SCALAR_BLOCK: f64 = 2112.0;
/// For each vertex: itself, its part of two triangles, and their bytes in the file.
const PER_VERTEX: f64 = 140.0;
/// Vertices for each square cell of surface.
const VERTICES_PER_CELL: f64 = 1.5;
/// Voxels by which averages reach beyond the kernel, and how far motion draws them out at least.
const BORDER: f64 = 2.5;
/// The longest way of a particle that counts, voxels.
const LONGEST_WAY: f64 = 256.0;

/// Memory that one piece of work leaves scattered, so that the next cannot have it all.
const SCATTERED: f64 = 0.3;

/// Bytes that pieces of work take one after another.
pub fn after_another(works: impl IntoIterator<Item = f64>) -> f64 {
    let (largest, sum) = works.into_iter().fold((0.0_f64, 0.0), |(largest, sum), one| (largest.max(one), sum + one));
    largest + SCATTERED * (sum - largest)
}

/// The matter of a scene at its start.
pub struct Matter {
    particles: f64,
    /// Edges of the box around each body, m, and the part of it that is filled.
    bodies: Vec<(DVec3, f64)>,
    /// How far a particle is felt, m.
    support: f64,
    /// The longest way in half a frame, m.
    way: f64,
}

impl Matter {
    /// The matter of a scene.
    pub fn new(scene: &Scene, outlines: &[Outline]) -> Self {
        let volume = scene.particle_spacing.powi(3);
        let body = |outline: &Outline| {
            let edges = (outline.bounds.1 - outline.bounds.0).max(DVec3::splat(scene.particle_spacing));
            (edges, (outline.particles * volume / edges.element_product()).min(1.0))
        };
        let speeds = scene.bodies.iter().map(|body| DVec3::from(body.velocity).length());
        Self {
            particles: outlines.iter().map(|outline| outline.particles).sum(),
            bodies: outlines.iter().map(body).collect(),
            support: SmoothingKernel::of(scene).support(),
            way: speeds.fold(0.0, f64::max) / (2.0 * scene.frames.rate),
        }
    }

    /// Bytes while a surface is made.
    pub fn surface(&self, cell: f64) -> f64 {
        let pairs = self.pairs(cell, self.support, 0.0);
        let gathering = self.particles * PER_PARTICLE + pairs * PER_PAIR.0;
        let vertices = VERTICES_PER_CELL * self.area() / (cell * cell);
        let extracting =
            pairs * PER_PAIR.1 + self.blocks(cell, self.support) * PER_SCALAR_BLOCK + vertices * PER_VERTEX;
        after_another([gathering, extracting])
    }

    /// Bytes while a volume is made with so many numbers a voxel.
    pub fn volume(&self, voxel: f64, numbers: f64) -> f64 {
        let reach = self.support + BORDER * voxel;
        let field = self.pairs(voxel, self.support, 0.0) * PER_PAIR.1;
        let ways = self.pairs(voxel, reach, self.way.min(LONGEST_WAY * voxel));
        let gathering = self.particles * 2.0 * PER_PARTICLE + ways * PER_PAIR.0;
        let blocks = self.blocks(voxel, reach + self.way) * numbers * PER_SCALAR_BLOCK;
        field + gathering.max(ways * PER_PAIR.1 + 1.5 * blocks)
    }

    /// Bytes of a particle file.
    pub fn particle_file(&self) -> f64 {
        self.particles * PER_PARTICLE
    }

    /// Pairs of a particle and a block that it touches, also on a way to both sides.
    fn pairs(&self, cell: f64, reach: f64, way: f64) -> f64 {
        let (across, along) = (2.0 * reach / (BLOCK * cell) + 1.0, 2.0 * (reach + way) / (BLOCK * cell) + 1.0);
        self.particles * across * across * along
    }

    fn blocks(&self, cell: f64, reach: f64) -> f64 {
        let count =
            |&(edges, filled): &(DVec3, f64)| ((edges + 2.0 * reach) / (BLOCK * cell) + 1.0).element_product() * filled;
        self.bodies.iter().map(count).sum()
    }

    /// Surface, m^2: that of the boxes, less for rounder bodies.
    fn area(&self) -> f64 {
        let area = |&(edges, filled): &(DVec3, f64)| 2.0 * edges.dot(DVec3::new(edges.y, edges.z, edges.x)) * filled;
        self.bodies.iter().map(area).sum()
    }
}
