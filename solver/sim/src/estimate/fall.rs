//! How deep matter will fall.

use crate::boundary::{Boundary, Times, Walls};
use crate::bounds::Bounds;
use crate::region::{moving_solid, time_of};
use crate::{MeshLibrary, SetupError};
use dollop_scene::Scene;
use glam::DVec3;

/// Looks at distances along one way down.
const MOST_LOOKS: usize = 256;
/// Where the ways down begin, from the middle of the body, in half its extents.
const ASIDE: f64 = 0.7;

/// What ends a fall.
pub struct Ground<'a> {
    walls: Walls<'a>,
    outflows: Vec<Outflow>,
    /// m.
    spacing: f64,
}

/// The box around a region that removes matter.
struct Outflow {
    bounds: Bounds,
    /// Whether it removes what is outside.
    is_inverted: bool,
}

impl Outflow {
    /// How far a place is at least from where it is removed, m.
    fn distance(&self, place: DVec3) -> f64 {
        let Bounds { low, high } = self.bounds;
        if self.is_inverted { (place - low).min(high - place).min_element() } else { self.bounds.distance(place) }
    }
}

impl<'a> Ground<'a> {
    /// That of a scene at its first frame, given its colliders.
    ///
    /// # Errors
    /// When the mesh of an outflow encloses nothing, or its scale changes unevenly.
    pub fn new(scene: &Scene, boundary: &'a Boundary, meshes: &MeshLibrary) -> Result<Self, SetupError> {
        let outflow = |(number, outflow): (usize, &dollop_scene::Outflow)| {
            let placed = moving_solid("outflows", "outflow", number, outflow, meshes, time_of(scene))?;
            let pose = placed.motion.pose(0.0);
            let corners = placed.solid.bounds().corners().map(|corner| pose.to_world(corner));
            Ok::<_, SetupError>(Outflow { bounds: Bounds::of(corners), is_inverted: outflow.inverted })
        };
        let outflows = scene.outflows.iter().enumerate().map(outflow).collect::<Result<_, _>>()?;
        Ok(Self { walls: boundary.at(Times::At(0.0)), outflows, spacing: scene.particle_spacing })
    }

    /// How deep the topmost matter in a box may fall along a way, m.
    pub fn drop(&self, body: &Bounds, way: DVec3) -> f64 {
        let (middle, half) = ((body.low + body.high) / 2.0, (body.high - body.low) / 2.0);
        let Some(down) = way.try_normalize() else { return 0.0 };
        let above = half.dot(down.abs());
        let aside = (0..4).map(|n| DVec3::new([-1.0, 1.0][n % 2], [-1.0, 1.0][n / 2], 0.0));
        let aside = aside.map(|corner| {
            let place = DVec3::new(corner.x, corner.y, corner.x * corner.y) * half * ASIDE;
            place - down * place.dot(down)
        });
        let starts = std::iter::once(DVec3::ZERO).chain(aside).map(|aside| middle + aside);
        let most = way.length();
        starts.map(|start| (self.clear(start, down, most) + above).min(most)).fold(0.0, f64::max)
    }

    /// How far it is from a place along a direction to what ends a fall, m.
    fn clear(&self, start: DVec3, down: DVec3, most: f64) -> f64 {
        let mut gone = 0.0;
        for _ in 0..MOST_LOOKS {
            let distance = self.distance(start + down * gone);
            if distance < self.spacing / 2.0 || gone >= most {
                return gone.min(most);
            }
            gone += distance;
        }
        gone.min(most)
    }

    fn distance(&self, place: DVec3) -> f64 {
        let walls = (0..self.walls.count()).map(|number| self.walls.signed_distance(number, place));
        walls.chain(self.outflows.iter().map(|outflow| outflow.distance(place))).fold(f64::INFINITY, f64::min)
    }
}
