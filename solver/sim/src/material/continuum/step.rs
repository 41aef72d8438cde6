//! One step of matter on a grid: particles, grid, solve, particles.

use super::assembly::{Sources, accelerate, push, right_sides};
use super::balance::{Taken, balance, keep_motion};
use super::beyond::Beyond;
use super::cells::{Cells, Placing, Point, axes, middle_of_face, motion_of, moving_axes};
use super::closeness::separate;
use super::coat::{Coating, Coats};
use super::cracks::Cracks;
use super::crowding::{spread, within};
use super::density::Density;
use super::elastic::{Elastic, MeanPulls, Pull, Strained, Stressed};
use super::flip::{Flip, Moved};
use super::fluids::Fluids;
use super::freedom::{Freedom, Freedoms};
use super::friction::{Beside, Friction, Loads};
use super::fringe::followed;
use super::gather::{linear, of_cells};
use super::ghosts::Ghosts;
use super::grains::Pressed;
use super::islands::Island;
use super::law::{Stretch, UNSTRETCHED};
use super::meeting::{Meeting, WallsMet};
use super::process_zone::{Followed, ProcessZone};
use super::scatter::{Sums, scatter};
use super::stiffness::Stiffness;
use super::strays::{Strays, by_tension};
use super::surface::Carried;
use super::tension::{Tensed, Tension};
use super::touching::{Side, Touching};
use super::wall_motion::WallMotion;
use super::walls::NearWalls;
use super::wetting::Wetting;
use crate::boundary::{Impulse, Impulses, Walls};
use crate::grid::{Field, Fields, Flow, Level, Multigrid, Rows, smoothed};
use crate::particles::Particles;
use glam::{DVec3, IVec3, Vec3};
use std::collections::BTreeMap;
use std::ops::Add;
use tracing::trace_span;

/// Width of a cell, in particle spacings.
pub const CELL: f64 = 2.0;
/// Steps of a frame that waves of shear may ask for.
pub const WAVE_STEPS: f64 = 4.0;
/// The part of its way back to a fragment that what has broken off goes in a step.
const HALF_WAY: f32 = 0.5;

/// A step that islands take.
pub struct Step<'a> {
    pub fluids: Fluids<'a>,
    pub placing: Placing,
    /// Walls at the start of the step, as the particles are.
    pub walls: &'a Walls<'a>,
    /// What gravity adds to velocities, m/s.
    pub gravity: Vec3,
    pub seconds: f64,
    pub flip: Flip<'a>,
    /// Extent of the matter across the plane, or of a cell, m.
    pub thickness: f64,
}

/// An island with new velocities, whose particles have not moved.
pub struct Advanced {
    pub cells: Cells,
    /// Displacements from crowded places, in cells.
    pub moves: Vec<Vec3>,
    /// Of particles, Pa.
    pub pressures: Vec<f32>,
    /// Of particles; none where no matter keeps its shape.
    pub stretches: Vec<Stretch>,
    /// Of particles; none where no matter breaks.
    pub damages: Vec<f32>,
    pub impulses: Impulses,
    /// The momentum that it gave to other bodies, kg m/s.
    pub handed: DVec3,
    /// Matter at colliders: their numbers, how much of it counts there, in cells or as one of a contact, and its mean
    /// place, m.
    pub contacts: Vec<(u32, f64, DVec3)>,
}

/// What a step knows of an island before it solves.
pub struct Known {
    pub walls: WallsMet,
    pub freedom: Freedoms,
    pub wetting: Wetting,
    /// Pressures of the step before in cells with particles, in the unit of the equations.
    pub earlier: Field,
    pub density: Density,
    /// What surface tension does, if there is any.
    pub tension: Option<Tensed>,
    /// Whether none of the matter keeps its shape.
    pub is_liquid: bool,
    /// How far the stiffest of it is too stiff for the step, from 0 to 1.
    pub stiff: f32,
}

