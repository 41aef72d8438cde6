//! Heat: the temperature of matter, and the flows that warm and cool it.
//!
//! Each particle holds heat, as enthalpy by mass ([`Substance`]); its temperature and its molten part follow. All
//! particles share the same steps of heat ([`stages/heat`](crate::stages)). Flows depend on the matter at
//! the step's start (explicit Euler): between particles and through walls ([`Conduction`]), from the air
//! ([`HeatSurface`]) and in heaters ([`HeaterRegion`]).

mod air;
mod conduction;
mod flows;
mod foil;
mod on_grid;
mod region;
mod sources;
mod substance;
mod surface;
mod track;

pub use conduction::WallPart;
pub use flows::HeatFlows;
pub use on_grid::{GridHeat, HeatStep};
pub use sources::HeatSources;
pub use substance::Substance;
pub use track::Track;

use crate::boundary::WallColumn;
use crate::laws::conduction::{Conducted, Conductor};
use crate::material::model;
use crate::neighbours::{Active, BATCH, Neighbours};
use crate::particles::{Density, Particles, share};
use crate::{SetupError, SmoothingKernel};
use conduction::Conduction;
use dollop_scene::{Body, JsonPath, Scene};
use foil::SheetHeat;
use glam::DVec3;
use rayon::prelude::*;
use region::HeaterStep;
use std::sync::Arc;
use surface::HeatSurface;

/// Part of the difference to its surroundings that a particle may lose in a step of heat.
const STABLE: f64 = 0.4;

/// The most steps of heat that a frame may have.
const MOST_STEPS: f64 = 16_384.0;

/// Factor by which a particle's conductance may exceed that in the midst of matter, for the test that refuses scenes.
const MARGIN: f64 = 2.0;

/// The walls with a temperature around a particle.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct WarmWalls {
    /// The terms that they add to its sums.
    pub part: WallPart,
    /// Sum of the weights times the walls' temperatures, K.
    pub pull: f32,
}

impl WarmWalls {
    /// Adds one more wall, at a temperature in K.
    #[must_use]
    pub fn and(self, part: WallPart, temperature: f64) -> Self {
        Self {
            part: WallPart { moment: self.part.moment + part.moment, weight: self.part.weight + part.weight },
            pull: self.pull + part.weight * temperature as f32,
        }
    }
}

/// The factor on the corrections of matter on a grid, where it conducts to other matter: both lie farther apart than
/// rows of either, so fewer particles are near each other. Half of it and of 1 counts.
const ACROSS: f32 = 7.0;

/// Heat flows into a particle, W, and their decrease for each kelvin that the particle is warmer, W/K.
#[derive(Debug, Clone, Copy, Default)]
struct Exchange {
    particles: f64,
    walls: f64,
    air: f64,
    conductance: f64,
}

impl Exchange {
    /// What neighbours alone conduct, by a [factor](Conduction::factor), m.
    fn of_pairs(conducted: Conducted, factor: f64) -> Self {
        Self {
            particles: factor * f64::from(conducted.heat),
            conductance: factor * f64::from(conducted.conductance),
            ..Self::default()
        }
    }
}

/// The heat of a scene.
#[derive(Debug)]
pub struct HeatSolver {
    conduction: Conduction,
    surface: HeatSurface,
    sources: Arc<HeatSources>,
    /// Mass of a particle, kg, by body.
    masses: Vec<f64>,
    /// The bodies that are sheets, by body.
    foils: Vec<Option<SheetHeat>>,
    /// The bodies that move on a grid, which has their heat, by body.
    on_grid: Vec<bool>,
    rows: Vec<Conductor>,
    /// The same without what matter on a grid conducts; empty where there is none.
    pair_rows: Vec<Conductor>,
    exchanges: Vec<Exchange>,
}

