//! Checks beyond the schema: settings that must fit together.

use crate::SetupError;
use crate::material::model;
use dollop_scene::{
    Body, Collider, Dimensions, Frames, Heater, HeaterEffect, JsonPath, Key, Outflow, Output, Pin, Placed, Scene,
    Shape, Tool, Transform, ValueKey,
};

/// How far a quaternion written with a few digits may be from unit length.
const UNIT_TOLERANCE: f64 = 1e-3;
/// A smaller factor flattens any shape to nothing.
const SMALLEST_SCALE: f64 = 1e-9;

/// Checks a scene; the first fault is the error.
///
/// # Errors
/// The first settings that do not fit together.
pub fn check(scene: &Scene) -> Result<(), SetupError> {
    let root = JsonPath::default();
    frames(&scene.frames, &root.key("frames"))?;
    let dimensions = scene.discretization.dimensions;
    each(&scene.bodies, &root.key("bodies"), |of, path| body(of, path, dimensions))?;
    if dimensions == Dimensions::Two {
        planar(scene)?;
    }
    each(&scene.colliders, &root.key("colliders"), collider)?;
    each(&scene.heaters, &root.key("heaters"), heater)?;
    each(&scene.tools, &root.key("tools"), tool)?;
    each(&scene.outflows, &root.key("outflows"), outflow)?;
    check_output(&scene.output, &root.key("output"))
}

fn each<T>(
    items: &[T],
    path: &JsonPath,
    check: impl Fn(&T, &JsonPath) -> Result<(), SetupError>,
) -> Result<(), SetupError> {
    items.iter().enumerate().try_for_each(|(index, item)| check(item, &path.index(index)))
}

fn frames(frames: &Frames, path: &JsonPath) -> Result<(), SetupError> {
    if frames.end < frames.start {
        let message = format!("must be at least the first frame, {}, but is {}", frames.start, frames.end);
        return Err(SetupError::new(path.key("end"), message));
    }
    Ok(())
}

/// In a plane all motion stays in the plane, and all rotation is about its normal.
fn planar(scene: &Scene) -> Result<(), SetupError> {
    let root = JsonPath::default();
    let zero = |vector: &[f64; 3], path: &JsonPath, axes: &[usize], what: &str| {
        axes.iter().find(|&&axis| vector[axis] != 0.0).map_or(Ok(()), |&axis| {
            let message = format!(
                "must be 0 in a 2d scene, whose matter {what}, but is {}; set it to 0, or discretization.dimensions to \"3d\"",
                vector[axis]
            );
            Err(SetupError::new(path.index(axis), message))
        })
    };
    let stays = "stays in the plane y = 0";
    zero(&scene.gravity, &root.key("gravity"), &[1], stays)?;
    scene.bodies.iter().enumerate().try_for_each(|(index, body)| {
        let path = root.key("bodies").index(index);
        zero(&body.velocity, &path.key("velocity"), &[1], stays)?;
        zero(&body.angular_velocity, &path.key("angular_velocity"), &[0, 2], "turns about y alone")
    })
}

fn body(body: &Body, path: &JsonPath, dimensions: Dimensions) -> Result<(), SetupError> {
    bounded(body, path)?;
    placed(body, path)?;
    if body.heat.liquidus < body.heat.solidus {
        let message =
            format!("must not be below the solidus, {} K, but is {} K", body.heat.solidus, body.heat.liquidus);
        return Err(SetupError::new(path.key("heat").key("liquidus"), message));
    }
    model(&body.material).check(&path.key("material"), dimensions)?;
    pins(body, &path.key("pins"))
}

/// Pins can hold only vertices of a sheet.
fn pins(body: &Body, path: &JsonPath) -> Result<(), SetupError> {
    let message = if model(&body.material).thickness().is_none() {
        "only a sheet can be pinned; leave the pins out or make the material of type \"oriented\""
    } else if !matches!(body.shape, Shape::Mesh { .. }) {
        "only a mesh has vertices to pin; leave the pins out or give the shape as a mesh"
    } else {
        return each(&body.pins, path, |pin: &Pin, path| motion(&pin.motion, &path.key("motion")));
    };
    if body.pins.is_empty() { Ok(()) } else { Err(SetupError::new(path.clone(), message)) }
}

fn heater(heater: &Heater, path: &JsonPath) -> Result<(), SetupError> {
    bounded(heater, path)?;
    placed(heater, path)?;
    match heater.effect {
        HeaterEffect::Temperature { .. } => temperatures(&heater.values, &path.key("values")),
        HeaterEffect::Power { .. } => rising(heater.values.iter().map(|key| key.frame), &path.key("values")),
    }
}

/// A plane has no bounds.
fn bounded(of: &impl Placed, path: &JsonPath) -> Result<(), SetupError> {
    if matches!(of.shape(), Shape::Plane {}) {
        let message = "a plane has no bounds, so only a collider can be one; choose another shape";
        return Err(SetupError::new(path.key("shape").key("type"), message));
    }
    Ok(())
}

