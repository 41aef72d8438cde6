//! Islands that may come near each other take their steps together, others each by themselves (local time stepping,
//! or subcycling).

use super::advection::FARTHEST_AT_ONCE;
use super::cells::{Cells, Point};
use super::fastest::Fastest;
use super::grid_flow::GridFlow;
use super::islands::{BLOCK, SortedIslands};
use super::pace::{MOST_STEPS, by_motion, by_shear_waves, steps_in};
use super::waves::{PresentFluid, shear_wave_speed};
use crate::boundary::Walls;
use crate::bounds::Bounds;
use crate::particles::Particles;
use crate::union::Union;
use glam::{DVec3, IVec3, Vec3};
use rayon::prelude::*;

/// Islands come no nearer than this unnoticed, in cells: so near they may be one.
const APART: f64 = 2.0 * BLOCK as f64;
/// More islands than this take their steps together: pairs of them are looked at.
const MOST_ISLANDS: usize = 4096;

/// How an island moves.
#[derive(Debug, Clone, Copy)]
pub struct Pace {
    /// The longest step that it may take, s.
    pub longest: f64,
    /// The same by motion alone.
    pub by_motion: f64,
    /// Its fastest particle.
    pub slot: usize,
    /// Of its particles.
    pub count: usize,
    /// Around its cells, m.
    bounds: Bounds,
    /// Around the velocities of its particles, m/s.
    velocities: Bounds,
    /// The largest speed of these, and of walls that may come upon them, m/s.
    speed: f64,
    /// The least distance from a wall that it may have, m.
    clear: f64,
}

/// What bounds the steps of all islands.
#[derive(Debug, Clone, Copy)]
pub struct Pacing {
    /// m/s^2.
    pub gravity: DVec3,
    /// Of a frame, s.
    pub frame: f64,
    /// In which waves of shear are followed, s.
    pub interval: f64,
}

impl Pace {
    /// Whether it is a single particle, which meets no other on its way.
    pub fn is_alone(&self) -> bool {
        self.count == 1
    }

    /// Where it gets within some seconds, m: walls may turn it to any side.
    fn reach(&self, gravity: DVec3, seconds: f64) -> Bounds {
        let farthest = (self.speed + gravity.length() * seconds) * seconds;
        if farthest >= self.clear {
            return self.bounds.wider(farthest);
        }
        let Bounds { low, high } = self.velocities;
        let gained = gravity * seconds;
        let (low, high) = (low + gained.min(DVec3::ZERO), high + gained.max(DVec3::ZERO));
        self.bounds.and(Bounds { low: low.min(DVec3::ZERO) * seconds, high: high.max(DVec3::ZERO) * seconds })
    }
}

impl GridFlow {
    /// How islands move, and walls beside them.
    pub fn paces(&self, islands: &SortedIslands, particles: &Particles, walls: &Walls, pacing: &Pacing) -> Vec<Pace> {
        let moving: Vec<usize> = (0..walls.count()).filter(|&number| !walls.stands(number)).collect();
        let of = |(cells, _): &(Cells, _)| {
            let fastest = self.fastest(cells, walls, &moving, pacing.interval);
            self.pace(cells, fastest, particles, walls, pacing)
        };
        islands.par_iter().map(of).collect()
    }

    fn pace(
        &self,
        cells: &Cells,
        [own, beside]: [Fastest; 2],
        particles: &Particles,
        walls: &Walls,
        pacing: &Pacing,
    ) -> Pace {
        let (gravity, width) = (pacing.gravity.length(), self.width());
        let Fastest { speed, slot } = own.faster(beside);
        let by_motion = if cells.points.len() == 1 {
            // None of its own is refused: it bounds no steps but its own.
            let by_flight = by_motion(own.speed, gravity, FARTHEST_AT_ONCE * width).max(pacing.frame / MOST_STEPS);
            by_flight.min(by_motion(beside.speed, gravity, width))
        } else {
            by_motion(speed, gravity, width)
        };
        let present = self.present(cells, particles);
        let by_shear = by_shear_waves(shear_wave_speed(&present), width, pacing.interval);
        let longest = by_motion.min(by_shear).min(self.longest_on_surface(gravity, &present));
        let bounds = self.bounds(cells);
        let middle = (bounds.low + bounds.high) / 2.0;
        let to_walls = (0..walls.count()).map(|number| walls.at_least(number, middle));
        Pace {
            longest,
            by_motion,
            slot,
            count: cells.points.len(),
            bounds,
            velocities: velocities(cells),
            speed,
            clear: to_walls.fold(f64::INFINITY, f64::min) - bounds.extent() / 2.0,
        }
    }

