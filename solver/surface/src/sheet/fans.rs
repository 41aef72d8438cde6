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
    let mut fans = fans(&stars.sectors[at as usize]);
    if fans.len() < 2 {
        return vec![];
    }
    let sides = |fan: &[Sector]| fan.iter().flatten().map(|end| particles.way(at, *end).length()).sum::<f64>();
    let lowest = |fan: &[Sector]| fan.iter().flatten().copied().min();
    let by_size = |a: &Vec<Sector>, b: &Vec<Sector>| {
        b.len().cmp(&a.len()).then(sides(a).total_cmp(&sides(b))).then(lowest(a).cmp(&lowest(b)))
    };
    fans.sort_unstable_by(by_size);
    fans.into_iter().skip(1).flatten().map(|[a, b]| [at, a, b]).collect()
}

/// The sectors of a star by fans.
fn fans(star: &[Sector]) -> Vec<Vec<Sector>> {
    let mut rest = star.to_vec();
    let mut fans = vec![];
    // A fan that goes all the way around may begin anywhere.
    let first = |rest: &[Sector]| rest.iter().position(|sector| !rest.iter().any(|other| other[1] == sector[0]));
    while !rest.is_empty() {
        let mut fan = vec![rest.swap_remove(first(&rest).unwrap_or(0))];
        while let Some(next) = rest.iter().position(|sector| Some(sector[0]) == fan.last().map(|last| last[1])) {
            fan.push(rest.swap_remove(next));
        }
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
