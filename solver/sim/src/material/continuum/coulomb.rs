//! Coulomb's law: what touches holds or slides, or comes off where it pulls harder than it sticks.
//!
//! Tractions are in the unit of pressures in the equations.

/// Matter is first taken to stick where its stress is below this part of the limit, and where it is slow.
const WELL_BELOW: f32 = 0.8;
/// Speed that is slow, in what a step of fall adds.
pub const SLOW: f32 = 2.0;
/// How far a traction may be above the limit, as a part of it, before the matter slides.
const SLACK: f32 = 0.02;
/// The part of its velocity that sliding matter keeps at least: friction that takes more could stop it.
const KEPT: f32 = 0.5;
/// The least part of its speed that what slides as a patch has.
const LEFT: f32 = 0.02;
/// How far the friction of sliding matter may be off its limit, as a part of it.
const CLOSE: f32 = 0.1;
/// The most drag of what slides, in masses of a cell: that holds it.
const MOST_DRAG: f32 = 1e4;

/// How two surfaces that touch hold each other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Hold {
    /// As a liquid sticks to a wall.
    Sticks,
    /// With a drag on their velocity, as a traction over that, which is the limit at about the speed that they have.
    Slides(f32),
    /// Not at all.
    Off,
}

/// Two surfaces that touch.
#[derive(Debug, Clone, Copy)]
pub struct Coulomb {
    /// Of friction.
    pub coefficient: f32,
    /// What they stick with.
    pub cohesion: f32,
    /// The speed along them, m/s.
    pub slip: f32,
    pub hold: Hold,
}

impl Coulomb {
    /// The largest traction along the surfaces.
    fn limit(&self, pressure: f32) -> f32 {
        if self.coefficient > 0.0 { self.coefficient * pressure.max(0.0) + self.cohesion } else { 0.0 }
    }

    /// Before a solve, by the size of what known stresses would have along the surfaces, the pressure of the step
    /// before, and the speed that is slow, m/s.
    pub fn expect(&mut self, traction: f32, pressure: f32, slow: f32) {
        let limit = self.limit(pressure);
        let sticks = limit > 0.0 && traction <= WELL_BELOW * limit && self.slip <= slow;
        self.hold = if sticks || limit.is_infinite() { Hold::Sticks } else { sliding(limit, self.slip) };
    }

    /// Before a solve of matter that is first taken to slide: what sticks here and there would hold the rest with it.
    pub fn slide(&mut self, pressure: f32) {
        let limit = self.limit(pressure);
        self.hold = if limit.is_infinite() { Hold::Sticks } else { sliding(limit, self.slip) };
    }

    /// After a solve, by what it found. Returns whether they hold otherwise.
    pub fn revise(&mut self, &Found { traction, pressure, slip }: &Found) -> bool {
        let limit = self.limit(pressure);
        let before = self.slip;
        self.slip = slip.max(KEPT * before);
        self.hold = match self.hold {
            Hold::Sticks | Hold::Slides(_) if self.cohesion > 0.0 && -pressure > self.cohesion => Hold::Off,
            Hold::Sticks if traction > (1.0 + SLACK) * limit => sliding(limit, before),
            Hold::Slides(_) if limit > 0.0 && slip < KEPT * before => Hold::Sticks,
            Hold::Slides(drag) if (drag * slip - limit).abs() > CLOSE * limit => sliding(limit, self.slip),
            _ => return false,
        };
        true
    }

    /// The same of a part of a patch that slides as one: by the part that is left of its speed once friction is the
    /// limit. A part that stuck for itself would hold all, by more than its limit.
    pub fn revise_in_patch(&mut self, &Found { traction, pressure, slip }: &Found, left: f32) -> bool {
        let limit = self.limit(pressure);
        let is_slow = limit > 0.0 && left <= LEFT;
        self.hold = match self.hold {
            // What friction leaves of the speed that it would stop.
            Hold::Sticks if traction > (1.0 + SLACK) * limit => sliding(limit, self.slip * (1.0 - limit / traction)),
            Hold::Slides(_) if is_slow => Hold::Sticks,
            Hold::Slides(drag) if (drag * slip - limit).abs() > CLOSE * limit => sliding(limit, slip * left),
            _ => return false,
        };
        true
    }

    /// The friction of what slides: what there should be, and what a solve found.
    pub fn resisted(&self, &Found { pressure, slip, .. }: &Found) -> [f32; 2] {
        if let Hold::Slides(drag) = self.hold { [self.limit(pressure), drag * slip] } else { [0.0; 2] }
    }
}

/// What a solve found of two surfaces that touch.
#[derive(Debug, Clone, Copy)]
pub struct Found {
    /// The size of the traction along them.
    pub traction: f32,
    pub pressure: f32,
    /// m/s.
    pub slip: f32,
}

/// How matter slides at about some speed, m/s, with a limit of friction.
fn sliding(limit: f32, speed: f32) -> Hold {
    Hold::Slides((limit / speed.max(f32::MIN_POSITIVE)).min(MOST_DRAG))
}
