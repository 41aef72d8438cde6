//! Where solids touch other bodies and walls.

use super::cells::{Cells, Neighbour, Placing, nearness};
use super::contact::{Contact, Contacts, Other};
use super::coulomb::{Coulomb, Hold, SLOW};
use super::elastic::{Pull, traction};
use super::fluids::Fluids;
use super::scatter::Sums;
use super::separation::{Plane, Sample, plane_between};
use super::walls::{NearWalls, WallCell};
use crate::boundary::Walls;
use crate::grid::{Field, Flow, Level, Rows, cells_around, weighted_corners};
use crate::particles::Particles;
use glam::{IVec3, Vec3};
use rustc_hash::FxHashMap;

/// The least part of a cell that a body fills where it touches.
const LEAST: f32 = 0.08;
/// Farther from the middle of a cell, in cells, particles do not tell how bodies touch in it.
const NEAR: f32 = 1.75;
/// Places this near the next cell, in cells, are in it: contacts on faces between cells are of one of them.
const ON_FACE: f32 = 1e-3;
/// Farther from a contact along it, in cells, particles do not tell how near the matter is.
const BESIDE: f32 = 1.0;
/// What counts as the outermost layer of particles, in cells, and how far that is from the surface of the matter.
const LAYER: f32 = 0.45;
const HALF_A_LAYER: f32 = 0.23;
/// Farther from a contact, in cells, the stress of matter does not tell of it.
const STRESSED: f32 = 1.25;
/// Farther apart, in cells, nothing touches.
const FAR: f32 = 0.8;

/// An island as it touches others.
#[derive(Debug, Clone, Copy)]
pub struct Side<'a> {
    pub cells: &'a Cells,
    pub level: &'a Level,
    pub sums: &'a Sums,
    /// Pressures of the step before.
    pub earlier: &'a Field,
    /// The known stresses of its particles; none of a liquid.
    pub pulls: &'a [Pull],
    /// The walls that it touches in contacts; none where it meets all on its grid.
    pub walls: Option<&'a NearWalls>,
}

/// What contacts follow from.
#[derive(Debug, Clone, Copy)]
pub struct Touching<'a> {
    pub sides: &'a [Side<'a>],
    pub fluids: &'a Fluids<'a>,
    pub particles: &'a Particles,
    pub walls: &'a Walls<'a>,
    pub placing: Placing,
    /// What gravity adds to velocities, m/s.
    pub gravity: Vec3,
    /// From Pa to the unit of the equations.
    pub scale: f32,
    /// Seconds of the step over the width of a cell, s/m.
    pub pace: f32,
}

/// Whether a contact at a place is that of a cell.
fn is_in(place: Vec3, cell: IVec3) -> bool {
    (place + ON_FACE).floor().as_ivec3() == cell
}

/// Contacts that are near enough, with the mean gap of each and those beside it: how particles lie among the cells
/// tells of gaps that are none, and what is stiff would rest on the least of them.
fn near(mut contacts: Vec<(IVec3, Contact)>) -> Vec<Contact> {
    let gaps: FxHashMap<IVec3, f32> = contacts.iter().map(|(cell, contact)| (*cell, contact.gap)).collect();
    for (cell, contact) in &mut contacts {
        let around = || cells_around(*cell).filter_map(|cell| gaps.get(&cell));
        contact.gap = around().sum::<f32>() / around().count() as f32;
    }
    contacts.into_iter().map(|(_, contact)| contact).filter(|contact| contact.gap <= FAR).collect()
}

/// A field of cells at a place, in cells, even between their middles.
fn at_place(rows: &Rows, field: &Field, place: Vec3) -> f32 {
    let low = (place - 0.5).floor();
    let value = |(by, weight): (IVec3, f32)| Some(weight * field[rows.index(low.as_ivec3() + by)?]);
    weighted_corners(place - 0.5 - low).filter_map(value).sum()
}

