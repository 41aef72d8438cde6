//! Maps an artist's settings to the weights of the potentials.

use super::flow::SheetFlow;
use crate::SmoothingKernel;
use crate::lattice::nearest;
use crate::laws::sheet::{Pair, Weave, Weights, layer};
use crate::laws::well::{Exponents, Well};
use crate::material::model;
use dollop_scene::{Body, Oriented, Scene, Structure};
use glam::DVec2;

/// Area of a particle of a sheet at rest, m^2.
pub fn area(spacing: f64) -> f64 {
    0.75_f64.sqrt() * nearest(spacing).powi(2)
}

/// Exponents of the available wells, from wide to narrow.
const WELLS: [(u8, u8); 12] =
    [(2, 1), (3, 1), (4, 2), (6, 3), (8, 4), (10, 5), (12, 6), (14, 7), (16, 8), (18, 9), (20, 10), (24, 12)];

/// Moment of inertia of a particle over its mass and the square of the distance to its neighbours: that of a ball that
/// touches them.
const INERTIA: f64 = 0.1;

/// How firmly normals are tied to the sheet, over the stiffness of a pair and the square of its length. With less,
/// normals tumble when the sheet is struck; with more, steps get shorter.
const TIE: f64 = 0.3;

/// The contact distance of a growing sheet to unbound particles beside it, in distances of nearest neighbours: a grown
/// sheet is denser.
const DENSE: f32 = 0.6;

/// Tension at which a growing sheet yields, as made and when thinned to nothing, over the tension at which it tears.
const YIELDS: (f64, f64) = (0.5, 0.8);

/// Constants of one sheet.
#[derive(Debug, Clone, Copy)]
pub struct Sheet {
    /// Mass of a particle, kg.
    pub mass: f64,
    /// Moment of inertia of a particle, kg m^2.
    pub inertia: f64,
    /// How neighbours bind each other.
    pub well: Well,
    /// Depth of the well, J.
    pub energy: f64,
    /// Weights of the potentials, J, with lengths in units of h.
    pub weights: Weights<f64>,
    /// Damping, m/s.
    pub viscosity: f64,
    /// Whether it is woven.
    pub woven: bool,
    /// Whether only tools tear it, short of the support.
    pub lasting: bool,
    /// Stiffness of the spring between neighbours that gives the same stiffness under tension, N/m.
    pub spring: f64,
    /// Damping of a neighbour pair over its [spring](Self::spring), s.
    pub damping: f64,
    /// The largest pull between neighbours, N.
    pub strength: f64,
    /// How it yields.
    pub flow: SheetFlow,
    /// The part of its stiffness that is left when it is wholly soft.
    pub softest: f32,
}

impl Sheet {
    /// The sheet of a material at a spacing, m.
    pub fn new(material: &Oriented, kernel: &SmoothingKernel, spacing: f64) -> Self {
        let nearest = nearest(spacing);
        let area = area(spacing);
        let mass = material.rest_density * material.thickness * area;
        let well = well(material.tear_stretch, nearest);
        let woven = material.structure == Structure::Woven;
        let moments = Moments::new(kernel, nearest, woven);
        let h = kernel.smoothing_length();
        // The energy of a particle of a sheet that is bent to a cylinder of curvature k is area D k^2 / 2; co-planarity
        // gives planarity x^4 k^2 / 4, co-normality normality x^2 k^2 for each neighbour.
        let of = |stiffness: f64| stiffness * area / 2.0 / (h * h);
        let half = of(material.bending_stiffness) / 2.0;
        let energy = material.stretch_stiffness / modulus(&well, nearest);
        let firmness = f64::from(well.exponents.n) * f64::from(well.exponents.m) * energy;
        Self {
            mass,
            inertia: INERTIA * mass * nearest * nearest,
            energy,
            well,
            weights: Weights {
                planarity: 4.0 * half / moments.fourth,
                normality: half / moments.second,
                circularity: 4.0 * of(material.evenness) / moments.fourth + TIE * firmness / (4.0 * moments.second),
                curvature: material.curvature * h,
            },
            viscosity: material.viscosity,
            woven,
            lasting: woven && !material.tears,
            // Young's modulus of a hexagonal lattice of springs k is 2 / sqrt(3) k.
            spring: 0.75_f64.sqrt() * material.stretch_stiffness,
            damping: if woven { material.stretch_damping } else { 0.0 },
            strength: energy / well.separation * well.greatest_pull(),
            flow: SheetFlow {
                growth: material.growth,
                yields: (well.stretch_at(YIELDS.0), well.stretch_at(YIELDS.1)),
                tears: well.tear_stretch(),
                relaxation: material.molten.relaxation,
            },
            softest: material.molten.stiffness as f32,
        }
    }

