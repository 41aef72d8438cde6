//! Keeps one fan of triangles per particle: the one with the most triangles.

use super::particles::SheetParticles;
use super::stars::{Sector, Stars};
use rayon::prelude::*;

/// Removes triangles until each particle has a single fan.
pub(super) fn keep_one(particles: &SheetParticles, stars: &mut Stars) {
    let mut changed: Vec<u32> = (0..particles.len() as u32).collect();
    while !changed.is_empty() {
        let removed: Vec<[u32; 3]> =
            changed.par_iter().flat_map_iter(|at| lesser_fans(particles, stars, *at)).collect();
        for corners in &removed {
            stars.remove(*corners);
        }
        changed = removed.into_iter().flatten().collect();
        changed.sort_unstable();
        changed.dedup();
    }
}

/// The triangles at a particle outside its largest fan; among fans of equal size, the one with shorter sides stays.
fn lesser_fans(particles: &SheetParticles, stars: &Stars, at: u32) -> Vec<[u32; 3]> {
    let star = &stars.sectors[at as usize];
    if fan_from(star, first_of_fan(star)).count() == star.len() {
        return vec![];
    }
    let mut fans = fans(star);
    // Measured in the stretched space, as fans of a lattice are equal otherwise.
    let side = |end: &u32| particles.stretched[*end as usize].distance(particles.stretched[at as usize]);
    let sides = |fan: &[Sector]| fan.iter().flatten().map(side).sum::<f64>();
    let lowest = |fan: &[Sector]| fan.iter().flatten().copied().min();
    let by_size = |a: &Vec<Sector>, b: &Vec<Sector>| {
        b.len().cmp(&a.len()).then(sides(a).total_cmp(&sides(b))).then(lowest(a).cmp(&lowest(b)))
    };
    fans.sort_unstable_by(by_size);
    fans.into_iter().skip(1).flatten().map(|[a, b]| [at, a, b]).collect()
}

/// The first sector of a fan; a closed fan may begin anywhere.
fn first_of_fan(star: &[Sector]) -> Option<Sector> {
    let is_first = |sector: &&Sector| !star.iter().any(|other| other[1] == sector[0]);
    star.iter().find(is_first).or(star.first()).copied()
}

/// The consecutive sectors of a star from one on.
fn fan_from(star: &[Sector], first: Option<Sector>) -> impl Iterator<Item = Sector> {
    let next =
        move |sector: &Sector| star.iter().find(|other| other[0] == sector[1] && Some(**other) != first).copied();
    std::iter::successors(first, next)
}

/// The fans of a star.
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
    fn separate_fans_are_found() {
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
