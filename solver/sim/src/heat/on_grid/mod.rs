//! Heat of matter that moves on a grid.
//!
//! | module | what it knows |
//! |---|---|
//! | [`nodes`] | the matter of each substance in each cell |
//! | [`surface`] | where cells meet the air and warm walls |
//! | [`contact_melting`] | where solids melt on warm walls |
//! | [`film`] | the films of melt that they press out |
//! | [`network`] | the conductances between nodes, and the flow through them |
//! | [`curve`] | temperature by heat, in the precision of nodes |
//!
//! Particles bring their heat to the cells around them; there it flows in explicit steps, as many as are stable, by
//! the enthalpy of each cell; and each particle takes its part of what its cells have gained. Particles of a cell that
//! differ from it come closer to it as fast as heat conducts over that distance ([`BELOW_CELLS`]).

mod contact_melting;
mod curve;
mod film;
mod network;
mod nodes;
mod surface;

use super::region::HeaterStep;
use super::{HeatFlows, HeatSources, too_quick};
use crate::SetupError;
use crate::material::continuum::{Fluid, Island, Placing, Point, at_particles};
use crate::particles::Particles;
use contact_melting::ContactMelting;
use dollop_scene::Scene;
use glam::DVec3;
use network::{MOST_CONDUCTED, MOST_STEPS, Network, STABLE};
use nodes::{Nodes, Values};
use rayon::prelude::*;
use std::sync::Arc;
use surface::Surfaces;

/// How fast a particle comes to the temperature of the cells around it, in times what matter conducts between places a
/// cell apart.
const BELOW_CELLS: f64 = 3.0;
/// Where heaters act, how far heat may spread between their effects, in cells squared, and the most of these in a step.
const BETWEEN_HEATERS: f64 = 0.25;
const MOST_HEATERS: f64 = 16.0;
/// Particles that are warmed together.
const AT_ONCE: usize = 1024;

/// The heat of the matter of a scene that moves on a grid.
#[derive(Debug)]
pub struct GridHeat {
    sources: Arc<HeatSources>,
    /// The substance of each body, by its number among those that differ.
    kinds: Vec<u32>,
    /// A body of each substance.
    bodies: Vec<usize>,
    /// By body.
    fluids: Vec<Option<Fluid>>,
    /// Mass of a particle, kg, by body.
    masses: Vec<f64>,
    /// Volume of a particle, m^3, and over that of a cell.
    volume: f64,
    part: f64,
}

/// A step of heat.
#[derive(Debug, Clone, Copy)]
pub struct HeatStep {
    pub placing: Placing,
    /// m/s^2.
    pub gravity: DVec3,
    /// Time at the start, s.
    pub start: f64,
    pub seconds: f64,
}

/// What an island's particles gain in a step.
struct Gained {
    /// J/kg, by point.
    heat: Vec<f32>,
    /// From walls and from the air, J.
    flows: HeatFlows,
}

impl GridHeat {
    /// The heat of a scene, for particles of these masses, kg, by body, and of a volume over that of a cell.
    ///
    /// # Errors
    /// When matter conducts too well to follow, or too many bodies differ in their heat.
    pub fn new(
        scene: &Scene,
        sources: Arc<HeatSources>,
        fluids: Vec<Option<Fluid>>,
        masses: Vec<f64>,
        placing: Placing,
        part: f64,
    ) -> Result<Self, SetupError> {
        let mut own = Self {
            sources,
            kinds: Vec::new(),
            bodies: Vec::new(),
            fluids,
            masses,
            volume: scene.particle_spacing.powi(3),
            part,
        };
        own.find_kinds()?;
        own.refuse_too_quick(placing, 1.0 / scene.frames.rate)?;
        Ok(own)
    }

    /// Finds the substances that differ.
    fn find_kinds(&mut self) -> Result<(), SetupError> {
        for (body, substance) in self.sources.substances.iter().enumerate() {
            let same = |&other: &usize| self.sources.substances[other] == *substance;
            let kind = self.bodies.iter().position(same).unwrap_or(self.bodies.len());
            if kind == self.bodies.len() {
                self.bodies.push(body);
            }
            if kind == nodes::MOST_KINDS {
                return Err(nodes::too_many(body));
            }
            self.kinds.push(kind as u32);
        }
        Ok(())
    }

