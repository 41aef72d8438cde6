//! The steps of a part of a frame, and the stages that act within it.

use super::Simulation;
use crate::integrator::{Account, Halt, Instant, Interrupted, NoStepShortEnough, SimulationError, Stepped};
use crate::particles::{Density, Particles};
use crate::stages::{Stage, World};
use crate::timeline::{TICKS, Timeline, seconds};

impl Simulation {
    /// Advances by a part of a frame of some seconds from a time on, s. Returns how it was stepped, and the energy that
    /// the matter gained by inaccuracy, J.
    pub(super) fn advance_part(
        &mut self,
        start: f64,
        seconds: f64,
        tell: &mut dyn FnMut(f64) -> Result<(), Interrupted>,
    ) -> Result<(Stepped, f64), Halt> {
        self.lead_part(start, seconds)?;
        // The energy at the part's own first evaluation, which earlier parts do not affect.
        let before = self.potential_energy();
        let stepped = self.step_through(start, tell)?;
        let given = self.stages.iter_mut().map(|stage| stage.take_work()).sum::<f64>();
        let drift = self.potential_energy() - before - given + stepped.account.work;
        self.run_stages(self.time(), start + seconds, |stage, world| stage.end_part(world));
        self.leave_interface();
        Ok((stepped, drift))
    }

    /// Moves the matter on a grid, if any, for a part of a frame of some seconds from a time on, s, and finds the first
    /// steps of all other matter.
    fn lead_part(&mut self, start: f64, seconds: f64) -> Result<(), SimulationError> {
        self.run_stages(self.time(), start, |stage, world| stage.begin_part(world, seconds));
        self.integrator.set_interval(seconds);
        let begun = self.integrator.instant(0, start);
        self.run_fallible(&begun, |stage, world| stage.lead(world, &begun)).map_err(|fault| self.unstable(fault))?;
        self.start_part(start)
    }

    /// The steps a frame of the first part of a frame, in which matter on a grid and other matter act on each other.
    /// The matter is within the frame then.
    ///
    /// # Errors
    /// When no step is short enough.
    pub(crate) fn first_steps(&mut self) -> Result<u64, SimulationError> {
        let start = self.time();
        let halvings = self.halvings(0, start);
        let ticks = Timeline::HALVES.ticks(halvings);
        self.lead_part(start, seconds(ticks, self.interval))?;
        Ok(u64::from(TICKS / ticks) * u64::from(TICKS / self.integrator.next_tick(0)))
    }

    /// How often the frame is halved for the part of it that begins at a tick, at a time, s.
    pub(super) fn halvings(&mut self, tick: u32, start: f64) -> u8 {
        let mut most = self.sheets.halvings(&self.particles, self.interval, tick);
        self.run_stages(start, start, |stage, world| most = most.max(stage.halvings(world, tick)));
        most
    }

    /// What was at an interface belongs to its grid again, where no density is kept.
    fn leave_interface(&mut self) {
        let Self { particles: Particles { densities, sources, .. }, integrator, .. } = self;
        if std::mem::take(&mut integrator.interface).is_empty() {
            return;
        }
        let led = densities.iter_mut().zip(sources).filter(|(_, source)| integrator.solver.is_led(**source));
        led.for_each(|(density, _)| *density = Density::AT_REST);
    }

    /// Evaluates all matter as a frame, or a part of one, begins at a time, s, and chooses the first steps.
    ///
    /// # Errors
    /// When the matter moves so fast that no step is short enough.
    pub(crate) fn start_part(&mut self, start: f64) -> Result<(), SimulationError> {
        let instant = self.integrator.begin(start);
        self.check_places()?;
        self.begin_steps(&instant).map_err(|unstable| self.unstable(unstable))
    }

    /// Densities and forces of the particles at the first frame.
    pub(super) fn evaluate_at_start(&mut self) {
        // The advance of the frame returns any error for a step too short.
        let _ = self.start_part(0.0);
    }

    /// # Errors
    /// When a particle's place is not finite, as its forces grew without bound.
    pub(super) fn check_places(&self) -> Result<(), SimulationError> {
        let Particles { positions, velocities, .. } = &self.particles;
        let lost = (0..positions.len()).find(|&slot| !(positions[slot] + velocities[slot]).is_finite());
        lost.map_or(Ok(()), |slot| Err(self.unstable(NoStepShortEnough { slot, wanted: f64::NAN })))
    }

