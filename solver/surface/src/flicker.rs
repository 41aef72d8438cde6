//! How much the surfaces of frames flicker: what they move by beyond what their matter does.

use crate::SurfaceMesh;
use crate::distance::{Distances, Triangles};
use glam::{DVec3, Vec3};
use rayon::prelude::*;

/// How far the surface of a frame is from that of the next, m, both moved to the time between by their velocities: what
/// moves or falls evenly gives nothing, and grain that comes and goes gives its height. `interval` is the time between the
/// frames, s; `within`, m, how far is looked, and the length of the cubes that triangles are found by.
pub fn beyond_velocity(frame: &SurfaceMesh, next: &SurfaceMesh, interval: f64, within: f64) -> Distances {
    let (here, there) = (moved(frame, 0.5 * interval), moved(next, -0.5 * interval));
    let points: Vec<DVec3> = here.positions.iter().map(|position| position.as_dvec3()).collect();
    Triangles::new(&there, 0.5 * within).distances(&points, within)
}

/// How the surface of a frame jumps to and fro, m: for each vertex, along its normal, the way to the next surface and that to
/// the last one added up, which is the second difference over time. For matter at rest; `within` as for [`beyond_velocity`].
pub fn jitter([last, frame, next]: [&SurfaceMesh; 3], within: f64) -> Distances {
    let [last, next] = [last, next].map(|mesh| Triangles::new(mesh, 0.5 * within));
    let second = |(position, normal): (&Vec3, &Vec3)| {
        let (at, normal) = (position.as_dvec3(), normal.as_dvec3());
        let way = |to: &Triangles| to.nearest(at, within).map(|nearest| (nearest - at).dot(normal));
        Some(way(&last)? + way(&next)?)
    };
    Distances::of(frame.positions.par_iter().zip(&frame.normals).map(second).collect())
}

/// A mesh that each vertex has moved on, for such a time, s, by its velocity.
fn moved(mesh: &SurfaceMesh, time: f64) -> SurfaceMesh {
    let way = |(position, velocity): (&Vec3, &Vec3)| (position.as_dvec3() + time * velocity.as_dvec3()).as_vec3();
    let positions = mesh.positions.iter().zip(&mesh.velocities).map(way).collect();
    SurfaceMesh { positions, triangles: mesh.triangles.clone(), ..SurfaceMesh::default() }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::float_cmp)]
    use super::*;

    /// A square in a plane across z at that height, with velocities along z.
    fn square(height: f32, velocity: f32) -> SurfaceMesh {
        let positions = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]].map(|[x, y]| Vec3::new(x, y, height)).to_vec();
        let (velocities, normals) = (vec![velocity * Vec3::Z; 4], vec![Vec3::Z; 4]);
        let triangles = vec![[0, 1, 2], [0, 2, 3]];
        SurfaceMesh { positions, normals, triangles, velocities, ..SurfaceMesh::default() }
    }

    #[test]
    fn a_fall_is_explained_and_a_jump_is_not() {
        // From rest over 0.2 s under 10 m/s^2: 0.2 m.
        let fall = beyond_velocity(&square(1.0, 0.0), &square(0.8, -2.0), 0.2, 0.5);
        assert!(fall.most < 1e-6, "{fall:?}");
        let jump = beyond_velocity(&square(1.0, 0.0), &square(0.9, 0.0), 0.2, 0.5);
        assert!((jump.rms - 0.1).abs() < 1e-6 && jump.lost == 0.0, "{jump:?}");
        let lost = beyond_velocity(&square(1.0, 0.0), &square(0.1, 0.0), 0.2, 0.5).lost;
        assert!((lost - 1.0).abs() < 1e-12);
    }

    #[test]
    fn jitter_is_the_second_difference() {
        let of = |heights: [f32; 3]| {
            let [last, frame, next] = heights.map(|height| square(height, 0.0));
            jitter([&last, &frame, &next], 0.5).rms
        };
        assert!(of([1.0, 1.1, 1.2]) < 1e-6);
        assert!((of([1.0, 1.1, 1.0]) - 0.2).abs() < 1e-6);
    }
}
