//! Solids that move over the frames: what heats, joins or cuts the matter in it.

use crate::boundary::Motion;
use crate::geometry::{MeshFault, Solid};
use crate::{MeshLibrary, SetupError};
use dollop_scene::{JsonPath, Key, Shape, Transform};

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
    let place = JsonPath::item(list, number);
    let motion = Motion::new(transform, keys, time_of).map_err(|key| {
        SetupError::new(
            place.key("motion").index(key).key("transform").key("scale"),
            format!("a {kind}'s scale may change over the frames only by one positive factor for all axes"),
        )
    })?;
    let scaled = Transform { scale: motion.base_scale().to_array(), ..Transform::default() };
    let needed = format!("a {kind} must be a closed mesh that encloses a volume");
    let fault = |found: MeshFault| SetupError::of_mesh(place.key("shape"), found, &needed);
    let solid = Solid::new(shape, &scaled, meshes).map_err(fault)?;
    Ok((solid, motion))
}
