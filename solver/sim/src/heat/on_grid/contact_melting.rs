//! Solids that melt on warm walls onto which something presses them (close-contact melting).
//!
//! What melts there is pressed out, so the solid rides on a [film](super::film) that its weight keeps thin, often a
//! tenth of a cell, and it melts as fast as heat crosses that film. The film of the grid is some two cells thick
//! whatever presses on it. So the wall gives the solid what heat the thin film lets pass and that of the grid does not.

use super::film::FilmArea;
use super::network::TO_WALL;
use super::nodes::Nodes;
use super::surface::Surfaces;
use super::{Gained, GridHeat, HeatStep};
use crate::grid::{Field, cells_around};
use crate::heat::{HeatFlows, Substance};
use crate::material::continuum::{Island, Point, at_particles, sums_in_cells};
use crate::particles::Particles;
use crate::union::Union;
use glam::{DVec3, IVec3};
use rustc_hash::FxHashMap;

/// Cells from that at a wall on in which the solid may begin.
const DEEP: usize = 5;
/// How much farther than the nearest of it a solid may be from the wall to be part of the film, in cells: all of it up
/// to the first, nothing from the second on.
const EVEN: [f64; 2] = [0.5, 1.5];
/// The molten part up to which matter is solid.
const SOLID: f32 = 0.5;
/// The part of the pressure around a film that the grid does not tell.
const UNSURE: f64 = 0.25;
/// The part of what is open of a cell of the film from which on a cell beside may be empty.
const NARROW: f32 = 0.5;

/// What melts an island's solids at walls.
pub struct ContactMelting<'a> {
    pub heat: &'a GridHeat,
    pub surfaces: &'a Surfaces,
    pub step: &'a HeatStep,
    pub island: &'a Island,
    /// Warm walls and their temperatures, K.
    pub walls: &'a [(usize, f64)],
    pub particles: &'a Particles,
}

/// The same for the nodes of one substance.
struct Solids<'a> {
    melting: &'a ContactMelting<'a>,
    nodes: &'a Nodes<'a>,
}

/// A piece of the wall with a solid before it.
struct Contact<'a> {
    cell: IVec3,
    /// Of the wall.
    normal: DVec3,
    /// m^2.
    area: f64,
    /// How much warmer the wall is than what just melted, K.
    warmer: f64,
    /// The open part of the cell.
    open: f32,
    /// From the wall to the solid, in cells.
    gap: f64,
    /// Cells from the wall on, by storage.
    column: Vec<usize>,
    /// A particle of the matter at the wall.
    point: &'a Point,
    /// A place on the wall, m.
    place: DVec3,
    /// Pressure at that place by what lies before it, Pa.
    pressure: f64,
    /// Sum of such pressures by what lies beside, Pa, and their number; none where other contacts or walls are.
    around: [f64; 2],
}

/// Contacts beside each other.
#[derive(Default)]
struct Patch {
    area: FilmArea,
    /// Area times difference of temperature, m^2 K.
    warmer: f64,
    /// Area times pressure, N, apart from what their heights make of pressures.
    load: f64,
    /// Area times the sum of pressures around it, N, apart from their heights and with them, and times their number.
    around: [f64; 3],
}

impl ContactMelting<'_> {
    /// What the particles gain besides what the grid conducts.
    pub fn gained(&self, all: &[Nodes]) -> Gained {
        let mut gained = Gained { heat: vec![0.0; self.island.cells.points.len()], flows: HeatFlows::default() };
        for nodes in all {
            let solids = Solids { melting: self, nodes };
            solids.melt(solids.contacts(), &mut gained);
        }
        gained
    }

    /// Whether some particles are solid in the mean.
    fn is_solid(&self, points: &[Point]) -> bool {
        let melted: f32 = points.iter().map(|point| self.particles.melted[point.slot as usize]).sum();
        melted < SOLID * points.len() as f32
    }

    /// The mean of what particles of a density, kg/m^3, press with at a place on a wall with a normal, Pa.
    fn pressure(&self, points: &[Point], density: f64, [place, normal]: [DVec3; 2]) -> f64 {
        let Particles { positions, pressures, stretches, melted, .. } = self.particles;
        let pressure = |point: &Point| {
            let (slot, fluid) = (point.slot as usize, self.heat.fluids[point.source as usize]);
            let by_shape = fluid
                .zip(stretches.get(slot))
                .map_or(0.0, |(fluid, stretch)| fluid.bears(*stretch, f64::from(melted[slot]), normal));
            let below = density * self.step.gravity.dot(place - positions[slot]);
            f64::from(pressures[slot]) + by_shape + below
        };
        points.iter().map(pressure).sum::<f64>() / points.len() as f64
    }
}

