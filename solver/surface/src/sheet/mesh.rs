//! The sheets of a frame as a mesh.

use super::patches::{Refined, subdivide};
use super::seams::seam_triangles;
use super::woven::{Woven, split};
use super::{SheetPoints, triangulate};
use crate::carried::Carried;
use crate::mesh::SurfaceMesh;
use crate::mesh::topology::sides;
use crate::options::SurfaceOptions;
use dollop_sim::Frame;
use dollop_sim::field::{AGE, REST_NORMAL, REST_POSITION, SHEET};
use dollop_sim::frame::parted;
use dollop_sim::lattice::nearest;
use glam::Vec3;
use rayon::prelude::*;
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;

/// Largest number of subdivision levels.
const MAX_LEVELS: i32 = 4;

/// All sheets as a mesh, refined to about the edge of a cell.
pub fn sheets(frame: &Frame, options: &SurfaceOptions) -> SurfaceMesh {
    let Some(normals) = frame.normals() else {
        let (_, fields) = Carried::of(frame, options).columns(&[]);
        return SurfaceMesh { fields, ..SurfaceMesh::default() };
    };
    let mut triangles = triangles(frame, normals);
    let mut own: Vec<u32> = triangles.iter().flatten().copied().collect();
    own.sort_unstable();
    own.dedup();
    let index = |particle: &u32| own.binary_search(particle).unwrap_or_default() as u32;
    triangles.par_iter_mut().for_each(|corners| *corners = corners.each_ref().map(index));
    let vertices = split(own.len(), &mut triangles);
    let own: Vec<u32> = vertices.iter().map(|&vertex| own[vertex as usize]).collect();
    let each = |values: &[Vec3]| own.iter().map(|&particle| values[particle as usize]).collect::<Vec<_>>();
    let positions = smoothed_boundary(&each(&frame.positions), &triangles);
    to_mesh(frame, &own, subdivide(&positions, &each(normals), &triangles, levels(frame, options)), options)
}

/// The triangles of all sheets, by particle numbers. Woven sheets keep the triangles that they were made with; other
/// pieces are triangulated in their current shape.
fn triangles(frame: &Frame, normals: &[Vec3]) -> Vec<[u32; 3]> {
    let now = SheetPoints { positions: &frame.positions, normals };
    let longest = parted(frame.spacing) as f32;
    let pieces = frame.scalar(SHEET.name);
    let piece =
        |particle: u32| pieces.map_or(frame.sources[particle as usize], |pieces| pieces[particle as usize] as u32);
    let rest = frame.vector(REST_POSITION.name).zip(frame.vector(REST_NORMAL.name));
    let rest = rest.map(|(positions, normals)| SheetPoints { positions, normals });
    let (mut all, mut unwoven) = (Vec::new(), Vec::new());
    let in_sheets = (0..frame.len() as u32).filter(|&particle| normals[particle as usize] != Vec3::ZERO);
    for own in group_by(in_sheets, |particle| frame.sources[particle as usize]) {
        // Particles of a woven sheet that were never bound have no normal at rest, and are in no triangle.
        let is_woven = |rest: &SheetPoints| own.iter().any(|&own| rest.normals[own as usize] != Vec3::ZERO);
        match rest.filter(is_woven) {
            Some(rest) => all.extend(woven_triangles(frame, now, rest, &own, piece)),
            None => unwoven.extend(own),
        }
    }
    all.extend(group_by(unwoven.into_iter(), piece).iter().flat_map(|own| unwoven_triangles(now, own, longest)));
    // Seams stretch further than sheets before they tear.
    let over_seams = seam_triangles(now, &frame.seams, &all, frame.kernel.support() as f32);
    all.extend(over_seams);
    all
}

/// Groups particles by a key, sorted by key.
fn group_by(particles: impl Iterator<Item = u32>, of: impl Fn(u32) -> u32) -> Vec<Vec<u32>> {
    let mut all = BTreeMap::<u32, Vec<u32>>::new();
    particles.for_each(|particle| all.entry(of(particle)).or_default().push(particle));
    all.into_values().collect()
}

