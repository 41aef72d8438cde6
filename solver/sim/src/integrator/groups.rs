//! Groups of particles that take the same steps: a stage finds the forces on all of a group at once, as its steps end.

use super::Integrator;
use super::bins::NoStepShortEnough;
use super::instant::Instant;
use crate::particles::{Particles, slots};
use crate::timeline::{self, Timeline};

/// Groups of particles, and the longest steps that each may take.
#[derive(Debug, Default)]
pub struct StepGroups {
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
}

impl StepGroups {
    /// The slots of the particles.
    pub fn slots(&self) -> &[u32] {
        &self.slots
    }

    /// A slot of the group with the shortest steps, and these, s; none where there are no groups.
    pub fn shortest(&self) -> Option<(usize, f64)> {
        let steps = self.slots.iter().zip(&self.groups);
        let steps = steps.map(|(&slot, &group)| (slot as usize, self.steps[group as usize]));
        steps.min_by(|a, b| a.1.total_cmp(&b.1))
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

    /// The slots of the particles, and the bin of the longest steps that each may take.
    fn least_bins(&self) -> impl Iterator<Item = (u32, u8)> {
        self.slots.iter().zip(&self.groups).map(|(&slot, &group)| (slot, self.bins[group as usize]))
    }

    /// Finds the slots of the particles, after all were reordered.
    pub(super) fn locate(&mut self, particles: &Particles) {
        self.slots.clear();
        if !self.numbers.is_empty() {
            let slots = slots(particles);
            self.slots.extend(self.numbers.iter().map(|&number| slots[number as usize]));
        }
    }

    /// The square of the frame's length, s, over the longest step of each of a number of particles, by slot; empty
    /// where there are no groups.
    pub(super) fn ratios_squared(&self, count: usize, interval: f64) -> Vec<f64> {
        if self.slots.is_empty() {
            return Vec::new();
        }
        let mut squared = vec![0.0; count];
        for (&slot, &group) in self.slots.iter().zip(&self.groups) {
            squared[slot as usize] = (interval / self.steps[group as usize]).powi(2);
        }
        squared
    }
}

impl Integrator {
    /// Groups some particles by their numbers, given the longest step of each group, s. Their steps become
    /// [shorter](Self::shorten_group_steps) once the forces on them are found.
    ///
    /// # Errors
    /// When no step is short enough for a group.
    pub fn group(
        &mut self,
        particles: &Particles,
        numbers: &[u32],
        groups: &[u32],
        steps: &[f64],
    ) -> Result<(), NoStepShortEnough> {
        self.groups = StepGroups {
            numbers: numbers.to_vec(),
            groups: groups.to_vec(),
            steps: steps.to_vec(),
            ..StepGroups::default()
        };
        self.groups.locate(particles);
        self.groups.choose_bins(self.interval, self.timeline)
    }

    /// The groups in which the steps of some particles end at an instant.
    pub fn due_groups(&self, instant: &Instant) -> Vec<bool> {
        let mut due = vec![false; self.groups.bins.len()];
        for (&slot, &group) in self.groups.slots.iter().zip(&self.groups.groups) {
            due[group as usize] |= self.columns.bins[slot as usize] >= instant.least_bin();
        }
        due
    }

    /// The steps that each group takes at most, s.
    pub fn group_steps(&self) -> Vec<f64> {
        let bins = self.groups.bins.iter();
        bins.map(|&bin| timeline::seconds(self.timeline.ticks(bin), self.interval)).collect()
    }

    /// Ends the present steps of grouped particles no later than the longest steps of their groups.
    pub fn shorten_group_steps(&mut self, instant: &Instant) {
        self.columns.shorten_steps(self.groups.least_bins(), instant);
    }

    /// Gives grouped particles the longest steps that the frame's new division has for them.
    pub(super) fn divide_groups(&mut self, instant: &Instant) {
        // An error for a step too short was already returned.
        let _ = self.groups.choose_bins(self.interval, self.timeline);
        self.shorten_group_steps(instant);
    }

    /// Sets the steps of each group to the shortest of its particles. Returns whether there are any groups.
    pub(super) fn level_groups(&mut self, instant: &Instant) -> bool {
        let StepGroups { slots, groups, bins, .. } = &self.groups;
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
        !slots.is_empty()
    }
}
