//! Where walls cut skins off.
//!
//! A particle k near a wall knows the plane through the nearest point of it, across the way there. Its mirror image
//! behind the plane fills the skin up to it, and the plane cuts it off. Where the planes that a point feels differ, the
//! wall is bent: in a corner of a room the skin is in front of all planes, around an edge or a thin wall in front of
//! any. So with `w_k`, how much of a particle and its image is felt, and `D_k`, the distance from its plane,
//!
//! | symbol | meaning |
//! |---|---|
//! | `E_k` | the larger of: least of `D_k` and the `D_j` in a room with it, largest of the `D_j` around an edge from it |
//! | D | the mean of `E_k`, weighted by `w_k` |
//!
//! All of it fades: what is hardly felt, or planes that are hardly bent against each other, count as if they were
//! farther on the side where that makes no difference, so the skin does not leap where a plane comes or goes. And what
//! is nearer to any particle than the wall can be is not cut.

use glam::{DVec3, Vec3};

/// How deep behind its plane an image ends to be felt, in reaches: what is on the other side of a thin wall does not
/// feel it.
const FADING: f32 = 0.25;

/// Over so much, in reaches, what is left by a wall grows by as much as the isovalue.
const SOFTNESS: f32 = 0.5;

/// No wall is nearer than that, in reaches, to a particle that has none; `Skin::image` is zero from there on.
const FREE: f32 = 0.6;

/// How much of particles with walls is felt, over the isovalue, where these cut in full.
const FELT: f32 = 0.15;

/// Part of that from which on a plane counts in full beside others.
const SHARE: f32 = 0.02;

/// So much bent, sine of half an angle, planes are in a room or around an edge in full.
const BENT: f32 = 0.05;

/// What is left of a bend by as much of it the other way.
const MIXED: f32 = 4.0;

/// The plane of the wall beside a particle.
#[derive(Debug, Clone, Copy)]
pub struct WallPlane {
    /// Out of the wall.
    pub normal: Vec3,
    /// Of the particle over it, or of its image: negative.
    pub height: f32,
}

impl WallPlane {
    /// The plane of a wall at the end of a way from a particle.
    pub fn beside(way: DVec3) -> Self {
        Self { normal: -way.normalize().as_vec3(), height: way.length() as f32 }
    }

    /// The same as the image of the particle has it.
    #[must_use]
    pub fn behind(self) -> Self {
        Self { height: -self.height, ..self }
    }

    /// The way from the particle, or image, to the foot of both on the plane.
    fn foot(&self) -> Vec3 {
        -self.height * self.normal
    }

    /// The height of a point over it, seen from the particle or image.
    fn over(&self, point: Vec3) -> f32 {
        self.normal.dot(point) + self.height
    }

    /// 1 in front, 0 deep behind, for a point as seen from an image of some reach, and the gradient of that.
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
    /// Of the point over it.
    distance: f32,
    normal: Vec3,
    foot: Vec3,
}

/// A particle, or its image behind a wall, as a point feels it.
#[derive(Debug, Clone, Copy)]
pub struct Beside {
    /// Where it is.
    pub centre: Vec3,
    /// How far its field reaches.
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
    /// Sums of the weights, and of these times reaches.
    weight: f32,
    reach: f32,
    /// How far it is at least from all walls, by which particle.
    free: Option<(f32, Vec3)>,
}

impl NearbyPlanes {
    /// Forgets all.
    pub fn clear(&mut self) {
        self.views.clear();
        (self.weight, self.reach, self.free) = (0.0, 0.0, None);
    }

    /// Adds a particle or an image at some place, the field of which has some reach, and of which some is felt at a
    /// point.
    pub fn add(&mut self, felt: &Beside, weight: f32, point: Vec3) {
        let Beside { centre, reach, wall, is_image } = *felt;
        let way = point - centre;
        if let Some(plane) = &wall {
            let (distance, foot) = (plane.over(way), centre + plane.foot());
            self.views.push(View { weight, distance, normal: plane.normal, foot });
            self.weight += weight;
            self.reach += weight * reach;
        }
        if !is_image {
            let around = wall.map_or(FREE * reach, |plane| plane.height);
            let free = around - way.length();
            if self.free.is_none_or(|(most, _)| free > most) {
                self.free = Some((free, -way.normalize_or_zero()));
            }
        }
    }
}

/// What walls leave of a field at a point, 1 at the wall, and the gradient of that; none where no wall is felt.
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
    // What is hardly felt does not cut.
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

/// How much the wall is bent between two planes: positive where each foot is in front of the other plane, as in a room,
/// negative where each is behind it, as around an edge.
fn bend(a: &View, b: &View) -> f32 {
    let way = b.foot - a.foot;
    let length = way.length();
    if length <= 0.0 {
        return 0.0;
    }
    let (of_b, of_a) = (a.normal.dot(way) / length, -b.normal.dot(way) / length);
    let mean = 0.5 * (of_a + of_b);
    let room = mean - MIXED * (-of_a.min(of_b)).max(0.0);
    let edge = -mean - MIXED * of_a.max(of_b).max(0.0);
    if room > 0.0 { room } else { -edge.max(0.0) }
}