/// The remaining triangles of a woven body.
fn woven_triangles(
    frame: &Frame,
    now: SheetPoints,
    rest: SheetPoints,
    own: &[u32],
    piece: impl Fn(u32) -> u32,
) -> Vec<[u32; 3]> {
    let [(positions, normals), (rest, rest_normals)] = [now, rest].map(|points| points_of(points, own));
    let body = own.first().map_or(0, |&particle| frame.sources[particle as usize]);
    // Particles added during the bake are younger than the bake; those from its start are not.
    let is_new = |ages: &[f32]| own.iter().any(|&particle| ages[particle as usize] < frame.time as f32);
    let woven = Woven {
        rest: SheetPoints { positions: &rest, normals: &rest_normals },
        now: SheetPoints { positions: &positions, normals: &normals },
        pieces: &own.iter().map(|&particle| piece(particle)).collect::<Vec<_>>(),
        lasts: frame.lasting.get(body as usize) == Some(&true),
        has_grown: frame.scalar(AGE.name).is_some_and(is_new),
        nearest: nearest(frame.spacing) as f32,
        parted: parted(frame.spacing) as f32,
        support: frame.kernel.support() as f32,
    };
    woven.triangles().into_iter().map(|corners| corners.map(|corner| own[corner as usize])).collect()
}

/// Triangulates some particles in their current shape.
fn unwoven_triangles(points: SheetPoints, own: &[u32], longest: f32) -> Vec<[u32; 3]> {
    let (positions, normals) = points_of(points, own);
    let triangles = triangulate(SheetPoints { positions: &positions, normals: &normals }, longest);
    triangles.into_iter().map(|corners| corners.map(|corner| own[corner as usize])).collect()
}

/// Positions and normals of some particles.
fn points_of(points: SheetPoints, own: &[u32]) -> (Vec<Vec3>, Vec<Vec3>) {
    let of = |values: &[Vec3]| own.iter().map(|&particle| values[particle as usize]).collect();
    (of(points.positions), of(points.normals))
}

/// Number of subdivision levels after which edges are about as long as cells.
fn levels(frame: &Frame, options: &SurfaceOptions) -> u32 {
    let finer = (nearest(frame.spacing) / options.cell_size).log2();
    (finer.round() as i32).clamp(0, MAX_LEVELS) as u32
}

/// Builds the mesh of refined triangles, given the particle of each original vertex.
fn to_mesh(frame: &Frame, own: &[u32], refined: Refined, options: &SurfaceOptions) -> SurfaceMesh {
    let carried = Carried::of(frame, options);
    let (velocities, fields) = carried.columns(&rows(&carried, own, &refined));
    let heaviest = |weights: &[f32; 3]| (1..3).fold(0, |most, n| if weights[n] > weights[most] { n } else { most });
    let nearest = refined.sources.iter().zip(&refined.weights).map(|(of, weights)| of[heaviest(weights)]);
    let sources = nearest.map(|vertex| frame.sources[own[vertex as usize] as usize]).collect();
    let Refined { positions, normals, triangles, .. } = refined;
    SurfaceMesh { positions, normals, triangles, velocities, sources, fields }
}

/// Smooths the positions on the boundary, as the rows of a sheet end in a zigzag on two of four sides.
fn smoothed_boundary(positions: &[Vec3], triangles: &[[u32; 3]]) -> Vec<Vec3> {
    let sides = || triangles.iter().copied().flat_map(sides);
    let inner: FxHashSet<(u32, u32)> = sides().collect();
    let boundary: Vec<(u32, u32)> = sides().filter(|&(from, to)| !inner.contains(&(to, from))).collect();
    let mut sums = vec![(Vec3::ZERO, 0_u32); positions.len()];
    for &(from, to) in &boundary {
        for (one, other) in [(from, to), (to, from)] {
            let (sum, count) = &mut sums[one as usize];
            (*sum, *count) = (*sum + positions[other as usize], *count + 1);
        }
    }
    let smoothed = |(&position, (sum, count)): (&Vec3, (Vec3, u32))| {
        if count == 2 { position / 2.0 + sum / 4.0 } else { position }
    };
    positions.iter().zip(sums).map(smoothed).collect()
}

/// The rows of carried values of vertices: means over their particles.
fn rows(carried: &Carried, own: &[u32], refined: &Refined) -> Vec<f32> {
    let of = carried.all_rows(own);
    let mut rows = vec![0.0; refined.positions.len() * carried.width];
    let vertices = refined.sources.par_iter().zip(&refined.weights).with_min_len(1024);
    rows.par_chunks_mut(carried.width).zip(vertices).for_each(|(row, (sources, weights))| {
        for (&source, weight) in sources.iter().zip(weights) {
            let from = &of.values[source as usize * carried.width..][..carried.width];
            row.iter_mut().zip(from).for_each(|(value, from)| *value += weight * from);
        }
    });
    rows
}
