//! Lights of a preview, in view space: a key light over the left shoulder, a soft sky, and a neutral backdrop without a
//! floor.

use crate::colour::from_srgb;
use glam::Vec3;

/// Direction towards the key light: a unit vector of view space.
pub(crate) const KEY: Vec3 = Vec3::new(-0.485_071, 0.727_607, -0.485_071);

/// Strength of the key light and of the sky.
const KEY_STRENGTH: f32 = 0.85;
const SKY_STRENGTH: f32 = 0.34;
/// Strength and exponent of the highlight.
const GLOSS: f32 = 0.08;
const GLOSS_POWER: i32 = 24;

/// The light reflected by a matt surface with a little gloss.
///
/// `normal` and `to_eye` are unit vectors of view space. `key_share` is the fraction of the key light that arrives,
/// `sky_share` the visible fraction of the sky, both 0 to 1.
pub(crate) fn reflected(albedo: Vec3, normal: Vec3, to_eye: Vec3, key_share: f32, sky_share: f32) -> Vec3 {
    let key = normal.dot(KEY).max(0.0) * key_share;
    let sky = (0.72 + 0.28 * normal.y) * sky_share;
    let gloss = normal.dot((KEY + to_eye).normalize_or_zero()).max(0.0).powi(GLOSS_POWER) * key_share;
    albedo * (KEY_STRENGTH * key + SKY_STRENGTH * sky) + Vec3::splat(GLOSS * gloss)
}

/// The backdrop at a height of the picture, from 0 at the top to 1: dark grey, so that white and bright matter stands
/// out.
pub(crate) fn backdrop(height: f32) -> Vec3 {
    from_srgb([74, 77, 82]).lerp(from_srgb([41, 43, 47]), height)
}
