//! The report on a fitted surface.

use super::points::PointCloud;
use dollop_sim::wording::{counted, rounded};
use dollop_surface::fit::Fitted;
use dollop_surface::{SurfaceMesh, Topology, TriangleGrid};

/// Maximum number of gaps reported with their place.
const MOST_TOLD: usize = 3;

/// Points in no triangle may be far away: the search covers so many particle spacings.
const SOUGHT: f64 = 8.0;

/// Relative resolution of lengths in single precision.
const PRECISION: f64 = 1.2e-7;

/// The properties of the surface, line by line.
pub fn lines(cloud: &PointCloud, fitted: &Fitted) -> Vec<String> {
    let topology = fitted.mesh.topology();
    let born = counted(fitted.inserted, "particle");
    let points = counted(cloud.positions.len(), "point");
    let triangles = counted(fitted.mesh.triangles.len(), "triangle");
    let pieces = counted(topology.components, "piece");
    let loops = counted(topology.boundary_loops, "boundary loop");
    let spacing = rounded(fitted.spacing);
    let genus = genus(&topology);
    vec![
        format!("{points}, {born} born between them, {spacing} m apart"),
        format!("{triangles}, {pieces}, genus {genus}, {loops}"),
        farthest(cloud, fitted),
    ]
}

/// Warnings for users.
pub fn warnings(cloud: &PointCloud, fitted: &Fitted, open: bool) -> Vec<String> {
    let mut told = vec![];
    let mut tell = |is_so: bool, text: String| told.extend(is_so.then_some(text));
    let doubles = counted(fitted.duplicates, "point");
    tell(fitted.duplicates > 0, format!("{doubles} in the place of another left out"));
    tell(
        fitted.unused > 0,
        format!("{} in no triangle: too far from the others, or between two sheets", counted(fitted.unused, "point")),
    );
    tell(
        cloud.has_stray_normals,
        "the normals of the file were not used: there are not as many as points, and no face tells whose they are"
            .into(),
    );
    let gaps = &fitted.gaps;
    let at = gaps.iter().take(MOST_TOLD).map(|gap| {
        let [x, y, z] = gap.centre.to_array().map(rounded);
        format!("{} m around at ({x}, {y}, {z})", rounded(gap.length))
    });
    let at = at.collect::<Vec<_>>().join("; ");
    let and_more = if gaps.len() > MOST_TOLD { "; and more" } else { "" };
    tell(
        !open && !gaps.is_empty(),
        format!("the surface is not closed, {}: {at}{and_more}", counted(gaps.len(), "gap")),
    );
    let lost = PRECISION * largest(&fitted.mesh);
    tell(
        lost > 0.01 * fitted.spacing,
        format!("so far from the origin files round places to about {} m: move the points nearer", rounded(lost)),
    );
    told
}

/// The sum over all pieces.
fn genus(topology: &Topology) -> i64 {
    (2 * topology.components as i64 - topology.boundary_loops as i64 - topology.euler_characteristic) / 2
}

/// Distances of points from the mesh, within the range of the search.
fn farthest(cloud: &PointCloud, fitted: &Fitted) -> String {
    let sought = SOUGHT * fitted.spacing;
    let distances = TriangleGrid::new(&fitted.mesh, fitted.spacing).distances(&cloud.positions, sought);
    let most = format!("points are at most {} m from the mesh", rounded(distances.max));
    let lost = (distances.missed * cloud.positions.len() as f64).round() as usize;
    if lost == 0 {
        most
    } else {
        format!("{most}, but for {} more than {} m away", counted(lost, "point"), rounded(sought))
    }
}

/// The largest coordinate of the triangles' bounds, m.
fn largest(mesh: &SurfaceMesh) -> f64 {
    let corners = mesh.triangles.iter().flatten().map(|corner| mesh.positions[*corner as usize]);
    f64::from(corners.map(|corner| corner.abs().max_element()).fold(0.0, f32::max))
}
