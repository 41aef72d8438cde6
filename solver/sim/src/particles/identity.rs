//! The identity of a particle. Its slot changes whenever particles are sorted, its number whenever particles are
//! removed, its id never.

use super::{Membership, NOBODY, Particles, Tie, Ties};
use rustc_hash::FxHashMap;

/// The new numbers of particles after some were removed.
#[derive(Debug, Default)]
pub struct Renumbering {
    /// By old number; [`NOBODY`] for removed particles.
    numbers: Vec<u32>,
    /// Pieces and lumps of soft matter, by their old names.
    pieces: FxHashMap<u32, u32>,
    lumps: FxHashMap<u32, u32>,
}

impl Renumbering {
    /// The new number of the particle with an old number, unless it was removed.
    pub fn number(&self, before: u32) -> Option<u32> {
        self.numbers.get(before as usize).copied().filter(|&now| now != NOBODY)
    }

    /// The new name of a piece of soft matter, unless all of the piece was removed.
    pub fn piece(&self, before: u32) -> Option<u32> {
        self.pieces.get(&before).copied()
    }

    /// Keeps the entries of the remaining particles, by number.
    pub fn keep<T>(&self, by_number: &mut Vec<T>) {
        let mut number = 0..;
        by_number.retain(|_| number.next().is_some_and(|before| self.number(before).is_some()));
    }

    fn membership(&self, before: Membership) -> Membership {
        let now = |names: &FxHashMap<u32, u32>, name| names.get(&name).copied().unwrap_or(NOBODY);
        Membership { piece: now(&self.pieces, before.piece), lump: now(&self.lumps, before.lump), ..before }
    }
}

impl Particles {
    /// Gives each particle an identity of its own, so that some can be removed.
    pub fn keep_ids(&mut self) {
        if self.ids.is_empty() {
            self.ids.clone_from(&self.numbers);
        }
    }

    /// Notes the time of birth of each particle, so that others can be born.
    pub fn keep_births(&mut self) {
        self.births.resize(self.len(), 0.0);
    }

    /// The identity of the particle in a slot.
    pub fn id(&self, slot: usize) -> u32 {
        self.ids.get(slot).copied().unwrap_or(self.numbers[slot])
    }

    /// Adds a copy of the particle in a slot, with a number and an identity of its own and without ties. Returns its
    /// slot.
    pub fn spawn(&mut self, like: usize) -> usize {
        let born = self.len();
        self.push_copy(like);
        self.numbers[born] = born as u32;
        if let Some(id) = self.ids.get_mut(born) {
            *id = self.next_id;
        }
        self.next_id += 1;
        // The ties of the other know nothing of it.
        if let Some(ties) = self.ties.get_mut(born) {
            *ties = Ties::default();
        }
        born
    }

    /// Removes the particles in the chosen slots, and the bonds of others to them. The remaining particles stay in
    /// their order.
    pub fn remove(&mut self, leaves: impl Fn(usize) -> bool) -> Renumbering {
        self.keep_ids();
        let stay: Vec<u32> = (0..self.len() as u32).filter(|&slot| !leaves(slot as usize)).collect();
        let renumbering = self.renumbering(&stay);
        self.reorder_columns(&stay);
        for number in &mut self.numbers {
            *number = renumbering.numbers[*number as usize];
        }
        for membership in &mut self.memberships {
            *membership = renumbering.membership(*membership);
        }
        for ties in self.ties.iter_mut().filter(|ties| !ties.is_empty()) {
            *ties = Ties::of(ties.iter().filter_map(|tie| {
                let number = renumbering.number(tie.number)?;
                Some(Tie { number, ..tie })
            }));
        }
        renumbering
    }

    /// The numbers when only the particles in some slots stay: they keep their order. A piece is named by its particle
    /// of the least number.
    fn renumbering(&self, stay: &[u32]) -> Renumbering {
        let mut left: Vec<(u32, u32)> = stay.iter().map(|&slot| (self.numbers[slot as usize], slot)).collect();
        left.sort_unstable();
        let mut renumbering = Renumbering { numbers: vec![NOBODY; self.len()], ..Renumbering::default() };
        for (now, (before, slot)) in (0..).zip(left) {
            renumbering.numbers[before as usize] = now;
            if let Some(membership) =
                self.memberships.get(slot as usize).filter(|&membership| *membership != Membership::NONE)
            {
                renumbering.pieces.entry(membership.piece).or_insert(now);
                renumbering.lumps.entry(membership.lump).or_insert(now);
            }
        }
        renumbering
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;

    /// Five particles whose slots are not in the order of their numbers: the last three are one piece of soft matter,
    /// and each is bound to the next number.
    fn five() -> Particles {
        let tie = Tie { number: 0, length: 1.0, curvature: 0.0, skew: 0.0, joins: false, sewn: false };
        let numbers = vec![4, 2, 0, 1, 3];
        Particles {
            positions: numbers.iter().map(|&number| DVec3::splat(f64::from(number))).collect(),
            ties: numbers
                .iter()
                .map(|&number| Ties::of([Tie { number: (number + 1) % 5, ..tie }].into_iter()))
                .collect(),
            memberships: numbers
                .iter()
                .map(|&number| if number < 2 { Membership::NONE } else { Membership::of(2) })
                .collect(),
            next_id: 5,
            numbers,
            ..Particles::default()
        }
    }

    #[test]
    fn remaining_particles_keep_their_ids_and_their_order() {
        let mut particles = five();
        let renumbering = particles.remove(|slot| slot == 1 || slot == 2);
        assert_eq!((&*particles.numbers, &*particles.ids), (&[2, 0, 1][..], &[4, 1, 3][..]));
        assert_eq!(particles.positions, [4.0, 1.0, 3.0].map(DVec3::splat));
        assert_eq!(
            [0, 1, 2, 3, 4, 5].map(|before| renumbering.number(before)),
            [None, Some(0), None, Some(1), Some(2), None]
        );
        let mut names = vec!["a", "b", "c", "d", "e"];
        renumbering.keep(&mut names);
        assert_eq!(names, ["b", "d", "e"]);
    }

    #[test]
    fn bonds_to_removed_particles_end_and_pieces_are_named_by_the_remaining() {
        let mut particles = five();
        let renumbering = particles.remove(|slot| slot == 1 || slot == 2);
        // 3 was bound to 4; 4 to 0 and 1 to 2, which are removed.
        let bound: Vec<Vec<u32>> =
            particles.ties.iter().map(|ties| ties.iter().map(|tie| tie.number).collect()).collect();
        assert_eq!(bound, [vec![], vec![], vec![2]]);
        assert_eq!(particles.memberships, [Membership::of(1), Membership::NONE, Membership::of(1)]);
        assert_eq!((renumbering.piece(2), renumbering.piece(0)), (Some(1), None));
    }

    #[test]
    fn an_id_is_never_used_again() {
        let mut particles = five();
        particles.remove(|slot| slot == 0);
        let born = particles.spawn(0);
        assert_eq!((particles.numbers[born], particles.ids[born]), (4, 5));
        particles.remove(|slot| slot == born);
        let born = particles.spawn(1);
        assert_eq!((particles.numbers[born], particles.ids[born], particles.len()), (4, 6, 5));
        particles.remove(|_| true);
        assert_eq!(particles.len(), 0);
    }
}
