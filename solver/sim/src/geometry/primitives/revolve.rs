//! Meshes of turned shapes.

use crate::geometry::TriangleMesh;
use glam::DVec3;
use std::f64::consts::TAU;

/// A profile of (radius, z), m, from low to high, turned around Z and closed by a point at each end.
pub fn revolve(profile: Vec<(f64, f64)>, (low, high): (f64, f64), segments: u32) -> TriangleMesh {
    let rings = profile.len() as u32;
    let mut positions: Vec<DVec3> = profile
        .into_iter()
        .flat_map(|(radius, z)| {
            (0..segments).map(move |s| {
                let angle = TAU * f64::from(s) / f64::from(segments);
                DVec3::new(radius * angle.cos(), radius * angle.sin(), z)
            })
        })
        .collect();
    positions.extend([DVec3::new(0.0, 0.0, low), DVec3::new(0.0, 0.0, high)]);
    let (bottom, top) = (rings * segments, rings * segments + 1);
    let at = |ring: u32, s: u32| ring * segments + s % segments;
    let caps =
        (0..segments).flat_map(|s| [[bottom, at(0, s + 1), at(0, s)], [top, at(rings - 1, s), at(rings - 1, s + 1)]]);
    let sides = (0..rings - 1).flat_map(|r| {
        (0..segments).flat_map(move |s| {
            let [a, b, c, d] = [at(r, s), at(r, s + 1), at(r + 1, s + 1), at(r + 1, s)];
            [[a, b, c], [a, c, d]]
        })
    });
    let triangles = caps.chain(sides).collect();
    TriangleMesh { positions, triangles }
}
