//! Ray casting of the implicit surface (T92 section 6.2.1) through a sparse field. Soft matter, whose lumps touch, is
//! met by rays to its mesh.

mod blocks;
mod mesh_tracer;
mod ray;

use crate::camera::Camera;
use crate::colour_scale::ColourScale;
use crate::glyph::Fragment;
use crate::lighting::{KEY, backdrop, reflected};
use crate::neighbour_grid::NeighbourGrid;
use crate::picture::PictureSize;
use blocks::{BlockField, EDGE};
use dollop_sim::Frame;
use dollop_surface::{SurfaceOptions, other_field, soft_surface, with_soft_field};
use glam::{Vec2, Vec3};
use mesh_tracer::MeshTracer;
use ray::{Ray, first_hit};
use rayon::prelude::*;

/// Samples along each side of a pixel where its neighbours differ.
const SAMPLES: usize = 3;

/// Difference of light from which on neighbours count as different. It is taken of square roots, close to the response
/// of the eye.
const CONTRAST: f32 = 0.05;

/// Distances from the surface where the visible sky is sampled, spacings, and their weights.
const OPENNESS: [(f32, f32); 3] = [(0.8, 0.35), (1.6, 0.35), (3.2, 0.3)];

/// Fraction of the key light that reaches shadows.
const SHADE: f32 = 0.25;

/// Shadow rays start this far outside the surface, cells.
const SHADOW_OFFSET: f32 = 1.5;

/// The field at the surface: that of meshes before smoothing (T92 equation (42)).
const LEVEL: f32 = 1.0;

/// Default smoothing length of meshes, spacings.
const SMOOTHING: f64 = 6.0;

/// How far outside the box of the camera the surface is drawn, spacings. Outliers beyond it would make rays long and
/// their coordinates inaccurate.
const MARGIN: f64 = 4.0;

/// The surface of a frame, ready for ray casting.
pub(crate) struct SurfaceView<'a> {
    frame: &'a Frame,
    camera: &'a Camera,
    scale: &'a ColourScale,
    /// The value of each particle that colours show.
    values: &'a [f32],
    /// The field of all matter.
    field: BlockField,
    /// The mesh of soft matter, if there is any, and the field of the other matter.
    soft: Option<(MeshTracer, BlockField)>,
    cells: NeighbourGrid<'a>,
    /// Spacing, cells.
    spacing: f32,
}

impl<'a> SurfaceView<'a> {
    /// The surface of a frame, sampled on cells of `cell_size`, m.
    pub fn new(
        frame: &'a Frame,
        camera: &'a Camera,
        scale: &'a ColourScale,
        values: &'a [f32],
        cell_size: f64,
    ) -> Self {
        let options = SurfaceOptions { smoothing: SMOOTHING * frame.spacing, ..SurfaceOptions::new(cell_size) };
        let margin = MARGIN * frame.spacing + EDGE as f64 * cell_size;
        let is_in_view = |position| camera.contains_point(position, margin);
        let blocks = |grid: &_| BlockField::new(grid, camera.target(), is_in_view);
        let (mesh, others) = (soft_surface(frame, &options), other_field(frame, &options));
        let other_blocks = (!mesh.triangles.is_empty()).then(|| blocks(&others));
        let field = blocks(&with_soft_field(others, frame, &options));
        let is_wanted = |corner| field.is_near(camera.target(), corner) && is_in_view(corner);
        let soft = other_blocks.map(|others| (MeshTracer::new(&mesh, &field, is_wanted), others));
        let cells = NeighbourGrid::new(&frame.positions, frame.kernel.support() as f32);
        let spacing = (frame.spacing / cell_size) as f32;
        Self { frame, camera, scale, values, field, soft, cells, spacing }
    }

    /// Linear light of each pixel, rows from the top.
    pub fn paint(&self, size: PictureSize) -> Vec<Vec3> {
        let width = size.width as usize;
        let position = |pixel: usize| Vec2::new((pixel % width) as f32, (pixel / width) as f32);
        let centres: Vec<Option<Fragment>> =
            (0..size.pixels()).into_par_iter().map(|pixel| self.trace(position(pixel) + 0.5)).collect();
        let behind = |pixel: usize| backdrop((pixel / width) as f32 / size.height as f32);
        let light = |pixel: usize| {
            let own = centres[pixel];
            let differs = adjacent_pixels(pixel, size).any(|other| differ(own, centres[other]));
            if differs {
                self.mean(position(pixel), behind(pixel))
            } else {
                own.map_or(behind(pixel), |fragment| fragment.light)
            }
        };
        (0..size.pixels()).into_par_iter().map(light).collect()
    }

