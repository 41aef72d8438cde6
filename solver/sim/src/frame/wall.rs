//! Walls cut skins off.
//!
//! A particle k near a wall has a plane: through the nearest point of the wall, perpendicular to the displacement to
//! that point. Its mirror image behind the plane fills the skin up to the plane, and the plane cuts the skin off. Where
//! the planes that a point feels differ, the wall is bent: in a corner of a room the skin is in front of all planes,
//! around an edge or a thin wall in front of any. So with `w_k`, the weight of a particle and its image at a point, and
//! `D_k`, the distance from its plane,
//!
//! | symbol | meaning |
//! |---|---|
//! | `E_k` | larger of: least of `D_k` and the `D_j` in a room with it, largest of the `D_j` around an edge from it |
//! | D | the mean of `E_k`, weighted by `w_k` |
//!
//! All effects fade: planes that are hardly felt, or hardly bent against each other, count as if they were farther on
//! the side where that makes no difference, so the skin does not leap where a plane appears or vanishes. A point that
//! is nearer to any particle than the wall can be is not cut.

use glam::{DVec3, Vec3};

/// Depth behind its plane, in reaches, at which an image stops being felt: points on the other side of a thin wall do
/// not feel it.
const FADING: f32 = 0.25;

/// Distance, in reaches, over which the field that a wall leaves grows by as much as the isovalue.
const SOFTNESS: f32 = 0.5;

/// Least distance of walls, in reaches, from a particle that has none; `Skin::image` is zero from there on.
const FREE: f32 = 0.6;

/// Sum of the weights of particles with walls, over the isovalue, from which on the walls cut in full.
const FELT: f32 = 0.15;

/// Part of that sum from which on a plane counts in full beside others.
const SHARE: f32 = 0.02;

/// Bend, as the sine of half an angle, from which on planes in a room or around an edge count in full.
const BENT: f32 = 0.05;

/// Reduction of a bend by a bend the other way, per unit of the latter.
const MIXED: f32 = 4.0;

/// The plane of the wall beside a particle.
#[derive(Debug, Clone, Copy)]
pub struct WallPlane {
    /// Unit vector out of the wall.
    pub normal: Vec3,
    /// Height of the particle over the plane; negative for its image.
    pub height: f32,
}

impl WallPlane {
    /// The plane of a wall, given the displacement from a particle to the wall.
    pub fn beside(displacement: DVec3) -> Self {
        Self { normal: -displacement.normalize().as_vec3(), height: displacement.length() as f32 }
    }

    /// The same plane, relative to the particle's image.
    #[must_use]
    pub fn behind(self) -> Self {
        Self { height: -self.height, ..self }
    }

    /// The displacement from the particle, or image, to the foot of both on the plane.
    fn foot(&self) -> Vec3 {
        -self.height * self.normal
    }

    /// The height of a point over the plane, with the point relative to the particle or image.
    fn over(&self, point: Vec3) -> f32 {
        self.normal.dot(point) + self.height
    }

    /// 1 in front, 0 deep behind, for a point relative to an image of some reach, and the gradient of that.
    pub fn front(&self, point: Vec3, reach: f32) -> (f32, Vec3) {
        let depth = FADING * reach;
        let t = (1.0 + self.over(point) / depth).clamp(0.0, 1.0);
        (t * t * (3.0 - 2.0 * t), 6.0 * t * (1.0 - t) / depth * self.normal)
    }
}

/// A plane as a point feels it.
#[derive(Debug, Clone, Copy)]
struct View {
    weight: f32,
    /// Height of the point over the plane.
    distance: f32,
    normal: Vec3,
    foot: Vec3,
}

/// A particle, or its image behind a wall, as a point feels it.
#[derive(Debug, Clone, Copy)]
pub struct Beside {
    /// Position.
    pub centre: Vec3,
    /// Reach of its field.
    pub reach: f32,
    /// The wall beside it.
    pub wall: Option<WallPlane>,
    /// Whether it is the image.
    pub is_image: bool,
}

