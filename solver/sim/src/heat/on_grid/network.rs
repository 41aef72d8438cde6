//! Heat that flows between nodes.
//!
//! Explicit steps of the enthalpy of each node: what leaves one node enters the other, so no heat is lost, and latent
//! heat is exact. All conductances are for the volume of a cell, W/(m^3 K).

use super::HeatStep;
use super::nodes::Nodes;
use super::surface::Surfaces;
use crate::grid::{Field, Fields, Rows, pass_by, zeros};
use crate::heat::HeatSources;
use crate::heat::air::Inflow;
use crate::material::continuum::{Island, moving_axes};

/// Part of the difference to its surroundings that a node may lose in a step.
pub const STABLE: f64 = 0.4;
/// The most steps in a frame.
pub const MOST_STEPS: f64 = 16_384.0;
/// The most that a full cell conducts, over its conductivity.
pub const MOST_CONDUCTED: f64 = 8.0;
/// From the matter that counts in a cell at a wall to the wall, and from that at the free surface to the surface, in
/// cells: they fit the heat that a half space takes.
pub const TO_WALL: f64 = 0.45;
const TO_AIR: f64 = 0.45;
/// Conductance between two substances in a cell, over that of a cell of theirs.
const WITHIN: f32 = 6.0;

/// The conductances between the nodes of an island.
#[derive(Debug)]
pub struct Network<'a> {
    rows: &'a Rows,
    is_flat: bool,
    /// Across low faces, by substance.
    faces: Vec<Fields>,
    /// Between substances in a cell.
    within: Vec<Within>,
    /// Walls and air.
    outer: Vec<Outer>,
    /// Steps for each second.
    least_steps: f64,
    /// What each step of a substance adds to heats, J/kg, for a flow of 1 W/m^3, by second.
    shares: Vec<Field>,
    flows: Vec<Field>,
}

/// Two substances in one cell.
#[derive(Debug, Clone, Copy)]
struct Within {
    kinds: [usize; 2],
    at: usize,
    conductance: f32,
}

/// What is outside of matter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outside {
    Walls,
    Air,
}

/// What a node gets from outside: a flow, W/m^3, at the reference, less a conductance times its temperature.
#[derive(Debug, Clone, Copy)]
struct Outer {
    kind: usize,
    at: usize,
    from: Outside,
    flow: f32,
    conductance: f32,
    /// What has come, J/m^3.
    given: f64,
}

impl<'a> Network<'a> {
    /// The network of an island's nodes, given the temperatures of walls, K.
    pub fn new(
        all: &[Nodes],
        surfaces: &Surfaces,
        step: &HeatStep,
        island: &'a Island,
        sources: &HeatSources,
        warm: &[(usize, f64)],
        reference: f64,
    ) -> Self {
        let (rows, is_flat) = (&island.rows, step.placing.is_flat);
        let unit = sources.rate / step.placing.width.powi(2);
        let faces: Vec<Fields> = all.iter().map(|nodes| conducting(nodes, rows, unit, is_flat)).collect();
        let share = |nodes: &Nodes| {
            let of =
                |(at, mass): (usize, &f32)| if nodes.is_at(at) { 1.0 / (mass * nodes.density as f32) } else { 0.0 };
            nodes.mass.iter().enumerate().map(of).collect()
        };
        let mut network = Self {
            rows,
            is_flat,
            faces,
            within: within(all, rows, unit),
            outer: outer(all, surfaces, step, sources, warm, reference),
            least_steps: 0.0,
            shares: all.iter().map(share).collect(),
            flows: vec![vec![0.0; rows.len()]; all.len()],
        };
        network.least_steps = network.quickest(all) / STABLE;
        network
    }

    /// The largest part of a difference that any node loses in a second.
    fn quickest(&self, all: &[Nodes]) -> f64 {
        let mut sums: Vec<Field> = self.faces.iter().map(|faces| around(faces, self.rows, self.is_flat)).collect();
        for Within { kinds, at, conductance } in &self.within {
            for &kind in kinds {
                sums[kind][*at] += conductance;
            }
        }
        for Outer { kind, at, conductance, .. } in &self.outer {
            sums[*kind][*at] += conductance;
        }
        let of_kind = |(number, nodes): (usize, &Nodes)| {
            let most =
                sums[number].iter().zip(&self.shares[number]).map(|(sum, share)| sum * share).fold(0.0, f32::max);
            f64::from(most) / nodes.substance.specific_heat()
        };
        all.iter().enumerate().map(of_kind).fold(0.0, f64::max)
    }

    /// Lets heat flow for some seconds. Returns what came from walls and from the air, J, for a cell of 1 m^3.
    pub fn run(mut self, all: &mut [Nodes], seconds: f64) -> [f64; 2] {
        let steps = (seconds * self.least_steps).ceil().clamp(1.0, MOST_STEPS);
        // Beyond the most steps heat lags behind.
        let step = (seconds / steps).min(1.0 / self.least_steps);
        for _ in 0..steps as usize {
            self.step(all, step);
        }
        [Outside::Walls, Outside::Air]
            .map(|from| self.outer.iter().filter(|outer| outer.from == from).map(|outer| outer.given).sum())
    }

