//! As many points as a body's volume asks for, off the lattice.

use super::{Point, Room};
use crate::boundary::Section;
use crate::setup::seats::{random, random_offset};
use dollop_scene::Dimensions;
use glam::DVec3;
use rayon::prelude::*;

/// How far points are scattered along each axis, in spacings: the order of the lattice is lost.
const SCATTER: f64 = 0.7;

/// Ways, each half as long as the last, that are tried for a point, to both sides, before it stays.
const TRIES: i32 = 6;

/// So many points from others, of which some are left out or doubled, as evenly as they follow each other.
pub fn counted(points: &[DVec3], count: usize) -> Vec<DVec3> {
    let found = points.len();
    let mut times = vec![1_usize; found];
    let parts = found.abs_diff(count);
    for part in 0..parts {
        // One of each of as many parts, at random.
        let [first, end] = [part, part + 1].map(|part| (part as u128 * found as u128 / parts as u128) as usize);
        let chosen = first + (f64::midpoint(random(part as u64), 1.0) * (end - first) as f64) as usize;
        let times = &mut times[chosen.min(end.max(first + 1) - 1)];
        *times = if count > found { *times + 1 } else { *times - 1 };
    }
    points.iter().zip(times).flat_map(|(&point, times)| std::iter::repeat_n(point, times)).collect()
}

/// Points off their places inside a room, each by its number.
pub fn scattered(points: &[DVec3], room: &Room, dimensions: Dimensions) -> Vec<Point> {
    let (most, axes) = (SCATTER * room.spacing, Section(dimensions).axes());
    let scatter = |(&place, number): (&DVec3, usize)| {
        let by = random_offset(number, axes) * most;
        let tries = (0..TRIES).flat_map(|half| [1.0, -1.0].map(|way| place + by * way / f64::from(1 << half)));
        let place = tries.into_iter().find(|&to| room.solid.contains(to)).unwrap_or(place);
        Point { place, number: number as u32 }
    };
    points.par_iter().zip(0..points.len()).map(scatter).collect()
}