    /// The box around the cells of an island, m.
    fn bounds(&self, cells: &Cells) -> Bounds {
        let corners = |cell: IVec3| [cell.as_dvec3(), cell.as_dvec3() + 1.0];
        let corners = cells.occupied.iter().flat_map(|cell| corners(cell.cell));
        Bounds::of(corners.map(|corner| corner * self.width()))
    }

    /// The matter of an island.
    fn present(&self, cells: &Cells, particles: &Particles) -> Vec<PresentFluid<'_>> {
        let mut found: Vec<Option<bool>> = vec![None; self.fluids.len()];
        for Point { source, slot, .. } in &cells.points {
            let has_melted = particles.melted.get(*slot as usize).is_some_and(|melted| *melted >= 1.0);
            let of_body = found[*source as usize].get_or_insert(false);
            *of_body |= has_melted;
        }
        let with_fluid = self.fluids.iter().zip(found);
        with_fluid.filter_map(|(fluid, melted)| Some((fluid.as_ref()?, melted?))).collect()
    }

    /// The longest step, s, of those that may meet each island within some seconds, and of itself.
    pub fn longest_in_clusters(&self, paces: &[Pace], gravity: DVec3, seconds: f64) -> Vec<f64> {
        let all = || paces.iter().map(|pace| pace.longest);
        let (least, most) = (all().fold(f64::INFINITY, f64::min), all().fold(0.0, f64::max));
        if least >= seconds || paces.len() > MOST_ISLANDS || paces.len() == 1 {
            return vec![longest_of(paces.iter()); paces.len()];
        }
        let reaches: Vec<Bounds> = paces.iter().map(|pace| pace.reach(gravity, most.min(seconds))).collect();
        let clusters = meeting(&reaches, APART * self.width());
        let mut members: Vec<Vec<&Pace>> = vec![Vec::new(); paces.len()];
        paces.iter().zip(&clusters).for_each(|(pace, cluster)| members[*cluster as usize].push(pace));
        let longest: Vec<f64> = members.iter().map(|members| longest_of(members.iter().copied())).collect();
        // Steps of what is alone divide no others: it takes as short ones at no cost.
        let together = members.iter().zip(&longest).filter(|(members, _)| !members.iter().all(|pace| pace.is_alone()));
        let most = together.map(|(_, longest)| *longest).reduce(f64::max).unwrap_or(f64::INFINITY);
        clusters.iter().map(|cluster| longest[*cluster as usize].min(most)).collect()
    }
}

/// The longest step, s, that some islands may all take. Single particles do not count among others, which they are
/// stopped by as by walls.
fn longest_of<'a>(paces: impl Iterator<Item = &'a Pace> + Clone) -> f64 {
    let together = paces.clone().filter(|pace| !pace.is_alone()).map(|pace| pace.longest).reduce(f64::min);
    together.unwrap_or_else(|| paces.map(|pace| pace.longest).fold(f64::INFINITY, f64::min))
}

/// The step, s, that those take together next that may, given the longest that each may take, its particles, and the
/// seconds left: that of all if it costs no more than shorter steps of the others within it.
pub fn shared_step(longest: &[f64], counts: impl Iterator<Item = usize> + Clone, seconds: f64) -> f64 {
    let most = longest.iter().copied().fold(0.0, f64::max);
    let least = longest.iter().copied().fold(f64::INFINITY, f64::min);
    let shared = longest.iter().copied().filter(|own| *own >= 0.5 * most).fold(f64::INFINITY, f64::min);
    let step = seconds / steps_in(seconds, shared);
    let of_island = |(own, count): (&f64, usize)| count as f64 * if *own < step { steps_in(step, least) } else { 1.0 };
    let divided: f64 = steps_in(seconds, shared) * longest.iter().zip(counts.clone()).map(of_island).sum::<f64>();
    let together = steps_in(seconds, least) * counts.sum::<usize>() as f64;
    if divided < together { shared } else { least }
}

