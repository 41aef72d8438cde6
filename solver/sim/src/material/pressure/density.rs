//! Densities, as DG96 (3) gives them.

use super::{PressureForces, PressureLaw};
use crate::boundary::Wall;
use crate::laws::count::Counts;
use crate::laws::density::Densities;
use crate::material::Matter;
use crate::neighbours::{Active, BATCH, BatchLists, Neighbours, PackedPosition};
use crate::pairs::gather;
use crate::particles::Density;
use crate::with_shape;
use rayon::prelude::*;
use std::marker::PhantomData;

impl PressureForces {
    /// Finds densities of the active slots for output alone, without matter having been taken for forces.
    pub fn tell_densities(&self, neighbours: &Neighbours, active: &Active, matter: &Matter, densities: &mut [Density]) {
        let places = neighbours.places();
        active.parts().zip(active.of(densities)).for_each(|((_, slots), densities)| {
            self.each_density(places, neighbours, slots, matter, |n, _, density, _| densities[n] = density);
        });
    }

    /// Calls `set` with the place in the batch, law, density and wall of each of some slots, given all places.
    pub fn each_density(
        &self,
        places: &[PackedPosition],
        neighbours: &Neighbours,
        slots: &[u32],
        matter: &Matter,
        mut set: impl FnMut(usize, &PressureLaw, Density, &Wall),
    ) {
        for (&slot, sum) in slots.iter().zip(self.volume_sums(places, neighbours, slots)) {
            let slot = slot as usize;
            let (law, wall) = (&self.law_of(slot, matter), matter.walls.of(slot));
            set(slot % BATCH, law, self.pressed_density(law, sum, wall), wall);
        }
    }

    fn volume_sums(&self, places: &[PackedPosition], neighbours: &Neighbours, slots: &[u32]) -> [f32; BATCH] {
        let (kernel, arch, lists) = (self.kernel().kind(), self.arch(), neighbours.lists_of(slots));
        with_shape!(kernel, S => gather(arch, &Densities::<S> { places, shape: PhantomData }, lists, slots))
    }

    /// Mean number of neighbours within the support, of the particles whose lists are made.
    pub fn mean_neighbours(&self, neighbours: &Neighbours) -> f64 {
        let law = Counts { places: neighbours.places() };
        let count = |lists: &BatchLists| {
            let slots: Vec<u32> = (lists.first as u32..).take(lists.len()).collect();
            gather(self.arch(), &law, lists, &slots).iter().map(|&count| count as u64).sum::<u64>()
        };
        let total: u64 = neighbours.batches().par_iter().map(count).sum();
        let listed: usize = neighbours.batches().iter().map(BatchLists::len).sum();
        total as f64 / listed.max(1) as f64
    }
}
