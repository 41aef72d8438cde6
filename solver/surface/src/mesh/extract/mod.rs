//! Extracts the iso-surface of a field, block by block: dual marching cubes with the [table].
//!
//! Each loop in which the surface crosses a cell has a vertex, and each cut lattice edge has a polygon through the
//! cells around it (Nielson 2004, made manifold everywhere). So triangles have similar sizes and shapes, whereas
//! marching cubes, with vertices on the edges, leaves slivers. Blocks are processed in sorted order, and cells and
//! edges in the order of their slots.

mod patch;
mod smooth;
mod table;
mod vertices;

use crate::carried::Carried;
use crate::field::blobs::coarse::{CoarseField, components};
use crate::field::blobs::components::Components;
use crate::field::blobs::local::{BlobField, rows_of};
use crate::field::blobs::nodes::nodes;
use crate::field::blobs::sources::Sources;
use crate::field::{LocalField, Nodes};
use crate::lattice::blocks::BlockKey;
use crate::mesh::SurfaceMesh;
use crate::mesh::remesh::remesh;
use crate::options::{LevelKind, SurfaceOptions};
use dollop_sim::Frame;
use glam::{DVec3, Vec3};
use patch::{Patch, patches};
use rayon::prelude::*;
use smooth::{size_weight, sizes, smooth};
use vertices::{SurfaceVertex, VertexBuilder};

pub(crate) use smooth::VolumeGroups;

/// Extracts the surface of the field of all sources that are not left out.
pub(crate) fn extract(sources: &mut Sources, options: &SurfaceOptions) -> SurfaceMesh {
    let components = components(sources, options);
    let raw = extract_blobs(sources, &components, options);
    let volumes = match options.level {
        LevelKind::Interaction => None,
        LevelKind::Frame | LevelKind::Component => Some(sources.volumes(&components)),
    };
    finish(sources.frame, raw, components.count, volumes, |_, _| vec![], options)
}

/// Extracts the surface of a field given at nodes and, near each block, at any point; then smooths it. It keeps the
/// volume of the raw surface. If `volume`, m^3, is larger, it approaches that, as far as its vertices are free.
/// `separate` moves vertices out of other surfaces, given how far each vertex is fixed, and returns which ones it
/// moved.
pub(crate) fn extract_local_field<F: LocalField>(
    frame: &Frame,
    nodes: &Nodes,
    field: impl Fn(BlockKey) -> F + Sync,
    separate: impl Fn(&mut [Vec3], &[f32]) -> Vec<u32>,
    volume: Option<f64>,
    options: &SurfaceOptions,
) -> SurfaceMesh {
    let raw = extract_nodes(nodes, field);
    let volumes = volume.map(|volume| vec![target_volume(&raw, volume, options.cell_size)]);
    finish(frame, raw, 1, volumes, separate, options)
}

/// The target volume of a surface, m^3: its own, or a larger one, weighted by how free its vertices are.
fn target_volume(raw: &RawSurface, volume: f64, cell_size: f64) -> f64 {
    let RawSurface { vertices, triangles, .. } = raw;
    let pivot = vertices.first().map_or(DVec3::ZERO, |vertex| vertex.position);
    let six_volumes = |triangle: &[u32; 3]| {
        let [a, b, c] = triangle.map(|vertex| vertices[vertex as usize].position - pivot);
        a.dot(b.cross(c))
    };
    let own = triangles.iter().map(six_volumes).sum::<f64>() / 6.0 * cell_size.powi(3);
    let fixed =
        vertices.iter().map(|vertex| f64::from(vertex.properties.fixed)).sum::<f64>() / vertices.len().max(1) as f64;
    own + (volume - own).max(0.0) * (1.0 - fixed)
}

/// Most rounds of volume correction and separation; each disturbs the result of the other a little.
const SEPARATION_ROUNDS: usize = 4;

/// The surface as extracted from a field.
struct RawSurface {
    vertices: Vec<SurfaceVertex>,
    /// The carried values of each vertex, one row after another.
    rows: Vec<f32>,
    triangles: Vec<[u32; 3]>,
}