impl<'a> Solids<'a> {
    /// All places where a wall melts a solid.
    fn contacts(&self) -> Vec<Contact<'a>> {
        let ContactMelting { surfaces, walls, .. } = self.melting;
        let liquidus = self.nodes.substance.melting_range()[1];
        let touching = surfaces.walls.iter().filter(|(at, ..)| self.nodes.is_at(*at));
        let contact = |&(at, collider, area): &(usize, u32, f32)| {
            let warmer = walls.iter().find(|(number, _)| *number == collider as usize)?.1 - liquidus;
            let part = f64::from(area * self.nodes.filled[at] / surfaces.filled[at]);
            if warmer > 0.0 { self.contact(at, part, warmer) } else { None }
        };
        touching.filter_map(contact).collect()
    }

    fn contact(&self, at: usize, part: f64, warmer: f64) -> Option<Contact<'a>> {
        let ContactMelting { heat, step, island: Island { near, rows, cells }, .. } = self.melting;
        let &(cell, _, wall) = near.cells.get(near.numbers[at] as usize)?;
        let normal = wall.normal();
        let onward = normal / normal.abs().max_element();
        let along = |n: usize| (cell.as_vec3() + 0.5 + onward * n as f32).floor().as_ivec3();
        let (mut column, mut points, mut melted) = (Vec::new(), &[] as &[Point], Vec::new());
        for cell in (0..DEEP).map(along) {
            let Some(at) = rows.index(cell).filter(|&at| self.nodes.is_at(at)) else { break };
            if points.is_empty() {
                points = cells.find(cell).map_or(points, |own| cells.of(own));
            }
            melted.push(self.nodes.curve.melted(self.nodes.heat[at]));
            column.push(at);
        }
        let from_wall = f64::from(wall.distance() + front(&melted)? * onward.length()) - 0.5;
        let (middle, across) = (cell.as_dvec3() + 0.5, normal.as_dvec3());
        let place = step.placing.place(middle - across * f64::from(wall.distance()));
        let point = points.iter().find(|point| heat.kinds[point.source as usize] == self.nodes.kind)?;
        Some(Contact {
            cell,
            normal: across,
            area: part * heat.cell() / step.placing.width,
            warmer,
            open: wall.open,
            gap: TO_WALL + from_wall.max(0.0),
            column,
            point,
            place,
            pressure: self.melting.pressure(points, self.nodes.density, [place, across]),
            around: [0.0; 2],
        })
    }

    /// Gives particles the heat of all contacts.
    fn melt(&self, contacts: Vec<Contact<'a>>, gained: &mut Gained) {
        let ContactMelting { heat, step, island: Island { cells, rows, .. }, particles, .. } = *self.melting;
        let coolest = contacts.iter().map(|contact| contact.warmer).fold(f64::INFINITY, f64::min);
        let flows = self.flows(contacts);
        if flows.is_empty() {
            return;
        }
        let leaves = self.nodes.substance.melting_heats()[1] + warmed(self.nodes.substance, coolest);
        let missing = |point: &Point| {
            let is_own = heat.kinds[point.source as usize] == self.nodes.kind;
            if is_own { (leaves - particles.heats[point.slot as usize]).max(0.0) } else { 0.0 }
        };
        let joules = |point: &Point| [(heat.masses[point.source as usize] * missing(point)) as f32];
        let brought: Vec<[f32; 1]> = cells.points.iter().map(joules).collect();
        let [in_cells] = sums_in_cells(cells, rows, &brought, step.placing.is_flat);
        let mut left = in_cells.clone();
        for (column, watts) in flows {
            let mut joules = (watts * step.seconds) as f32;
            for at in column {
                let taken = joules.min(left[at]);
                left[at] -= taken;
                joules -= taken;
            }
        }
        let part = |(left, all): (&f32, &f32)| if *all > 0.0 { 1.0 - left / all } else { 0.0 };
        let parts: Field = left.iter().zip(&in_cells).map(part).collect();
        let found = at_particles(cells, rows, &parts, step.placing.is_flat);
        for ((gain, part), point) in gained.heat.iter_mut().zip(found).zip(&cells.points) {
            let own = f64::from(part) * missing(point);
            *gain += own as f32;
            gained.flows.walls += own * heat.masses[point.source as usize];
        }
    }

    /// The columns of contacts, and what flows into each besides what the grid conducts, W.
    fn flows(&self, mut contacts: Vec<Contact<'a>>) -> Vec<(Vec<usize>, f64)> {
        let conductivity = self.melting.heat.sources.rate * f64::from(self.nodes.substance.conductivity);
        let width = self.melting.step.placing.width;
        let patches = self.find_patches(&mut contacts);
        let thicknesses = self.thicknesses(&contacts, &patches);
        let flow = |(contact, patch): (Contact<'a>, u32)| {
            let (film, gap) = (thicknesses[patch as usize]?, contact.gap * width);
            // A gap not much thicker than the film is one that the solid has had no time to press out.
            let more = (1.0 - film / gap).max(0.0).powi(2) / film;
            Some((contact.column, conductivity * contact.area * contact.warmer * more))
        };
        contacts.into_iter().zip(patches).filter_map(flow).collect()
    }

    /// The number of each contact's patch. What is farther from the wall than most of its patch loses its area, and all
    /// get what is around them.
    fn find_patches(&self, contacts: &mut [Contact]) -> Vec<u32> {
        let numbers: FxHashMap<IVec3, u32> =
            (0..).zip(&*contacts).map(|(number, contact)| (contact.cell, number)).collect();
        let mut union = Union::new(contacts.len());
        for (number, contact) in (0..).zip(&mut *contacts) {
            for beside in cells_around(contact.cell) {
                if let Some(&other) = numbers.get(&beside) {
                    union.unite(number, other);
                } else if let Some(pressure) = self.around(contact, beside) {
                    contact.around = [contact.around[0] + pressure, contact.around[1] + 1.0];
                }
            }
        }
        let patches = union.numbered();
        let mut nearest: Vec<f64> = Vec::new();
        for (contact, &patch) in contacts.iter().zip(&patches) {
            nearest.resize(nearest.len().max(patch as usize + 1), f64::INFINITY);
            nearest[patch as usize] = nearest[patch as usize].min(contact.gap);
        }
        for (contact, &patch) in contacts.iter_mut().zip(&patches) {
            let farther = contact.gap - nearest[patch as usize];
            contact.area *= ((EVEN[1] - farther) / (EVEN[1] - EVEN[0])).clamp(0.0, 1.0);
        }
        patches
    }

    /// The pressure beside a contact, as its own; none in walls, and before or behind it.
    fn around(&self, contact: &Contact, beside: IVec3) -> Option<f64> {
        let ContactMelting { step, island: Island { near, rows, cells }, .. } = self.melting;
        let by = (beside - contact.cell).as_dvec3();
        if step.placing.is_flat && by.y != 0.0 || by.dot(contact.normal).abs() > 0.5 * by.length() {
            return None;
        }
        let open = rows.index(beside).and_then(|at| near.at(at)).map_or(1.0, |wall| wall.open);
        let own = cells.find(beside);
        // What is left of a cell beside another wall holds no particles. Nothing leaves through the solid.
        let solid = |own| self.melting.is_solid(cells.of(own));
        if open <= 0.0 || own.map_or(open < NARROW * contact.open, solid) {
            return None;
        }
        let at = [contact.place, contact.normal];
        let of = |own| self.melting.pressure(cells.of(own), self.nodes.density, at);
        Some(own.map_or(0.0, of))
    }

    /// How thick the film of each patch is, m; none where nothing presses it out.
    fn thicknesses(&self, contacts: &[Contact], numbers: &[u32]) -> Vec<Option<f64>> {
        let placing = self.melting.step.placing;
        let mut patches: Vec<(u32, Patch)> = Vec::new();
        for (contact, &number) in contacts.iter().zip(numbers) {
            if number as usize == patches.len() {
                patches.push((contact.point.source, Patch::default()));
            }
            let patch = &mut patches[number as usize].1;
            let head = self.nodes.density * self.melting.step.gravity.dot(contact.place);
            let [sum, count] = contact.around;
            patch.area.add(contact.area, contact.place, placing.width, placing.is_flat);
            patch.warmer += contact.area * contact.warmer;
            patch.load += contact.area * (contact.pressure - head);
            for (all, own) in patch.around.iter_mut().zip([sum - count * head, sum, count]) {
                *all += contact.area * own;
            }
        }
        patches.into_iter().map(|(source, patch)| self.thickness(source, &patch)).collect()
    }

    /// The same of a patch of a body.
    fn thickness(&self, source: u32, patch: &Patch) -> Option<f64> {
        let &ContactMelting { heat, step: HeatStep { placing, .. }, .. } = self.melting;
        let substance = self.nodes.substance;
        let [around, whole, count] = patch.around;
        // No number where nothing is open around it.
        let pressure = patch.load / patch.area.area - (around + UNSURE * whole) / count;
        let warmer = patch.warmer / patch.area.area;
        let law = heat.fluids[source as usize]?.film(substance.melting_range()[1] + warmer / 2.0)?;
        let [solid, liquid] = substance.melting_heats();
        let taken = self.nodes.density * (liquid - solid + warmed(substance, warmer));
        let melting = heat.sources.rate * f64::from(substance.conductivity) * warmer / taken;
        patch.area.film(law, melting, placing.is_flat).thickness(pressure, DEEP as f64 * placing.width)
    }
}

/// What the melt takes until it leaves the film, half as warm as the wall, J/kg.
fn warmed(substance: &Substance, warmer: f64) -> f64 {
    substance.specific_heat() * warmer / 2.0
}

/// Where the solid begins in a column of molten parts, in cells from the first on.
fn front(melted: &[f32]) -> Option<f32> {
    let first = melted.iter().position(|part| *part < SOLID)?;
    let Some(before) = first.checked_sub(1) else { return Some(0.0) };
    let [liquid, solid] = [before, first].map(|at| melted[at]);
    Some(before as f32 + (liquid - SOLID) / (liquid - solid))
}