    /// The mean over the pixel with this corner.
    fn mean(&self, corner: Vec2, behind: Vec3) -> Vec3 {
        let sample = |n: usize| {
            let within = (Vec2::new((n % SAMPLES) as f32, (n / SAMPLES) as f32) + 0.5) / SAMPLES as f32;
            self.trace(corner + within).map_or(behind, |fragment| fragment.light)
        };
        (0..SAMPLES * SAMPLES).map(sample).sum::<Vec3>() / (SAMPLES * SAMPLES) as f32
    }

    /// Casts a ray through a position of the picture and shades the surface that it hits.
    fn trace(&self, position: Vec2) -> Option<Fragment> {
        let along = self.camera.ray(position).normalize();
        let ray = Ray { origin: self.field.local(self.camera.eye()), direction: self.world_direction(along) };
        let (distance, outward) = self.hit(&ray)?;
        let (point, outward) = (ray.at(distance), outward.try_normalize().unwrap_or(-ray.direction));
        let normal = self.camera.direction_to_view(outward);
        let albedo = self.scale.light(self.value(self.field.world(point)));
        let (key_share, sky_share) = (self.key_share(point, outward, normal), self.sky_share(point, outward));
        Some(Fragment { depth: distance * along.z, light: reflected(albedo, normal, -along, key_share, sky_share) })
    }

    /// The first hit of a ray: the distance, cells, and the normal there.
    fn hit(&self, ray: &Ray) -> Option<(f32, Vec3)> {
        let in_field = |field: &BlockField| {
            let ray = Ray { origin: field.local_from(&self.field, ray.origin), ..*ray };
            let distance = first_hit(field, &ray, LEVEL)?;
            Some((distance, -field.gradient(ray.at(distance))))
        };
        let Some((tracer, others)) = &self.soft else { return in_field(&self.field) };
        let of_mesh = tracer.first_hit(ray).map(|hit| (hit.distance, hit.outward));
        let hits = in_field(others).into_iter().chain(of_mesh);
        hits.min_by(|a, b| a.0.total_cmp(&b.0))
    }

    fn world_direction(&self, direction: Vec3) -> Vec3 {
        self.camera.direction_to_world(direction).as_vec3()
    }

    /// Fraction of the key light that arrives at a point of the surface.
    fn key_share(&self, point: Vec3, outward: Vec3, normal: Vec3) -> f32 {
        if normal.dot(KEY) <= 0.0 {
            return SHADE;
        }
        let ray = Ray { origin: point + outward * SHADOW_OFFSET, direction: self.world_direction(KEY) };
        if self.hit(&ray).is_some() { SHADE } else { 1.0 }
    }

    /// Visible fraction of the sky at a point: zero if matter covers the normal at all sampled distances.
    fn sky_share(&self, point: Vec3, outward: Vec3) -> f32 {
        let covered = OPENNESS
            .map(|(height, weight)| weight * self.field.value(point + outward * height * self.spacing).clamp(0.0, 1.0));
        1.0 - covered.iter().sum::<f32>()
    }

    /// The value that colours show at a point: the mean weighted with the density, or the body with the largest weight.
    fn value(&self, point: Vec3) -> f32 {
        let weigh = |(particle, squared): (usize, f32)| {
            let weight =
                f64::from(self.frame.rest_volumes[particle]) * self.frame.kernel.value(f64::from(squared).sqrt());
            (self.values[particle], weight as f32)
        };
        self.scale.mean(self.cells.near(point).map(weigh))
    }
}

/// The pixels left and right of, above and below a pixel.
fn adjacent_pixels(pixel: usize, size: PictureSize) -> impl Iterator<Item = usize> {
    let (width, count) = (size.width as usize, size.pixels());
    let column = pixel % width;
    let across = [(column > 0).then(|| pixel - 1), (column + 1 < width).then_some(pixel + 1)];
    let along = [pixel.checked_sub(width), Some(pixel + width).filter(|&below| below < count)];
    across.into_iter().chain(along).flatten()
}

/// Whether two neighbours differ so much that the pixels need more samples.
fn differ(one: Option<Fragment>, other: Option<Fragment>) -> bool {
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
    fn skins_use_the_default_smoothing_of_meshes() {
        assert_eq!(super::SMOOTHING.to_bits(), dollop_scene::MeshOutput::default().smoothing.to_bits());
    }
}
