//! The sheets of a frame as a mesh.

use super::patches::{Refined, subdivide};
use super::woven::{Woven, split};
use super::{SheetPoints, triangulate};
use crate::extract::carried::Carried;
use crate::mesh::SurfaceMesh;
use crate::options::SurfaceOptions;
use dollop_sim::Frame;
use dollop_sim::field::{REST_NORMAL, REST_POSITION, SHEET};
use dollop_sim::material::oriented::{nearest, parted};
use glam::Vec3;
use rayon::prelude::*;
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;

/// Most times that triangles are quartered.
const MOST_LEVELS: i32 = 4;

/// All pieces of sheets, each by itself, refined to about the edge of a cell.
pub fn sheets(frame: &Frame, options: &SurfaceOptions) -> SurfaceMesh {
    let (_, fields) = Carried::new(frame).columns(&[]);
    let mut mesh = SurfaceMesh { fields, ..SurfaceMesh::default() };
    let Some(normals) = frame.normals() else { return mesh };
    for own in pieces(frame, normals) {
        mesh.append(sheet(frame, normals, &own, levels(frame, options)));
    }
    mesh
}

/// The particles of each piece of a sheet.
fn pieces(frame: &Frame, normals: &[Vec3]) -> Vec<Vec<u32>> {
    let pieces = frame.scalar(SHEET.name);
    let piece = |particle: usize| pieces.map_or(frame.sources[particle], |pieces| pieces[particle] as u32);
    let mut all = BTreeMap::<u32, Vec<u32>>::new();
    for particle in (0..frame.len()).filter(|&particle| normals[particle] != Vec3::ZERO) {
        all.entry(piece(particle)).or_default().push(particle as u32);
    }
    // Fewer span no triangle.
    all.into_values().filter(|own| own.len() > 2).collect()
}

/// How often triangles have to be quartered for edges about as long as those of cells.
fn levels(frame: &Frame, options: &SurfaceOptions) -> u32 {
    let finer = (nearest(frame.spacing) / options.cell_size).log2();
    (finer.round() as i32).clamp(0, MOST_LEVELS) as u32
}

/// Which of some particles are of sheets that do not tear.
fn lasts(frame: &Frame, own: &[u32]) -> Vec<bool> {
    let lasts = |particle: &u32| frame.lasting.get(frame.sources[*particle as usize] as usize) == Some(&true);
    own.iter().map(lasts).collect()
}

/// The sheet of some particles.
fn sheet(frame: &Frame, normals: &[Vec3], own: &[u32], levels: u32) -> SurfaceMesh {
    let of = |values: &[Vec3]| own.iter().map(|&particle| values[particle as usize]).collect::<Vec<_>>();
    let (positions, normals) = (of(&frame.positions), of(normals));
    let parted = parted(frame.spacing) as f32;
    let mut triangles = match (frame.vector(REST_POSITION.name), frame.vector(REST_NORMAL.name)) {
        (Some(rest), Some(rest_normals)) if own.iter().all(|&own| rest_normals[own as usize] != Vec3::ZERO) => {
            let rest = SheetPoints { positions: &of(rest), normals: &of(rest_normals) };
            Woven {
                rest,
                positions: &positions,
                lasts: &lasts(frame, own),
                nearest: nearest(frame.spacing) as f32,
                parted,
                support: frame.kernel.support() as f32,
            }
            .triangles()
        }
        _ => triangulate(SheetPoints { positions: &positions, normals: &normals }, parted),
    };
    let vertices = split(own.len(), &mut triangles);
    let each = |values: &[Vec3]| vertices.iter().map(|&vertex| values[vertex as usize]).collect::<Vec<_>>();
    let (positions, normals) = (hemmed(&each(&positions), &triangles), each(&normals));
    let own: &[u32] = &vertices.iter().map(|&vertex| own[vertex as usize]).collect::<Vec<_>>();
    let refined = subdivide(&positions, &normals, &triangles, levels);
    let carried = Carried::new(frame);
    let (velocities, fields) = carried.columns(&rows(&carried, own, &refined));
    let count = refined.positions.len();
    let heaviest = |weights: &[f32; 3]| (1..3).fold(0, |most, n| if weights[n] > weights[most] { n } else { most });
    let nearest = refined.sources.iter().zip(&refined.weights).map(|(of, weights)| of[heaviest(weights)]);
    let sources = nearest.map(|vertex| frame.sources[own[vertex as usize] as usize]).collect();
    let mut used = vec![false; count];
    refined.triangles.iter().flatten().for_each(|&vertex| used[vertex as usize] = true);
    let kept: Vec<u32> = (0..).zip(used).filter(|&(_, used)| used).map(|(vertex, _)| vertex).collect();
    let mut places = vec![0; count];
    kept.iter().zip(0..).for_each(|(&vertex, place)| places[vertex as usize] = place);
    let triangles = refined.triangles.iter().map(|triangle| triangle.map(|vertex| places[vertex as usize])).collect();
    let mut mesh = SurfaceMesh {
        positions: refined.positions,
        normals: refined.normals,
        triangles: Vec::new(),
        velocities,
        sources,
        fields,
    };
    mesh.keep(&kept, triangles);
    mesh
}

/// Positions of which those on the rim lie evenly along it: the rows of a sheet end in a zigzag on two of four sides.
fn hemmed(positions: &[Vec3], triangles: &[[u32; 3]]) -> Vec<Vec3> {
    let sides = || triangles.iter().flat_map(|&[a, b, c]| [(a, b), (b, c), (c, a)]);
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
