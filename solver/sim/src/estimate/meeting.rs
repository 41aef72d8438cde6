//! The steps that two bodies will need once they have met.

use crate::cost::Meeting;
use crate::geometry::{MeshLibrary, TriangleMesh};
use crate::material::model;
use crate::setup::fill;
use crate::{SetupError, Simulation};
use dollop_scene::{Body, Scene, Shape, Transform};
use glam::DVec3;
use rayon::prelude::*;

/// Edge of the piece that stands for a body, in spacings.
const EDGE: f64 = 4.0;

/// Distance of the pieces when they are filled, in spacings: out of each other's reach.
const APART: f64 = 4.0;

/// Distance between the particles of two pieces that lie on each other, in spacings.
const GAP: f64 = 1.0;

/// The mesh of a sheet.
const SHEET: &str = "sheet";

/// Number of materials that are compared, which makes a few hundred pairs.
const MOST_MATERIALS: usize = 22;

/// Number of pairs that one thread looks at, one after another: a thread that waits within one pair may take up others
/// on top of it.
const BATCH: usize = 8;

/// The two bodies of a scene that need the shortest steps when they meet, if they need more than `steps_per_frame`. The
/// steps are those of a piece of each body, one over the other, that touch at rest. One body stands for all of the same
/// material; the first 22 materials are compared.
pub fn meeting(scene: &Scene, steps_per_frame: u64) -> Option<Meeting> {
    let bare = Scene {
        bodies: Vec::new(),
        colliders: Vec::new(),
        heaters: Vec::new(),
        tools: Vec::new(),
        outflows: Vec::new(),
        settle: false,
        ..scene.clone()
    };
    let kinds = kinds(scene);
    let met = |[a, b]: [(usize, &Body); 2]| {
        let steps_per_frame = steps_of(&bare, [a.1, b.1]).ok()?;
        Some(Meeting { bodies: [a.0, b.0], steps_per_frame })
    };
    let alike = kinds.iter().filter_map(|kind| Some([(kind.first, &kind.piece), (kind.second?, &kind.piece)]));
    let different = kinds
        .iter()
        .enumerate()
        .flat_map(|(n, a)| kinds[..n].iter().map(move |b| [(b.first, &b.piece), (a.first, &a.piece)]));
    let steps = |met: &Meeting| met.steps_per_frame.unwrap_or(u64::MAX);
    let worse = |worst: Meeting, met: Meeting| if steps(&met) > steps(&worst) { met } else { worst };
    let pairs: Vec<_> = alike.chain(different).collect();
    let met: Vec<_> = pairs.into_par_iter().with_min_len(BATCH).filter_map(met).collect();
    // One after another: of equally bad pairs the first is reported, for any number of threads.
    met.into_iter().filter(|met| steps(met) > steps_per_frame).reduce(worse)
}

/// The bodies of one material.
struct SampleKind {
    /// Number of the first body.
    first: usize,
    /// Number of another body.
    second: Option<usize>,
    /// A piece of the first body.
    piece: Body,
}

/// The first few materials of a scene.
fn kinds(scene: &Scene) -> Vec<SampleKind> {
    let mut kinds: Vec<SampleKind> = Vec::new();
    for (number, body) in scene.bodies.iter().enumerate() {
        let is_full = kinds.len() >= MOST_MATERIALS;
        match kinds.iter_mut().find(|kind| kind.piece.material == body.material) {
            Some(kind) => kind.second = kind.second.or(Some(number)),
            None if is_full => {}
            None => kinds.push(SampleKind { first: number, second: None, piece: piece(body, scene.particle_spacing) }),
        }
    }
    kinds
}

/// A piece of a body's matter, at rest around the origin.
fn piece(body: &Body, spacing: f64) -> Body {
    let shape =
        if is_sheet(body) { Shape::Mesh { path: SHEET.into() } } else { Shape::Box { size: [EDGE * spacing; 3] } };
    Body {
        name: body.name.clone(),
        shape,
        transform: Transform::default(),
        velocity: [0.0; 3],
        angular_velocity: [0.0; 3],
        temperature: body.temperature,
        color: body.color,
        heat: body.heat.clone(),
        material: body.material.clone(),
        pins: Vec::new(),
    }
}