impl HeatSolver {
    /// The heat of a scene, for particles of these masses, kg, by body.
    ///
    /// # Errors
    /// When matter conducts too well to follow.
    pub fn new(
        scene: &Scene,
        sources: Arc<HeatSources>,
        kernel: &SmoothingKernel,
        masses: Vec<f64>,
    ) -> Result<Self, SetupError> {
        let spacing = scene.particle_spacing;
        let conduction = Conduction::new(kernel, spacing);
        let surface = HeatSurface::new(&scene.ambient, &conduction, kernel, spacing);
        let foil = |body: &Body| SheetHeat::new(model(&body.material), &surface, kernel, spacing);
        let solver = Self {
            foils: scene.bodies.iter().map(foil).collect(),
            surface,
            conduction,
            on_grid: scene.bodies.iter().map(|body| model(&body.material).moves_on_grid()).collect(),
            masses,
            sources,
            rows: Vec::new(),
            pair_rows: Vec::new(),
            exchanges: Vec::new(),
        };
        solver.refuse_too_quick(1.0 / scene.frames.rate)?;
        Ok(solver)
    }

    /// Refuses bodies, of those that conduct between pairs of particles, that conduct too well.
    fn refuse_too_quick(&self, interval: f64) -> Result<(), SetupError> {
        let all = self.sources.substances.iter().enumerate();
        for (number, substance) in all.filter(|(number, _)| !self.on_grid[*number]) {
            let conductance = MARGIN * self.sources.rate * self.conduction.in_bulk(f64::from(substance.conductivity));
            let most = STABLE * MOST_STEPS * self.heat_capacity(number) / interval;
            if conductance > most {
                // A margin, so that rounding to two digits does not exceed the limit.
                let slower = 0.95 * most / conductance;
                return Err(too_quick(number, f64::from(substance.conductivity), self.sources.rate, slower));
            }
        }
        Ok(())
    }

    /// Heat that warms a particle of a body by a kelvin, J/K.
    fn heat_capacity(&self, source: usize) -> f64 {
        self.mass(source) * self.sources.substances[source].specific_heat()
    }

    fn mass(&self, source: usize) -> f64 {
        self.masses[source]
    }

    /// The substance of a body.
    pub fn substance(&self, source: u32) -> &Substance {
        &self.sources.substances[source as usize]
    }

    /// What gives the matter heat.
    pub fn sources(&self) -> &HeatSources {
        &self.sources
    }

    /// The terms that a wall at a distance, m, adds to a particle's sums.
    pub fn wall_part(&self, distance: f64) -> WallPart {
        self.conduction.wall(distance)
    }

    /// Heat of all matter, J, counted from 0 K.
    pub fn stored(&self, particles: &Particles) -> f64 {
        let mass = |slot: usize| share(&particles.shares, slot) * self.mass(particles.sources[slot] as usize);
        particles.heats.iter().enumerate().map(|(slot, heat)| heat * mass(slot)).sum()
    }

