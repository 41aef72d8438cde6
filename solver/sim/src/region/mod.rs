//! Objects that move over the frames as a scene says: walls, pins, and solids that heat, join, cut or remove the matter
//! in them.

mod sweep;

pub use sweep::{Displacement, MovingRegion, Sweep, displacements, longest};

use crate::boundary::Motion;
use crate::geometry::{MeshFault, Solid};
use crate::wording::with_article;
use crate::{MeshLibrary, SetupError};
use dollop_scene::{JsonPath, Key, Placed, Scene, Transform};

/// Seconds from the first frame of a scene to another frame.
pub fn time_of(scene: &Scene) -> impl Fn(i32) -> f64 + Copy {
    let (start, rate) = (f64::from(scene.frames.start), scene.frames.rate);
    move |frame| (f64::from(frame) - start) / rate
}

/// The motion of an object of a scene, by its transform and keys; times are seconds from the first frame.
///
/// # Errors
/// When its scale changes unevenly.
pub fn motion(
    place: &JsonPath,
    kind: &str,
    transform: &Transform,
    keys: &[Key],
    time_of: impl Fn(i32) -> f64,
) -> Result<Motion, SetupError> {
    Motion::new(transform, keys, time_of).map_err(|key| {
        SetupError::new(
            place.key("motion").index(key).key("transform").key("scale"),
            format!(
                "{}'s scale may change over the frames only by one positive factor for all axes",
                with_article(kind)
            ),
        )
    })
}

/// A solid that may move.
#[derive(Debug)]
pub struct MovingSolid {
    /// The solid with the base scale of its motion, in its own coordinates.
    pub solid: Solid,
    /// Its motion.
    pub motion: Motion,
}

/// The solid of the object with a number in a list of the scene, and its motion.
///
/// # Errors
/// When its mesh encloses nothing, or its scale changes unevenly.
pub fn moving_solid(
    list: &str,
    kind: &str,
    number: usize,
    placed: &impl Placed,
    meshes: &MeshLibrary,
    time_of: impl Fn(i32) -> f64,
) -> Result<MovingSolid, SetupError> {
    let place = JsonPath::item(list, number);
    let motion = motion(&place, kind, placed.transform(), placed.motion(), time_of)?;
    let scaled = Transform { scale: motion.base_scale().to_array(), ..Transform::default() };
    let needed = format!("{} must be a closed mesh that encloses a volume", with_article(kind));
    let fault = |found: MeshFault| SetupError::of_mesh(place.key("shape"), found, &needed);
    let solid = Solid::new(placed.shape(), &scaled, meshes).map_err(fault)?;
    Ok(MovingSolid { solid, motion })
}