/// An island in a step.
pub struct Part {
    pub cells: Cells,
    pub known: Known,
    pub cracks: Cracks,
    pub friction: Friction,
    /// The known stresses of a round, of particles and near walls on the grid; none of a liquid.
    pub pulls: Vec<Pull>,
    pub means: MeanPulls,
    /// By which grains hold each other, Pa; none where no matter is of grains.
    pub pressures: Vec<f32>,
}

/// An island with its equations, but for their coefficients.
pub struct Assembled {
    pub sums: Sums,
    pub wind: WallMotion,
    /// 1 for cells deep in matter.
    pub deep: Field,
    pub carried: Carried,
    /// What surface tension changes of velocities.
    pub tension: Option<Fields>,
    pub right: Flow,
    pub flow: Flow,
    /// Of walls that it touches.
    pub beyond: Beyond,
}

/// An island with new velocities on its grid.
pub struct Solved {
    pub sums: Sums,
    pub wind: WallMotion,
    pub grid: Multigrid,
    pub deep: Field,
    pub flow: Flow,
    /// Velocities with those that no pressure reaches.
    pub followed: Fields,
    /// Velocities that carry the particles.
    pub given: Fields,
    /// What these are more than the particles' own velocities, m/s; nothing where they are these.
    pub faster: Vec<Vec3>,
    pub coatings: Vec<Coating>,
}

/// What contacts do to an island besides the solve.
pub struct Apart {
    /// What it gave to others.
    pub taken: Taken,
    /// Displacements of its particles, in cells; none where it touches nothing.
    pub ways: Vec<Vec3>,
    /// What it gave to walls, over the mass of a full cell, m/s: by collider, with the place, in cells.
    pub on_walls: Vec<(u32, Vec3, Vec3)>,
}

