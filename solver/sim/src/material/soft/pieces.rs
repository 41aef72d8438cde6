//! Pieces, within which particles blend, DG95 sections 4 and 5.2.
//!
//! The influence graph joins particles whose spheres of influence meet, regardless of the changing offsets. Its parts
//! are separate pieces from then on, which neither blend nor attract each other when they meet again. A particle then
//! blends with its whole piece, and no list has to be kept.
//!
//! Particles of different pieces that are pressed together hard enough fuse: they blend with all of the lump, the union
//! of fused pieces, while others still blend with their own piece alone and collide. So fusion spreads from place to
//! place, and a lump that is drawn apart at its seams is pieces again.

use super::territory::SoftParticle;
use crate::hash_grid::HashGrid;
use crate::particles::Membership;
use crate::union::Union;
use glam::DVec3;
use rustc_hash::FxHashMap;

/// Fuses pairs of particles, by their numbers.
pub fn fuse(soft_particles: &mut [SoftParticle], pairs: &[[u32; 2]]) {
    if pairs.is_empty() {
        return;
    }
    let places: FxHashMap<u32, usize> =
        soft_particles.iter().enumerate().map(|(at, soft_particle)| (soft_particle.number, at)).collect();
    let mut lumps = Union::new(
        soft_particles.iter().map(|soft_particle| soft_particle.membership.lump as usize + 1).max().unwrap_or(0),
    );
    for pair in pairs {
        let [Some(&a), Some(&b)] = pair.map(|number| places.get(&number)) else { continue };
        lumps.unite(soft_particles[a].membership.lump, soft_particles[b].membership.lump);
        for at in [a, b] {
            soft_particles[at].membership.fused = true;
        }
    }
    for soft_particle in soft_particles {
        soft_particle.membership.lump = lumps.least(soft_particle.membership.lump);
    }
}

/// Divides pieces into parts whose influence is connected, or whose pairs attract each other within a support, m, and
/// lumps into parts whose fused particles are connected. The least particle identifies each. `is_parted` tells whether
/// a wall separates two places; such pairs are not connected.
pub fn divide(soft_particles: &mut [SoftParticle], support: f64, is_parted: impl Fn(DVec3, DVec3) -> bool) {
    let widest = soft_particles.iter().map(|soft_particle| soft_particle.skin.reach).fold(0.0, f64::max);
    let cells =
        HashGrid::new(support.max(2.0 * widest), soft_particles.iter().map(|soft_particle| soft_particle.place));
    let mut links = Links { pieces: Union::new(soft_particles.len()), seams: vec![] };
    let mut doubtful = vec![];
    for (at, soft_particle) in soft_particles.iter().enumerate() {
        for other in cells.around(soft_particle.place).filter(|&other| (other as usize) < at) {
            let near = &soft_particles[other as usize];
            let (touch, far) = (
                support.max(soft_particle.skin.reach + near.skin.reach),
                near.place.distance_squared(soft_particle.place),
            );
            if !near.membership.blends(&soft_particle.membership) || far >= touch * touch {
                continue;
            }
            let is_seam = near.membership.piece != soft_particle.membership.piece;
            let free = soft_particle.free_of_walls() + near.free_of_walls();
            if far < free * free {
                links.add((other, at as u32), is_seam);
            } else {
                doubtful.push((other, at as u32, is_seam));
            }
        }
    }
    for (a, b, is_seam) in doubtful {
        // Most pairs connect no new parts.
        let is_new = is_seam || links.pieces.least(a) != links.pieces.least(b);
        if is_new && !is_parted(soft_particles[a as usize].place, soft_particles[b as usize].place) {
            links.add((a, b), is_seam);
        }
    }
    let Links { mut pieces, seams } = links;
    let (mut lumps, mut fused) = (pieces.clone(), vec![false; soft_particles.len()]);
    for (a, b) in seams {
        lumps.unite(a, b);
        (fused[a as usize], fused[b as usize]) = (true, true);
    }
    for at in 0..soft_particles.len() {
        let [piece, lump] = [&mut pieces, &mut lumps].map(|of| soft_particles[of.least(at as u32) as usize].number);
        soft_particles[at].membership = Membership { piece, lump, fused: fused[at] };
    }
}

/// Connections, by places.
struct Links {
    pieces: Union,
    /// Pairs of different pieces that have fused.
    seams: Vec<(u32, u32)>,
}

impl Links {
    fn add(&mut self, (a, b): (u32, u32), is_seam: bool) {
        if is_seam {
            self.seams.push((a, b));
        } else {
            self.pieces.unite(a, b);
        }
    }
}
