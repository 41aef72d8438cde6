//! The fastest matter of an island, which sets its steps.

use super::cells::Cells;
use super::grid_flow::GridFlow;
use crate::boundary::Walls;
use crate::particles::Particles;
use rayon::prelude::*;

/// The fastest motion of some matter.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fastest {
    /// m/s.
    pub speed: f64,
    /// The particle that moves so, or one beside the wall that does.
    pub slot: usize,
}

impl Fastest {
    /// The faster one; the first of equal ones.
    pub fn faster(self, other: Self) -> Self {
        if other.speed > self.speed { other } else { self }
    }
}

impl GridFlow {
    /// The fastest particle of an island, and the fastest of some walls that move upon it, or by it, within some
    /// seconds.
    pub fn fastest(&self, cells: &Cells, walls: &Walls, moving: &[usize], seconds: f64) -> [Fastest; 2] {
        let beside = moving.iter().filter_map(|&number| self.beside(cells, walls, number, seconds));
        [fastest_point(cells), beside.fold(Fastest { speed: 0.0, slot: 0 }, Fastest::faster)]
    }

    /// The fastest place of a wall that is within two cells of those of an island or comes so near; none where it stays
    /// away. What of its motion is a turn counts only where it is near: places far off turn faster than it.
    fn beside(&self, cells: &Cells, walls: &Walls, number: usize, seconds: f64) -> Option<Fastest> {
        let near = 2.0 * self.width() + walls.speed_of_origin(number) * seconds;
        let there = cells.occupied.iter().filter_map(|cell| {
            let place = self.placing().place(cell.cell.as_dvec3() + 0.5);
            (walls.at_least(number, place) < near).then(|| Fastest {
                speed: walls.velocity(number, place).length(),
                slot: cells.of(cell)[0].slot as usize,
            })
        });
        there.reduce(Fastest::faster)
    }

    /// Largest speed, m/s, of any particle.
    pub fn fastest_of_all(&self, particles: &Particles) -> f64 {
        let squared = particles.velocities[particles.paired..].par_iter().map(|velocity| velocity.length_squared());
        squared.reduce(|| 0.0, f64::max).sqrt()
    }
}

fn fastest_point(cells: &Cells) -> Fastest {
    let squared = cells.points.iter().map(|point| (point.velocity.length_squared(), point.slot));
    let (squared, slot) = squared.fold((0.0, 0), |most, one| if one.0 > most.0 { one } else { most });
    Fastest { speed: f64::from(squared).sqrt(), slot: slot as usize }
}
