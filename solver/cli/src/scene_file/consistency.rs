//! What no schema can say: settings that must fit together.

use super::{Fault, JsonPath};
use dollop_scene::{
    Body, Collider, ColliderShape, Dimensions, Frames, Heater, HeaterEffect, Key, Material, Oriented, Output, Pin,
    Scene, Shape, Smoothed, StateEquation, Structure, Thermal, Tool, Transform, ValueKey,
};

/// How far a quaternion written with a few digits may be from unit length.
const UNIT_TOLERANCE: f64 = 1e-3;
/// A smaller factor flattens any shape to nothing.
const SMALLEST_SCALE: f64 = 1e-9;

/// Checks a scene; the first fault is the error.
pub fn check(scene: &Scene) -> Result<(), Fault> {
    let root = JsonPath::default();
    frames(&scene.frames, &root.key("frames"))?;
    each(&scene.bodies, &root.key("bodies"), body)?;
    if scene.discretization.dimensions == Dimensions::Two {
        planar(scene)?;
    }
    each(&scene.colliders, &root.key("colliders"), collider)?;
    each(&scene.heaters, &root.key("heaters"), heater)?;
    each(&scene.tools, &root.key("tools"), tool)?;
    output(&scene.output, &root.key("output"))
}

fn each<T>(items: &[T], path: &JsonPath, check: fn(&T, &JsonPath) -> Result<(), Fault>) -> Result<(), Fault> {
    items.iter().enumerate().try_for_each(|(index, item)| check(item, &path.index(index)))
}

fn frames(frames: &Frames, path: &JsonPath) -> Result<(), Fault> {
    if frames.end < frames.start {
        let message = format!("must be at least the first frame, {}, but is {}", frames.start, frames.end);
        return Err(Fault::new(path.key("end"), message));
    }
    Ok(())
}

/// In a plane nothing moves out of it, and nothing turns but about its normal.
fn planar(scene: &Scene) -> Result<(), Fault> {
    let root = JsonPath::default();
    let zero = |vector: &[f64; 3], path: &JsonPath, axes: &[usize], what: &str| {
        axes.iter().find(|&&axis| vector[axis] != 0.0).map_or(Ok(()), |&axis| {
            let message = format!(
                "must be 0 in a 2d scene, whose matter {what}, but is {}; set it to 0, or discretization.dimensions to \"3d\"",
                vector[axis]
            );
            Err(Fault::new(path.index(axis), message))
        })
    };
    let stays = "stays in the plane y = 0";
    zero(&scene.gravity, &root.key("gravity"), &[1], stays)?;
    scene.bodies.iter().enumerate().try_for_each(|(index, body)| {
        let path = root.key("bodies").index(index);
        if let Material::Soft(_) = body.material {
            let message = "soft matter fills space, and so does its skin: it cannot be in a 2d scene; choose another type of \
                           material, or set discretization.dimensions to \"3d\"";
            return Err(Fault::new(path.key("material").key("type"), message));
        }
        zero(&body.velocity, &path.key("velocity"), &[1], stays)?;
        zero(&body.angular_velocity, &path.key("angular_velocity"), &[0, 2], "turns about y alone")
    })
}

fn body(body: &Body, path: &JsonPath) -> Result<(), Fault> {
    transform(&body.transform, &path.key("transform"))?;
    if body.heat.liquidus < body.heat.solidus {
        let message =
            format!("must not be below the solidus, {} K, but is {} K", body.heat.solidus, body.heat.liquidus);
        return Err(Fault::new(path.key("heat").key("liquidus"), message));
    }
    if let Material::Thermal(Thermal { repulsion_exponent: n, attraction_exponent: m, .. }) = body.material
        && n <= m
    {
        let message = format!("must be above the attraction_exponent, {m}, but is {n}");
        return Err(Fault::new(path.key("material").key("repulsion_exponent"), message));
    }
    if let Material::Smoothed(material) = &body.material {
        strength(material, &path.key("material"))?;
    }
    if let Material::Oriented(Oriented { growth, structure: Structure::Free, .. }) = body.material
        && growth > 1.0
    {
        let message = format!(
            "must be 1 for a free sheet, which does not grow, but is {growth}; or make its structure \"woven\""
        );
        return Err(Fault::new(path.key("material").key("growth"), message));
    }
    pins(body, &path.key("pins"))
}

/// Only the vertices of a sheet can be held.
fn pins(body: &Body, path: &JsonPath) -> Result<(), Fault> {
    let message = if !matches!(body.material, Material::Oriented(_)) {
        "only a sheet can be pinned; leave the pins out or make the material of type \"oriented\""
    } else if !matches!(body.shape, Shape::Mesh { .. }) {
        "only a mesh has vertices to pin; leave the pins out or give the shape as a mesh"
    } else {
        return each(&body.pins, path, |pin: &Pin, path| motion(&pin.motion, &path.key("motion")));
    };
    if body.pins.is_empty() { Ok(()) } else { Err(Fault::new(path.clone(), message)) }
}

