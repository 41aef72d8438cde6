//! The load on pins.

use super::Pins;
use crate::material::oriented::Sheet;
use crate::particles::Particles;
use dollop_scene::Scene;
use glam::DVec3;

/// The weight that the pins of a sheet should carry, over its own weight: a sheet that swings from a lone pin pulls at
/// more than three times its weight.
const ENOUGH: f64 = 4.0;

/// Warns of sheets that are likely to tear off their pins by their own weight.
pub fn weak(scene: &Scene, particles: &Particles, pins: &Pins, sheets: &[Option<Sheet>]) -> Vec<String> {
    let gravity = DVec3::from(scene.gravity).length();
    let mut warnings = Vec::new();
    for (number, body) in scene.bodies.iter().enumerate().filter(|(_, body)| !body.pins.is_empty()) {
        let Some(sheet) = sheets.get(number).copied().flatten().filter(|sheet| sheet.woven && !sheet.lasting) else {
            continue;
        };
        let own = (0..particles.len()).filter(|&slot| particles.sources[slot] as usize == number);
        let (held, free): (Vec<usize>, Vec<usize>) = own.partition(|&slot| pins.holds(particles.numbers[slot]));
        let of = |slot: usize| particles.ties[slot].iter().filter(|tie| !pins.holds(tie.number)).count();
        let carried = held.iter().map(|&slot| of(slot)).sum::<usize>() as f64 * sheet.strength;
        let weight = free.len() as f64 * sheet.mass * gravity;
        if weight * ENOUGH > carried {
            warnings.push(format!(
                "the pins of body \"{}\" hold {} of its particles, which carry about {carried:.2e} N, and the sheet weighs {weight:.2e} N: when it \
                 swings it may tear off; pin more vertices, set its material.tears to false, or raise its material.stretch_stiffness or material.tear_stretch",
                body.name,
                held.len()
            ));
        }
    }
    warnings
}
