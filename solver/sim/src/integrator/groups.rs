//! Groups of particles that take the same steps: a stage finds the forces on all of a group at once, as its steps end.
//!
//! Each stage with such forces has a channel of its own.

use super::Integrator;
use super::bins::NoStepShortEnough;
use super::instant::Instant;
use crate::cost::Cause;
use crate::particles::{Particles, slots};
use crate::timeline::{self, Timeline};
use glam::{DVec3, Vec3};

/// Acceleration by a stage, m/s^2.
#[derive(Debug, Clone, Copy, Default)]
pub struct StageAcceleration {
    /// By its stored energy.
    pub elastic: Vec3,
    /// By friction.
    pub friction: Vec3,
}

/// The groups of a stage, and the forces on them.
#[derive(Debug)]
pub struct Channel {
    /// The cause of steps that the stage limits.
    cause: Cause,
    /// Numbers of the particles.
    numbers: Vec<u32>,
    /// Their slots.
    slots: Vec<u32>,
    /// The group of each of them.
    groups: Vec<u32>,
    /// The longest step of each group, s.
    steps: Vec<f64>,
    /// Bin of the longest steps of each group.
    bins: Vec<u8>,
    /// Accelerations by slot; empty where there are no groups.
    accelerations: Vec<StageAcceleration>,
}

impl Channel {
    fn new(cause: Cause) -> Self {
        Self {
            cause,
            numbers: Vec::new(),
            slots: Vec::new(),
            groups: Vec::new(),
            steps: Vec::new(),
            bins: Vec::new(),
            accelerations: Vec::new(),
        }
    }

    /// Begins a part of a frame without groups.
    pub(super) fn clear(&mut self) {
        *self = Self::new(self.cause);
    }

    /// The slots of the particles.
    pub fn slots(&self) -> &[u32] {
        &self.slots
    }

    /// The acceleration of a slot.
    pub fn acceleration(&self, slot: usize) -> Option<&StageAcceleration> {
        self.accelerations.get(slot)
    }

    /// Chooses the longest steps of each group.
    ///
    /// # Errors
    /// When no step is short enough for a group.
    fn choose_bins(&mut self, interval: f64, timeline: Timeline) -> Result<(), NoStepShortEnough> {
        let Self { groups, slots, steps, bins, .. } = self;
        bins.clear();
        for (group, &wanted) in (0..).zip(&*steps) {
            let first = || groups.iter().position(|&of| of == group).map_or(0, |at| slots[at] as usize);
            let ratio = interval / wanted;
            bins.push(timeline.bin(ratio * ratio).map_err(|_| NoStepShortEnough { slot: first(), wanted })?);
        }
        Ok(())
    }

    /// The slots of the particles, and the longest step of each, s.
    fn longest(&self) -> impl Iterator<Item = (usize, f64)> {
        self.slots.iter().zip(&self.groups).map(|(&slot, &group)| (slot as usize, self.steps[group as usize]))
    }

    /// The slots of the particles, and the bin of the longest steps that each may take.
    fn least_bins(&self) -> impl Iterator<Item = (u32, u8)> {
        self.slots.iter().zip(&self.groups).map(|(&slot, &group)| (slot, self.bins[group as usize]))
    }

    /// Follows the particles after all were reordered; `order` lists the old slot of each new one.
    pub(super) fn reorder(&mut self, particles: &Particles, order: &[u32]) {
        self.locate(particles);
        if !self.accelerations.is_empty() {
            self.accelerations = order.iter().map(|&old| self.accelerations[old as usize]).collect();
        }
    }

    fn locate(&mut self, particles: &Particles) {
        self.slots.clear();
        if !self.numbers.is_empty() {
            let slots = slots(particles);
            self.slots.extend(self.numbers.iter().map(|&number| slots[number as usize]));
        }
    }
}

impl Integrator {
    /// Opens a channel for a stage that will limit steps for some cause. Returns its number.
    pub fn open_channel(&mut self, cause: Cause) -> usize {
        self.channels.push(Channel::new(cause));
        self.channels.len() - 1
    }

    /// A channel.
    pub fn channel(&self, number: usize) -> &Channel {
        &self.channels[number]
    }

