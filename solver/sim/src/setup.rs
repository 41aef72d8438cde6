//! From a scene to particles and walls.

use crate::boundary::{
    Boundary, Collider, DistanceField, DistanceSource, Lookup, MeshDistance, Motion, Sample, Section, THINNEST,
    WallKernel,
};
use crate::geometry::{self, FILLED, MeshFault, SEGMENTS, SheetSample, Solid};
use crate::material::oriented::nearest;
use crate::outline::{place, sheet_mesh};
use crate::particles::Particles;
use crate::pins::Regions;
use crate::{MeshLibrary, SetupError, SmoothingKernel};
use dollop_scene::{Body, ColliderShape, Dimensions, Material, Pin, Scene};
use glam::{DQuat, DVec3, I64Vec3};
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Nearest that a particle may start to a wall, in spacings.
const CLEARANCE: f64 = 0.15;

/// Nearest that particles of two bodies may start to each other, in spacings ...
const SEPARATION: f64 = 0.7;
/// ... and where both have bonds, or one is of a sheet, which push much harder than pressure where particles are nearer than in the lattice.
const FIRM_SEPARATION: f64 = 1.1;

/// How a body keeps others away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Fluid,
    Bonded,
    Sheet,
}

impl Kind {
    fn of(material: &Material) -> Self {
        match material {
            Material::Smoothed(_) => Self::Fluid,
            Material::Thermal(_) | Material::Soft(_) => Self::Bonded,
            Material::Oriented(_) => Self::Sheet,
        }
    }
}

/// The filled bodies, and what the user should know about them.
pub struct Filled {
    pub particles: Particles,
    /// The pin that holds each, counted over all bodies.
    pub pinned: Vec<Option<u32>>,
    /// Particles of each body.
    pub counts: Vec<usize>,
    /// Mass of each body's particles over that of their volume at rest.
    pub mass_ratios: Vec<f64>,
    pub warnings: Vec<String>,
}

/// Places the colliders of a scene and fills its bodies.
///
/// # Errors
/// When a mesh is empty or open, a body holds no particle or too many, or a placement makes no sense.
pub fn fill(scene: &Scene, meshes: &MeshLibrary) -> Result<(Boundary, Filled), SetupError> {
    let mut boundary = place_colliders(scene, meshes, &SmoothingKernel::of(scene))?;
    let filled = fill_bodies(scene, meshes, &mut boundary)?;
    Ok((boundary, filled))
}

/// Fills the bodies of a scene outside its colliders; a body gives way to those before it.
///
/// # Errors
/// When a body's mesh is not closed, or it holds no particle or too many.
fn fill_bodies(scene: &Scene, meshes: &MeshLibrary, boundary: &mut Boundary) -> Result<Filled, SetupError> {
    let (spacing, dimensions) = (scene.particle_spacing, scene.discretization.dimensions);
    let mut filled = Filled {
        particles: Particles::default(),
        pinned: Vec::new(),
        counts: Vec::new(),
        mass_ratios: Vec::new(),
        warnings: Vec::new(),
    };
    let mut pins = 0;
    let mut occupied = Occupied::new(spacing);
    let mut before: Vec<Solid> = Vec::new();
    let mut kinds: Vec<Kind> = Vec::new();
    let warm = scene.heat.is_some() || scene.bodies.iter().any(|body| body.temperature.is_some());
    for (number, body) in scene.bodies.iter().enumerate() {
        let fault = |message: String| SetupError { path: format!("bodies[{number}].shape"), message };
        let solid = match body.material {
            Material::Oriented(_) => None,
            Material::Smoothed(_) | Material::Thermal(_) | Material::Soft(_) => {
                Some(place(number, body, dimensions, meshes)?)
            }
        };
        let kind = Kind::of(&body.material);
        let expected = solid.as_ref().map(|solid| expected_seats(solid, scene));
        let is_stretched = !keeps_lattice(&body.material);
        let seats = match &solid {
            Some(solid) => in_solid(solid, expected.filter(|_| is_stretched), scene).map_err(fault)?,
            None => on_faces(number, body, &sheet_mesh(number, body, scene, meshes)?, (spacing, pins))?,
        };
        let found = seats.len();
        let (seats, walls) = clear_of_walls(seats, boundary, spacing);
        let (mut seats, bodies) = clear_of_bodies(seats, kind, &occupied, &before);
        if seats.is_empty() {
            return Err(fault(no_particle(&body.name, found, walls, scene)));
        }
        disorder(&mut seats, spacing, Section(dimensions).axes());
        let off = expected.filter(|_| !is_stretched).map_or(1.0, |expected| expected / found as f64);
        let ratio = off.clamp(LEAST_RATIO, 1.0 / LEAST_RATIO);
        filled.mass_ratios.push(ratio);
        if let Some(expected) = expected {
            filled.warnings.extend(coarsely_filled(&body.name, found as f64 * ratio, expected));
        }
        let gap = kinds.iter().fold(SEPARATION, |gap, &other| separation(kind, other).max(gap));
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
        let losses = [(walls, "colliders", CLEARANCE), (bodies, "bodies before it", gap)];
        filled.warnings.extend(
            losses.into_iter().filter_map(|(loss, of, gap)| loss.warning(&body.name, found, of, gap * spacing)),
        );
        filled.warnings.extend(torn_between(body, &seats, (spacing, pins)));
        pins += body.pins.len() as u32;
        if number + 1 < scene.bodies.len() {
            for seat in &seats {
                occupied.insert(seat.position, kind);
            }
        }
        before.extend(solid);
        filled.counts.push(seats.len());
        filled.pinned.extend(seats.iter().map(|seat| seat.pin));
        add(&mut filled.particles, &seats, body, number as u32, warm);
    }
    if !scene.bodies.iter().any(|body| matches!(body.material, Material::Oriented(_))) {
        (filled.particles.orientations, filled.particles.spins) = (Vec::new(), Vec::new());
    }
    filled.warnings.extend(wrongly_floating(scene, &filled.mass_ratios));
    Ok(filled)
}

