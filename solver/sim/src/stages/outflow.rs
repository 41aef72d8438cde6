//! Outflows remove the matter within them.

use super::{Stage, World};
use crate::boundary::{Motion, Pose};
use crate::geometry::Solid;
use crate::region::{moving_solid, time_of};
use crate::{MeshLibrary, SetupError};
use dollop_scene::Scene;
use glam::DVec3;
use rayon::prelude::*;

/// A region in which matter is removed.
#[derive(Debug)]
pub struct OutflowRegion {
    solid: Solid,
    motion: Motion,
    /// Whether matter is removed outside instead of inside.
    inverted: bool,
}

/// The outflows of a scene.
///
/// # Errors
/// When the mesh of one encloses nothing, or its scale changes unevenly.
pub fn outflows(scene: &Scene, meshes: &MeshLibrary) -> Result<Vec<OutflowRegion>, SetupError> {
    let time_of = time_of(scene);
    let outflow = |(number, outflow): (usize, &dollop_scene::Outflow)| {
        let (solid, motion) = moving_solid("outflows", "outflow", number, outflow, meshes, time_of)?;
        Ok(OutflowRegion { solid, motion, inverted: outflow.inverted })
    };
    scene.outflows.iter().enumerate().map(outflow).collect()
}

impl OutflowRegion {
    /// Whether it removes a particle at a place while it stands in a pose.
    fn takes(&self, place: DVec3, pose: &Pose) -> bool {
        self.solid.contains(pose.to_local(place)) != self.inverted
    }
}

/// Removes the matter in outflows as a frame begins; the frame before shows that matter for the last time.
#[derive(Debug)]
pub struct Removal(pub Vec<OutflowRegion>);

impl Stage for Removal {
    fn begin_frame(&mut self, world: &mut World) {
        if self.0.is_empty() {
            return;
        }
        let (places, time) = (&world.particles.positions, world.time);
        let posed: Vec<_> = self.0.iter().map(|outflow| (outflow, outflow.motion.pose(time))).collect();
        let takes = |place: &DVec3| posed.iter().any(|(outflow, pose)| outflow.takes(*place, pose));
        let leaves: Vec<bool> = places.par_iter().with_min_len(256).map(takes).collect();
        if leaves.contains(&true) {
            world.remove(|slot| leaves[slot]);
        }
    }
}
