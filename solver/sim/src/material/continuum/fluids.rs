//! The matter of a step: what the particles of each body bring to it.

use super::cells::{Cells, Point};
use super::fracture::Fracture;
use super::law::Law;
use super::model::Fluid;
use super::scatter::Share;
use crate::particles::Particles;
use rayon::prelude::*;

/// The most that a viscosity counts as in the equations, in cells that are full: under a weight that would pass a cell
/// in a step such matter shears by 1e-12, and squares of its forces still are numbers in single precision.
const MOST_VISCOUS: f64 = 1e12;

/// The matter of a step.
#[derive(Debug)]
pub struct Fluids<'a> {
    /// By body.
    all: &'a [Option<Fluid>],
    /// Volume of a particle over that of a cell.
    pub volume: f64,
    /// The largest density, which masses are told by, kg/m^3.
    pub unit: f64,
    pub is_uniform: bool,
    pub shares: Vec<Share>,
    /// By body: the surface tension, and the same times the cosine of the contact angle, N/m.
    pub tensions: Vec<[f32; 2]>,
    /// What a viscosity counts as in the equations, s m/kg.
    scale: f64,
}

impl<'a> Fluids<'a> {
    /// The matter of a step of some seconds on cells of a width, m.
    pub fn new(all: &'a [Option<Fluid>], volume: f64, seconds: f64, width: f64) -> Self {
        let densities = || all.iter().flatten().map(|fluid| fluid.density);
        let unit = densities().fold(0.0, f64::max);
        let scale = seconds / (unit * width * width);
        let share = |fluid: &Option<Fluid>| {
            let (density, viscosity) = fluid.map_or((0.0, 0.0), |fluid| (fluid.density, fluid.solid.viscosity));
            let viscosity = if fluid.is_some_and(|fluid| fluid.molten.is_some()) { 0.0 } else { viscosity };
            Share {
                mass: (volume * density / unit) as f32,
                volume: volume as f32,
                viscous: viscous(volume, viscosity * scale),
            }
        };
        let is_uniform = densities().all(|density| density >= unit);
        let tension = |fluid: &Option<Fluid>| {
            fluid.map_or([0.0; 2], |fluid| {
                [fluid.tension, fluid.tension * fluid.contact_angle.cos()].map(|part| part as f32)
            })
        };
        let (shares, tensions) = (all.iter().map(share).collect(), all.iter().map(tension).collect());
        Self { all, volume, unit, is_uniform, shares, tensions, scale }
    }

    /// By body, kg/m^3; that of water where it does not count.
    pub fn densities(&self) -> impl Iterator<Item = f64> {
        self.all.iter().map(|fluid| fluid.map_or(1000.0, |fluid| fluid.density))
    }

    /// Gives particles of matter that melts their viscosity, which is not that of all of their body.
    pub fn thicken(&self, cells: &mut Cells, particles: &Particles) {
        if self.all.iter().flatten().any(|fluid| fluid.molten.is_some()) {
            let points = cells.points.par_iter_mut().with_min_len(256);
            points.for_each(|point| point.viscous = self.own_viscous(point, particles));
        }
    }

    /// What the viscosity of a particle counts as besides that of its body.
    fn own_viscous(&self, point: &Point, particles: &Particles) -> f32 {
        let Some(fluid) = self.of(point).filter(|fluid| fluid.molten.is_some()) else { return 0.0 };
        let slot = point.slot as usize;
        let temperature = particles.temperatures.get(slot).map_or(0.0, |&temperature| f64::from(temperature));
        self.viscous(fluid.viscosity(melted(particles, slot), temperature))
    }

    /// The same besides another viscosity, Pa s, and without a part of its body's that is lost.
    pub fn viscous_with(&self, point: &Point, particles: &Particles, viscosity: f64, lost: f32) -> f32 {
        let own = self.own_viscous(point, particles);
        own - (self.shares[point.source as usize].viscous + own) * lost + self.viscous(viscosity)
    }

    fn viscous(&self, viscosity: f64) -> f32 {
        viscous(self.volume, viscosity * self.scale)
    }

    /// How the matter of a particle keeps its shape, and its density, kg/m^3.
    pub fn law(&self, point: &Point, particles: &Particles) -> Option<(Law, f64)> {
        let fluid = self.of(point)?;
        Some((fluid.law(melted(particles, point.slot as usize))?, fluid.density))
    }