    /// Finds the heat flow into each particle, given the walls around it and their terms where they have a temperature;
    /// `all` are all slots, with their lists made and their places current.
    pub fn find(
        &mut self,
        neighbours: &Neighbours,
        all: &Active,
        particles: &Particles,
        walls: &WallColumn,
        warm: impl Fn(usize) -> WarmWalls + Sync,
    ) {
        let mut rows = std::mem::take(&mut self.rows);
        rows.resize(particles.paired, Conductor::default());
        all.parts().zip(all.of(&mut rows)).for_each(|((_, slots), rows)| {
            let arounds = self.conduction.around(neighbours, slots);
            for ((&slot, row), around) in slots.iter().zip(rows).zip(arounds) {
                let slot = slot as usize;
                let source = particles.sources[slot];
                let foil = self.foils[source as usize];
                let part = foil.map_or(1.0, |foil| foil.part * share(&particles.shares, slot) as f32);
                let conductivity = self.substance(source).conductivity * part;
                let wider = if self.on_grid[source as usize] { ACROSS } else { 1.0 };
                let correction = wider * self.conduction.correction(&around, warm(slot).part.moment);
                row.place = neighbours.places()[slot];
                let larger = foil.map_or(1.0, |foil| foil.surface);
                let area = (self.surface.area(&around, walls.of(slot)) * larger) as f32;
                row.row = [particles.temperatures[slot], conductivity, correction, area];
            }
        });
        let is_on_grid = |slot: usize| self.on_grid[particles.sources[slot] as usize];
        // Heat flows within matter on a grid by the grid.
        let mut pair_rows = std::mem::take(&mut self.pair_rows);
        pair_rows.clear();
        if (0..rows.len()).any(is_on_grid) {
            pair_rows.clone_from(&rows);
            (0..rows.len()).filter(|&slot| is_on_grid(slot)).for_each(|slot| pair_rows[slot].row[1] = 0.0);
        }
        let mut exchanges = std::mem::take(&mut self.exchanges);
        exchanges.resize(particles.paired, Exchange::default());
        all.parts().zip(all.of(&mut exchanges)).for_each(|((_, slots), exchanges)| {
            let fluxes = self.conduction.fluxes(neighbours, &rows, &rows, slots);
            let is_mixed = slots.iter().any(|&slot| is_on_grid(slot as usize));
            let across = is_mixed.then(|| self.conduction.fluxes(neighbours, &rows, &pair_rows, slots));
            for (n, (&slot, exchange)) in slots.iter().zip(exchanges).enumerate() {
                let slot = slot as usize;
                if let Some(across) = across.filter(|_| is_on_grid(slot)) {
                    *exchange = Exchange::of_pairs(across[n], self.conduction.factor);
                    continue;
                }
                let of_pairs = Exchange::of_pairs(fluxes[n], self.conduction.factor);
                let [temperature, _, _, area] = rows[slot].row.map(f64::from);
                let source = particles.sources[slot];
                let Substance { emissivity, conductivity, .. } = *self.substance(source);
                let conductivity = f64::from(conductivity);
                let thinner = self.foils[source as usize].map_or(1.0, |foil| foil.thinner);
                let air = self.surface.inflow(area, temperature, conductivity * thinner, emissivity);
                let walls = warm(slot);
                let by_walls = conductivity * self.conduction.factor;
                let (weight, pull) = (f64::from(walls.part.weight), f64::from(walls.pull));
                *exchange = Exchange {
                    walls: by_walls * (pull - weight * temperature),
                    air: air.heat,
                    conductance: of_pairs.conductance + by_walls * weight + air.conductance,
                    ..of_pairs
                };
            }
        });
        (self.rows, self.pair_rows, self.exchanges) = (rows, pair_rows, exchanges);
    }

    /// The least number of equal steps that some time, s, takes, given the [found](Self::find) flows.
    pub fn steps(&self, particles: &Particles, seconds: f64) -> f64 {
        let capacity =
            |slot: usize| share(&particles.shares, slot) * self.heat_capacity(particles.sources[slot] as usize);
        let exchanges = self.exchanges.iter().enumerate();
        exchanges.map(|(slot, exchange)| exchange.conductance / capacity(slot)).fold(0.0, f64::max)
            * self.sources.rate
            * seconds
            / STABLE
    }

    /// Advances by some seconds from a time, s, with the [found](Self::find) flows. `after_setting` returns the molten
    /// part of a body's matter some seconds after a given molten part, however cold the matter is. `softened` gets the
    /// slot, the body, the density and the molten parts before and after of matter that melts or sets, and returns the
    /// elastic energy that it gains, J.
    pub fn advance(
        &self,
        particles: &mut Particles,
        time: f64,
        seconds: f64,
        after_setting: impl Fn(u32, f32, f64) -> f32 + Sync,
        softened: impl Fn(usize, u32, Density, (f32, f32)) -> f64 + Sync,
    ) -> HeatFlows {
        let heatings = self.sources.heaters(time, seconds);
        let Particles {
            positions,
            velocities,
            densities,
            sources,
            heats,
            temperatures,
            melted,
            welds,
            shares,
            paired,
            ..
        } = particles;
        let heats = &mut heats[..*paired];
        let state = heats.par_chunks_mut(BATCH).zip(temperatures.par_chunks_mut(BATCH));
        let state = state.zip(melted.par_chunks_mut(BATCH)).zip(velocities.par_chunks_mut(BATCH));
        let state = state.zip(welds.par_chunks_mut(BATCH));
        let batch = |(batch, ((((heats, temperatures), melted), velocities), welds)): (usize, Batch)| {
            let mut flows = HeatFlows::default();
            for n in 0..heats.len() {
                let slot = batch * BATCH + n;
                let source = sources[slot] as usize;
                let particle =
                    WarmedParticle { slot, source, share: share(shares, slot), heat: heats[n], place: positions[slot] };
                let substance = &self.sources.substances[source];
                if self.on_grid[source] {
                    // The grid lets it melt.
                    let flowed =
                        heats[n] + self.sources.rate * seconds * self.exchanges[slot].particles / self.mass(source);
                    let heat = flowed.max(0.0);
                    flows.air += (heat - flowed) * self.mass(source);
                    (heats[n], temperatures[n]) = (heat, substance.temperature(heat) as f32);
                    continue;
                }
                let (heat, flow) = self.warmed(&particle, seconds, &heatings);
                flows += flow;
                let (by_heat, before) = (substance.melted(heat) as f32, melted[n]);
                let now =
                    if by_heat < before { by_heat.max(after_setting(sources[slot], before, seconds)) } else { by_heat };
                if now.to_bits() != before.to_bits() {
                    flows.elastic += softened(slot, sources[slot], densities[slot], (before, now));
                    stir(&mut velocities[n]);
                }
                (heats[n], temperatures[n], melted[n]) = (heat, substance.temperature(heat) as f32, now);
                welds[n] = weld(now).max(welds[n]);
            }
            flows
        };
        // Batches are summed in their order, whichever thread warms them.
        state.enumerate().map(batch).collect::<Vec<_>>().into_iter().sum()
    }