/// Warns of what lies on the other side of something's density for the mass that its particles get.
fn wrongly_floating(scene: &Scene, ratios: &[f64]) -> Vec<String> {
    let asked = |number: usize| scene.bodies[number].material.rest_density();
    let given = |number: usize| asked(number) * ratios[number];
    let is_sheet = |number: usize| matches!(scene.bodies[number].material, Material::Oriented(_));
    let mut by_density: Vec<usize> = (0..scene.bodies.len()).filter(|&number| !is_sheet(number)).collect();
    by_density.sort_by(|&a, &b| given(a).total_cmp(&given(b)));
    let of_body = |(number, body): (usize, &Body)| {
        let (asked, given_to) = (asked(number), given(number));
        let first = by_density.partition_point(|&other| given(other) <= asked.min(given_to));
        let other = by_density[first..].first().filter(|&&other| given(other) < asked.max(given_to))?;
        let other = &scene.bodies[*other].name;
        let (name, way) = (&body.name, if given_to > asked { "sinks" } else { "floats" });
        Some(format!(
            "body \"{name}\" {way} in \"{other}\", as whole rows of particles do not fit it and its particles get the mass that is \
             missing: its matter has {given_to:.0} kg/m^3 instead of {asked:.0}; change its size by half a particle_spacing, or lower that"
        ))
    };
    scene.bodies.iter().enumerate().filter_map(of_body).collect()
}

/// Where a particle starts.
#[derive(Debug, Clone, Copy)]
struct Seat {
    position: DVec3,
    /// Unit normal in a sheet; Z elsewhere.
    normal: DVec3,
    /// The pin that holds it, and the next that would.
    pin: Option<u32>,
    other_pin: Option<u32>,
}

/// No particle gets less mass than this part of that of its volume at rest, nor more than one over it.
const LEAST_RATIO: f64 = 0.5;

/// Whether what holds matter together, bonds or strength, would draw a lattice that was stretched back to its distances. Its particles get
/// the mass that is missing instead.
fn keeps_lattice(material: &Material) -> bool {
    match material {
        Material::Smoothed(smoothed) => smoothed.yield_stress > 0.0,
        Material::Thermal(_) | Material::Soft(_) => true,
        Material::Oriented(_) => false,
    }
}

/// A scene whose bodies are denser by some ratios each.
pub fn with_masses(scene: &Scene, ratios: &[f64]) -> Scene {
    let mut scene = scene.clone();
    for (body, ratio) in scene.bodies.iter_mut().zip(ratios) {
        *body.material.rest_density_mut() *= ratio;
    }
    scene
}