    fn refuse_too_quick(&self, placing: Placing, interval: f64) -> Result<(), SetupError> {
        for &body in &self.bodies {
            let steps = MOST_CONDUCTED * self.spread(body, placing, interval) / STABLE;
            if steps > MOST_STEPS {
                let conductivity = f64::from(self.sources.substances[body].conductivity);
                return Err(too_quick(body, conductivity, self.sources.rate, 0.95 * MOST_STEPS / steps));
            }
        }
        Ok(())
    }

    /// Density of a body's particles, kg/m^3.
    fn density(&self, body: usize) -> f64 {
        self.masses[body] / self.volume
    }

    /// Lets heat flow into the particles of some islands. `melt` gets the slot of a particle whose molten part changes,
    /// and both parts.
    pub fn step(
        &self,
        step: &HeatStep,
        islands: &[Island],
        particles: &mut Particles,
        mut melt: impl FnMut(&mut Particles, usize, [f64; 2]),
    ) -> HeatFlows {
        let slots = || islands.iter().flat_map(|island| island.cells.slots());
        let molten: Vec<f32> = slots().map(|slot| particles.melted[slot]).collect();
        let parts = self.parts(step);
        let seconds = step.seconds / f64::from(parts);
        let part = |n: u32| HeatStep { start: step.start + f64::from(n) * seconds, seconds, ..*step };
        let flows = (0..parts).map(|n| self.part(&part(n), islands, particles)).sum();
        for (slot, before) in slots().zip(molten) {
            let after = particles.melted[slot];
            if after.to_bits() != before.to_bits() {
                melt(particles, slot, [before, after].map(f64::from));
            }
        }
        flows
    }

    /// The parts of a step in each of which heaters act.
    fn parts(&self, step: &HeatStep) -> u32 {
        if !self.sources.has_heaters() {
            return 1;
        }
        let spread = |&body: &usize| self.spread(body, step.placing, step.seconds);
        let farthest = self.bodies.iter().map(spread).fold(0.0, f64::max);
        (farthest / BETWEEN_HEATERS).ceil().clamp(1.0, MOST_HEATERS) as u32
    }

    /// Diffusivity of a body's matter times some seconds, in cells squared.
    fn spread(&self, body: usize, placing: Placing, seconds: f64) -> f64 {
        let substance = &self.sources.substances[body];
        let diffusivity = f64::from(substance.conductivity) / (self.density(body) * substance.specific_heat());
        self.sources.rate * diffusivity * seconds / placing.width.powi(2)
    }

    fn part(&self, step: &HeatStep, islands: &[Island], particles: &mut Particles) -> HeatFlows {
        let before = &*particles;
        let walls = self.sources.warm_walls(step.start + step.seconds);
        let gained: Vec<Gained> = islands.par_iter().map(|island| self.gained(step, island, &walls, before)).collect();
        let heaters = self.sources.heaters(step.start, step.seconds);
        let mut flows = HeatFlows::default();
        for (Island { cells, .. }, gained) in islands.iter().zip(gained) {
            flows += gained.flows;
            flows += self.warm(&cells.points, &gained.heat, &heaters, particles);
        }
        flows
    }

