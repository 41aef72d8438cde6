//! Pictures of the implicit surface (T92 section 6.2.1), by rays through a sparse field; of soft matter, whose lumps touch, by rays to its mesh.

mod blocks;
mod facets;
mod ray;

use crate::camera::Camera;
use crate::cells::Cells;
use crate::field::Scale;
use crate::glyph::Sight;
use crate::lighting::{KEY, backdrop, reflected};
use crate::picture::Size;
use blocks::{BlockField, EDGE};
use dollop_sim::Frame;
use dollop_surface::{SurfaceOptions, other_field, soft_surface, with_soft_field};
use facets::Facets;
use glam::{Vec2, Vec3};
use ray::{Ray, first_hit};
use rayon::prelude::*;

/// Samples along each side of a pixel where its neighbours differ.
const SAMPLES: usize = 3;

/// Difference of light (as a root, near to how eyes tell it) from which on neighbours differ.
const CONTRAST: f32 = 0.05;

/// How far from the surface its openness to the sky is asked, spacings, and how much each answer counts.
const OPENNESS: [(f32, f32); 3] = [(0.8, 0.35), (1.6, 0.35), (3.2, 0.3)];

/// Part of the key light that gets into shadows.
const SHADE: f32 = 0.25;

/// Rays to shadows begin so far outside of the surface, cells.
const SHADOW_OFFSET: f32 = 1.5;

/// What the field is at the surface, that of meshes before they are smoothed (T92 equation (42)).
const LEVEL: f32 = 1.0;

/// Waves that meshes are smoothed over by default, spacings.
const SMOOTHING: f64 = 6.0;

/// How far outside of the box of the camera the surface is drawn, spacings: strays beyond it would make rays long and
/// their coordinates coarse.
const ROOM: f64 = 4.0;

/// A surface before the camera.
pub(crate) struct SurfaceView<'a> {
    frame: &'a Frame,
    camera: &'a Camera,
    scale: &'a Scale,
    /// The value of each particle to colour by.
    values: &'a [f32],
    /// Of all matter.
    field: BlockField,
    /// What there is of soft matter, and the field of other matter beside it.
    soft: Option<(Facets, BlockField)>,
    cells: Cells<'a>,
    /// Cells in a spacing.
    spacing: f32,
}

impl<'a> SurfaceView<'a> {
    /// The surface of a frame on cells of that size, m.
    pub fn new(frame: &'a Frame, camera: &'a Camera, scale: &'a Scale, values: &'a [f32], cell_size: f64) -> Self {
        let options = SurfaceOptions { smoothing: SMOOTHING * frame.spacing, ..SurfaceOptions::new(cell_size) };
        let room = ROOM * frame.spacing + EDGE as f64 * cell_size;
        let shows = |place| camera.shows(place, room);
        let blocks = |grid: &_| BlockField::new(grid, camera.target(), shows);
        let (mesh, others) = (soft_surface(frame, &options), other_field(frame, &options));
        let other_blocks = (!mesh.triangles.is_empty()).then(|| blocks(&others));
        let field = blocks(&with_soft_field(others, frame, &options));
        let is_wanted = |corner| field.is_near(camera.target(), corner) && shows(corner);
        let soft = other_blocks.map(|others| (Facets::new(&mesh, &field, is_wanted), others));
        let cells = Cells::new(&frame.positions, frame.kernel.support() as f32);
        let spacing = (frame.spacing / cell_size) as f32;
        Self { frame, camera, scale, values, field, soft, cells, spacing }
    }

    /// Linear light of each pixel, rows from the top.
    pub fn paint(&self, size: Size) -> Vec<Vec3> {
        let width = size.width as usize;
        let place = |pixel: usize| Vec2::new((pixel % width) as f32, (pixel / width) as f32);
        let centres: Vec<Option<Sight>> =
            (0..size.pixels()).into_par_iter().map(|pixel| self.look(place(pixel) + 0.5)).collect();
        let behind = |pixel: usize| backdrop((pixel / width) as f32 / size.height as f32);
        let light = |pixel: usize| {
            let own = centres[pixel];
            let differs = beside(pixel, size).any(|other| differ(own, centres[other]));
            if differs {
                self.mean(place(pixel), behind(pixel))
            } else {
                own.map_or(behind(pixel), |sight| sight.light)
            }
        };
        (0..size.pixels()).into_par_iter().map(light).collect()
    }

