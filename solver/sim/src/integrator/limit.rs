//! The cause of the shortest steps.

use super::Integrator;
use crate::cost::Limit;
use crate::particles::Particles;

impl Integrator {
    /// The cause of the shortest steps at the start of the begun frame; none where there is no matter.
    pub fn limit(&self, particles: &Particles) -> Option<Limit> {
        let limits = self.limits();
        let asks = |slot: usize| {
            limits.asks(particles.positions[slot], particles.velocities[slot], &self.columns.forces[slot])
        };
        let all = (0..particles.paired).map(|slot| (slot, asks(slot).0));
        let (slot, asked) = all.reduce(|most, one| if one.1 > most.1 { one } else { most })?;
        let longest = self.smoothing_length / asked.sqrt();
        let group = self.shortest_of_groups().filter(|&(_, step, _)| step < longest);
        let slot = group.map_or(slot, |(slot, ..)| slot);
        let cause = match (group, asks(slot).1) {
            (Some((.., cause)), _) => cause,
            (None, Some(motion)) => motion,
            (None, None) => {
                let matter = particles.matter(&self.columns.walls);
                self.solver.cause(&self.neighbours, slot, &matter)
            }
        };
        Some(Limit { body: particles.sources[slot] as usize, other: self.touching(particles, slot), cause })
    }

    /// The body nearest to a particle of another, if it is within reach.
    fn touching(&self, particles: &Particles, slot: usize) -> Option<usize> {
        let (place, own) = (particles.positions[slot], particles.sources[slot]);
        let others = self.neighbours.of(slot).iter().map(|&other| other as usize);
        let foreign = others.filter(|&other| particles.sources[other] != own);
        let distances = foreign.map(|other| (particles.positions[other].distance(place), particles.sources[other]));
        let near = distances.filter(|&(distance, _)| distance < self.solver.support());
        near.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, body)| body as usize)
    }
}