fn tool(tool: &Tool, path: &JsonPath) -> Result<(), SetupError> {
    bounded(tool, path)?;
    placed(tool, path)
}

/// Transform and motion of an object.
fn placed(of: &impl Placed, path: &JsonPath) -> Result<(), SetupError> {
    transform(of.transform(), &path.key("transform"))?;
    motion(of.motion(), &path.key("motion"))
}

fn outflow(outflow: &Outflow, path: &JsonPath) -> Result<(), SetupError> {
    bounded(outflow, path)?;
    placed(outflow, path)
}

fn temperatures(keys: &[ValueKey], path: &JsonPath) -> Result<(), SetupError> {
    if let Some(index) = keys.iter().position(|key| !(0.0..=1e5).contains(&key.value)) {
        let message = format!("must be a temperature from 0 to 100000 K, but is {}", keys[index].value);
        return Err(SetupError::new(path.index(index).key("value"), message));
    }
    rising(keys.iter().map(|key| key.frame), path)
}

fn transform(transform: &Transform, path: &JsonPath) -> Result<(), SetupError> {
    let length = transform.rotation.iter().map(|part| part * part).sum::<f64>().sqrt();
    if (length - 1.0).abs() > UNIT_TOLERANCE {
        let message = format!("must be a quaternion w, x, y, z of length 1, but its length is {length:.4}");
        return Err(SetupError::new(path.key("rotation"), message));
    }
    if let Some(axis) = transform.scale.iter().position(|factor| factor.abs() < SMALLEST_SCALE) {
        return Err(SetupError::new(
            path.key("scale").index(axis),
            "must not be zero: it would flatten the shape to nothing",
        ));
    }
    Ok(())
}

fn collider(collider: &Collider, path: &JsonPath) -> Result<(), SetupError> {
    placed(collider, path)?;
    temperatures(&collider.temperatures, &path.key("temperatures"))?;
    if collider.inverted && matches!(collider.shape, Shape::Plane {}) {
        let message = "a plane cannot be inverted; turn it over with its rotation instead";
        return Err(SetupError::new(path.key("inverted"), message));
    }
    if matches!(collider.shape, Shape::Plane {}) {
        upright(&collider.transform, &path.key("transform"))?;
        let keys = path.key("motion");
        let mut placements = collider.motion.iter().enumerate();
        placements.try_for_each(|(index, key)| upright(&key.transform, &keys.index(index).key("transform")))?;
    }
    if collider.thickness.is_some() && !matches!(collider.shape, Shape::Mesh { .. }) {
        return Err(SetupError::new(path.key("thickness"), "is only for meshes; leave it out for other shapes"));
    }
    if collider.thickness.is_some() && collider.inverted {
        let message = "a wall with a thickness has no inside to invert; leave out one of `thickness` and `inverted`";
        return Err(SetupError::new(path.key("thickness"), message));
    }
    Ok(())
}

/// A plane has no extent that a scale could mirror.
fn upright(transform: &Transform, path: &JsonPath) -> Result<(), SetupError> {
    if transform.scale[2] < 0.0 {
        let message = "must not be negative for a plane: a scale does not turn it over; use its rotation instead";
        return Err(SetupError::new(path.key("scale").index(2), message));
    }
    Ok(())
}

fn motion(keys: &[Key], path: &JsonPath) -> Result<(), SetupError> {
    for (index, key) in keys.iter().enumerate() {
        transform(&key.transform, &path.index(index).key("transform"))?;
    }
    rising(keys.iter().map(|key| key.frame), path)
}

fn rising(frames: impl Iterator<Item = i32> + Clone, path: &JsonPath) -> Result<(), SetupError> {
    for (index, (before, after)) in frames.clone().zip(frames.skip(1)).enumerate() {
        if after <= before {
            let message = format!("frames must rise from key to key, but {after} follows {before}");
            return Err(SetupError::new(path.index(index + 1).key("frame"), message));
        }
    }
    Ok(())
}

/// Checks the output settings.
///
/// # Errors
/// The first settings that do not fit together.
pub fn check_output(output: &Output, path: &JsonPath) -> Result<(), SetupError> {
    if output.mesh.is_none() && output.volume.is_none() && output.particles.is_none() {
        let message = "nothing would be written; give at least one of `mesh`, `volume` and `particles`";
        return Err(SetupError::new(path.clone(), message));
    }
    let (mesh, volume) = (path.key("mesh"), path.key("volume"));
    let attributes = output.mesh.as_ref().map_or(&[][..], |mesh| &mesh.attributes);
    let grids = output.volume.as_ref().map_or(&[][..], |volume| &volume.grids);
    no_repeats(attributes, &mesh.key("attributes"), "attribute")?;
    no_repeats(grids, &volume.key("grids"), "grid")
}

fn no_repeats<T: PartialEq>(list: &[T], path: &JsonPath, what: &str) -> Result<(), SetupError> {
    match (1..list.len()).find(|&later| list[..later].contains(&list[later])) {
        Some(twice) => Err(SetupError::new(path.index(twice), format!("this {what} is listed twice; keep one"))),
        None => Ok(()),
    }
}