    /// The heat, J/kg, of a particle some seconds later, and the flows by source.
    fn warmed(&self, particle: &WarmedParticle, seconds: f64, heatings: &[HeaterStep]) -> (f64, HeatFlows) {
        let WarmedParticle { slot, source, share, heat, place } = *particle;
        let (exchange, mass) = (&self.exchanges[slot], share * self.mass(source));
        let dt = self.sources.rate * seconds;
        let asked = heat + dt * (exchange.particles + exchange.walls + exchange.air) / mass;
        // Cold matter that warmed up within the step may be asked for more heat than it has; the air goes without the
        // rest.
        let flowed = asked.max(0.0);
        let heated = self.sources.heated(source, flowed, place, heatings);
        let flows = HeatFlows {
            walls: dt * exchange.walls,
            air: dt * exchange.air + (flowed - asked) * mass,
            heaters: (heated - flowed) * mass,
            elastic: 0.0,
        };
        (heated, flows)
    }

    /// Memory, bytes.
    pub fn memory(&self) -> usize {
        (self.rows.len() + self.pair_rows.len()) * size_of::<Conductor>() + self.exchanges.len() * size_of::<Exchange>()
    }
}

/// The error about a body that conducts, W/(m K), too well at a rate of heat, given how many times slower would do.
fn too_quick(body: usize, conductivity: f64, rate: f64, slower: f64) -> SetupError {
    SetupError::new(
        JsonPath::item("bodies", body).key("heat").key("conductivity"),
        format!(
            "heat flows through this matter too fast to follow at this particle_spacing; up to {:.1e} W/(m K) would do, or a heat.rate \
             of up to {:.1e}, or use a larger particle_spacing",
            slower * conductivity,
            slower * rate
        ),
    )
}

/// A particle that heat flows into.
struct WarmedParticle {
    slot: usize,
    /// Number of its body.
    source: usize,
    /// Share of its full mass.
    share: f64,
    /// Heat, J/kg.
    heat: f64,
    /// Position, m.
    place: DVec3,
}

/// Heats, temperatures, molten parts, velocities and welds of a batch.
type Batch<'a> = ((((&'a mut [f64], &'a mut [f32]), &'a mut [f32]), &'a mut [DVec3]), &'a mut [f32]);

/// Strength of the bonds between matter of a molten part and other matter, 0 to 1: it grows as the matter's own bonds
/// weaken. At full strength at once it would draw the matter to everything that it touches.
pub fn weld(melted: f32) -> f32 {
    (2.0 * melted - 1.0).max(0.0)
}

/// Wakes matter that melts or sets with the next frame, in which only particles without any velocity may sleep.
fn stir(velocity: &mut DVec3) {
    if *velocity == DVec3::ZERO {
        velocity.z = f64::MIN_POSITIVE;
    }
}
