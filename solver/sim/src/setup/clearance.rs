//! Clearance between the particles of a body, walls, and the bodies before it.

use super::seats::Seat;
use crate::boundary::Boundary;
use crate::geometry::Solid;
use crate::material::Repulsion;
use glam::{DVec3, I64Vec3};
use rustc_hash::FxHashMap;

/// Least distance of a particle from a wall at the start, in spacings.
const CLEARANCE: f64 = 0.15;
/// The same for a packed body, whose outermost particles mostly lie a quarter of a spacing or more from its surface,
/// and a few nearer.
const PACKED_CLEARANCE: f64 = 0.05;

/// Least distance of particles of two bodies from each other at the start, in spacings ...
const SEPARATION: f64 = 0.7;
/// ... and where both have bonds, or one belongs to a sheet or a grid: these push much harder than pressure where
/// particles are nearer than in the lattice.
const FIRM_SEPARATION: f64 = 1.1;
/// The same where a grid moves both.
const GRID_SEPARATION: f64 = 0.25;

/// The points outside of colliders. A body flush with a collider's surface touches the collider; it does not overlap
/// it.
fn clear_of_walls(seats: Vec<Seat>, boundary: &mut Boundary, clearance: f64) -> (Vec<Seat>, Loss) {
    let distances = boundary.distances(&seats.iter().map(|seat| seat.position).collect::<Vec<_>>());
    let inside = distances.iter().filter(|&&distance| distance < -clearance).count();
    let all = seats.len();
    let clear = seats.into_iter().zip(distances).filter(|&(_, distance)| distance >= clearance);
    let clear: Vec<Seat> = clear.map(|(seat, _)| seat).collect();
    let close = all - clear.len() - inside;
    (clear, Loss { inside, close })
}

/// Part of a body that may be left out without a warning because it is too close to walls or bodies.
const TOUCHING: f64 = 0.05;

/// Points of a body that were left out.
#[derive(Clone, Copy, Default)]
pub struct Loss {
    /// Inside a collider or another body.
    inside: usize,
    /// Outside of it, but too close.
    pub close: usize,
}

impl Loss {
    pub fn count(self) -> usize {
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

/// The seats of a body that are clear of walls and other bodies.
pub struct Cleared {
    pub seats: Vec<Seat>,
    /// Points left out because of colliders.
    pub walls: Loss,
    /// Points left out because of bodies.
    bodies: Loss,
    /// Least distances from walls and from these bodies, in spacings.
    gaps: [f64; 2],
}

impl Cleared {
    /// Least distance from the bodies before it, in spacings.
    pub fn gap_to_bodies(&self) -> f64 {
        self.gaps[1]
    }

    /// The warnings about the losses of a body, given its name and its number of seats at a spacing, m.
    pub fn warnings(&self, name: &str, found: usize, spacing: f64) -> impl Iterator<Item = String> + use<> {
        let [of_walls, of_bodies] = self.gaps;
        let losses = [(self.walls, "colliders", of_walls), (self.bodies, "bodies before it", of_bodies)];
        let told = losses.map(|(loss, of, gap)| loss.warning(name, found, of, gap * spacing));
        told.into_iter().flatten()
    }
}

/// The bodies that later bodies keep clear of.
pub struct Others {
    spacing: f64,
    /// Their particles by cell, each with how it keeps others away.
    cells: FxHashMap<I64Vec3, Vec<(DVec3, Repulsion)>>,
    solids: Vec<Solid>,
    /// All repulsions among them.
    repulsions: Vec<Repulsion>,
}

/// Clearance of a particle among others.
struct ClearRoom {
    /// Distance of the nearest particle, in spacings; 1 or more where none is nearer than that.
    gap: f64,
    /// Whether no particle is too near.
    fits: bool,
}

impl Others {
    /// No bodies yet, for particles of a spacing, m.
    pub fn new(spacing: f64) -> Self {
        Self { spacing, cells: FxHashMap::default(), solids: Vec::new(), repulsions: Vec::new() }
    }

    /// Adds a body.
    pub fn add(&mut self, seats: &[Seat], repulsion: Repulsion, solid: Option<Solid>) {
        self.solids.extend(solid);
        if !self.repulsions.contains(&repulsion) {
            self.repulsions.push(repulsion);
        }
        for seat in seats {
            self.cells.entry(self.cell(seat.position)).or_default().push((seat.position, repulsion));
        }
    }

    /// Removes the seats that are too near to walls or other bodies; they may be packed beneath a surface.
    pub fn clear(&self, seats: Vec<Seat>, repulsion: Repulsion, packed: bool, boundary: &mut Boundary) -> Cleared {
        let clearance = if packed { PACKED_CLEARANCE } else { CLEARANCE };
        let (seats, walls) = clear_of_walls(seats, boundary, clearance * self.spacing);
        let (seats, bodies) = self.clear_of_bodies(seats, repulsion);
        let gap = self.repulsions.iter().fold(GRID_SEPARATION, |gap, &other| separation(repulsion, other).max(gap));
        Cleared { seats, walls, bodies, gaps: [clearance, gap] }
    }

    /// The points that are apart from existing particles, and outside of the bodies of these: in the midst of a lattice
    /// there is room for a particle between those of the lattice.
    fn clear_of_bodies(&self, seats: Vec<Seat>, repulsion: Repulsion) -> (Vec<Seat>, Loss) {
        let mut loss = Loss::default();
        let clear = seats.into_iter().filter(|&Seat { position: p, .. }| {
            let ClearRoom { gap, fits } = self.room(p, repulsion);
            let inside = gap < 1.0 && self.solids.iter().any(|solid| solid.contains(p));
            let close = !inside && !fits;
            loss.inside += usize::from(inside);
            loss.close += usize::from(close);
            !inside && !close
        });
        (clear.collect(), loss)
    }

    fn cell(&self, p: DVec3) -> I64Vec3 {
        (p / (FIRM_SEPARATION * self.spacing)).floor().as_i64vec3()
    }

    fn room(&self, p: DVec3, repulsion: Repulsion) -> ClearRoom {
        let cell = self.cell(p);
        let around = (0..27).map(|i| cell + I64Vec3::new(i / 9 - 1, i / 3 % 3 - 1, i % 3 - 1));
        let others = around.filter_map(|c| self.cells.get(&c)).flatten();
        others.fold(ClearRoom { gap: f64::INFINITY, fits: true }, |room, &(q, other)| {
            let gap = (p - q).length() / self.spacing;
            let least = separation(repulsion, other);
            ClearRoom { gap: room.gap.min(gap), fits: room.fits && gap >= least }
        })
    }
}

/// Least distance of particles of two bodies from each other at the start, in spacings. Sheets may start as near to
/// each other as edges that are to be joined.
fn separation(one: Repulsion, other: Repulsion) -> f64 {
    match (one, other) {
        (Repulsion::Grid, Repulsion::Grid) => GRID_SEPARATION,
        (Repulsion::Sheet, Repulsion::Sheet) => SEPARATION,
        (Repulsion::Bonds, Repulsion::Bonds) => FIRM_SEPARATION,
        _ if [one, other].iter().any(|one| matches!(one, Repulsion::Sheet | Repulsion::Grid)) => FIRM_SEPARATION,
        _ => SEPARATION,
    }
}
