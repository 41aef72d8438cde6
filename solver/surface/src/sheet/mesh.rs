//! The sheets of a frame as a mesh.

use super::patches::{Refined, subdivide};
use super::seams::over_seams;
use super::woven::{Woven, split};
use super::{SheetPoints, triangulate};
use crate::extract::carried::Carried;
use crate::mesh::SurfaceMesh;
use crate::options::SurfaceOptions;
use crate::topology::sides;
use dollop_sim::Frame;
use dollop_sim::field::{AGE, REST_NORMAL, REST_POSITION, SHEET};
use dollop_sim::frame::parted;
use dollop_sim::lattice::nearest;
use glam::Vec3;
use rayon::prelude::*;
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;

/// Most times that triangles are quartered.
const MOST_LEVELS: i32 = 4;

/// All sheets, refined to about the edge of a cell.
pub fn sheets(frame: &Frame, options: &SurfaceOptions) -> SurfaceMesh {
    let Some(normals) = frame.normals() else {
        let (_, fields) = Carried::new(frame).columns(&[]);
        return SurfaceMesh { fields, ..SurfaceMesh::default() };
    };
    let mut triangles = triangles(frame, normals);
    let mut own: Vec<u32> = triangles.iter().flatten().copied().collect();
    own.sort_unstable();
    own.dedup();
    let place = |particle: &u32| own.binary_search(particle).unwrap_or_default() as u32;
    triangles.par_iter_mut().for_each(|corners| *corners = corners.each_ref().map(place));
    let vertices = split(own.len(), &mut triangles);
    let own: Vec<u32> = vertices.iter().map(|&vertex| own[vertex as usize]).collect();
    let each = |values: &[Vec3]| own.iter().map(|&particle| values[particle as usize]).collect::<Vec<_>>();
    let positions = hemmed(&each(&frame.positions), &triangles);
    meshed(frame, &own, subdivide(&positions, &each(normals), &triangles, levels(frame, options)))
}

/// The triangles of all sheets, by the numbers of particles: woven ones keep those that they were made with, the others have those of each piece as it
/// lies.
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
    for own in grouped(in_sheets, |particle| frame.sources[particle as usize]) {
        // Single particles of a woven sheet that nothing was ever bound to have none, and are in no triangle.
        let is_woven = |rest: &SheetPoints| own.iter().any(|&own| rest.normals[own as usize] != Vec3::ZERO);
        match rest.filter(is_woven) {
            Some(rest) => all.extend(woven(frame, now, rest, &own, piece)),
            None => unwoven.extend(own),
        }
    }
    all.extend(grouped(unwoven.into_iter(), piece).iter().flat_map(|own| free(now, own, longest)));
    // Seams are drawn out farther than sheets before they tear.
    let sewn = over_seams(now, &frame.seams, &all, frame.kernel.support() as f32);
    all.extend(sewn);
    all
}

/// Particles by what they are of, in order.
fn grouped(particles: impl Iterator<Item = u32>, of: impl Fn(u32) -> u32) -> Vec<Vec<u32>> {
    let mut all = BTreeMap::<u32, Vec<u32>>::new();
    particles.for_each(|particle| all.entry(of(particle)).or_default().push(particle));
    all.into_values().collect()
}

/// The triangles that a woven body of some particles has kept.
fn woven(frame: &Frame, now: SheetPoints, rest: SheetPoints, own: &[u32], piece: impl Fn(u32) -> u32) -> Vec<[u32; 3]> {
    let [(positions, normals), (rest, rest_normals)] = [now, rest].map(|points| chosen(points, own));
    let body = own.first().map_or(0, |&particle| frame.sources[particle as usize]);
    // What was born is younger than the bake, but for what was as that began.
    let is_born = |ages: &[f32]| own.iter().any(|&particle| ages[particle as usize] < frame.time as f32);
    let woven = Woven {
        rest: SheetPoints { positions: &rest, normals: &rest_normals },
        now: SheetPoints { positions: &positions, normals: &normals },
        pieces: &own.iter().map(|&particle| piece(particle)).collect::<Vec<_>>(),
        lasts: frame.lasting.get(body as usize) == Some(&true),
        has_grown: frame.scalar(AGE.name).is_some_and(is_born),
        nearest: nearest(frame.spacing) as f32,
        parted: parted(frame.spacing) as f32,
        support: frame.kernel.support() as f32,
    };
    woven.triangles().into_iter().map(|corners| corners.map(|corner| own[corner as usize])).collect()
}

/// The triangles of some particles as they lie.
fn free(points: SheetPoints, own: &[u32], longest: f32) -> Vec<[u32; 3]> {
    let (positions, normals) = chosen(points, own);
    let triangles = triangulate(SheetPoints { positions: &positions, normals: &normals }, longest);
    triangles.into_iter().map(|corners| corners.map(|corner| own[corner as usize])).collect()
}

/// Positions and normals of some particles.
fn chosen(points: SheetPoints, own: &[u32]) -> (Vec<Vec3>, Vec<Vec3>) {
    let of = |values: &[Vec3]| own.iter().map(|&particle| values[particle as usize]).collect();
    (of(points.positions), of(points.normals))
}

/// How often triangles have to be quartered for edges about as long as those of cells.
fn levels(frame: &Frame, options: &SurfaceOptions) -> u32 {
    let finer = (nearest(frame.spacing) / options.cell_size).log2();
    (finer.round() as i32).clamp(0, MOST_LEVELS) as u32
}

/// A mesh of refined triangles, given the particle of each vertex before.
fn meshed(frame: &Frame, own: &[u32], refined: Refined) -> SurfaceMesh {
    let carried = Carried::new(frame);
    let (velocities, fields) = carried.columns(&rows(&carried, own, &refined));
    let heaviest = |weights: &[f32; 3]| (1..3).fold(0, |most, n| if weights[n] > weights[most] { n } else { most });
    let nearest = refined.sources.iter().zip(&refined.weights).map(|(of, weights)| of[heaviest(weights)]);
    let sources = nearest.map(|vertex| frame.sources[own[vertex as usize] as usize]).collect();
    let Refined { positions, normals, triangles, .. } = refined;
    SurfaceMesh { positions, normals, triangles, velocities, sources, fields }
}

/// Positions of which those on the rim lie evenly along it: the rows of a sheet end in a zigzag on two of four sides.
fn hemmed(positions: &[Vec3], triangles: &[[u32; 3]]) -> Vec<Vec3> {
    let sides = || triangles.iter().copied().flat_map(sides);
    let inner: FxHashSet<(u32, u32)> = sides().collect();
    let rim: Vec<(u32, u32)> = sides().filter(|&(from, to)| !inner.contains(&(to, from))).collect();
    let mut sums = vec![(Vec3::ZERO, 0_u32); positions.len()];
    for &(from, to) in &rim {
        for (one, other) in [(from, to), (to, from)] {
            let (sum, count) = &mut sums[one as usize];
            (*sum, *count) = (*sum + positions[other as usize], *count + 1);
        }
    }
    let hem = |(&position, (sum, count)): (&Vec3, (Vec3, u32))| {
        if count == 2 { position / 2.0 + sum / 4.0 } else { position }
    };
    positions.iter().zip(sums).map(hem).collect()
}

/// What vertices carry: means of what their particles do.
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
