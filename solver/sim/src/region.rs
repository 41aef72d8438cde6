//! Solids that move over the frames: what heats, joins or cuts the matter in it.

use crate::boundary::Motion;
use crate::geometry::{MeshFault, Solid};
use crate::{MeshLibrary, SetupError};
use dollop_scene::{Key, Shape, Transform};

/// A solid with the base scale of its motion, in its own coordinates, and that motion: of the thing of some kind and number in the list
/// of that name, by its shape, transform and keys.
///
/// # Errors
/// When its mesh encloses nothing, or its scale changes unevenly.
pub fn moving_solid(
    (list, kind, number): (&str, &str, usize),
    (shape, transform, keys): (&Shape, &Transform, &[Key]),
    meshes: &MeshLibrary,
    time_of: impl Fn(i32) -> f64,
) -> Result<(Solid, Motion), SetupError> {
    let fault = |field: &str, message: String| SetupError { path: format!("{list}[{number}].{field}"), message };
    let motion = Motion::new(transform, keys, time_of).map_err(|key| {
        fault(
            &format!("motion[{key}].transform.scale"),
            format!("a {kind}'s scale may change over the frames only by one positive factor for all axes"),
        )
    })?;
    let scaled = Transform { scale: motion.base_scale().to_array(), ..Transform::default() };
    let solid = Solid::new(shape, &scaled, meshes).map_err(|found: MeshFault| {
        fault("shape", format!("{found}; a {kind} must be a closed mesh that encloses a volume"))
    })?;
    Ok((solid, motion))
}
