//! Where neighbours are further apart than a sheet can be stretched, a particle is born between them (Szeliski and Tonnesen 1992, section
//! 4.1), on the arc that their normals stand on.

use super::cloud::{Cloud, Lists, mirrored};
use super::near::Near;
use glam::DVec3;
use rayon::prelude::*;

/// Neighbours further apart are stretched.
const STRETCHED: f64 = 1.4;

/// How far away neighbours of what is born may be: so far, or so many times as far as those it is born between were.
pub(super) const REACH: f64 = 4.0;
const REACH_OF_STRETCH: f64 = 1.5;

/// How far all others must be from where a particle is born.
const ROOM: f64 = 0.68;

/// How far within the ball over a pair a third must be to be between them, as a part of the squared radius.
const BETWEEN: f64 = 0.9;

/// A particle that may be born.
struct Birth {
    stretch: f64,
    place: DVec3,
    normal: DVec3,
    reach: f64,
}

/// Has particles born between all neighbours that are stretched, the nearest first; tells how many.
pub(super) fn bear(cloud: &mut Cloud, lists: &Lists) -> usize {
    let of = |one: usize| {
        let others = lists.of(one).iter().map(|other| *other as usize).filter(move |other| *other > one);
        others.filter_map(|other| birth(cloud, lists, one, other)).collect::<Vec<_>>()
    };
    let mut births: Vec<Birth> = (0..cloud.len()).into_par_iter().flat_map_iter(of).collect();
    births.sort_by(|a, b| a.stretch.total_cmp(&b.stretch));
    let born = with_room(cloud, births);
    let places: Vec<DVec3> = born.iter().map(|birth| birth.place).collect();
    for birth in Near::new(&places).order().map(|number| &born[number]) {
        cloud.add(birth.place, birth.normal, birth.reach);
    }
    born.len()
}

fn birth(cloud: &Cloud, lists: &Lists, one: usize, other: usize) -> Option<Birth> {
    let (a, b) = (cloud.places[one], cloud.places[other]);
    let stretch = a.distance(b);
    let is_between = |third: &u32| {
        let third = *third as usize;
        third != one
            && third != other
            && (cloud.places[third] - a).dot(cloud.places[third] - b) < (BETWEEN - 1.0) * stretch * stretch / 4.0
    };
    if stretch < STRETCHED || lists.of(one).iter().chain(lists.of(other)).any(is_between) {
        return None;
    }
    let (place, normal) = half_way([a, b], [cloud.normals[one], cloud.normals[other]]);
    Some(Birth { stretch, place, normal, reach: REACH.max(stretch * REACH_OF_STRETCH) })
}

/// The middle of the cubic over two places that is upright to both normals, and the normal there.
fn half_way([a, b]: [DVec3; 2], [n, m]: [DVec3; 2]) -> (DVec3, DVec3) {
    let way = b - a;
    let rise = m * way.dot(m) - n * way.dot(n);
    let sum = n + m;
    ((a + b) / 2.0 + rise / 8.0, mirrored(sum, way).normalize_or(sum.normalize_or(n)))
}

/// The births that have room, also beside those before them.
fn with_room(cloud: &Cloud, births: Vec<Birth>) -> Vec<Birth> {
    let near = Near::new(&cloud.places);
    let has_room = |birth: &Birth| {
        let others = near.within(birth.place, ROOM);
        !others.iter().any(|(_, other)| cloud.normals[*other as usize].dot(birth.normal) > 0.0)
    };
    let births: Vec<Birth> = births.into_par_iter().filter(has_room).collect();
    let places: Vec<DVec3> = births.iter().map(|birth| birth.place).collect();
    let among = Near::new(&places);
    let rivals: Vec<_> = places.par_iter().map(|place| among.within(*place, ROOM)).collect();
    let mut is_born = vec![false; births.len()];
    for number in 0..births.len() {
        let rival = |&(_, other): &(f64, u32)| {
            is_born[other as usize] && births[other as usize].normal.dot(births[number].normal) > 0.0
        };
        let is_free = !rivals[number].iter().any(rival);
        is_born[number] = is_free;
    }
    births.into_iter().zip(is_born).filter_map(|(birth, is_born)| is_born.then_some(birth)).collect()
}