    /// Whether it grows.
    pub fn grows(&self) -> bool {
        self.woven && self.flow.growth > 1.0
    }

    /// Its weave, if it is woven.
    pub fn weave(&self) -> Option<Weave> {
        let Exponents { n, m } = self.well.exponents;
        let spring = if self.lasting { f32::from(n) * f32::from(m) } else { 0.0 };
        self.woven.then_some(Weave { room: if self.grows() { DENSE } else { 1.0 }, spring })
    }

    /// The part of its stiffness that is left at a molten part.
    pub fn left(&self, melted: f32) -> f32 {
        if melted > 0.0 { self.softest.powf(melted) } else { 1.0 }
    }
}

/// The well that tears nearest to a stretch.
fn well(tear_stretch: f64, nearest: f64) -> Well {
    let wells = WELLS.map(|(n, m)| Well::in_sheet(Exponents { n, m }, nearest));
    let off = |well: &Well| (well.tear_stretch() - tear_stretch).abs();
    wells.into_iter().reduce(|best, well| if off(&well) < off(&best) { well } else { best }).unwrap_or(wells[0])
}

/// Offsets of the neighbours on the hexagonal lattice, m, within some distance.
pub fn hexagonal(nearest: f64, within: f64) -> impl Iterator<Item = DVec2> {
    let most = (within / (0.75_f64.sqrt() * nearest)).ceil() as i32 + 1;
    let places = (-most..=most).flat_map(move |j| (-2 * most..=2 * most).map(move |i| (i, j)));
    let offset = move |(i, j): (i32, i32)| {
        DVec2::new(f64::from(i) + 0.5 * f64::from(j), 0.75_f64.sqrt() * f64::from(j)) * nearest
    };
    places.filter(|&place| place != (0, 0)).map(offset).filter(move |offset| offset.length() < within)
}

/// Young's modulus of a sheet over the depth of its well, N/m over J: the second derivatives of its energy by strain.
fn modulus(well: &Well, nearest: f64) -> f64 {
    const STRAIN: f64 = 1e-4;
    let area = 0.75_f64.sqrt() * nearest * nearest;
    let energy = |strain: DVec2| {
        let of = |offset: DVec2| well.value((offset * (1.0 + strain)).length()).energy;
        hexagonal(nearest, 2.0 * nearest).map(of).sum::<f64>() / (2.0 * area)
    };
    let bent = |direction: DVec2| {
        let at = |by: f64| energy(direction * by);
        (at(STRAIN) + at(-STRAIN) - 2.0 * at(0.0)) / (STRAIN * STRAIN)
    };
    let (along, both) = (bent(DVec2::X), bent(DVec2::ONE));
    let across = both / 2.0 - along;
    along - across * across / along
}

/// Moments of the weights over the hexagonal lattice along one axis, in units of h; in a woven sheet over nearest
/// neighbours alone, with equal weights.
struct Moments {
    second: f64,
    fourth: f64,
}

impl Moments {
    fn new(kernel: &SmoothingKernel, nearest: f64, woven: bool) -> Self {
        let within = if woven { 1.1 * nearest } else { kernel.support() };
        let h = kernel.smoothing_length();
        let moment = |power: i32| {
            let of = |offset: DVec2| {
                let q = offset / h;
                let pair = Pair { layer: layer(nearest, h), squared: q.length_squared(), a: 0.0, b: 0.0, c: 1.0 };
                let weight = if woven { 1.0 } else { pair.weight(0.0).1 };
                weight * q.x.powi(power)
            };
            hexagonal(nearest, within).map(of).sum::<f64>()
        };
        Self { second: moment(2), fourth: moment(4) }
    }
}

/// The sheet of each body of a scene; none for other matter.
pub fn sheets(scene: &Scene, kernel: &SmoothingKernel) -> Vec<Option<Sheet>> {
    let sheet = |body: &Body| model(&body.material).sheet(kernel, scene.particle_spacing);
    scene.bodies.iter().map(sheet).collect()
}
