//! The velocities of faces that no pressure reaches.
//!
//! Particles at the surface reach faces between cells without matter. What draws at these no pressure answers, so
//! gravity would pull the topmost layer of a pool into the next, and surface tension the skin of a drop. Such faces get
//! the forces by pressure and tension of those beside them that bound a cell with matter, as far as viscosity lets
//! them.

use crate::grid::{Field, Fields, Flow, Level, pass_by, smoothed};

/// The solved velocities, where faces without a full cell beside them feel what others beside them do. `tension` is
/// what surface tension changes of velocities, if there is any.
pub fn followed(level: &Level, flow: &Flow, tension: Option<&Fields>, axes: &[usize]) -> Fields {
    let mut velocities = flow.u.clone();
    for &axis in axes {
        let tension = tension.map(|tension| &tension[axis]);
        let (reached, forces) = forces_on_reached(level, &flow.p, tension, axis);
        let [masses, forces] = [&reached, &forces].map(|field| smoothed(&level.rows, field, axes));
        let (mass, inverse) = (&level.mass[axis], &level.inverse[axis]);
        for (n, velocity) in velocities[axis].iter_mut().enumerate() {
            if reached[n] <= 0.0 && level.free[axis][n] > 0.0 && masses[n] > 0.0 {
                let own = tension.map_or(0.0, |tension| tension[n]);
                *velocity += (forces[n] / masses[n] - own) * mass[n] * inverse[n];
            }
        }
    }
    velocities
}

/// The masses of faces beside full cells, and what pressure and tension change of their momentum in the step.
fn forces_on_reached(level: &Level, pressure: &Field, tension: Option<&Field>, axis: usize) -> (Field, Field) {
    let rows = &level.rows;
    let [mut masses, mut forces] = [(); 2].map(|()| vec![0.0; rows.len()]);
    pass_by::<2, ()>(rows, [&mut masses, &mut forces], |(), row, [masses, forces]| {
        level.add_gradient(axis, row, pressure, -1.0, forces);
        let mass = rows.own(&level.mass[axis], row);
        if let Some(tension) = tension {
            let changes = mass.iter().zip(rows.own(tension, row));
            forces.iter_mut().zip(changes).for_each(|(force, (mass, change))| *force += mass * change);
        }
        let full = rows.own(&level.full, row).iter().zip(rows.beside(&level.full, row, axis, -1));
        let free = rows.own(&level.free[axis], row);
        for ((((reached, force), full), free), mass) in masses.iter_mut().zip(forces).zip(full).zip(free).zip(mass) {
            let is_reached = *free > 0.0 && full.0 + full.1 > 0.0;
            (*reached, *force) = if is_reached { (*mass, *force) } else { (0.0, 0.0) };
        }
    });
    (masses, forces)
}