/// How many particles the volume of a solid, or the area of its cut, asks for.
fn expected_seats(solid: &Solid, scene: &Scene) -> f64 {
    let spacing = scene.particle_spacing;
    match scene.discretization.dimensions {
        Dimensions::Two => geometry::area(solid) / spacing.powi(2),
        Dimensions::Three => solid.enclosed() / spacing.powi(3),
    }
}

/// Seats on the lattice within a solid, at rest where it is not told how many it should take.
///
/// # Errors
/// What to do when there are too many.
fn in_solid(solid: &Solid, target: Option<f64>, scene: &Scene) -> Result<Vec<Seat>, String> {
    let spacing = scene.particle_spacing;
    let points = match scene.discretization.dimensions {
        Dimensions::Two => geometry::fill_section(solid, spacing, target),
        Dimensions::Three => geometry::fill(solid, spacing, target),
    };
    let seat = |position| Seat { position, normal: DVec3::Z, pin: None, other_pin: None };
    let points = points.map_err(|count| {
        format!("at a particle_spacing of {spacing} m the box around the body has room for about {count:.1e} particles; use a larger particle_spacing")
    });
    Ok(points?.into_iter().map(seat).collect())
}

/// Seats on the faces of a body's mesh at some spacing, m, with its pins, which are counted from some number on.
///
/// # Errors
/// What is wrong with the mesh or a pin.
fn on_faces(
    number: usize,
    body: &Body,
    mesh: &geometry::TriangleMesh,
    (spacing, first_pin): (f64, u32),
) -> Result<Vec<Seat>, SetupError> {
    let fault = |field: &str, message: String| SetupError { path: format!("bodies[{number}].{field}"), message };
    let nearest = nearest(spacing);
    let sample = geometry::sample_sheet(mesh, nearest).map_err(|found| fault("shape", found.to_string()))?;
    let map = geometry::affine(&body.transform);
    let regions = Regions::new(mesh, &map, &body.pins, nearest).map_err(|found| {
        let [pin, vertex] = found.at;
        fault(&format!("pins[{pin}].vertices[{vertex}]"), found.to_string())
    })?;
    let SheetSample { positions, normals, triangles, .. } = sample;
    let seat = |((position, normal), triangle)| {
        let mut pins = regions.at(triangle, position).into_iter().map(|pin| first_pin + pin as u32);
        Seat { position, normal, pin: pins.next(), other_pin: pins.next() }
    };
    Ok(positions.into_par_iter().zip(normals).zip(triangles).map(seat).collect())
}

/// Warns of pins that move differently and reach the same particles, given the spacing, m, and the number of the first pin.
fn torn_between(body: &Body, seats: &[Seat], (spacing, first_pin): (f64, u32)) -> Vec<String> {
    let mut shared = BTreeMap::<[u32; 2], usize>::new();
    for pair in seats.iter().filter_map(|seat| Some([seat.pin? - first_pin, seat.other_pin? - first_pin])) {
        *shared.entry(pair).or_default() += 1;
    }
    let shared = shared.into_iter().map(|(pair, count)| (pair.map(|pin| &body.pins[pin as usize]), count));
    let torn = shared.filter(|([one, other], _)| one.motion != other.motion);
    let warning = |([one, other], count): ([&Pin; 2], usize)| {
        format!(
            "the pins \"{}\" and \"{}\" of body \"{}\" move differently, and both reach {count} of its particles, which go with the \
             first of them; keep what they hold more than {:.2e} m apart, or change their order",
            one.name,
            other.name,
            body.name,
            2.0 * nearest(spacing)
        )
    };
    torn.map(warning).collect()
}

/// Warns that a body is too thin or too small for as many particles as its volume asks for.
fn coarsely_filled(name: &str, found: f64, expected: f64) -> Option<String> {
    let off = found / expected - 1.0;
    // One particle is as near as there is.
    let is_off = off.abs() > FILLED && (found - expected).abs() > 1.0;
    is_off.then(|| {
        let (percent, more) = (off.abs() * 100.0, if off > 0.0 { "more" } else { "less" });
        format!(
            "body \"{name}\" is filled with {percent:.0} % {more} matter than its volume, as it is too thin or too small for whole rows of particles; a smaller particle_spacing fills it better"
        )
    })
}