    /// Groups particles of a channel by their numbers, given the longest step of each group, s. No force acts on them
    /// then. Their steps become [shorter](Self::shorten_group_steps) once the forces are [found](Self::push).
    ///
    /// # Errors
    /// When no step is short enough for a group.
    pub fn group(
        &mut self,
        channel: usize,
        particles: &Particles,
        numbers: &[u32],
        groups: &[u32],
        steps: &[f64],
    ) -> Result<(), NoStepShortEnough> {
        let channel = &mut self.channels[channel];
        channel.clear();
        channel.numbers.extend(numbers);
        channel.groups.extend(groups);
        channel.steps.extend(steps);
        channel.accelerations.resize(particles.paired, StageAcceleration::default());
        channel.locate(particles);
        channel.choose_bins(self.interval, self.timeline)
    }

    /// The groups of a channel in which the steps of some particles end at an instant.
    pub fn due_groups(&self, channel: usize, instant: &Instant) -> Vec<bool> {
        let channel = &self.channels[channel];
        let mut due = vec![false; channel.bins.len()];
        for (&slot, &group) in channel.slots.iter().zip(&channel.groups) {
            due[group as usize] |= self.columns.bins[slot as usize] >= instant.least_bin();
        }
        due
    }

    /// The steps that each group of a channel takes at most, s.
    pub fn group_steps(&self, channel: usize) -> Vec<f64> {
        let bins = self.channels[channel].bins.iter();
        bins.map(|&bin| timeline::seconds(self.timeline.ticks(bin), self.interval)).collect()
    }

    /// Sets the forces on each particle of a channel, N: by the stage's stored energy and by friction; none where those
    /// before stay.
    pub fn push(
        &mut self,
        channel: usize,
        particles: &Particles,
        forces: impl Iterator<Item = Option<(DVec3, DVec3)>>,
    ) {
        let Channel { slots, accelerations, .. } = &mut self.channels[channel];
        for (&slot, force) in slots.iter().zip(forces) {
            if let Some((elastic, friction)) = force {
                let mass = particles.mass(slot as usize, &self.solver);
                accelerations[slot as usize] =
                    StageAcceleration { elastic: (elastic / mass).as_vec3(), friction: (friction / mass).as_vec3() };
            }
        }
    }

    /// Ends the present steps of grouped particles no later than the longest steps of their groups.
    pub fn shorten_group_steps(&mut self, instant: &Instant) {
        self.columns.shorten_steps(self.channels.iter().flat_map(Channel::least_bins), instant);
    }

    /// Gives grouped particles the longest steps that the frame's new division has for them.
    pub(super) fn divide_groups(&mut self, instant: &Instant) {
        for channel in &mut self.channels {
            // An error for a step too short was already returned.
            let _ = channel.choose_bins(self.interval, self.timeline);
        }
        self.shorten_group_steps(instant);
    }

    /// Sets the steps of each group to the shortest of its particles. Returns whether there are any groups.
    pub(super) fn level_groups(&mut self, instant: &Instant) -> bool {
        for Channel { slots, groups, bins, .. } in &self.channels {
            let mut shortest = vec![0; bins.len()];
            let grouped = || slots.iter().map(|&slot| slot as usize).zip(groups);
            for (slot, &group) in grouped() {
                shortest[group as usize] = self.columns.bins[slot].max(shortest[group as usize]);
            }
            for (slot, &group) in grouped() {
                if !self.columns.asleep[slot] {
                    self.columns.cut_short(slot, shortest[group as usize], instant);
                }
            }
        }
        self.channels.iter().any(|channel| !channel.slots.is_empty())
    }

    /// The square of the frame's length over the longest step that groups allow each of a number of particles, by slot;
    /// empty where there are no groups.
    pub(super) fn group_ratios_squared(&self, count: usize) -> Vec<f64> {
        let mut squared = Vec::new();
        for (slot, step) in self.channels.iter().flat_map(Channel::longest) {
            squared.resize(count, 0.0);
            let ratio: f64 = self.interval / step;
            squared[slot] = ratio.powi(2).max(squared[slot]);
        }
        squared
    }

    /// A slot of the group with the shortest steps, these, s, and their cause; none where there are no groups.
    pub(super) fn shortest_of_groups(&self) -> Option<(usize, f64, Cause)> {
        let steps =
            self.channels.iter().flat_map(|channel| channel.longest().map(|(slot, s)| (slot, s, channel.cause)));
        steps.min_by(|a, b| a.1.total_cmp(&b.1))
    }
}