    fn unstable(&self, fault: NoStepShortEnough) -> SimulationError {
        self.integrator.unstable(&self.particles, &self.names, fault)
    }

    fn begin_steps(&mut self, instant: &Instant) -> Result<(), NoStepShortEnough> {
        self.integrator.take_anew(&mut self.particles, instant);
        self.run_fallible(instant, |stage, world| stage.begin_steps(world, instant))?;
        self.integrator.begin_steps(&mut self.particles, instant)
    }

    /// Takes all steps of the part that was [started](Self::start_part) at a time, s. `tell` gets the finished part of
    /// it at each step.
    fn step_through(
        &mut self,
        start: f64,
        tell: &mut dyn FnMut(f64) -> Result<(), Interrupted>,
    ) -> Result<Stepped, Halt> {
        let mut stepped = Stepped { force_evaluations: self.particles.paired as u64, ..Stepped::default() };
        let (mut tick, mut since) = (0, 0);
        self.act(&self.integrator.instant(0, start), |_| true)?;
        while tick < TICKS {
            tell(f64::from(tick) / f64::from(TICKS))?;
            let (step, before) = (self.integrator.next_tick(tick), tick);
            tick = step.min(self.next_act(before));
            let instant = self.integrator.instant(tick, start);
            if step == tick {
                stepped.account += self.step(&instant).map_err(|unstable| self.unstable(unstable))?;
                stepped.count(seconds(tick - since, self.integrator.interval), self.integrator.active().len());
                since = tick;
            }
            if tick < TICKS {
                self.act(&instant, |stage| next_act(stage, before) == tick)?;
            }
        }
        stepped.account += self.integrator.come_to_rest(&mut self.particles, &self.integrator.instant(TICKS, start));
        stepped.global_force_evaluations = self.particles.paired as u64 * (stepped.steps + 1);
        stepped.in_bins = stepped.account.ticks.map(|ticks| ticks as f64 / f64::from(TICKS));
        Ok(stepped)
    }

    fn step(&mut self, instant: &Instant) -> Result<Account, NoStepShortEnough> {
        let moved = self.integrator.move_active(&mut self.particles, instant);
        self.run_fallible(instant, |stage, world| stage.step(world, instant))?;
        Ok(moved + self.integrator.end_steps(&mut self.particles, instant)?)
    }

    /// The next tick, after a tick, at which a stage acts by its own clock.
    pub(crate) fn next_act(&self, tick: u32) -> u32 {
        self.stages.iter().map(|stage| next_act(stage.as_ref(), tick)).min().unwrap_or(TICKS)
    }

    /// Lets the stages that are due act.
    ///
    /// # Errors
    /// When no step is short enough, or matter has no place any more.
    pub(crate) fn act(
        &mut self,
        instant: &Instant,
        is_due: impl Fn(&dyn Stage) -> bool,
    ) -> Result<(), SimulationError> {
        let acted =
            self.run_fallible(instant, |stage, world| if is_due(stage) { stage.act(world, instant) } else { Ok(()) });
        acted.map_err(|unstable| self.unstable(unstable))
    }

    fn run_fallible(
        &mut self,
        instant: &Instant,
        mut act: impl FnMut(&mut dyn Stage, &mut World) -> Result<(), NoStepShortEnough>,
    ) -> Result<(), NoStepShortEnough> {
        let mut result = Ok(());
        self.run_stages(self.time(), instant.time(), |stage, world| {
            if result.is_ok() {
                result = act(stage, world);
            }
        });
        result
    }

    /// Lets all stages do something at a time, s, in the frame that began at another.
    pub(super) fn run_stages(&mut self, began: f64, time: f64, mut act: impl FnMut(&mut dyn Stage, &mut World)) {
        let (interval, number) = (self.interval, self.frame_number());
        let Self { particles, integrator, sheets, soft, .. } = self;
        let removals = Vec::new();
        let mut world = World { particles, integrator, sheets, soft, began, time, interval, number, removals };
        for acting in 0..self.stages.len() {
            act(self.stages[acting].as_mut(), &mut world);
            for removal in world.removals.drain(..) {
                self.stages.iter_mut().for_each(|stage| stage.removed(&removal));
            }
        }
    }
}

/// The next tick, after a tick, at which a stage acts; none may hold up time.
fn next_act(stage: &dyn Stage, tick: u32) -> u32 {
    stage.next(tick).max(tick + 1)
}