impl Step<'_> {
    /// An island at the start of the step, and its rows.
    pub fn begin(&self, Island { mut cells, rows, near }: Island, particles: &Particles) -> (Part, Rows) {
        let _span = trace_span!("assembly").entered();
        let meeting = Meeting { cells: &cells, rows: &rows, fluids: &self.fluids, walls: self.walls, particles };
        let walls = meeting.of(near);
        let near = &*walls.on_grid;
        let wetting = Wetting::find(&cells, &rows, near, &self.fluids.shares, self.placing.is_flat);
        let scale = self.pressure_scale();
        let earlier = cells.means(rows.len(), |point| scale * particles.pressures[point.slot as usize]);
        let density = Density::of(&cells, &rows, self.placing.is_flat);
        let freedom = Freedoms::find(&cells, near, &self.fluids, self.walls);
        let tension = self.tension(&cells, &rows, &density, &walls.all, freedom.across).act();
        let stiffest = self.elastic(particles, &[]).stiffest(&cells);
        let is_liquid = stiffest.is_none();
        let stiff = stiffest.unwrap_or(0.0);
        let known = Known { walls, freedom, wetting, earlier, density, tension, is_liquid, stiff };
        let (mut cracks, mut friction) = (Cracks::default(), Friction::default());
        if is_liquid {
            self.fluids.thicken(&mut cells, particles);
        } else {
            cracks = Cracks::find(&cells, &rows, particles, &known.earlier, self.placing.is_flat);
            friction = self.beside_walls(&cells, &rows, &known.walls.on_grid, particles).find();
        }
        let pressures = self.pressed(&cells, &rows, &known.walls.on_grid).find(&known.earlier);
        let part = Part { cells, known, cracks, friction, pulls: Vec::new(), means: MeanPulls::default(), pressures };
        (part, rows)
    }

    /// The forces of the known stresses of an island; none of a liquid.
    fn forces(&self, part: &mut Part, rows: &Rows, round: usize, particles: &Particles) -> Option<Fields> {
        let _span = trace_span!("stress").entered();
        let Part { cells, known: Known { walls, wetting, earlier, is_liquid, .. }, friction, pulls, means, .. } = part;
        let elastic = self.elastic(particles, &part.pressures);
        let near = &*walls.on_grid;
        if *is_liquid {
            if round > 1 {
                elastic.load(cells, false);
            }
            return None;
        }
        *pulls = elastic.load(cells, round == 1);
        *means = elastic.mean_pulls(cells, near, pulls);
        if round == 1 {
            friction.expect(&self.loads(cells, means), earlier);
        }
        let stressed = Stressed { cells, near, wetting, pulls, means };
        Some(elastic.forces(&stressed, rows, friction))
    }

    /// What the step makes of the particles of an island.
    pub fn strained(&self, part: &Part, particles: &Particles) -> Strained {
        let _span = trace_span!("stress").entered();
        if part.known.is_liquid {
            Strained::default()
        } else {
            self.elastic(particles, &part.pressures).after(&part.cells)
        }
    }

    /// Moves what has broken with the fragments beside it. Returns where these lie, in cells, by particle.
    fn hold_together(&self, cells: &mut Cells, rows: &Rows, cracks: &Cracks) -> Vec<Vec3> {
        let open = cracks.open_numbers();
        if open.is_empty() {
            return Vec::new();
        }
        let Followed { motion, toward } = ProcessZone::new(cells, rows, &self.fluids, &cracks.damages).follow(&open);
        for (point, (velocity, gradient)) in cells.points.iter_mut().zip(motion) {
            (point.velocity, point.gradient) = (velocity, gradient);
        }
        toward
    }

    /// What gravity does to a particle that is alone, away from walls.
    pub fn fly(&self, mut cells: Cells, particles: &Particles) -> Advanced {
        for point in &mut cells.points {
            point.velocity += self.gravity;
            point.gradient = [Vec3::ZERO; 3];
        }
        let stretch = |point: &Point| particles.stretches.get(point.slot as usize).map(|_| UNSTRETCHED);
        Advanced {
            moves: vec![self.fall_correction(); cells.points.len()],
            pressures: vec![0.0; cells.points.len()],
            stretches: cells.points.iter().filter_map(stretch).collect(),
            damages: Vec::new(),
            impulses: Impulses::default(),
            handed: DVec3::ZERO,
            contacts: Vec::new(),
            cells,
        }
    }

    /// The pressure of a step in the unit of the equations, over Pa.
    fn pressure_scale(&self) -> f32 {
        (self.seconds / (self.fluids.unit * self.placing.width)) as f32
    }

    /// Seconds of the step over the width of a cell, s/m.
    pub fn pace(&self) -> f32 {
        (self.seconds / self.placing.width) as f32
    }

    /// What takes back, in cells, how much too far the velocity at the end of a step carries matter that only gravity
    /// moves: the mean of both velocities is exact.
    fn fall_correction(&self) -> Vec3 {
        self.gravity * (-0.5 * self.pace())
    }

    fn tension<'a>(
        &'a self,
        cells: &'a Cells,
        rows: &'a Rows,
        density: &'a Density,
        near: &'a NearWalls,
        freedom: Freedom,
    ) -> Tension<'a> {
        let Self { fluids, placing, seconds, .. } = self;
        Tension { cells, rows, density, near, fluids, placing: *placing, seconds: *seconds, freedom }
    }

    pub fn touching<'a>(&'a self, sides: &'a [Side<'a>], particles: &'a Particles) -> Touching<'a> {
        let Self { fluids, walls, placing, .. } = self;
        Touching {
            sides,
            fluids,
            particles,
            walls,
            placing: *placing,
            gravity: self.gravity,
            scale: self.pressure_scale(),
            pace: self.pace(),
        }
    }

    pub fn loads<'a>(&'a self, cells: &'a Cells, pulls: &'a MeanPulls) -> Loads<'a> {
        Loads { cells, fluids: &self.fluids, pulls }
    }

    fn beside_walls<'a>(
        &'a self,
        cells: &'a Cells,
        rows: &'a Rows,
        near: &'a NearWalls,
        particles: &'a Particles,
    ) -> Beside<'a> {
        let Self { fluids, walls, placing, gravity, .. } = self;
        let scale = self.pressure_scale();
        Beside { cells, rows, near, fluids, walls, placing: *placing, particles, gravity: *gravity, scale }
    }

    fn pressed<'a>(&'a self, cells: &'a Cells, rows: &'a Rows, near: &'a NearWalls) -> Pressed<'a> {
        let Self { fluids, placing, .. } = self;
        let (gravity, width) = (self.gravity / self.seconds as f32, placing.width as f32);
        Pressed { cells, rows, fluids, near, scale: self.pressure_scale(), gravity, width, is_flat: placing.is_flat }
    }

    /// `pressures` are those by which grains hold each other.
    pub fn elastic<'a>(&'a self, particles: &'a Particles, pressures: &'a [f32]) -> Elastic<'a> {
        Elastic {
            fluids: &self.fluids,
            particles,
            pressures,
            seconds: self.seconds,
            width: self.placing.width,
            is_flat: self.placing.is_flat,
        }
    }

    /// The equations of an island in a round, from a guess or from what the particles bring.
    pub fn assemble(
        &self,
        part: &mut Part,
        rows: Rows,
        round: usize,
        guess: Option<Flow>,
        particles: &Particles,
    ) -> (Assembled, Level) {
        let _span = trace_span!("assembly").entered();
        let mut forces = self.forces(part, &rows, round, particles);
        let Part { cells, known, cracks, friction, .. } = part;
        let Known { walls: WallsMet { on_grid: near, in_contacts, .. }, wetting, earlier, .. } = known;
        let sums =
            trace_span!("to the grid").in_scope(|| scatter(cells, &rows, &self.fluids.shares, self.placing.is_flat));
        let wind = WallMotion::new(near, &rows, self.walls, &self.placing);
        let find = || Stiffness::of(cells, &rows, &self.fluids.shares, self.placing.is_flat);
        let stiffness = (!known.is_liquid).then(find);
        let sources = Sources {
            cells,
            sums: &sums,
            stiffness: stiffness.as_ref(),
            near,
            wetting,
            cracks,
            friction,
            walls: self.walls,
            wind: &wind,
            placing: self.placing,
            earlier,
            gravity: self.gravity,
            pace: self.pace(),
            is_uniform: self.fluids.is_uniform,
            is_liquid: known.is_liquid,
        };
        let (level, deep, mut carried) = sources.level(rows);
        let beyond = in_contacts.as_ref().map_or_else(Beyond::default, |walls| Beyond::find(walls, &level));
        if let Some(forces) = &mut forces {
            beyond.fold(forces);
        }
        let brought = sources.brought(&level);
        carried.note(&brought);
        let mut right = right_sides(&level, &brought, &wind);
        if let Some(forces) = &forces {
            push(&level, forces, &mut right);
            friction.give_back(near, &level, forces, &mut right);
        }
        let tension = known.tension.as_ref().map(|tension| {
            let mut changes = sums.per_mass(&tension.forces);
            carried.load(&level, &mut changes);
            accelerate(&level, &changes, &mut right);
            changes
        });
        let mut flow = guess.unwrap_or_else(|| sources.first_guess(&level, brought));
        cracks.release(&mut flow.p);
        friction.off().for_each(|at| flow.p[at] = 0.0);
        (Assembled { sums, wind, deep, carried, tension, right, flow, beyond }, level)
    }

    /// Gives the particles of an island the velocities that a solve found.
    pub fn conclude(&self, part: &mut Part, assembled: Assembled, grid: Multigrid, particles: &Particles) -> Solved {
        let _span = trace_span!("assembly").entered();
        let Assembled { sums, wind, deep, carried, tension, flow, beyond, .. } = assembled;
        let (Part { cells, known, friction, pressures, .. }, is_flat) = (part, self.placing.is_flat);
        let &mut Known { walls: WallsMet { on_grid: ref near, .. }, ref wetting, is_liquid, stiff, .. } = known;
        let level = grid.finest();
        let mut velocities =
            if is_liquid { followed(level, &flow, tension.as_ref(), axes(is_flat)) } else { flow.u.clone() };
        carried.follow(level, &mut velocities);
        let (walls, pace) = (self.walls, self.pace());
        let ghosts = Ghosts { level, near, wetting, walls, wind: &wind, sums: &sums, friction, pace, is_liquid, stiff };
        let mut given = ghosts.velocities(&velocities);
        beyond.extend(&mut given);
        let moved = Moved {
            rows: &level.rows,
            fluids: &self.fluids,
            particles,
            sums: &sums,
            given: &given,
            gravity: self.gravity,
            width: self.placing.width as f32,
            is_flat,
        };
        let flip = if is_liquid { self.flip } else { Flip::default() };
        let faster = trace_span!("to particles").in_scope(|| flip.take(cells, &moved));
        let coatings = self.coats(near, &level.full, particles).hold(cells);
        self.pressed(cells, &level.rows, near).follow(pressures, &flow.p);
        Solved { sums, wind, grid, deep, flow, followed: velocities, given, faster, coatings }
    }

    /// What else a solved island does to its particles and to walls.
    pub fn finish(
        &self,
        part: Part,
        solved: Solved,
        Strained { stretches, damages, .. }: Strained,
        apart: &Apart,
        particles: &Particles,
    ) -> Advanced {
        let _span = trace_span!("crowding").entered();
        let Part { mut cells, known, cracks, .. } = part;
        let (Solved { sums, wind, mut grid, deep, flow, followed, given, faster, coatings }, near) =
            (solved, &*known.walls.on_grid);
        if let Some(walls) = &known.walls.in_contacts {
            grid = within(walls, grid);
        }
        let beside = &*known.walls.all;
        let toward = self.hold_together(&mut cells, &grid.finest().rows, &cracks);
        let spread = spread(&mut grid, &sums, beside, &deep);
        let level = grid.finest();
        let mut moves = spread.map_or_else(Vec::new, |moves| linear(&cells, &level.rows, &moves));
        separate(&cells, &known.density, beside, self.placing.is_flat, &mut moves);
        self.draw_strays(&cells, &known, &cracks, &toward, &mut moves);
        balance(&cells, &self.fluids, known.freedom.across, &mut moves);
        moves.iter_mut().zip(&apart.ways).for_each(|(sum, way)| *sum += *way);
        moves.iter_mut().zip(&faster).for_each(|(sum, faster)| *sum += *faster * self.pace());
        let mut impulses = self.press(level, [&flow.u, &followed, &given], &flow.p, &known, &wind, &sums);
        for coating in &coatings {
            coating.keep(&mut moves);
            coating.add_to(&cells, &self.fluids, particles, self.mass_of_cell(), &mut impulses);
        }
        let mut contacts = contacts(near, &sums, &self.placing);
        for &(collider, place, impulse) in &apart.on_walls {
            let place = self.placing.place(place.as_dvec3());
            impulses.add_to(collider, place, -impulse.as_dvec3() * self.mass_of_cell());
            contacts.push((collider, 1.0, place));
        }
        let before = |point: &Point| {
            let (velocity, gradient) = motion_of(particles, point.slot as usize, self.placing.width as f32);
            (velocity + self.gravity, gradient)
        };
        let taken = self.taken(&impulses) + apart.taken;
        if taken == Taken::default() {
            let correction = self.fall_correction();
            for way in &mut moves {
                *way += correction;
            }
        }
        keep_motion(&mut cells, &self.fluids, known.freedom.all, taken, before);
        let scale = self.pressure_scale();
        let pressures = of_cells(&cells, |cell| flow.p[cell.at] / scale);
        let handed = apart.taken.momentum * self.mass_of_cell();
        Advanced { cells, moves, pressures, stretches, damages, impulses, handed, contacts }
    }

    /// Displaces particles that ride on liquids with tension, and those that have broken off fragments.
    fn draw_strays(&self, cells: &Cells, known: &Known, cracks: &Cracks, toward: &[Vec3], moves: &mut [Vec3]) {
        let (halves, is_flat) = (&known.density.halves, self.placing.is_flat);
        if let Some(tension) = known.tension.as_ref().filter(|_| known.is_liquid) {
            let spacing = self.placing.width / 2.0;
            let part = |_: usize, point: &Point| by_tension(&self.fluids, point, spacing, self.seconds);
            Strays { cells, halves, density: &tension.density, is_flat, part: &part, toward: &[] }.draw(moves);
        }
        if !cracks.damages.is_empty() {
            let density = smoothed(halves, &known.density.values, axes(is_flat));
            let part = |at: usize, _: &Point| HALF_WAY * cracks.damages[at];
            Strays { cells, halves, density: &density, is_flat, part: &part, toward }.draw(moves);
        }
    }

    fn coats<'a>(&'a self, near: &'a NearWalls, full: &'a Field, particles: &'a Particles) -> Coats<'a> {
        let Self { fluids, walls, placing, seconds, .. } = self;
        Coats {
            near,
            walls,
            fluids,
            particles,
            placing: *placing,
            full,
            gravity: self.gravity / *seconds as f32,
            seconds: *seconds,
        }
    }

    /// The mass of a full cell, kg.
    fn mass_of_cell(&self) -> f64 {
        self.fluids.unit * self.placing.width.powi(2) * self.thickness
    }

    /// What the impulses on walls take of the motion of matter.
    fn taken(&self, impulses: &Impulses) -> Taken {
        let mass = self.mass_of_cell();
        let of = |(_, impulse): (u32, Impulse)| Taken {
            momentum: impulse.linear / mass,
            angular_momentum: impulse.angular / (mass * self.placing.width),
        };
        impulses.iter().map(of).fold(Taken::default(), Taken::add)
    }

    /// The impulses on walls: by pressure, by drag, by the matter of covered faces, which the wall bears itself, and
    /// by what velocities near walls differ from the solved ones.
    fn press(
        &self,
        level: &Level,
        [solved, followed, given]: [&Fields; 3],
        pressure: &Field,
        Known { walls: WallsMet { on_grid: near, .. }, wetting, .. }: &Known,
        wind: &WallMotion,
        sums: &Sums,
    ) -> Impulses {
        let (mass, mut impulses) = (self.mass_of_cell(), Impulses::default());
        for &(cell, at, wall) in &near.cells {
            let slips = self.walls.friction(wall.collider as usize) <= 0.0;
            for axis in moving_axes(self.placing.is_flat) {
                let Some(high) = level.rows.index(cell + IVec3::AXES[axis]) else { continue };
                let (u, all) = (solved[axis][at], sums.mass[axis][at]);
                let covered = level.covered[axis][high] - level.covered[axis][at];
                let pressed = level.full[at] * pressure[at] * covered;
                let dragged = level.drag[axis][at] * (u - wind.at(at, axis));
                let both = [Some(at), level.rows.index(cell - IVec3::AXES[axis])].into_iter().flatten();
                let open = (1.0 - level.covered[axis][at]) / wetting.open_part(near, both, wall.part_of_face(axis));
                let held = (1.0 - open) * (sums.momentum[axis][at] + all * (self.gravity[axis] - u));
                let turned = all * (followed[axis][at] - given[axis][at]);
                let sum = pressed + dragged + held + turned;
                if sum == 0.0 {
                    continue;
                }
                let place = self.placing.place(middle_of_face(cell, axis));
                let normal = wall.normal_at_face(axis);
                let along = if slips { (normal * normal[axis]).as_dvec3() } else { DVec3::AXES[axis] };
                impulses.add_to(wall.collider, place, -along * (f64::from(sum) * mass));
            }
        }
        impulses
    }
}

/// The matter within a cell of each collider.
fn contacts(near: &NearWalls, sums: &Sums, placing: &Placing) -> Vec<(u32, f64, DVec3)> {
    let mut all: BTreeMap<u32, (f64, DVec3)> = BTreeMap::new();
    for (cell, at, wall) in near.cells.iter().filter(|(_, _, wall)| wall.distance() < 1.0) {
        let mass = f64::from(sums.filled[*at]);
        let (sum, place) = all.entry(wall.collider).or_default();
        *sum += mass;
        *place += placing.place(cell.as_dvec3() + 0.5) * mass;
    }
    let touched = all.into_iter().filter(|(_, (mass, _))| *mass > 0.0);
    touched.map(|(collider, (mass, place))| (collider, mass, place / mass)).collect()
}