/// A gas has no shape to keep.
fn strength(material: &Smoothed, path: &JsonPath) -> Result<(), Fault> {
    let molten = material.molten.as_ref().map(|molten| (path.key("molten"), molten.yield_stress));
    let all = [Some((path.clone(), material.yield_stress)), molten];
    match all.into_iter().flatten().find(|(_, yield_stress)| *yield_stress > 0.0) {
        Some((path, yield_stress)) if material.state_equation == StateEquation::IdealGas => {
            let message = format!("must be 0 for an ideal-gas, which has no strength, but is {yield_stress}");
            Err(Fault::new(path.key("yield_stress"), message))
        }
        _ => Ok(()),
    }
}

fn heater(heater: &Heater, path: &JsonPath) -> Result<(), Fault> {
    transform(&heater.transform, &path.key("transform"))?;
    motion(&heater.motion, &path.key("motion"))?;
    match heater.effect {
        HeaterEffect::Temperature { .. } => temperatures(&heater.values, &path.key("values")),
        HeaterEffect::Power { .. } => rising(heater.values.iter().map(|key| key.frame), &path.key("values")),
    }
}

fn tool(tool: &Tool, path: &JsonPath) -> Result<(), Fault> {
    transform(&tool.transform, &path.key("transform"))?;
    motion(&tool.motion, &path.key("motion"))
}

fn temperatures(keys: &[ValueKey], path: &JsonPath) -> Result<(), Fault> {
    if let Some(index) = keys.iter().position(|key| !(0.0..=1e5).contains(&key.value)) {
        let message = format!("must be a temperature from 0 to 100000 K, but is {}", keys[index].value);
        return Err(Fault::new(path.index(index).key("value"), message));
    }
    rising(keys.iter().map(|key| key.frame), path)
}

fn transform(transform: &Transform, path: &JsonPath) -> Result<(), Fault> {
    let length = transform.rotation.iter().map(|part| part * part).sum::<f64>().sqrt();
    if (length - 1.0).abs() > UNIT_TOLERANCE {
        let message = format!("must be a quaternion w, x, y, z of length 1, but its length is {length:.4}");
        return Err(Fault::new(path.key("rotation"), message));
    }
    if let Some(axis) = transform.scale.iter().position(|factor| factor.abs() < SMALLEST_SCALE) {
        return Err(Fault::new(
            path.key("scale").index(axis),
            "must not be zero: it would flatten the shape to nothing",
        ));
    }
    Ok(())
}

fn collider(collider: &Collider, path: &JsonPath) -> Result<(), Fault> {
    transform(&collider.transform, &path.key("transform"))?;
    motion(&collider.motion, &path.key("motion"))?;
    temperatures(&collider.temperatures, &path.key("temperatures"))?;
    if collider.inverted && matches!(collider.shape, ColliderShape::Plane {}) {
        let message = "a plane cannot be inverted; turn it over with its rotation instead";
        return Err(Fault::new(path.key("inverted"), message));
    }
    if matches!(collider.shape, ColliderShape::Plane {}) {
        upright(&collider.transform, &path.key("transform"))?;
        let keys = path.key("motion");
        let mut placements = collider.motion.iter().enumerate();
        placements.try_for_each(|(index, key)| upright(&key.transform, &keys.index(index).key("transform")))?;
    }
    if collider.thickness.is_some() && !matches!(collider.shape, ColliderShape::Mesh { .. }) {
        return Err(Fault::new(path.key("thickness"), "is only for meshes; leave it out for other shapes"));
    }
    if collider.thickness.is_some() && collider.inverted {
        let message = "a wall with a thickness has no inside to invert; leave out one of `thickness` and `inverted`";
        return Err(Fault::new(path.key("thickness"), message));
    }
    Ok(())
}

/// A plane has no extent that a scale could mirror.
fn upright(transform: &Transform, path: &JsonPath) -> Result<(), Fault> {
    if transform.scale[2] < 0.0 {
        let message = "must not be negative for a plane: a scale does not turn it over; use its rotation instead";
        return Err(Fault::new(path.key("scale").index(2), message));
    }
    Ok(())
}

fn motion(keys: &[Key], path: &JsonPath) -> Result<(), Fault> {
    for (index, key) in keys.iter().enumerate() {
        transform(&key.transform, &path.index(index).key("transform"))?;
    }
    rising(keys.iter().map(|key| key.frame), path)
}

fn rising(frames: impl Iterator<Item = i32> + Clone, path: &JsonPath) -> Result<(), Fault> {
    for (index, (before, after)) in frames.clone().zip(frames.skip(1)).enumerate() {
        if after <= before {
            let message = format!("frames must rise from key to key, but {after} follows {before}");
            return Err(Fault::new(path.index(index + 1).key("frame"), message));
        }
    }
    Ok(())
}

/// Checks what is to be written.
pub fn output(output: &Output, path: &JsonPath) -> Result<(), Fault> {
    if output.mesh.is_none() && output.volume.is_none() && output.particles.is_none() {
        let message = "nothing would be written; give at least one of `mesh`, `volume` and `particles`";
        return Err(Fault::new(path.clone(), message));
    }
    let grids = output.volume.iter().flat_map(|volume| &volume.grids).collect::<Vec<_>>();
    match (1..grids.len()).find(|&later| grids[..later].contains(&grids[later])) {
        Some(twice) => {
            Err(Fault::new(path.key("volume").key("grids").index(twice), "this grid is listed twice; keep one"))
        }
        None => Ok(()),
    }
}
