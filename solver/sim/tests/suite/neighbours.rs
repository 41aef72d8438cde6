//! Neighbour lists against a search through all pairs.

use crate::common::Random;
use dollop_sim::Bounds;
use dollop_sim::neighbours::{Active, BATCH, Neighbours, TO_Q, Verdict};
use glam::DVec3;

const SUPPORT: f64 = 0.25;

/// Neighbours with all lists made, and the positions in their order.
struct Matter {
    neighbours: Neighbours,
    positions: Vec<DVec3>,
    numbers: Vec<u32>,
}

impl Matter {
    fn new(positions: &[DVec3]) -> Self {
        let numbers = (0..positions.len() as u32).collect();
        let mut matter = Self { neighbours: Neighbours::new(SUPPORT), positions: positions.to_vec(), numbers };
        matter.sort();
        matter.prepare();
        matter
    }

    /// Returns whether the particles were sorted.
    fn update(&mut self) -> bool {
        self.place(0);
        let holds = match self.judge(0.0) {
            Verdict::Hold => true,
            Verdict::Fail => false,
            Verdict::AllBut(batches, others) => self.neighbours.catch(&batches, others, |slot| self.positions[slot]),
        };
        if !holds {
            self.sort();
        }
        self.prepare();
        !holds
    }

    fn place(&mut self, tag: u8) {
        let place = self.neighbours.placing();
        let batches: Vec<u32> = (0..self.positions.len().div_ceil(BATCH) as u32).collect();
        for (look, positions) in self.neighbours.looks(&batches).into_iter().zip(self.positions.chunks(BATCH)) {
            look.places.iter_mut().zip(positions).for_each(|(at, &p)| *at = place(p, tag));
            look.done();
        }
    }

    /// The verdict if all particles may have moved by some distance, m, since they were last checked.
    fn judge(&self, gone: f64) -> Verdict {
        self.neighbours.judge(|_| Bounds { low: DVec3::splat(-gone), high: DVec3::splat(gone) })
    }

    fn sort(&mut self) {
        self.neighbours.sort(|slot| self.positions[slot], &self.numbers);
        self.reorder();
    }

    fn prepare(&mut self) {
        let mut all = Active::default();
        all.choose_all(self.positions.len());
        self.neighbours.prepare(&all);
    }

    fn reorder(&mut self) {
        let order = self.neighbours.order();
        self.positions = order.iter().map(|&old| self.positions[old as usize]).collect();
        self.numbers = order.iter().map(|&old| self.numbers[old as usize]).collect();
    }

    /// Checks that each particle's list holds all particles within the support once, and not itself, and that distances
    /// of places are those of the positions to their resolution.
    fn check(&self) {
        let mut numbers = self.numbers.clone();
        numbers.sort_unstable();
        assert_eq!(numbers, (0..self.positions.len() as u32).collect::<Vec<_>>());
        for slot in 0..self.positions.len() {
            let mut seen = vec![0; self.positions.len()];
            let others = self.neighbours.of(slot).iter().filter(|&&at| at as usize != slot);
            others.for_each(|&at| seen[at as usize] += 1);
            for (at, &times) in seen.iter().enumerate().filter(|&(at, _)| at != slot) {
                self.check_pair(slot, at, times);
            }
        }
    }

    fn check_pair(&self, slot: usize, at: usize, times: u32) {
        let (own, other) = (self.positions[slot], self.positions[at]);
        let distance = (own - other).length();
        assert!(times <= 1, "slot {at} is listed {times} times");
        assert!(times == 1 || distance >= SUPPORT, "a neighbour at {distance} of {SUPPORT} is missing");
        if distance < SUPPORT {
            let places = self.neighbours.places();
            let difference = |axis: usize| {
                f64::from(places[slot][axis].wrapping_sub(places[at][axis]) as f32 * TO_Q) * SUPPORT / 2.0
            };
            let found = DVec3::from_array([0, 1, 2].map(difference));
            let resolution = SUPPORT / 1_048_576.0 + own.abs().max_element() * 1e-15;
            let wrong = found - (own - other);
            assert!(wrong.abs().max_element() <= 1.01 * resolution, "{found}");
        }
    }
}

fn check(positions: &[DVec3]) {
    Matter::new(positions).check();
}

fn cloud(count: usize, size: f64, around: DVec3) -> Vec<DVec3> {
    let mut random = Random::new(7);
    (0..count).map(|_| around + random.vector(size)).collect()
}

#[test]
fn random_clouds_around_the_origin() {
    for size in [0.05, 0.3, 1.0, 5.0] {
        check(&cloud(400, size, DVec3::ZERO));
    }
}

#[test]
fn clouds_far_from_the_origin() {
    for around in [DVec3::splat(1e5), DVec3::new(-1e5, 3e4, -7e4), DVec3::splat(3e6)] {
        check(&cloud(400, 1.0, around));
    }
}