    /// What the particles of an island gain, by conduction, walls at their temperatures, K, and air.
    fn gained(&self, step: &HeatStep, island: &Island, walls: &[(usize, f64)], particles: &Particles) -> Gained {
        let Island { cells, rows, .. } = island;
        let Some(first) = cells.points.first() else { return Gained { heat: Vec::new(), flows: HeatFlows::default() } };
        let reference = f64::from(particles.temperatures[first.slot as usize]);
        let mut all = self.nodes(step, island, reference, particles);
        let numbers: Vec<usize> = walls.iter().map(|(number, _)| *number).collect();
        let surfaces = Surfaces::find(&all, island, step.placing.is_flat, &numbers);
        let Gained { mut heat, flows: melting } =
            ContactMelting { heat: self, surfaces: &surfaces, step, island, walls, particles }.gained(&all);
        let network = Network::new(&all, &surfaces, step, island, &self.sources, walls, reference);
        let flows = network.run(&mut all, step.seconds);
        let mut flows =
            HeatFlows { walls: flows[0] * self.cell(), air: flows[1] * self.cell(), ..HeatFlows::default() };
        flows += melting;
        for nodes in &all {
            let spread = self.spread(self.bodies[nodes.kind as usize], step.placing, step.seconds);
            let part = -(-BELOW_CELLS * spread).exp_m1();
            let field = nodes.gains(rows, part);
            let found = at_particles(cells, rows, &field, step.placing.is_flat);
            let capacity = nodes.substance.specific_heat() * part;
            for ((heat, found), point) in heat.iter_mut().zip(found).zip(&cells.points) {
                if self.kinds[point.source as usize] == nodes.kind {
                    let own = f64::from(particles.temperatures[point.slot as usize]) - reference;
                    *heat += found - (capacity * own) as f32;
                }
            }
        }
        Gained { heat, flows }
    }

    /// Volume of a cell, m^3.
    fn cell(&self) -> f64 {
        self.volume / self.part
    }

    /// The nodes of each substance in an island.
    fn nodes<'a>(
        &'a self,
        step: &HeatStep,
        Island { cells, rows, .. }: &Island,
        reference: f64,
        particles: &Particles,
    ) -> Vec<Nodes<'a>> {
        let mut present = vec![false; self.bodies.len()];
        cells.points.iter().for_each(|point| present[self.kinds[point.source as usize] as usize] = true);
        let kinds = (0..self.bodies.len() as u32).filter(|&kind| present[kind as usize]);
        let of = |kind: u32| {
            let body = self.bodies[kind as usize];
            let (substance, density) = (&self.sources.substances[body], self.density(body));
            let values = Values { kind, substance, density, reference };
            let mass = |source: usize| self.part * self.density(source) / density;
            let zero = values.heat();
            let brought = cells.points.par_iter().with_min_len(1024).map(|point| {
                let (source, slot) = (point.source as usize, point.slot as usize);
                if self.kinds[source] != kind {
                    return [0.0; 4];
                }
                let heat = particles.heats[slot] - zero;
                let warmer = f64::from(particles.temperatures[slot]) - reference;
                let mass = mass(source);
                [self.part, mass, mass * heat, mass * warmer].map(|value| value as f32)
            });
            let brought: Vec<[f32; 4]> = brought.collect();
            values.nodes(cells, rows, &brought, step.placing.is_flat)
        };
        kinds.map(of).collect()
    }

    /// Adds gains, J/kg, to some particles, and what heaters give.
    fn warm(&self, points: &[Point], gains: &[f32], heaters: &[HeaterStep], particles: &mut Particles) -> HeatFlows {
        let before = &*particles;
        let warmed = |(point, gain): (&Point, &f32)| {
            let (slot, source) = (point.slot as usize, point.source as usize);
            let flowed = (before.heats[slot] + f64::from(*gain)).max(0.0);
            let heat = self.sources.heated(source, flowed, before.positions[slot], heaters);
            let substance = &self.sources.substances[source];
            let given = (heat - flowed) * self.masses[source];
            (heat, substance.temperature(heat) as f32, substance.melted(heat) as f32, given)
        };
        let warmed: Vec<_> = points.par_iter().zip(gains).with_min_len(AT_ONCE).map(warmed).collect();
        let mut heaters = 0.0;
        for (point, (heat, temperature, melted, given)) in points.iter().zip(warmed) {
            let slot = point.slot as usize;
            (particles.heats[slot], particles.temperatures[slot], particles.melted[slot]) = (heat, temperature, melted);
            heaters += given;
        }
        HeatFlows { heaters, ..HeatFlows::default() }
    }
}