/// Part of a body that may be left out for standing too close to something without a word.
const TOUCHING: f64 = 0.05;

/// Points of a body that were left out.
#[derive(Clone, Copy, Default)]
struct Loss {
    /// Within something else.
    inside: usize,
    /// Outside of it, but too close.
    close: usize,
}

impl Loss {
    fn count(self) -> usize {
        self.inside + self.close
    }

    fn warning(self, name: &str, found: usize, of: &str, gap: f64) -> Option<String> {
        let count = self.count();
        let share = count as f64 / found as f64;
        let percent = share * 100.0;
        if self.inside > 0 {
            Some(format!(
                "body \"{name}\" overlaps {of}: {count} of its {found} particles ({percent:.1} %) were left out; move them apart to keep its volume"
            ))
        } else if share > TOUCHING {
            Some(format!(
                "body \"{name}\" touches {of}: {count} of its {found} particles ({percent:.1} %) would have started too close and were left out; a gap of {gap:.2e} m or a smaller particle_spacing keeps its volume"
            ))
        } else {
            None
        }
    }
}

fn no_particle(name: &str, found: usize, walls: Loss, scene: &Scene) -> String {
    let spacing = scene.particle_spacing;
    if found == 0 {
        let place = match scene.discretization.dimensions {
            Dimensions::Two => " in the plane y = 0",
            Dimensions::Three => "",
        };
        format!(
            "\"{name}\" is too small or too thin{place} to hold one particle at a particle_spacing of {spacing} m; use a smaller particle_spacing"
        )
    } else if walls.close == found {
        format!(
            "\"{name}\" is too close to a collider for particles {spacing} m apart; move it away or use a smaller particle_spacing"
        )
    } else if walls.count() == found {
        format!(
            "\"{name}\" lies wholly inside a collider; move it out or, if the collider is to hold it as a container, set the collider's `inverted`"
        )
    } else {
        format!("\"{name}\" lies wholly inside colliders and other bodies; move it out")
    }
}

/// Temperature of bodies without one in a scene where others have one, K.
const ROOM_TEMPERATURE: f64 = 293.15;

/// How far a particle starts off its lattice point at most along an axis, in spacings. A perfect lattice would splash in
/// perfect symmetry.
const DISORDER: f64 = 0.003;

/// Moves points a little off the lattice along the axes that matter has, each by its number, and not their centre.
fn disorder(seats: &mut [Seat], spacing: f64, axes: DVec3) {
    let offset = |number: usize| {
        DVec3::from_array([0, 1, 2].map(|axis| random(3 * number as u64 + axis))) * axes * (DISORDER * spacing)
    };
    let mean = (0..seats.len()).map(offset).sum::<DVec3>() / seats.len() as f64;
    seats.iter_mut().enumerate().for_each(|(number, seat)| seat.position += offset(number) - mean);
}