    /// Whether the matter of a particle is of grains until it melts.
    pub fn is_grain(&self, point: &Point) -> bool {
        let law = self.of(point).and_then(|fluid| fluid.solid.law);
        law.and_then(|law| law.flow).is_some_and(|flow| flow.friction > 0.0)
    }

    /// The viscosity of the matter of a particle, Pa s, apart from what else it brings to a solve.
    pub fn own_viscosity(&self, point: &Point, particles: &Particles) -> f64 {
        let viscous = self.shares[point.source as usize].viscous + self.own_viscous(point, particles);
        f64::from(viscous) / (self.volume * self.scale)
    }

    /// What a particle brings to a solve as its viscosity, Pa s.
    pub fn viscosity(&self, point: &Point) -> f64 {
        f64::from(self.shares[point.source as usize].viscous + point.viscous) / (self.volume * self.scale)
    }

    /// The density of the matter of a particle, kg/m^3.
    pub fn density(&self, point: &Point) -> f64 {
        self.of(point).map_or(self.unit, |fluid| fluid.density)
    }

    /// When the matter of a particle breaks: what melts gets weaker as it gets softer.
    pub fn fracture(&self, point: &Point, particles: &Particles) -> Option<Fracture> {
        let (fracture, melted) = (self.of(point)?.fracture?, melted(particles, point.slot as usize));
        (melted < 1.0).then(|| fracture.weaker(1.0 - melted))
    }

    /// Whether the matter of a particle is a solid that slides on walls: until all of it has melted to what flows.
    pub fn slides(&self, point: &Point, particles: &Particles) -> bool {
        let slides = |fluid: &Fluid| fluid.slides_at(melted(particles, point.slot as usize));
        self.of(point).is_some_and(slides)
    }

    /// Whether the matter of a particle never comes off what it sticks to: a liquid, or a solid without a strength
    /// that flows. What only springs is held better by contacts.
    pub fn sticks_for_good(&self, point: &Point, particles: &Particles) -> bool {
        let flows = || self.law(point, particles).is_some_and(|(law, _)| law.flow.is_some());
        !self.slides(point, particles) || (self.fracture(point, particles).is_none() && flows())
    }

    /// The mean of what solid matter sticks with to a wall, Pa: what never breaks does not come off either. The melt
    /// beside it does not tell.
    pub fn cohesion<'b>(&self, own: impl IntoIterator<Item = &'b Point>, particles: &Particles, adhesion: f64) -> f32 {
        if adhesion <= 0.0 {
            return 0.0;
        }
        let strength =
            |point: &Point| self.fracture(point, particles).map_or(f32::INFINITY, |fracture| fracture.strength as f32);
        let solid = own.into_iter().filter(|point| self.slides(point, particles));
        let [sum, count] = solid.fold([0.0, 0.0], |[sum, count], point| [sum + strength(point), count + 1.0]);
        if count > 0.0 { sum / count * adhesion as f32 } else { 0.0 }
    }

    /// The friction of the matter of a particle on other bodies.
    pub fn contact_friction(&self, point: &Point) -> f32 {
        self.of(point).map_or(0.0, |fluid| fluid.contact_friction as f32)
    }

    /// The pressure from which on the matter of a particle becomes one with solids that it touches, Pa; none of a
    /// liquid or a melt, which wet them instead.
    pub fn fusion_pressure(&self, point: &Point, particles: &Particles) -> Option<f32> {
        let solid = self.of(point).filter(|_| self.slides(point, particles));
        solid.map(|fluid| fluid.fusion_pressure as f32)
    }

    fn of(&self, point: &Point) -> Option<&Fluid> {
        self.all[point.source as usize].as_ref()
    }
}

/// What a particle brings, given its volume and what its viscosity counts as where it fills a cell.
fn viscous(volume: f64, full: f64) -> f32 {
    // What is no number stays none.
    (volume * if full > MOST_VISCOUS { MOST_VISCOUS } else { full }) as f32
}

/// The most damage that a particle may have: what melts heals.
pub fn most_damaged(particles: &Particles, slot: usize) -> f32 {
    1.0 - particles.melted.get(slot).copied().unwrap_or(0.0)
}

/// The molten part of a particle.
fn melted(particles: &Particles, slot: usize) -> f64 {
    particles.melted.get(slot).map_or(0.0, |&melted| f64::from(melted))
}