#[test]
fn runaway_particles_do_not_disturb_the_others() {
    let mut points = cloud(300, 1.0, DVec3::ZERO);
    for far in [1e9, -1e9, 1e30] {
        points.push(DVec3::new(far, 0.0, 0.0));
        points.push(DVec3::new(0.0, far, -far));
    }
    check(&points);
}

#[test]
fn none_one_and_coincident_particles() {
    check(&[]);
    check(&[DVec3::new(-3.0, 2.0, 1.0)]);
    check(&[DVec3::ONE; 20]);
    check(&[DVec3::ZERO, DVec3::X * 0.25, DVec3::X * 0.249_999, DVec3::X * -0.25]);
}

#[test]
fn lists_hold_for_moving_matter_until_they_are_made_again() {
    let mut random = Random::new(11);
    let velocities: Vec<DVec3> = (0..500).map(|_| DVec3::new(30.0, -20.0, 10.0) + random.vector(1.0)).collect();
    let mut matter = Matter::new(&cloud(500, 0.6, DVec3::ZERO));
    let mut sorted = 0;
    for _ in 0..40 {
        sorted += usize::from(matter.update());
        matter.check();
        let numbers = matter.numbers.iter();
        matter.positions.iter_mut().zip(numbers).for_each(|(p, &number)| *p += velocities[number as usize] * 2e-3);
    }
    assert!((1..20).contains(&sorted), "the particles were sorted {sorted} times of 40");
}

/// A few particles that fly fast through all others, at rest or in motion, are found wherever they are.
#[test]
fn the_few_that_leave_all_others_are_put_in_elsewhere() {
    // Places wrap around after 1,024 m.
    for (drift, most_sorted) in [(DVec3::ZERO, 0), (DVec3::new(0.04, -0.02, 0.03), 0), (DVec3::X * 40.0, 20)] {
        let mut random = Random::new(5);
        let flight: Vec<DVec3> = (0..8).map(|_| random.vector(0.1)).collect();
        let mut matter = Matter::new(&cloud(2000, 1.0, DVec3::ZERO));
        let mut sorted = 0;
        for _ in 0..60 {
            sorted += usize::from(matter.update());
            matter.check();
            for (p, &number) in matter.positions.iter_mut().zip(&matter.numbers) {
                *p += drift + flight.get(number as usize / 250).filter(|_| number % 250 == 3).unwrap_or(&DVec3::ZERO);
            }
        }
        assert!(sorted <= most_sorted, "sorted {sorted} times, moving on by {drift}");
    }
}

#[test]
fn lists_depend_on_the_positions_alone() {
    let points = cloud(300, 1.0, DVec3::ZERO);
    let fresh = Matter::new(&points);
    let mut other = Matter::new(&cloud(300, 1.0, DVec3::splat(3.0)));
    other.positions = other.numbers.iter().map(|&number| points[number as usize]).collect();
    other.sort();
    other.prepare();
    assert_eq!((other.numbers, other.neighbours.batches()), (fresh.numbers, fresh.neighbours.batches()));
}

#[test]
fn lists_are_made_only_for_chosen_slots() {
    let points = cloud(1000, 0.5, DVec3::ZERO);
    let all = Matter::new(&points);
    let mut matter = Matter::new(&points);
    matter.sort();
    let mut some = Active::default();
    let bins: Vec<u8> = (0..1000).map(|slot| if (300..320).contains(&slot) || slot == 999 { 5 } else { 4 }).collect();
    some.choose(&bins, 5);
    assert_eq!(some.slots(), (300..320).chain([999]).collect::<Vec<_>>());
    let batches: Vec<u32> = some.batches().collect();
    assert_eq!(batches, [300 / BATCH as u32, 999 / BATCH as u32]);
    // The particles have moved on within the skin: the lists are still those for the sorted positions.
    matter.positions.iter_mut().for_each(|p| *p += DVec3::splat(0.005) * p.signum());
    matter.place(7);
    assert_eq!([0.0, 1e-6, 0.02].map(|gone| matter.judge(gone)), [Verdict::Hold, Verdict::Hold, Verdict::Fail]);
    matter.neighbours.prepare(&some);
    let around = matter.neighbours.around(&some);
    assert!(around.is_sorted() && around.len() > 2);
    for (batch, (lists, expected)) in (0..).zip(matter.neighbours.batches().iter().zip(all.neighbours.batches())) {
        if batches.contains(&batch) { assert_eq!(lists, expected) } else { assert!(lists.is_empty()) }
    }
    for neighbour in some.slots().iter().flat_map(|&slot| matter.neighbours.of(slot as usize)) {
        assert!(around.contains(&(neighbour / BATCH as u32)));
    }
    assert!(matter.neighbours.places().iter().all(|place| place[3] == 7));
}
