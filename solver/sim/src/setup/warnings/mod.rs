//! Warnings before a scene is baked: one sentence each, with advice.

mod matter;
mod on_grid;
mod settings;

use super::Outline;
use crate::Estimate;
use dollop_scene::Scene;
pub use matter::of_matter;

/// All warnings for a scene: from its settings and the outlines of its bodies, and from the matter, if it was filled in
/// for the estimate.
pub fn warnings(scene: &Scene, outlines: &[Outline], estimate: &Estimate) -> Vec<String> {
    let mut all = settings::of_settings(scene, outlines, estimate);
    all.extend(on_grid::of_grid_matter(scene, estimate));
    all.extend_from_slice(&estimate.warnings);
    all
}