/// A box around the velocities of the particles of an island, m/s.
fn velocities(cells: &Cells) -> Bounds {
    let (low, high) = cells.points.iter().fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(low, high), point| {
        (low.min(point.velocity), high.max(point.velocity))
    });
    Bounds { low: low.as_dvec3(), high: high.as_dvec3() }
}

/// The number of the set of each box: boxes of different sets are at least some distance, m, apart along an axis.
fn meeting(boxes: &[Bounds], apart: f64) -> Vec<u32> {
    let mut union = Union::new(boxes.len());
    let mut order: Vec<u32> = (0..boxes.len() as u32).collect();
    let of = |number: u32| &boxes[number as usize];
    order.sort_unstable_by(|&a, &b| of(a).low.x.total_cmp(&of(b).low.x).then(a.cmp(&b)));
    let mut open: Vec<u32> = Vec::new();
    for one in order {
        let own = of(one).wider(apart);
        open.retain(|&other| of(other).high.x >= own.low.x);
        open.iter().filter(|other| of(**other).meets(&own)).for_each(|&other| union.unite(one, other));
        open.push(one);
    }
    union.numbered()
}

#[cfg(test)]
mod tests {
    // Exact by construction.
    #![allow(clippy::float_cmp)]
    use super::*;

    fn cube(x: f64, y: f64) -> Bounds {
        Bounds { low: DVec3::new(x, y, 0.0), high: DVec3::new(x + 1.0, y + 1.0, 1.0) }
    }

    #[test]
    fn boxes_within_a_distance_are_of_one_set() {
        let boxes = [cube(9.0, 0.0), cube(0.0, 0.0), cube(4.4, 0.0), cube(2.2, 0.0), cube(2.2, 9.0), cube(6.6, 3.0)];
        assert_eq!(meeting(&boxes, 1.3), [0, 1, 1, 1, 2, 3]);
        assert_eq!(meeting(&boxes, 1.1), [0, 1, 2, 3, 4, 5]);
        assert_eq!(meeting(&boxes, 2.0), [0, 0, 0, 0, 1, 0]);
    }

    #[test]
    fn what_may_take_half_of_the_longest_step_takes_one_together() {
        let shared = |longest: &[f64], counts: &[usize]| shared_step(longest, counts.iter().copied(), 16.0);
        assert_eq!(shared(&[8.0, 5.0, 3.0, 1.0], &[9, 9, 1, 1]), 5.0);
        assert_eq!(shared(&[8.0], &[1]), 8.0);
        assert_eq!(shared(&[], &[]), f64::INFINITY);
        // Three steps within each of four are more than the nine of all.
        assert_eq!(shared(&[4.0, 16.0 / 8.3], &[1, 99]), 16.0 / 8.3);
        assert_eq!(shared(&[4.0, 16.0 / 8.3], &[99, 1]), 4.0);
    }

    fn pace(longest: f64, count: usize) -> Pace {
        let (by_motion, bounds, velocities) = (longest, cube(0.0, 0.0), Bounds::STILL);
        Pace { longest, by_motion, slot: 0, count, bounds, velocities, speed: 0.0, clear: 0.0 }
    }

    #[test]
    fn reach_is_where_matter_flies_or_walls_may_turn_it() {
        let velocities = Bounds { low: DVec3::new(1.0, -2.0, 3.0), high: DVec3::new(2.0, 2.0, 3.0) };
        let mut pace = Pace { velocities, speed: 4.0, clear: 50.0, ..pace(1.0, 2) };
        let found = pace.reach(DVec3::Z * -10.0, 2.0);
        assert_eq!((found.low, found.high), (DVec3::new(0.0, -4.0, -34.0), DVec3::new(5.0, 5.0, 7.0)));
        pace.clear = 47.0;
        assert_eq!(pace.reach(DVec3::Z * -10.0, 2.0), cube(0.0, 0.0).wider(48.0));
    }

    #[test]
    fn single_particles_bound_no_steps_of_others() {
        assert_eq!(longest_of([pace(3.0, 9), pace(1.0, 1), pace(2.0, 2)].iter()), 2.0);
        assert_eq!(longest_of([pace(3.0, 1), pace(1.0, 1)].iter()), 1.0);
    }
}
