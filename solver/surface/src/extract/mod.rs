//! The iso-surface of a field: dual marching cubes with the [table](crate::table), block by block.
//!
//! Each loop in which the surface crosses a cell has a vertex, and each lattice edge that the surface cuts a polygon
//! through the cells around it (Nielson 2004, made manifold everywhere). So triangles are of about one size and
//! shape, where marching cubes, with vertices on the edges, leaves slivers. Blocks follow each other in sorted order, and cells
//! and edges in that of their slots.

pub(crate) mod carried;
mod nodes;
mod patch;
mod smooth;
mod vertices;

use crate::blocks::BlockKey;
use crate::implicit::components::Components;
use crate::implicit::sources::Sources;
use crate::implicit::survey::Survey;
use crate::mesh::SurfaceMesh;
use crate::options::{LevelKind, SurfaceOptions};
use crate::remesh::remesh;
use crate::volume::ScalarGrid;
use carried::Carried;
use dollop_sim::Frame;
use glam::{DVec3, Vec3};
use nodes::blocks_at_the_surface;
use patch::{Patch, patches};
use rayon::prelude::*;
use smooth::{share, sizes, smooth};
use vertices::{FeltBlobs, Maker, Vertex};

pub(crate) use nodes::Nodes;
pub(crate) use smooth::Groups;
pub(crate) use vertices::{Felt, Owner};

/// The surface of the field of those sources that are not left out.
pub(crate) fn extract(sources: &mut Sources, options: &SurfaceOptions) -> SurfaceMesh {
    let components = components(sources, options);
    let cut = cut(sources, &components, options);
    let volumes = match options.level {
        LevelKind::Interaction => None,
        LevelKind::Frame | LevelKind::Component => Some(sources.volumes(&components)),
    };
    finish(sources.frame, cut, (components.count, volumes), |_, _| vec![], options)
}

/// The surface where the nodes of a field are cut that is felt in some way near a block, smoothed, with the volume that it has there,
/// or as far as it is free another, m^3, where that is known to be larger; and parted from others by what moves vertices out of these, given how far each is held, and tells which.
pub(crate) fn extract_felt<F: Felt>(
    (frame, nodes): (&Frame, &Nodes),
    felt: impl Fn(BlockKey) -> F + Sync,
    part: impl Fn(&mut [Vec3], &[f32]) -> Vec<u32>,
    volume: Option<f64>,
    options: &SurfaceOptions,
) -> SurfaceMesh {
    let cut = cut_nodes(nodes, felt);
    let volumes = volume.map(|volume| vec![swollen(&cut, volume, options.cell_size)]);
    finish(frame, cut, (1, volumes), part, options)
}

/// The volume of a surface, or one that is larger, m^3, by how free its vertices are.
fn swollen((vertices, _, triangles): &Cut, volume: f64, cell_size: f64) -> f64 {
    let pivot = vertices.first().map_or(DVec3::ZERO, |vertex| vertex.place);
    let six_volumes = |triangle: &[u32; 3]| {
        let [a, b, c] = triangle.map(|vertex| vertices[vertex as usize].place - pivot);
        a.dot(b.cross(c))
    };
    let own = triangles.iter().map(six_volumes).sum::<f64>() / 6.0 * cell_size.powi(3);
    let held = vertices.iter().map(|vertex| f64::from(vertex.owner.held)).sum::<f64>() / vertices.len().max(1) as f64;
    own + (volume - own).max(0.0) * (1.0 - held)
}

/// Times that volumes are mended and surfaces parted at most: each does a little to what the other did.
const PARTINGS: usize = 4;

/// The vertices, the rows of what they carry, and the triangles of the surface as a field has it.
type Cut = (Vec<Vertex>, Vec<f32>, Vec<[u32; 3]>);

/// The mesh of that, smoothed and mended: with the volumes, m^3, of so many components, or with those that it had.
fn finish(
    frame: &Frame,
    (vertices, rows, triangles): Cut,
    (components, volumes): (usize, Option<Vec<f64>>),
    part: impl Fn(&mut [Vec3], &[f32]) -> Vec<u32>,
    options: &SurfaceOptions,
) -> SurfaceMesh {
    let of: Vec<u32> = vertices.iter().map(|vertex| vertex.owner.component).collect();
    let mut groups = Groups::new(&triangles, &of, components);
    let mut mesh = mesh(frame, &vertices, &rows, triangles, options);
    let volumes = volumes.map_or_else(|| groups.volumes(&mesh), |volumes| groups.sums(&volumes));
    let mut sizes = sizes(&mesh);
    let weight = |(vertex, size): (&Vertex, &f32)| vertex.owner.crowd * share(*size, options.smoothing);
    let weights: Vec<f32> = vertices.iter().zip(&sizes).map(weight).collect();
    let mut held: Vec<f32> = vertices.iter().map(|vertex| vertex.owner.held).collect();
    let walls: Vec<Vec3> = vertices.iter().map(|vertex| vertex.owner.wall).collect();
    // They are large, and what follows needs as much again.
    drop((vertices, rows));
    smooth(&mut mesh, (&weights, &walls), options.smoothing, options.cell_size);
    // After smoothing few triangles are thin, and the volume is made up for last.
    if let Some((kept, triangles)) = remesh(&mesh, options.cell_size, options.deviation) {
        mesh.keep(&kept, triangles);
        groups.keep(&kept);
        sizes = kept.iter().map(|&vertex| sizes[vertex as usize]).collect();
        held = kept.iter().map(|&vertex| held[vertex as usize]).collect();
    }
    for _ in 0..PARTINGS {
        // Volumes are mended along the normals, by their lengths.
        let normals = held.iter().any(|&held| held > 0.0).then(|| mesh.normals.clone());
        mesh.normals.iter_mut().zip(&held).for_each(|(normal, held)| *normal *= 1.0 - held);
        groups.mend_volumes(&mut mesh, &volumes, &sizes, options.cell_size);
        mesh.normals = normals.unwrap_or(mesh.normals);
        let parted = part(&mut mesh.positions, &held);
        if parted.is_empty() {
            break;
        }
        for vertex in parted {
            held[vertex as usize] = 1.0;
        }
    }
    mesh
}