    /// The mean over a pixel, whose corner is given.
    fn mean(&self, corner: Vec2, behind: Vec3) -> Vec3 {
        let sample = |n: usize| {
            let within = (Vec2::new((n % SAMPLES) as f32, (n / SAMPLES) as f32) + 0.5) / SAMPLES as f32;
            self.look(corner + within).map_or(behind, |sight| sight.light)
        };
        (0..SAMPLES * SAMPLES).map(sample).sum::<Vec3>() / (SAMPLES * SAMPLES) as f32
    }

    /// What is seen of the surface at a place of the picture.
    fn look(&self, place: Vec2) -> Option<Sight> {
        let along = self.camera.ray(place).normalize();
        let ray = Ray { origin: self.field.local(self.camera.eye()), direction: self.world_direction(along) };
        let (way, outward) = self.hit(&ray)?;
        let (point, outward) = (ray.at(way), outward.try_normalize().unwrap_or(-ray.direction));
        let normal = self.camera.turn(outward);
        let albedo = self.scale.light(self.value(self.field.world(point)));
        let (lit, open) = (self.lit(point, outward, normal), self.open(point, outward));
        Some(Sight { depth: way * along.z, light: reflected(albedo, normal, -along, lit, open) })
    }

    /// How far along a ray the surface is, cells, and its normal there.
    fn hit(&self, ray: &Ray) -> Option<(f32, Vec3)> {
        let in_field = |field: &BlockField| {
            let ray = Ray { origin: field.local_of(&self.field, ray.origin), ..*ray };
            let way = first_hit(field, &ray, LEVEL)?;
            Some((way, -field.gradient(ray.at(way))))
        };
        let Some((facets, others)) = &self.soft else { return in_field(&self.field) };
        let of_mesh = facets.first_met(ray).map(|met| (met.way, met.outward));
        let hits = in_field(others).into_iter().chain(of_mesh);
        hits.min_by(|a, b| a.0.total_cmp(&b.0))
    }

    fn world_direction(&self, direction: Vec3) -> Vec3 {
        self.camera.turn_back(direction).as_vec3()
    }

    /// Part of the key light that arrives at a point of the surface.
    fn lit(&self, point: Vec3, outward: Vec3, normal: Vec3) -> f32 {
        if normal.dot(KEY) <= 0.0 {
            return SHADE;
        }
        let ray = Ray { origin: point + outward * SHADOW_OFFSET, direction: self.world_direction(KEY) };
        if self.hit(&ray).is_some() { SHADE } else { 1.0 }
    }

    /// Part of the sky that is seen from a point: none of it where there is matter all the way along the normal.
    fn open(&self, point: Vec3, outward: Vec3) -> f32 {
        let covered = OPENNESS
            .map(|(way, weight)| weight * self.field.value(point + outward * way * self.spacing).clamp(0.0, 1.0));
        1.0 - covered.iter().sum::<f32>()
    }

    /// The value to colour by at a point: the mean by the parts of the density; of bodies, the one that gives most.
    fn value(&self, point: Vec3) -> f32 {
        let weigh = |(particle, squared): (usize, f32)| {
            let part =
                f64::from(self.frame.rest_volumes[particle]) * self.frame.kernel.value(f64::from(squared).sqrt());
            (self.values[particle], part as f32)
        };
        let parts = self.cells.near(point).map(weigh);
        self.scale.mean(parts)
    }
}

/// The pixels left and right of, above and below a pixel.
fn beside(pixel: usize, size: Size) -> impl Iterator<Item = usize> {
    let (width, count) = (size.width as usize, size.pixels());
    let column = pixel % width;
    let across = [(column > 0).then(|| pixel - 1), (column + 1 < width).then_some(pixel + 1)];
    let along = [pixel.checked_sub(width), Some(pixel + width).filter(|&below| below < count)];
    across.into_iter().chain(along).flatten()
}

/// Whether two neighbours differ so much that the pixels need more samples.
fn differ(one: Option<Sight>, other: Option<Sight>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => {
            let root = |light: Vec3| Vec3::from_array(light.to_array().map(f32::sqrt));
            (root(one.light) - root(other.light)).abs().max_element() > CONTRAST
        }
        (None, None) => false,
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn skins_are_smoothed_as_meshes_are_by_default() {
        assert_eq!(super::SMOOTHING.to_bits(), dollop_scene::MeshOutput::default().smoothing.to_bits());
    }
}
