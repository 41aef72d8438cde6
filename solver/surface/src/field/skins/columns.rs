//! The soft particles of a frame, and their mirror images behind walls.

use super::evaluate::SkinParticle;
use crate::lattice::buckets::CubeKey;
use crate::lattice::cube_grid::in_cube;
use dollop_sim::Frame;
use dollop_sim::field::{FUSED, LUMP, OFFSET, PIECE, WALL};
use dollop_sim::frame::Skin;
use dollop_sim::frame::wall::WallPlane;
use glam::{DVec3, Vec3};

/// Walls beyond this distance, in reaches, do not clip skins.
const MAX_WALL_DISTANCE: f64 = 1.5;

/// Whether a particle is soft matter.
pub(crate) fn is_soft(frame: &Frame, particle: usize) -> bool {
    skin(frame, particle).is_some()
}

fn skin(frame: &Frame, particle: usize) -> Option<Skin> {
    *frame.skins.get(frame.sources[particle] as usize)?
}

/// The columns of a frame that describe soft matter.
pub(super) struct SkinColumns<'a> {
    frame: &'a Frame,
    pieces: Option<&'a [f32]>,
    lumps: Option<&'a [f32]>,
    fused: Option<&'a [f32]>,
    offsets: Option<&'a [f32]>,
    walls: Option<&'a [Vec3]>,
    /// m.
    cell_size: f64,
}

impl<'a> SkinColumns<'a> {
    pub fn new(frame: &'a Frame, cell_size: f64) -> Self {
        Self {
            frame,
            pieces: frame.scalar(PIECE.name),
            lumps: frame.scalar(LUMP.name),
            fused: frame.scalar(FUSED.name),
            offsets: frame.scalar(OFFSET.name),
            walls: frame.vector(WALL.name),
            cell_size,
        }
    }

    /// Position of a particle, cells.
    pub fn position(&self, particle: usize) -> DVec3 {
        self.frame.positions[particle].as_dvec3() / self.cell_size
    }

    /// A particle of soft matter, relative to its cube.
    pub fn skin_particle(&self, particle: u32) -> Option<SkinParticle> {
        let index = particle as usize;
        let skin = skin(self.frame, index)?;
        let skin = Skin { reach: skin.reach / self.cell_size, ..skin };
        let of = |column: Option<&[f32]>| column.map(|column| column[index]);
        let piece = of(self.pieces).unwrap_or(self.frame.sources[index] as f32);
        let offset = f64::from(of(self.offsets).unwrap_or(0.0)) / self.cell_size;
        // Only a file from another program can hold larger offsets.
        let offset = if offset.abs() < skin.reach { offset as f32 } else { 0.0 };
        Some(SkinParticle {
            centre: in_cube(self.position(index)).1,
            offset,
            skin,
            lump: of(self.lumps).unwrap_or(piece) as u32,
            piece: piece as u32,
            fused: of(self.fused).is_some_and(|fused| fused > 0.5),
            wall: self.to_wall(index, &skin).map(WallPlane::beside),
            image: None,
            number: particle,
        })
    }

    /// Vector from a particle to the wall next to it, cells; none if there is no wall near.
    fn to_wall(&self, particle: usize, skin: &Skin) -> Option<DVec3> {
        let to_wall = self.walls?[particle].as_dvec3() / self.cell_size;
        (to_wall != DVec3::ZERO && to_wall.length() < MAX_WALL_DISTANCE * skin.reach).then_some(to_wall)
    }

    /// The mirror image of a particle behind its wall, relative to its own cube, and that cube.
    pub fn image(&self, particle: u32) -> Option<(CubeKey, SkinParticle)> {
        let own = self.skin_particle(particle)?;
        let to_wall = self.to_wall(particle as usize, &own.skin)?;
        let share = own.skin.image(to_wall.length()) as f32;
        let (cube, centre) = in_cube(self.position(particle as usize) + 2.0 * to_wall);
        let wall = own.wall.map(WallPlane::behind);
        (share > 0.0).then_some((cube, SkinParticle { centre, wall, image: Some(share), ..own }))
    }
}