/// Smooths and remeshes a raw surface, then corrects its volumes: to given ones, m^3, one per component, or to its own
/// volumes before smoothing.
fn finish(
    frame: &Frame,
    raw: RawSurface,
    components: usize,
    volumes: Option<Vec<f64>>,
    separate: impl Fn(&mut [Vec3], &[f32]) -> Vec<u32>,
    options: &SurfaceOptions,
) -> SurfaceMesh {
    let RawSurface { vertices, rows, triangles } = raw;
    let component_of: Vec<u32> = vertices.iter().map(|vertex| vertex.properties.component).collect();
    let mut groups = VolumeGroups::new(&triangles, &component_of, components);
    let mut mesh = mesh(frame, &vertices, &rows, triangles, options);
    let volumes = volumes.map_or_else(|| groups.volumes(&mesh), |volumes| groups.sums(&volumes));
    let mut sizes = sizes(&mesh);
    let weight =
        |(vertex, size): (&SurfaceVertex, &f32)| vertex.properties.crowding * size_weight(*size, options.smoothing);
    let weights: Vec<f32> = vertices.iter().zip(&sizes).map(weight).collect();
    let mut fixed: Vec<f32> = vertices.iter().map(|vertex| vertex.properties.fixed).collect();
    let walls: Vec<Vec3> = vertices.iter().map(|vertex| vertex.properties.wall).collect();
    // Frees large memory before the next steps need as much again.
    drop((vertices, rows));
    smooth(&mut mesh, &weights, &walls, options.smoothing, options.cell_size);
    // After smoothing few triangles are thin. The volume is corrected last.
    if let Some((kept, triangles)) = remesh(&mesh, options.cell_size, options.deviation) {
        mesh.keep(&kept, triangles);
        groups.keep(&kept);
        sizes = kept.iter().map(|&vertex| sizes[vertex as usize]).collect();
        fixed = kept.iter().map(|&vertex| fixed[vertex as usize]).collect();
    }
    for _ in 0..SEPARATION_ROUNDS {
        // Volumes are corrected along the normals, in proportion to their lengths.
        let normals = fixed.iter().any(|&fixed| fixed > 0.0).then(|| mesh.normals.clone());
        mesh.normals.iter_mut().zip(&fixed).for_each(|(normal, fixed)| *normal *= 1.0 - fixed);
        groups.correct_volumes(&mut mesh, &volumes, &sizes, options.cell_size);
        mesh.normals = normals.unwrap_or(mesh.normals);
        let separated = separate(&mut mesh.positions, &fixed);
        if separated.is_empty() {
            break;
        }
        for vertex in separated {
            fixed[vertex as usize] = 1.0;
        }
    }
    mesh
}

/// Builds a mesh from vertices, their rows of carried values, and triangles.
fn mesh(
    frame: &Frame,
    vertices: &[SurfaceVertex],
    rows: &[f32],
    triangles: Vec<[u32; 3]>,
    options: &SurfaceOptions,
) -> SurfaceMesh {
    let (velocities, fields) = Carried::of(frame, options).columns(rows);
    let mut mesh = SurfaceMesh {
        positions: vertices.iter().map(|vertex| (vertex.position * options.cell_size).as_vec3()).collect(),
        normals: vertices.iter().map(|vertex| vertex.normal).collect(),
        triangles,
        velocities,
        sources: vertices.iter().map(|vertex| vertex.properties.source).collect(),
        fields,
    };
    mesh.fill_missing_normals();
    mesh
}

/// Extracts the raw surface of the field of blobs.
fn extract_blobs(sources: &mut Sources, components: &Components, options: &SurfaceOptions) -> RawSurface {
    let (coarse, blobs) = CoarseField::new(sources, components, options);
    let nodes = nodes(&blobs, &coarse);
    drop(coarse);
    let rows = rows_of(sources, &Carried::of(sources.frame, options), &blobs);
    extract_nodes(&nodes, |key| BlobField::new(sources, components, &rows, &blobs, key))
}

/// Extracts the raw surface of a field given at nodes and, near each block, at any point.
fn extract_nodes<F: LocalField>(nodes: &Nodes, field: impl Fn(BlockKey) -> F + Sync) -> RawSurface {
    let patches = patches(nodes);
    let of_patch = |patch: &Patch| VertexBuilder::new(field(patch.key), nodes, patch.key).vertices(patch);
    let (vertices, rows): (Vec<_>, Vec<_>) = patches.par_iter().map(of_patch).unzip();
    let vertices = vertices.concat();
    let triangles = patches.par_iter().flat_map_iter(|patch| triangles(patch, &patches, &vertices)).collect();
    RawSurface { vertices, rows: rows.concat(), triangles }
}

/// The triangles of the polygons around the cut edges that start in a block.
fn triangles(patch: &Patch, patches: &[Patch], vertices: &[SurfaceVertex]) -> Vec<[u32; 3]> {
    let (mut list, mut ring) = (vec![], vec![]);
    for (axis, start) in (0..3).flat_map(|axis| patch.cuts(axis).map(move |start| (axis, start))) {
        // The patches of all cells around a cut edge exist, so this never skips an edge.
        if patch.ring(patches, start, axis, &mut ring).is_none() {
            continue;
        }
        if !patch.is_inside(start) {
            ring[1..].reverse();
        }
        if ring.len() == 4 {
            let position = |corner: usize| vertices[ring[corner] as usize].position;
            let squared_distance = |a: usize, b: usize| position(a).distance_squared(position(b));
            if squared_distance(1, 3) < squared_distance(0, 2) {
                ring.rotate_left(1);
            }
        }
        list.extend(ring[1..].windows(2).map(|pair| [ring[0], pair[0], pair[1]]));
    }
    list
}

#[cfg(test)]
mod tests;