/// Steps a frame of two pieces that touch; none where no step is short enough.
///
/// # Errors
/// When a piece cannot be filled.
fn steps_of(bare: &Scene, pieces: [&Body; 2]) -> Result<Option<u64>, SetupError> {
    let mut pair = touching(bare, pieces)?;
    let on_grid = pieces.map(|piece| model(&piece.material).moves_on_grid());
    if on_grid[0] != on_grid[1] {
        return Ok(pair.first_steps().ok());
    }
    Ok(pair.find_steps().ok().map(|()| pair.estimate().steps_per_frame))
}

/// Two pieces, the second over the first, that touch.
///
/// # Errors
/// When a piece cannot be filled.
fn touching(bare: &Scene, [lower, upper]: [&Body; 2]) -> Result<Simulation, SetupError> {
    let spacing = bare.particle_spacing;
    let mut over = upper.clone();
    over.transform.translation[2] = (EDGE + APART) * spacing;
    let pair = Scene { bodies: vec![lower.clone(), over], ..bare.clone() };
    let meshes = square(EDGE * spacing);
    let (boundary, mut filled) = fill(&pair, &meshes)?;
    let (below, above) = filled.particles.positions.split_at_mut(filled.counts[0]);
    let top = below.iter().map(|p| p.z).fold(f64::NEG_INFINITY, f64::max);
    let bottom = above.iter().map(|p| p.z).fold(f64::INFINITY, f64::min);
    for place in above {
        place.z += top + GAP * spacing - bottom;
    }
    Simulation::of(&pair, &meshes, boundary, filled)
}

fn is_sheet(body: &Body) -> bool {
    model(&body.material).thickness().is_some()
}

fn square(side: f64) -> MeshLibrary {
    let corners = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]];
    let positions = corners.map(|[x, y]| DVec3::new(x, y, 0.0) * (side / 2.0)).into();
    MeshLibrary::from([(SHEET.into(), TriangleMesh { positions, triangles: vec![[0, 1, 2], [0, 2, 3]] })])
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use serde_json::{Value, json};

    /// Two bodies of each of several materials, alike in their steps except for the last material, which is stiffer.
    fn several(stiffest: f64) -> Scene {
        let body = |number: usize, stiffness: f64| {
            let material = json!({"type": "smoothed", "stiffness": stiffness});
            json!({"name": number.to_string(), "shape": {"type": "sphere", "radius": 1}, "material": material})
        };
        let stiffness = |kind: usize| if kind == 5 { stiffest } else { 50.0 + 1e-6 * kind as f64 };
        let bodies: Vec<Value> = (0..12).map(|number| body(number, stiffness(number % 6))).collect();
        let frames = json!({"start": 1, "end": 2});
        serde_json::from_value(json!({"version": 1, "frames": frames, "particle_spacing": 0.1, "bodies": bodies}))
            .unwrap()
    }

    #[test]
    fn the_first_of_equals_is_told_for_any_number_of_threads() {
        for (stiffest, bodies) in [(50.5, [0, 6]), (5000.0, [5, 11])] {
            let scene = several(stiffest);
            let told = |threads| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                pool.install(|| meeting(&scene, 0)).unwrap()
            };
            let alone = told(1);
            assert_eq!(alone.bodies, bodies);
            assert!([2, 3, 8].into_iter().all(|threads| told(threads) == alone));
            assert_eq!(meeting(&scene, alone.steps_per_frame.unwrap()), None, "no more than there are");
        }
    }

    #[test]
    fn a_soft_sheet_takes_short_steps_once_tar_lies_on_it() {
        let cloth = json!({"type": "oriented", "rest_density": 400, "thickness": 0.0005, "stretch_stiffness": 1,
            "bending_stiffness": 1e-6, "viscosity": 0});
        let tar = json!({"type": "continuum", "rest_density": 1400, "viscosity": 3000});
        let body =
            |name: &str, shape: Value, material: &Value| json!({"name": name, "shape": shape, "material": material});
        let bodies = json!([
            body("cloth", json!({"type": "mesh", "path": "cloth"}), &cloth),
            body("lump", json!({"type": "sphere", "radius": 0.4}), &tar)
        ]);
        let frames = json!({"start": 1, "end": 2});
        let scene = json!({"version": 1, "frames": frames, "particle_spacing": 0.08, "bodies": bodies});
        let met = meeting(&serde_json::from_value(scene).unwrap(), 8).unwrap();
        assert_eq!(met.bodies, [0, 1]);
        assert!((64..512).contains(&met.steps_per_frame.unwrap()), "{met:?}");
    }
}
