//! One fan of triangles a particle: where there are several, the one with most triangles stays.

use super::particles::Particles;
use super::stars::{Sector, Stars};
use rayon::prelude::*;

/// Takes triangles away until there is one fan at each particle.
pub(super) fn keep_one(particles: &Particles, stars: &mut Stars) {
    let mut changed: Vec<u32> = (0..particles.len() as u32).collect();
    while !changed.is_empty() {
        let gone: Vec<[u32; 3]> = changed.par_iter().flat_map_iter(|at| lesser_fans(particles, stars, *at)).collect();
        for corners in &gone {
            stars.remove(*corners);
        }
        changed = gone.into_iter().flatten().collect();
        changed.sort_unstable();
        changed.dedup();
    }
}

/// The triangles at a particle that are not part of its largest fan: among fans of as many triangles the one with shorter sides.
fn lesser_fans(particles: &Particles, stars: &Stars, at: u32) -> Vec<[u32; 3]> {
    let star = &stars.sectors[at as usize];
    if fan_from(star, first_of_fan(star)).count() == star.len() {
        return vec![];
    }
    let mut fans = fans(star);
    // In the stretched space, as fans of a lattice are equal otherwise.
    let side = |end: &u32| particles.stretched[*end as usize].distance(particles.stretched[at as usize]);
    let sides = |fan: &[Sector]| fan.iter().flatten().map(side).sum::<f64>();
    let lowest = |fan: &[Sector]| fan.iter().flatten().copied().min();
    let by_size = |a: &Vec<Sector>, b: &Vec<Sector>| {
        b.len().cmp(&a.len()).then(sides(a).total_cmp(&sides(b))).then(lowest(a).cmp(&lowest(b)))
    };
    fans.sort_unstable_by(by_size);
    fans.into_iter().skip(1).flatten().map(|[a, b]| [at, a, b]).collect()
}

/// A sector that a fan begins with; a fan that goes all the way around may begin anywhere.
fn first_of_fan(star: &[Sector]) -> Option<Sector> {
    let is_first = |sector: &&Sector| !star.iter().any(|other| other[1] == sector[0]);
    star.iter().find(is_first).or(star.first()).copied()
}

/// The sectors of a star that follow each other from one on.
fn fan_from(star: &[Sector], first: Option<Sector>) -> impl Iterator<Item = Sector> {
    let next =
        move |sector: &Sector| star.iter().find(|other| other[0] == sector[1] && Some(**other) != first).copied();
    std::iter::successors(first, next)
}

/// The sectors of a star by fans.
fn fans(star: &[Sector]) -> Vec<Vec<Sector>> {
    let mut rest = star.to_vec();
    let mut fans = vec![];
    while !rest.is_empty() {
        let fan: Vec<Sector> = fan_from(&rest, first_of_fan(&rest)).collect();
        rest.retain(|sector| !fan.contains(sector));
        fans.push(fan);
    }
    fans
}

#[cfg(test)]
mod tests {
    use super::fans;

    #[test]
    fn fans_are_told_apart() {
        let lengths = |star: &[[u32; 2]]| {
            let mut lengths: Vec<usize> = fans(star).iter().map(Vec::len).collect();
            lengths.sort_unstable();
            lengths
        };
        assert_eq!(lengths(&[[3, 1], [1, 2], [2, 3]]), [3], "all the way around");
        assert_eq!(lengths(&[[2, 3], [1, 2], [5, 6]]), [1, 2]);
        assert_eq!(lengths(&[[2, 3], [1, 2], [5, 6], [6, 5]]), [2, 2], "one of them around");
        assert!(lengths(&[]).is_empty());
    }
}