    fn step(&mut self, all: &mut [Nodes], seconds: f64) {
        for ((flow, faces), nodes) in self.flows.iter_mut().zip(&self.faces).zip(&*all) {
            find_flows(flow, faces, &nodes.temperature, self.rows, self.is_flat);
        }
        for Within { kinds: [a, b], at, conductance } in &self.within {
            let flow = conductance * (all[*a].temperature[*at] - all[*b].temperature[*at]);
            self.flows[*a][*at] -= flow;
            self.flows[*b][*at] += flow;
        }
        for outer in &mut self.outer {
            let own = all[outer.kind].temperature[outer.at];
            let flow = outer.flow - outer.conductance * own;
            self.flows[outer.kind][outer.at] += flow;
            outer.given += f64::from(flow) * seconds;
        }
        for ((flow, share), nodes) in self.flows.iter().zip(&self.shares).zip(all) {
            nodes.take(self.rows, flow, share, seconds as f32);
        }
    }
}

/// The conductances across low faces.
fn conducting(nodes: &Nodes, rows: &Rows, unit: f64, is_flat: bool) -> Fields {
    let conductance = (unit * f64::from(nodes.substance.conductivity)) as f32;
    let mut faces = zeros(rows.len());
    for axis in moving_axes(is_flat) {
        let both = faces[axis].iter_mut().zip(&nodes.open[axis]);
        both.for_each(|(face, open)| *face = open * conductance);
    }
    faces
}

/// The sum of the conductances of each cell's faces.
fn around(faces: &Fields, rows: &Rows, is_flat: bool) -> Field {
    let mut sums = vec![0.0; rows.len()];
    pass_by::<1, ()>(rows, [&mut sums], |(), row, [sums]| {
        for axis in moving_axes(is_flat) {
            let both = rows.own(&faces[axis], row).iter().zip(rows.beside(&faces[axis], row, axis, 1));
            sums.iter_mut().zip(both).for_each(|(sum, (low, high))| *sum += low + high);
        }
    });
    sums
}

/// The flows into cells from those beside.
fn find_flows(flows: &mut Field, faces: &Fields, temperature: &Field, rows: &Rows, is_flat: bool) {
    pass_by::<1, ()>(rows, [flows], |(), row, [flows]| {
        flows.fill(0.0);
        let own = rows.own(temperature, row);
        for axis in moving_axes(is_flat) {
            let face = &faces[axis];
            let low = rows.own(face, row).iter().zip(rows.beside(temperature, row, axis, -1));
            let high = rows.beside(face, row, axis, 1).iter().zip(rows.beside(temperature, row, axis, 1));
            for (((flow, own), low), high) in flows.iter_mut().zip(own).zip(low).zip(high) {
                *flow += low.0 * (low.1 - own) + high.0 * (high.1 - own);
            }
        }
    });
}

/// The conductances between substances that share a cell: of the one that conducts worse mostly, as far as both fill
/// it.
fn within(all: &[Nodes], rows: &Rows, unit: f64) -> Vec<Within> {
    let mut found = Vec::new();
    for (a, one) in all.iter().enumerate() {
        for (b, other) in all.iter().enumerate().skip(a + 1) {
            let [k, l] = [one, other].map(|nodes| f64::from(nodes.substance.conductivity));
            let mean = if k + l > 0.0 { 2.0 * k * l / (k + l) } else { 0.0 };
            let full = WITHIN * (unit * mean) as f32;
            let shared = rows.cells().filter(|&(_, at)| one.is_at(at) && other.is_at(at));
            let of = |(_, at): (_, usize)| Within {
                kinds: [a, b],
                at,
                conductance: full * one.filled[at].min(other.filled[at]).min(1.0),
            };
            found.extend(shared.map(of));
        }
    }
    found
}

/// What comes from walls at temperatures, K, and from the air.
fn outer(
    all: &[Nodes],
    surfaces: &Surfaces,
    step: &HeatStep,
    sources: &HeatSources,
    warm: &[(usize, f64)],
    reference: f64,
) -> Vec<Outer> {
    let width = step.placing.width;
    let mut found = Vec::new();
    for (kind, nodes) in all.iter().enumerate() {
        let conducted = f64::from(nodes.substance.conductivity) / width;
        let part = |at: usize| f64::from(nodes.filled[at] / surfaces.filled[at]);
        let scale = |at: usize, area: f32| sources.rate / width * f64::from(area) * part(at);
        let mut add = |at: usize, from: Outside, Inflow { heat, conductance }: Inflow, scale: f64| {
            let (flow, conductance) = ((scale * heat) as f32, (scale * conductance) as f32);
            found.push(Outer { kind, at, from, flow, conductance, given: 0.0 });
        };
        for &(at, collider, area) in surfaces.walls.iter().filter(|(at, ..)| nodes.is_at(*at)) {
            let temperature = warm.iter().find(|(number, _)| *number == collider as usize).map_or(0.0, |wall| wall.1);
            let conductance = conducted / TO_WALL;
            let inflow = Inflow { heat: conductance * (temperature - reference), conductance };
            add(at, Outside::Walls, inflow, scale(at, area));
        }
        for (at, area) in surfaces.free.iter().enumerate().filter(|&(at, area)| *area > 0.0 && nodes.is_at(at)) {
            let own = f64::from(nodes.temperature[at]);
            let emissivity = nodes.substance.emissivity;
            let Inflow { heat, conductance } = sources.air.inflow(reference + own, conducted / TO_AIR, emissivity);
            let inflow = Inflow { heat: heat + conductance * own, conductance };
            add(at, Outside::Air, inflow, scale(at, *area));
        }
    }
    found
}
