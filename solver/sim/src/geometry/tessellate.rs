//! Primitives as closed meshes, for what only meshes can do.

use super::TriangleMesh;
use dollop_scene::Shape;
use glam::DVec3;
use std::f64::consts::{PI, TAU};

/// Points around a turned primitive that has to become a mesh.
pub const SEGMENTS: u32 = 96;

/// A primitive as a mesh; none of what is one.
pub fn primitive_mesh(shape: &Shape) -> Option<TriangleMesh> {
    match *shape {
        Shape::Box { size } => Some(box_mesh(DVec3::from(size))),
        Shape::Sphere { radius } => Some(sphere_mesh(radius, SEGMENTS)),
        Shape::Cylinder { radius, height } => Some(cylinder_mesh(radius, height, SEGMENTS)),
        Shape::Mesh { .. } | Shape::Plane {} => None,
    }
}

/// A box with the given full edge lengths.
pub fn box_mesh(size: DVec3) -> TriangleMesh {
    let corner = |i: u32| DVec3::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2 & 1)) - 0.5;
    let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    TriangleMesh {
        positions: (0..8).map(|i| corner(i) * size).collect(),
        triangles: quads.into_iter().flat_map(|[a, b, c, d]| [[a, b, c], [a, c, d]]).collect(),
    }
}

/// A ball with rings of `segments` points.
pub fn sphere_mesh(radius: f64, segments: u32) -> TriangleMesh {
    let rings = segments / 2;
    let profile = |ring: u32| {
        let angle = PI * f64::from(ring) / f64::from(rings);
        (radius * angle.sin(), -radius * angle.cos())
    };
    revolve((1..rings).map(profile).collect(), -radius, radius, segments)
}

/// A cylinder along Z.
pub fn cylinder_mesh(radius: f64, height: f64, segments: u32) -> TriangleMesh {
    revolve(vec![(radius, -height / 2.0), (radius, height / 2.0)], -height / 2.0, height / 2.0, segments)
}

/// A profile of (radius, z) from low to high turned around Z and closed by a point at each end.
fn revolve(profile: Vec<(f64, f64)>, low: f64, high: f64, segments: u32) -> TriangleMesh {
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