/// A number from -1 to 1 that looks random, the same for the same seed for ever: `SplitMix64` (Steele, Lea, Flood 2014).
fn random(seed: u64) -> f64 {
    let mut z = (seed + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^= z >> 31;
    (z >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
}

fn add(particles: &mut Particles, seats: &[Seat], body: &Body, number: u32, warm: bool) {
    let centre = seats.iter().map(|seat| seat.position).sum::<DVec3>() / seats.len() as f64;
    let (velocity, spin) = (DVec3::from(body.velocity), DVec3::from(body.angular_velocity));
    particles.velocities.extend(seats.iter().map(|seat| velocity + spin.cross(seat.position - centre)));
    particles.orientations.extend(seats.iter().map(|seat| DQuat::from_rotation_arc(DVec3::Z, seat.normal)));
    particles.spins.extend(seats.iter().map(|_| spin));
    particles.sources.extend(seats.iter().map(|_| number));
    if warm {
        let temperature = body.temperature.unwrap_or(ROOM_TEMPERATURE) as f32;
        particles.temperatures.extend(seats.iter().map(|_| temperature));
    }
    particles.positions.extend(seats.iter().map(|seat| seat.position));
    particles.numbers = (0..particles.positions.len() as u32).collect();
}

/// The points outside of colliders. What lies flush with a collider's surface touches it; it does not overlap.
fn clear_of_walls(seats: Vec<Seat>, boundary: &mut Boundary, spacing: f64) -> (Vec<Seat>, Loss) {
    let clearance = CLEARANCE * spacing;
    let distances = boundary.distances(&seats.iter().map(|seat| seat.position).collect::<Vec<_>>());
    let inside = distances.iter().filter(|&&distance| distance < -clearance).count();
    let all = seats.len();
    let clear = seats.into_iter().zip(distances).filter(|&(_, distance)| distance >= clearance);
    let clear: Vec<Seat> = clear.map(|(seat, _)| seat).collect();
    let close = all - clear.len() - inside;
    (clear, Loss { inside, close })
}

/// The points apart from particles that are there already, and outside of the matter that they are of: in the midst of a lattice
/// there is room between them for another.
fn clear_of_bodies(seats: Vec<Seat>, kind: Kind, occupied: &Occupied, before: &[Solid]) -> (Vec<Seat>, Loss) {
    let mut loss = Loss::default();
    let clear = seats.into_iter().filter(|&Seat { position: p, .. }| {
        let Room { gap, fits } = occupied.room(p, kind);
        let inside = gap < 1.0 && before.iter().any(|solid| solid.contains(p));
        let close = !inside && !fits;
        loss.inside += usize::from(inside);
        loss.close += usize::from(close);
        !inside && !close
    });
    (clear.collect(), loss)
}

/// Where particles are, and of what, for keeping bodies apart.
struct Occupied {
    spacing: f64,
    cells: FxHashMap<I64Vec3, Vec<(DVec3, Kind)>>,
}

/// Room for a particle among others.
struct Room {
    /// How far the nearest one is, in spacings; 1 or more where none is as near as that.
    gap: f64,
    /// Whether none of them is too near.
    fits: bool,
}

impl Occupied {
    fn new(spacing: f64) -> Self {
        Self { spacing, cells: FxHashMap::default() }
    }

    fn cell(&self, p: DVec3) -> I64Vec3 {
        (p / (FIRM_SEPARATION * self.spacing)).floor().as_i64vec3()
    }

    fn room(&self, p: DVec3, kind: Kind) -> Room {
        let cell = self.cell(p);
        let around = (0..27).map(|i| cell + I64Vec3::new(i / 9 - 1, i / 3 % 3 - 1, i % 3 - 1));
        let others = around.filter_map(|c| self.cells.get(&c)).flatten();
        others.fold(Room { gap: f64::INFINITY, fits: true }, |room, &(q, other)| {
            let gap = (p - q).length() / self.spacing;
            let least = separation(kind, other);
            Room { gap: room.gap.min(gap), fits: room.fits && gap >= least }
        })
    }

    fn insert(&mut self, p: DVec3, kind: Kind) {
        self.cells.entry(self.cell(p)).or_default().push((p, kind));
    }
}

/// Nearest that particles of two bodies may start to each other, in spacings. Sheets begin as near as edges that are to be joined.
fn separation(one: Kind, other: Kind) -> f64 {
    match (one, other) {
        (Kind::Sheet, Kind::Sheet) => SEPARATION,
        (Kind::Sheet, _) | (_, Kind::Sheet) | (Kind::Bonded, Kind::Bonded) => FIRM_SEPARATION,
        _ => SEPARATION,
    }
}

/// Places the colliders of a scene.
///
/// # Errors
/// When a collider's mesh is open and has no thickness, or its scale changes unevenly.
pub fn place_colliders(scene: &Scene, meshes: &MeshLibrary, kernel: &SmoothingKernel) -> Result<Boundary, SetupError> {
    let spacing = scene.particle_spacing;
    let interval = 1.0 / scene.frames.rate;
    let wall_kernel = Arc::new(WallKernel::new(kernel, spacing));
    let time_of = |frame: i32| (f64::from(frame) - f64::from(scene.frames.start)) * interval;
    let mut colliders = Vec::new();
    for (number, collider) in scene.colliders.iter().enumerate() {
        let fault = |field: &str, message: String| SetupError { path: format!("colliders[{number}].{field}"), message };
        let motion = Motion::new(&collider.transform, &collider.motion, time_of).map_err(|key| {
            fault(
                &format!("motion[{key}].transform.scale"),
                "a collider's scale may change over the frames only by one positive factor for all axes".into(),
            )
        })?;
        let source =
            distance_source(&collider.shape, motion.base_scale(), collider.thickness, THINNEST * spacing, meshes)
                .map_err(|f| {
                    fault("shape", format!("{f}; close it, or give the collider a `thickness` to use it as a wall"))
                })?;
        let field = DistanceField::new(source, collider.inverted, kernel, spacing, motion.smallest_scale());
        colliders.push(Collider { field, motion, friction: collider.friction, adhesion: collider.adhesion });
    }
    Ok(Boundary::new(colliders, wall_kernel, Section(scene.discretization.dimensions), spacing, interval))
}

/// A collider's surface with its scale applied; primitives that the scale distorts, or that are thinner than
/// `resolved`, become meshes.
fn distance_source(
    shape: &ColliderShape,
    scale: DVec3,
    thickness: Option<f64>,
    resolved: f64,
    meshes: &MeshLibrary,
) -> Result<DistanceSource, MeshFault> {
    let size = scale.abs();
    let round = (size.x - size.y).abs() <= 1e-6 * size.x;
    let mesh = match *shape {
        ColliderShape::Plane {} => return Ok(DistanceSource::Plane),
        ColliderShape::Box { size: edges } => {
            let edges = DVec3::from(edges) * size;
            if edges.min_element() >= resolved {
                return Ok(DistanceSource::Box(edges / 2.0));
            }
            geometry::box_mesh(edges)
        }
        ColliderShape::Sphere { radius } => {
            if round && (size.x - size.z).abs() <= 1e-6 * size.x && radius * size.x >= resolved {
                return Ok(DistanceSource::Sphere(radius * size.x));
            }
            scaled(&geometry::sphere_mesh(radius, SEGMENTS), size)
        }
        ColliderShape::Cylinder { radius, height } => {
            if round && (radius * size.x).min(height * size.z) >= resolved {
                return Ok(DistanceSource::Cylinder(radius * size.x, height * size.z / 2.0));
            }
            scaled(&geometry::cylinder_mesh(radius, height, SEGMENTS), size)
        }
        ColliderShape::Mesh { ref path } => scaled(meshes.get(path).ok_or(MeshFault::Empty)?, scale),
    };
    Ok(DistanceSource::Mesh(Box::new(MeshDistance::new(&mesh, thickness)?)))
}

fn scaled(mesh: &geometry::TriangleMesh, scale: DVec3) -> geometry::TriangleMesh {
    mesh.mapped(glam::DAffine3::from_scale(scale))
}

impl Boundary {
    /// Distance of each point to the nearest collider's surface at the first frame, m; infinite beyond the kernel's
    /// support.
    pub fn distances(&mut self, points: &[DVec3]) -> Vec<f64> {
        let mut nearest = vec![f64::INFINITY; points.len()];
        let section = self.section();
        for collider in self.colliders_mut() {
            let pose = collider.motion.pose(0.0);
            let local: Vec<DVec3> = points.par_iter().map(|&p| pose.to_local(p)).collect();
            let missing = local.iter().filter_map(|&p| match collider.field.sample(p, pose.scale) {
                Lookup::Missing(block) => Some(block),
                Lookup::Outside(_) | Lookup::Near(_) => None,
            });
            let missing = missing.collect();
            collider.field.make(missing);
            // Not the effective distance, by which matter that lies flush in a corner is inside the wall.
            let distances = local.par_iter().map(|&p| match collider.field.sample(p, pose.scale) {
                Lookup::Near(near) => {
                    section.sample(Sample { distance: collider.field.exact_distance(p), ..near }, &pose).distance
                }
                Lookup::Outside(_) | Lookup::Missing(_) => f64::INFINITY,
            });
            nearest
                .par_iter_mut()
                .zip(distances)
                .for_each(|(nearest, distance)| *nearest = nearest.min(distance * pose.scale));
        }
        nearest
    }
}

#[cfg(test)]
mod tests {
    use super::random;

    #[test]
    fn random_numbers_have_no_pattern() {
        let numbers: Vec<f64> = (0..3000).map(random).collect();
        assert!(numbers.iter().all(|n| n.abs() <= 1.0));
        let squares: f64 = numbers.iter().map(|n| n * n).sum();
        for lag in 1..300 {
            let products: f64 = numbers.iter().zip(&numbers[lag..]).map(|(a, b)| a * b).sum();
            assert!(products.abs() < 0.1 * squares, "correlated by {} at a distance of {lag}", products / squares);
        }
    }
}
