//! Measures of the flicker of surfaces: their motion beyond that of their matter.

use super::SurfaceMesh;
use super::distance::{Distances, TriangleGrid};
use glam::{DVec3, Vec3};
use rayon::prelude::*;

/// Distance between the surfaces of a frame and the next, m, both advected by their velocities to the time between.
/// Uniform motion and free fall give zero; grain that comes and goes gives its height. `interval` is the time between
/// the frames, s. `within`, m, is the search distance and sets the cubes of the search.
pub fn beyond_velocity(frame: &SurfaceMesh, next: &SurfaceMesh, interval: f64, within: f64) -> Distances {
    let (here, there) = (moved(frame, 0.5 * interval), moved(next, -0.5 * interval));
    let points: Vec<DVec3> = here.positions.iter().map(|position| position.as_dvec3()).collect();
    TriangleGrid::new(&there, 0.5 * within).distances(&points, within)
}

/// Jitter of the surface of a frame, m: for each vertex, the sum of the signed distances along its normal to the next
/// and to the last surface, the second difference over time. For matter at rest; `within` as for [`beyond_velocity`].
pub fn jitter([last, frame, next]: [&SurfaceMesh; 3], within: f64) -> Distances {
    let [last, next] = [last, next].map(|mesh| TriangleGrid::new(mesh, 0.5 * within));
    let second = |(position, normal): (&Vec3, &Vec3)| {
        let (at, normal) = (position.as_dvec3(), normal.as_dvec3());
        let signed_distance = |to: &TriangleGrid| to.nearest(at, within).map(|nearest| (nearest - at).dot(normal));
        Some(signed_distance(&last)? + signed_distance(&next)?)
    };
    Distances::of(frame.positions.par_iter().zip(&frame.normals).map(second).collect())
}

/// The mesh advected by the velocities of its vertices for `time`, s.
fn moved(mesh: &SurfaceMesh, time: f64) -> SurfaceMesh {
    let moved_position =
        |(position, velocity): (&Vec3, &Vec3)| (position.as_dvec3() + time * velocity.as_dvec3()).as_vec3();
    let positions = mesh.positions.iter().zip(&mesh.velocities).map(moved_position).collect();
    SurfaceMesh { positions, triangles: mesh.triangles.clone(), ..SurfaceMesh::default() }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::float_cmp)]
    use super::*;

    /// A horizontal square at some height, with velocities along z.
    fn square(height: f32, velocity: f32) -> SurfaceMesh {
        let positions = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]].map(|[x, y]| Vec3::new(x, y, height)).to_vec();
        let (velocities, normals) = (vec![velocity * Vec3::Z; 4], vec![Vec3::Z; 4]);
        let triangles = vec![[0, 1, 2], [0, 2, 3]];
        SurfaceMesh { positions, normals, triangles, velocities, ..SurfaceMesh::default() }
    }

    #[test]
    fn free_fall_is_no_flicker_but_a_jump_is() {
        // From rest over 0.2 s under 10 m/s^2: 0.2 m.
        let fall = beyond_velocity(&square(1.0, 0.0), &square(0.8, -2.0), 0.2, 0.5);
        assert!(fall.max < 1e-6, "{fall:?}");
        let jump = beyond_velocity(&square(1.0, 0.0), &square(0.9, 0.0), 0.2, 0.5);
        assert!((jump.rms - 0.1).abs() < 1e-6 && jump.missed == 0.0, "{jump:?}");
        let missed = beyond_velocity(&square(1.0, 0.0), &square(0.1, 0.0), 0.2, 0.5).missed;
        assert!((missed - 1.0).abs() < 1e-12);
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
