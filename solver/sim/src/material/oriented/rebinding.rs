//! Changes of the ties of woven sheets where particles are born.

use super::birth::Parents;
use super::cloth::Cloth;
use super::ties::within_two;
use crate::particles::{Particles, Tie, Ties, slots};

/// A newborn particle is bound to all particles nearer than this, in distances of nearest neighbours, to which one or
/// two ties lead from a parent; other near particles belong to another layer. Beyond this distance it is bound only to
/// particles bound to both parents.
const NEAR: f64 = 1.2;

/// The ties of sheets while some of them change.
pub struct Rebinding<'a> {
    particles: &'a Particles,
    cloth: &'a Cloth<'a>,
    /// The slot of each number.
    slots: Vec<u32>,
    ties: Vec<Ties>,
    /// The slots whose ties are out of order.
    touched: Vec<usize>,
}

impl<'a> Rebinding<'a> {
    /// Takes the ties of particles, some of which lie in a cloth.
    pub fn new(particles: &'a Particles, cloth: &'a Cloth<'a>, ties: Vec<Ties>) -> Self {
        Self { particles, cloth, slots: slots(particles), ties, touched: Vec::new() }
    }

    /// Binds a newborn particle to its parents, which lose each other, and to others beside it.
    pub fn insert(&mut self, slot: usize, parents: &Parents) {
        let others = self.beside(slot, parents.slots);
        // Particles to which only seams lead are on the other side of the seam.
        let own = within_two(&self.ties, &self.slots, parents.slots, |tie| !tie.sewn);
        let before = self.part(parents);
        for parent in parents.slots {
            let tie = self.cloth.tie(slot, parent);
            self.bind(slot, parent, before.map_or(tie, |before| self.halved(before, tie, parents.distance)));
        }
        for other in others {
            let tie = self.cloth.tie(slot, other);
            self.bind(slot, other, Tie { sewn: !own.contains(&tie.number), ..tie });
        }
    }

    /// Unties two particles. Returns their tie.
    fn part(&mut self, Parents { slots: [a, b], numbers: [own, their], .. }: &Parents) -> Option<Tie> {
        let before = self.ties[*a].iter().find(|tie| tie.number == *their);
        self.ties[*a] = Ties::of(self.ties[*a].iter().filter(|tie| tie.number != *their));
        self.ties[*b] = Ties::of(self.ties[*b].iter().filter(|tie| tie.number != *own));
        self.touched.extend([*a, *b]);
        before
    }

    /// Ties two particles, if both have room for a tie.
    fn bind(&mut self, slot: usize, other: usize, tie: Tie) {
        if self.ties[slot].is_full() || self.ties[other].is_full() || self.ties[slot].has(tie.number) {
            return;
        }
        let back = Tie { number: self.particles.numbers[slot], skew: -tie.skew, ..tie };
        for (slot, tie) in [(slot, tie), (other, back)] {
            self.ties[slot] = Ties::of(self.ties[slot].iter().chain([tie]));
            self.touched.push(slot);
        }
    }

    /// The tie of a newborn particle to a parent, from the parents' tie before and their distance, m, and from the tie
    /// at rest.
    fn halved(&self, before: Tie, tie: Tie, distance: f64) -> Tie {
        let part = f64::from(tie.length) * self.cloth.nearest / distance;
        Tie { length: before.length * part as f32, curvature: before.curvature, skew: 0.0, ..tie }
    }

    /// The particles besides its parents to which a newborn particle is bound, the nearest first.
    fn beside(&self, slot: usize, parents: [usize; 2]) -> Vec<usize> {
        let [first, second] = parents.map(|parent| &self.ties[parent]);
        let numbers = &self.particles.numbers;
        let linked = within_two(&self.ties, &self.slots, parents, |_| true);
        let around = self.cloth.around(self.particles.positions[slot], 1).map(|other| other as usize);
        let near = around
            .filter(|other| !parents.contains(other))
            .filter_map(|other| self.cloth.distance(slot, other).map(|distance| (distance, other)));
        let chosen = |&(distance, other): &(f64, usize)| {
            let is_common = first.has(numbers[other]) && second.has(numbers[other]);
            is_common || distance < NEAR * self.cloth.nearest && linked.contains(&numbers[other])
        };
        let mut near: Vec<(f64, usize)> = near.filter(chosen).collect();
        near.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(numbers[a.1].cmp(&numbers[b.1])));
        near.into_iter().map(|(_, other)| other).collect()
    }

    /// All ties, in order.
    pub fn finish(mut self) -> Vec<Ties> {
        for slot in self.touched {
            let angle = |tie: Tie| self.cloth.angle(slot, self.slots[tie.number as usize] as usize);
            let mut sorted: Vec<(f64, Tie)> = self.ties[slot].iter().map(|tie| (angle(tie), tie)).collect();
            sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
            self.ties[slot] = Ties::of(sorted.into_iter().map(|(_, tie)| tie));
        }
        self.ties
    }
}
