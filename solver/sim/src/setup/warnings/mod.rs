//! What a user should know of a scene before it is baked: a sentence each, with what to do.

mod matter;
mod settings;

use super::Outline;
use crate::Estimate;
use dollop_scene::Scene;
pub use matter::of_matter;

/// All warnings of a scene: what its settings and the outlines of its bodies tell, and what the matter told that fills
/// them, where it was filled for the estimate.
pub fn warnings(scene: &Scene, outlines: &[Outline], estimate: &Estimate) -> Vec<String> {
    let mut all = settings::of_settings(scene, outlines, estimate);
    all.extend_from_slice(&estimate.warnings);
    all
}