/// The mesh of vertices and the rows of what they carry.
fn mesh(
    frame: &Frame,
    vertices: &[Vertex],
    rows: &[f32],
    triangles: Vec<[u32; 3]>,
    options: &SurfaceOptions,
) -> SurfaceMesh {
    let (velocities, fields) = Carried::new(frame).columns(rows);
    let mut mesh = SurfaceMesh {
        positions: vertices.iter().map(|vertex| (vertex.place * options.cell_size).as_vec3()).collect(),
        normals: vertices.iter().map(|vertex| vertex.normal).collect(),
        triangles,
        velocities,
        sources: vertices.iter().map(|vertex| vertex.owner.source).collect(),
        fields,
    };
    mesh.fill_missing_normals();
    mesh
}

/// The field over its level on blocks where the surface may be and those beside them inside, for those sources that are not left out.
pub(crate) fn field(sources: &mut Sources, options: &SurfaceOptions) -> ScalarGrid {
    let components = components(sources, options);
    let (survey, blobs) = Survey::new(sources, &components, options);
    ScalarGrid { voxel_size: options.cell_size, blocks: blocks_at_the_surface(&blobs, &survey), tiles: vec![] }
}

/// The parts of the matter that get levels of their own. Parts that are too small are left out.
fn components(sources: &mut Sources, options: &SurfaceOptions) -> Components {
    let (frame, by_component) = (sources.frame, options.level == LevelKind::Component);
    let whole = Components::one(frame.len());
    if !by_component && options.least_particles < 2 {
        return whole;
    }
    // What has a surface of its own hangs together by itself.
    let is_in = |particle: usize| sources.gains[particle] > 0.0;
    let components = Components::new(frame, frame.kernel.support(), is_in);
    let mut sizes = vec![0; components.count];
    for component in components.of.iter().enumerate().filter(|(particle, _)| is_in(*particle)).map(|(_, of)| of) {
        sizes[*component as usize] += 1;
    }
    for (gain, component) in sources.gains.iter_mut().zip(&components.of) {
        if sizes[*component as usize] < options.least_particles {
            *gain = 0.0;
        }
    }
    if by_component { components } else { whole }
}

/// The surface as the field of blobs has it.
fn cut(sources: &mut Sources, components: &Components, options: &SurfaceOptions) -> Cut {
    let (survey, blobs) = Survey::new(sources, components, options);
    let nodes = Nodes::new(&blobs, &survey);
    drop(survey);
    let carried = Carried::new(sources.frame);
    cut_nodes(&nodes, |key| FeltBlobs::new(sources, components, &carried, &blobs, key))
}

/// The vertices, the rows of what they carry, and the triangles where the nodes of a field are cut that is felt in some way near a
/// block.
fn cut_nodes<F: Felt>(nodes: &Nodes, felt: impl Fn(BlockKey) -> F + Sync) -> Cut {
    let patches = patches(nodes);
    let of_patch = |patch: &Patch| Maker::new(felt(patch.key), nodes, patch.key).vertices(patch);
    let (vertices, rows): (Vec<_>, Vec<_>) = patches.par_iter().map(of_patch).unzip();
    let vertices = vertices.concat();
    let triangles = patches.par_iter().flat_map_iter(|patch| triangles(patch, &patches, &vertices)).collect();
    (vertices, rows.concat(), triangles)
}

/// The triangles of the polygons around the cut edges that start in a block.
fn triangles(patch: &Patch, patches: &[Patch], vertices: &[Vertex]) -> Vec<[u32; 3]> {
    let (mut list, mut ring) = (vec![], vec![]);
    for (axis, start) in (0..3).flat_map(|axis| patch.cuts(axis).map(move |start| (axis, start))) {
        // The patches of all cells around a cut edge exist, so none is missing here.
        if patch.ring(patches, start, axis, &mut ring).is_none() {
            continue;
        }
        if !patch.is_inside(start) {
            ring[1..].reverse();
        }
        if ring.len() == 4 {
            let place = |corner: usize| vertices[ring[corner] as usize].place;
            let across = |a: usize, b: usize| place(a).distance_squared(place(b));
            if across(1, 3) < across(0, 2) {
                ring.rotate_left(1);
            }
        }
        list.extend(ring[1..].windows(2).map(|pair| [ring[0], pair[0], pair[1]]));
    }
    list
}

#[cfg(test)]
mod tests;
