//! Light in a preview: a key light over the left shoulder, a soft sky, and a neutral backdrop without a floor. In view space.

use crate::colour::from_srgb;
use glam::Vec3;

/// Where the key light is: unit vector of view space.
pub(crate) const KEY: Vec3 = Vec3::new(-0.485_071, 0.727_607, -0.485_071);

/// Strength of the key light and of the sky.
const KEY_STRENGTH: f32 = 0.85;
const SKY_STRENGTH: f32 = 0.34;
/// Strength and exponent of the highlight.
const GLOSS: f32 = 0.08;
const GLOSS_POWER: i32 = 24;

/// Light from a matt surface with a little gloss.
///
/// `normal` is a unit vector of view space, `toward` the one to the eye; `lit` is the part of the key light that arrives and
/// `open` the part of the sky that is seen, both 0 to 1.
pub(crate) fn reflected(albedo: Vec3, normal: Vec3, toward: Vec3, lit: f32, open: f32) -> Vec3 {
    let key = normal.dot(KEY).max(0.0) * lit;
    let sky = (0.72 + 0.28 * normal.y) * open;
    let gloss = normal.dot((KEY + toward).normalize_or_zero()).max(0.0).powi(GLOSS_POWER) * lit;
    albedo * (KEY_STRENGTH * key + SKY_STRENGTH * sky) + Vec3::splat(GLOSS * gloss)
}

/// The backdrop at a height of the picture, 0 at the top to 1: dark grey, so that white and bright matter stands out.
pub(crate) fn backdrop(height: f32) -> Vec3 {
    from_srgb([74, 77, 82]).lerp(from_srgb([41, 43, 47]), height)
}
