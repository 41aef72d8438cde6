//! The matter of a substance in the cells of an island.

use super::curve::Curve;
use crate::SetupError;
use crate::grid::{Field, Fields, Rows, pass_by, zeros};
use crate::heat::Substance;
use crate::material::continuum::{Cells, moving_axes, sums_in_cells};
use dollop_scene::JsonPath;

/// The most substances of matter on a grid.
pub const MOST_KINDS: usize = 64;

/// Matter that fills less of a cell conducts nothing.
const LEAST: f32 = 1e-4;

/// A cell that is filled this far conducts as a full one: particles lie as they come.
const FULL: f32 = 0.85;

/// The variance of two quadratic splines, over twice the width of a cell squared.
const SPREAD: f32 = 0.25;

/// The error about a body with one substance too many.
pub fn too_many(body: usize) -> SetupError {
    let message = format!(
        "the matter of a scene with type \"continuum\" may have at most {MOST_KINDS} different sets of these; give bodies alike the \
         same numbers"
    );
    SetupError::new(JsonPath::item("bodies", body).key("heat"), message)
}

/// What nodes tell their values by.
#[derive(Debug, Clone, Copy)]
pub struct Values<'a> {
    /// Number of the substance.
    pub kind: u32,
    pub substance: &'a Substance,
    /// kg/m^3.
    pub density: f64,
    /// The temperature that counts as zero, K.
    pub reference: f64,
}

/// The nodes of a substance: one in each cell that its particles count in.
#[derive(Debug)]
pub struct Nodes<'a> {
    pub kind: u32,
    pub substance: &'a Substance,
    /// kg/m^3.
    pub density: f64,
    pub curve: Curve,
    is_flat: bool,
    /// Volume over that of a cell.
    pub filled: Field,
    /// Mass over that of a full cell.
    pub mass: Field,
    /// Heat, J/kg, less that at the reference, before and now.
    before: Field,
    pub heat: Field,
    /// By [`Self::heat`], K, less the reference.
    pub temperature: Field,
    /// Mean temperature of the particles.
    mean: Field,
    /// How much of the low faces of cells conducts.
    pub open: Fields,
}

impl<'a> Values<'a> {
    /// The heat that counts as zero, J/kg.
    pub fn heat(&self) -> f64 {
        self.substance.enthalpy(self.reference)
    }

    /// The nodes of what particles bring: volume and mass over those of a full cell, and these times heat and
    /// temperature.
    pub fn nodes(&self, cells: &Cells, rows: &Rows, brought: &[[f32; 4]], is_flat: bool) -> Nodes<'a> {
        let Self { kind, substance, density, .. } = *self;
        let [filled, mass, mut heat, mut mean] = sums_in_cells(cells, rows, brought, is_flat);
        let curve = Curve::new(substance, self.reference, self.heat());
        let mut temperature = vec![0.0; rows.len()];
        pass_by::<3, ()>(rows, [&mut heat, &mut mean, &mut temperature], |(), row, [heat, mean, temperature]| {
            let values = heat.iter_mut().zip(mean).zip(temperature);
            for (((heat, mean), temperature), mass) in values.zip(rows.own(&mass, row)) {
                if *mass > 0.0 {
                    (*heat, *mean) = (*heat / mass, *mean / mass);
                    *temperature = curve.temperature(*heat);
                }
            }
        });
        let mut open = zeros(rows.len());
        for axis in moving_axes(is_flat) {
            open[axis] = open_faces(rows, axis, &mass, &filled);
        }
        let before = heat.clone();
        Nodes { kind, substance, density, curve, is_flat, filled, mass, before, heat, temperature, mean, open }
    }
}

impl Nodes<'_> {
    /// Whether a node conducts.
    pub fn is_at(&self, at: usize) -> bool {
        self.mass[at] > LEAST
    }

    /// Takes flows, W/m^3, for some seconds, given what they add to heats.
    pub fn take(&mut self, rows: &Rows, flow: &Field, share: &Field, seconds: f32) {
        let curve = self.curve;
        pass_by::<2, ()>(rows, [&mut self.heat, &mut self.temperature], |(), row, [heat, temperature]| {
            let gains = rows.own(flow, row).iter().zip(rows.own(share, row));
            for ((heat, temperature), (flow, share)) in heat.iter_mut().zip(temperature).zip(gains) {
                if *share > 0.0 {
                    *heat += seconds * flow * share;
                    *temperature = curve.temperature(*heat);
                }
            }
        });
    }

    /// What particles gain by the values of cells, J/kg: the cells' gains, and a part of what brings them to the mean
    /// temperature around them. Going to the cells and back spreads a quarter of a cell's width squared, which the
    /// means make up for.
    pub fn gains(&self, rows: &Rows, part: f64) -> Field {
        let capacity = (self.substance.specific_heat() * part) as f32;
        let mut gains = vec![0.0; rows.len()];
        pass_by::<1, ()>(rows, [&mut gains], |(), row, [gains]| {
            let values = rows.own(&self.heat, row).iter().zip(rows.own(&self.before, row));
            for ((gain, (heat, before)), mean) in gains.iter_mut().zip(values).zip(rows.own(&self.mean, row)) {
                *gain = (heat - before) + capacity * mean;
            }
        });
        for axis in moving_axes(self.is_flat) {
            let open = &self.open[axis];
            pass_by::<1, ()>(rows, [&mut gains], |(), row, [gains]| {
                let (own, mass) = (rows.own(&self.mean, row), rows.own(&self.mass, row));
                let low = rows.own(open, row).iter().zip(rows.beside(&self.mean, row, axis, -1));
                let high = rows.beside(open, row, axis, 1).iter().zip(rows.beside(&self.mean, row, axis, 1));
                for ((((gain, own), mass), low), high) in gains.iter_mut().zip(own).zip(mass).zip(low).zip(high) {
                    if *mass > LEAST {
                        let spread = low.0 * (low.1 - own) + high.0 * (high.1 - own);
                        *gain -= capacity * SPREAD * spread / mass;
                    }
                }
            });
        }
        gains
    }
}

/// How much of the faces across an axis conducts, by the low face of each cell.
fn open_faces(rows: &Rows, axis: usize, mass: &Field, filled: &Field) -> Field {
    let mut open = vec![0.0; rows.len()];
    pass_by::<1, ()>(rows, [&mut open], |(), row, [open]| {
        let masses = rows.own(mass, row).iter().zip(rows.beside(mass, row, axis, -1));
        let filled = rows.own(filled, row).iter().zip(rows.beside(filled, row, axis, -1));
        for ((open, masses), filled) in open.iter_mut().zip(masses).zip(filled) {
            let both = *masses.0 > LEAST && *masses.1 > LEAST;
            *open = if both { (filled.0.min(*filled.1) / FULL).min(1.0) } else { 0.0 };
        }
    });
    open
}