impl Touching<'_> {
    /// The contacts with walls, and those of some pairs of islands, with the velocities that they bring.
    pub fn find(&self, pairs: &[[usize; 2]], flows: &[&Flow]) -> Contacts {
        let mut all: Vec<Contact> = pairs.iter().flat_map(|&islands| self.between(islands)).collect();
        all.extend((0..self.sides.len()).flat_map(|island| self.at_walls(island)));
        let levels = self.levels();
        all.retain_mut(|contact| {
            let stress = self.traction(contact);
            contact.expect(&levels, flows, self.pace, stress * contact.area())
        });
        Contacts::new(all, self.pace, SLOW * self.gravity.length())
    }

    /// The traction at a contact by the stress of the matter beside it before the step.
    fn traction(&self, contact: &Contact) -> Vec3 {
        let (mut sum, mut all) = (Vec3::ZERO, 0.0);
        for island in std::iter::once(contact.island).chain(contact.other.island()) {
            let Side { cells, earlier, pulls, .. } = &self.sides[island];
            for Neighbour { number, at, place, .. } in cells.around(contact.place.floor().as_ivec3()) {
                let off = place - contact.place.fract_gl();
                let weight = nearness(off, STRESSED);
                let volume = self.fluids.volume as f32;
                let pull = pulls.get(number).map(|pull| pull.map(|row| row / volume));
                let stress = pull.map_or(Vec3::ZERO, |pull| traction(&pull, contact.normal));
                sum += (stress - contact.normal * earlier[at]) * weight;
                all += weight;
            }
        }
        if all > 0.0 { sum / all } else { Vec3::ZERO }
    }

    fn levels(&self) -> Vec<&Level> {
        self.sides.iter().map(|side| side.level).collect()
    }

    fn between(&self, islands: [usize; 2]) -> Vec<Contact> {
        let [first, second] = islands.map(|island| &self.sides[island]);
        let fewer = if first.level.rows.active() <= second.level.rows.active() { first } else { second };
        let cells = fewer.level.rows.cells().filter(|&(_, at)| fewer.sums.filled[at] > LEAST);
        near(cells.filter_map(|(cell, _)| Some((cell, self.contact(islands, cell)?))).collect())
    }

    /// The contact of two islands in a cell.
    fn contact(&self, islands: [usize; 2], cell: IVec3) -> Option<Contact> {
        let sides = islands.map(|island| &self.sides[island]);
        let filled = |cell: IVec3| sides.map(|side| side.level.rows.index(cell).map_or(0.0, |at| side.sums.filled[at]));
        let more = |cell: IVec3| {
            let [first, second] = filled(cell);
            first - second
        };
        if filled(cell).iter().any(|filled| *filled <= LEAST) {
            return None;
        }
        let slope = [0, 1, 2].map(|axis| more(cell + IVec3::AXES[axis]) - more(cell - IVec3::AXES[axis]));
        let (about, middle) = (Vec3::from(slope).try_normalize()?, cell.as_vec3() + 0.5);
        let Plane { normal, offset } = plane_between(&self.samples(islands, cell), about)?;
        let off = normal * offset;
        let place = middle + off;
        if !is_in(place, cell) {
            return None;
        }
        let layers = self.layer(islands[0], place, normal)? + self.layer(islands[1], place, -normal)?;
        let gap = layers - 2.0 * HALF_A_LAYER;
        let contact =
            Contact::new(islands[0], Other::Island(islands[1]), [place, normal], gap, self.law(islands, cell));
        Some(contact.fusing_at(self.fusion_pressure(islands, cell)))
    }

    fn at_walls(&self, island: usize) -> Vec<Contact> {
        let cells = self.sides[island].walls.into_iter().flat_map(|near| &near.cells);
        near(cells.filter_map(|(cell, _, wall)| Some((*cell, self.at_wall(island, *cell, wall)?))).collect())
    }

    /// The contact with a wall in a cell.
    fn at_wall(&self, island: usize, cell: IVec3, wall: &WallCell) -> Option<Contact> {
        let (normal, side) = (wall.normal(), &self.sides[island]);
        let place = cell.as_vec3() + 0.5 - normal * wall.distance();
        if !is_in(place, cell) {
            return None;
        }
        let filled = |place: Vec3| at_place(&side.level.rows, &side.sums.filled, place);
        if filled(place) <= LEAST / 2.0 || filled(place + normal) <= LEAST {
            return None;
        }
        let gap = self.layer(island, place, normal)? - HALF_A_LAYER;
        let velocity = self.walls.velocity(wall.collider as usize, self.placing.place(place.as_dvec3())).as_vec3();
        let other = Other::Wall { collider: wall.collider, velocity };
        let coefficient = self.walls.friction(wall.collider as usize) as f32;
        let around = side.cells.around(cell).map(|neighbour| neighbour.point);
        let adhesion = self.walls.adhesion(wall.collider as usize);
        let cohesion = self.fluids.cohesion(around, self.particles, adhesion) * self.scale * normal.abs().max_element();
        let law = Coulomb { coefficient, cohesion, slip: 0.0, hold: Hold::Sticks };
        Some(Contact::new(island, other, [place, normal], gap, law))
    }

    /// How far the outermost particles of an island are from a plane where it may touch something, in cells: the mean
    /// of those of a layer around a place, with the normal toward the island.
    fn layer(&self, island: usize, place: Vec3, normal: Vec3) -> Option<f32> {
        let around = self.sides[island].cells.around(place.floor().as_ivec3());
        let near: Vec<(f32, f32)> = around
            .filter_map(|neighbour| {
                let off = neighbour.place - place.fract_gl();
                let away = off.dot(normal);
                let weight = nearness(off - normal * away, BESIDE);
                (weight > 0.0).then_some((away, weight * weight))
            })
            .collect();
        let least = near.iter().fold(f32::INFINITY, |least, (away, _)| least.min(*away));
        let of = |&(away, weight): &(f32, f32)| (away, weight * (1.0 - (away - least) / LAYER).max(0.0));
        let [sum, all] =
            near.iter().map(of).fold([0.0, 0.0], |[sum, all], (away, weight)| [sum + away * weight, all + weight]);
        (all > 0.0).then(|| sum / all)
    }

    /// The particles around a cell.
    fn samples(&self, islands: [usize; 2], cell: IVec3) -> Vec<Sample> {
        let mut samples = Vec::new();
        for (island, side) in islands.into_iter().zip([1.0, -1.0]) {
            for neighbour in self.sides[island].cells.around(cell) {
                let place = neighbour.place - 0.5;
                let weight = nearness(place, NEAR);
                if weight > 0.0 {
                    samples.push(Sample { place, side, weight });
                }
            }
        }
        samples
    }

    /// The pressure from which on the matter of two islands around a cell becomes one.
    fn fusion_pressure(&self, islands: [usize; 2], cell: IVec3) -> f32 {
        let around = islands.into_iter().flat_map(|island| self.sides[island].cells.around(cell));
        let solid = around.filter_map(|neighbour| self.fluids.fusion_pressure(neighbour.point, self.particles));
        solid.reduce(f32::max).unwrap_or(f32::INFINITY) * self.scale
    }

    /// How the matter of two islands around a cell holds: what is liquid wets what it touches.
    fn law(&self, islands: [usize; 2], cell: IVec3) -> Coulomb {
        let (mut coefficient, mut is_wet) = (0.0, false);
        for island in islands {
            let (mut count, mut sum) = ([0.0_f32; 2], 0.0);
            for Neighbour { point, .. } in self.sides[island].cells.around(cell) {
                count[usize::from(self.fluids.slides(point, self.particles))] += 1.0;
                sum += self.fluids.contact_friction(point);
            }
            is_wet |= count[0] > count[1];
            coefficient += sum / (count[0] + count[1]).max(1.0) / 2.0;
        }
        let cohesion = if is_wet { f32::INFINITY } else { 0.0 };
        Coulomb { coefficient, cohesion, slip: 0.0, hold: Hold::Sticks }
    }
}