/// The planes that a point feels.
#[derive(Debug, Default)]
pub struct NearbyPlanes {
    views: Vec<View>,
    /// Sum of the weights, and sum of the weights times reaches.
    weight: f32,
    reach: f32,
    /// Lower bound of the distance to all walls, from the particle that gives the largest one, and its gradient.
    free: Option<(f32, Vec3)>,
}

impl NearbyPlanes {
    /// Removes all planes.
    pub fn clear(&mut self) {
        self.views.clear();
        (self.weight, self.reach, self.free) = (0.0, 0.0, None);
    }

    /// Adds a particle or an image with its weight at a point.
    pub fn add(&mut self, felt: &Beside, weight: f32, point: Vec3) {
        let Beside { centre, reach, wall, is_image } = *felt;
        let offset = point - centre;
        if let Some(plane) = &wall {
            let (distance, foot) = (plane.over(offset), centre + plane.foot());
            self.views.push(View { weight, distance, normal: plane.normal, foot });
            self.weight += weight;
            self.reach += weight * reach;
        }
        if !is_image {
            let around = wall.map_or(FREE * reach, |plane| plane.height);
            let free = around - offset.length();
            if self.free.is_none_or(|(most, _)| free > most) {
                self.free = Some((free, -offset.normalize_or_zero()));
            }
        }
    }
}

/// The field that walls leave at a point, 1 at the wall, and its gradient; none where no wall is felt.
pub fn clip(seen: &NearbyPlanes) -> Option<(f32, Vec3)> {
    if seen.views.is_empty() {
        return None;
    }
    let soft = SOFTNESS * seen.reach / seen.weight;
    let (mut distance, mut normal) = (0.0, Vec3::ZERO);
    for view in &seen.views {
        let (bent, across) = bent(view, seen, soft);
        distance += view.weight * bent;
        normal += view.weight * across;
    }
    // Hardly felt planes do not cut.
    let faint = soft * (FELT / seen.weight - 1.0).max(0.0);
    let cut = (distance / seen.weight + faint, normal / seen.weight);
    let (distance, normal) = seen.free.filter(|free| free.0 > cut.0).unwrap_or(cut);
    Some((1.0 + distance / soft, normal / soft))
}

/// `E_k` at a point, and its gradient.
fn bent(view: &View, seen: &NearbyPlanes, soft: f32) -> (f32, Vec3) {
    let own = (view.distance, view.normal);
    let (mut least, mut most) = (own, None::<(f32, Vec3)>);
    for other in &seen.views {
        let bend = bend(view, other);
        let trust = (other.weight / (SHARE * seen.weight)).min(bend.abs() / BENT).min(1.0);
        if trust <= 0.0 {
            continue;
        }
        let away = soft * (1.0 / trust - 1.0);
        if bend > 0.0 && other.distance + away < least.0 {
            least = (other.distance + away, other.normal);
        } else if bend < 0.0 && most.is_none_or(|most| other.distance - away > most.0) {
            most = Some((other.distance - away, other.normal));
        }
    }
    most.filter(|most| most.0 > least.0).unwrap_or(least)
}

/// The bend of the wall between two planes: positive where each foot is in front of the other plane, as in a room,
/// negative where each is behind it, as around an edge.
fn bend(a: &View, b: &View) -> f32 {
    let offset = b.foot - a.foot;
    let length = offset.length();
    if length <= 0.0 {
        return 0.0;
    }
    let (of_b, of_a) = (a.normal.dot(offset) / length, -b.normal.dot(offset) / length);
    let mean = 0.5 * (of_a + of_b);
    let room = mean - MIXED * (-of_a.min(of_b)).max(0.0);
    let edge = -mean - MIXED * of_a.max(of_b).max(0.0);
    if room > 0.0 { room } else { -edge.max(0.0) }
}
