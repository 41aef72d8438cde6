//! The fastest matter, which sets the steps.

use super::cells::Cells;
use super::grid_flow::GridFlow;
use super::islands::SortedIslands;
use crate::boundary::Walls;
use crate::particles::Particles;
use rayon::prelude::*;

/// The fastest motion of matter that may meet other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fastest {
    /// m/s.
    pub speed: f64,
    /// The particle that moves so, or one beside the wall that does.
    pub slot: usize,
}

impl Fastest {
    /// The faster one; the first of equal ones.
    fn faster(self, other: Self) -> Self {
        if other.speed > self.speed { other } else { self }
    }
}

impl GridFlow {
    /// Largest speed, m/s, of any particle that is not alone, and of walls that move beside these: one alone meets no
    /// other on its way.
    pub fn fastest(&self, islands: &SortedIslands, walls: &Walls) -> Fastest {
        let moving: Vec<usize> = (0..walls.count()).filter(|&number| !walls.stands(number)).collect();
        let together = islands.par_iter().filter(|(cells, _)| cells.points.len() > 1);
        let of_island = |(cells, _): &(Cells, _)| {
            let own = fastest_point(cells);
            moving.iter().filter_map(|&number| self.beside(cells, walls, number)).fold(own, Fastest::faster)
        };
        // One after another: the first of equal ones, for any number of threads.
        let all: Vec<Fastest> = together.map(of_island).collect();
        all.into_iter().fold(Fastest { speed: 0.0, slot: 0 }, Fastest::faster)
    }

    /// The fastest place of a wall beside the cells of an island; none where it is away from them.
    fn beside(&self, cells: &Cells, walls: &Walls, number: usize) -> Option<Fastest> {
        let place = |cell| self.placing().place(cell + 0.5);
        let all = cells.occupied.iter().map(|cell| (cell, place(cell.cell.as_dvec3())));
        let beside = all.filter(|(_, place)| walls.at_least(number, *place) < 2.0 * self.width());
        let there = beside.map(|(cell, place)| Fastest {
            speed: walls.velocity(number, place).length(),
            slot: cells.of(cell)[0].slot as usize,
        });
        there.reduce(Fastest::faster)
    }

    /// Largest speed, m/s, of any particle.
    pub fn fastest_of_all(&self, particles: &Particles) -> f64 {
        let squared = particles.velocities[particles.paired..].par_iter().map(|velocity| velocity.length_squared());
        squared.reduce(|| 0.0, f64::max).sqrt()
    }

    /// The first particle whose place or velocity is no number.
    pub fn lost(&self, particles: &Particles) -> Option<usize> {
        let slots = (particles.paired..particles.len()).into_par_iter();
        let is_lost = |&slot: &usize| !(particles.positions[slot] + particles.velocities[slot]).is_finite();
        slots.find_first(is_lost)
    }
}

fn fastest_point(cells: &Cells) -> Fastest {
    let squared = cells.points.iter().map(|point| (point.velocity.length_squared(), point.slot));
    let (squared, slot) = squared.fold((0.0, 0), |most, one| if one.0 > most.0 { one } else { most });
    Fastest { speed: f64::from(squared).sqrt(), slot: slot as usize }
}
