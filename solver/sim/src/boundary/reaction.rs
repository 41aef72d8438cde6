//! The force of the matter on colliders: by Newton's third law the opposite of the colliders' force on the matter.

use super::Wall;
use glam::{DVec3, Vec3};

/// Stands for the number of a missing collider.
const NONE: u32 = u32::MAX;

/// The colliders that a particle feels, at most two: others count as the second.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TouchedColliders {
    /// Numbers of the colliders, the most strongly felt one first.
    colliders: [u32; 2],
    /// The second's part of the gradient of the [share](Wall::share), 1/m.
    second: Vec3,
}

impl Default for TouchedColliders {
    fn default() -> Self {
        Self::NOTHING
    }
}

impl TouchedColliders {
    /// A particle that feels no collider.
    pub const NOTHING: Self = Self { colliders: [NONE; 2], second: Vec3::ZERO };
}

/// The gradient of each collider's share times the share, for the two colliders that a particle feels most.
#[derive(Debug, Clone, Copy, Default)]
pub struct Parts {
    parts: [Option<(u32, DVec3)>; 2],
}

impl Parts {
    /// Adds a collider.
    pub fn add(&mut self, collider: usize, gradient: DVec3) {
        let new = (collider as u32, gradient);
        let size = |part: &(u32, DVec3)| part.1.length_squared();
        self.parts = match self.parts {
            [None, _] => [Some(new), None],
            [Some(first), None] if size(&new) > size(&first) => [Some(new), Some(first)],
            [first, None] => [first, Some(new)],
            [Some(first), Some(second)] if size(&new) > size(&first) => {
                [Some(new), Some((first.0, first.1 + second.1))]
            }
            [first, Some(second)] if size(&new) > size(&second) => [first, Some((new.0, new.1 + second.1))],
            [first, Some(second)] => [first, Some((second.0, second.1 + new.1))],
        };
    }

    /// The colliders that the particle feels, given the share of all walls.
    pub fn felt(&self, share: f64) -> TouchedColliders {
        let number = |part: Option<(u32, DVec3)>| part.map_or(NONE, |(number, _)| number);
        let second = self.parts[1].map_or(Vec3::ZERO, |(_, gradient)| (gradient / share).as_vec3());
        TouchedColliders { colliders: self.parts.map(number), second }
    }
}

impl Wall {
    /// The part of an impulse, N s, from walls on a particle that each collider bears. `push` is the impulse by the
    /// walls' pressure for each unit of the gradient of their share, N s m. It tells apart the pressures from both
    /// sides; the rest (adhesion, damping, friction) is divided by how much each collider is felt.
    fn parted(&self, impulse: DVec3, push: f64) -> [(u32, DVec3); 2] {
        let TouchedColliders { colliders, second } = self.felt;
        if second == Vec3::ZERO {
            return [(colliders[0], impulse), (NONE, DVec3::ZERO)];
        }
        let [first, second] = [self.gradient - second, second].map(Vec3::as_dvec3);
        let pushes = [first, second].map(|gradient| gradient * -push);
        let rest = impulse - pushes[0] - pushes[1];
        let of_second = rest * (second.length() / (first.length() + second.length()));
        [(colliders[0], pushes[0] + rest - of_second), (colliders[1], pushes[1] + of_second)]
    }
}

/// The impulse of the matter on a collider over some time.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Impulse {
    /// N s.
    pub linear: DVec3,
    /// About the world's origin, N m s.
    pub angular: DVec3,
}

/// The impulses of the matter on colliders over some time, by the colliders' numbers in rising order; untouched
/// colliders are not listed.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Impulses(Vec<(u32, Impulse)>);

impl Impulses {
    /// Adds the impulse of a particle at a place, m, on a wall, given the impulse on the particle, N s, and its
    /// [part](Wall::parted) by pressure.
    pub fn add(&mut self, wall: &Wall, place: DVec3, impulse: DVec3, push: f64) {
        for (collider, part) in wall.parted(impulse, push) {
            self.add_to(collider, place, part);
        }
    }

    /// Adds the opposite of an impulse that a collider gives a particle at a place, m.
    pub fn add_to(&mut self, collider: u32, place: DVec3, impulse: DVec3) {
        if collider != NONE {
            let own = self.of(collider);
            own.linear -= impulse;
            own.angular -= place.cross(impulse);
        }
    }

    /// Adds other impulses.
    pub fn add_all(&mut self, others: &Self) {
        for (collider, other) in &others.0 {
            let own = self.of(*collider);
            own.linear += other.linear;
            own.angular += other.angular;
        }
    }

    fn of(&mut self, collider: u32) -> &mut Impulse {
        let at = self.0.binary_search_by_key(&collider, |(number, _)| *number).unwrap_or_else(|at| {
            self.0.insert(at, (collider, Impulse::default()));
            at
        });
        &mut self.0[at].1
    }

    /// Each impulse with the number of its collider.
    pub fn iter(&self) -> impl Iterator<Item = (u32, Impulse)> + '_ {
        self.0.iter().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wall(first: DVec3, second: DVec3) -> Wall {
        let mut parts = Parts::default();
        parts.add(7, first);
        parts.add(3, second);
        Wall { gradient: (first + second).as_vec3(), share: 1.0, felt: parts.felt(1.0), ..Wall::default() }
    }

    fn borne(wall: &Wall, impulse: DVec3, push: f64) -> Vec<(u32, DVec3)> {
        let mut impulses = Impulses::default();
        impulses.add(wall, DVec3::ZERO, impulse, push);
        impulses.iter().map(|(number, impulse)| (number, impulse.linear)).collect()
    }

    /// In a corner each wall bears the force along its normal.
    #[test]
    fn a_corner_parts_an_impulse_by_directions() {
        let corner = wall(DVec3::NEG_Z * 2.0, DVec3::NEG_X);
        let told = borne(&corner, DVec3::new(3.0, 0.0, 6.0), 3.0);
        assert_eq!(told, [(3, DVec3::X * -3.0), (7, DVec3::Z * -6.0)]);
    }

    /// Between two walls that press against each other each bears all of the pressure, though the matter feels no net
    /// force.
    #[test]
    fn walls_on_both_sides_bear_the_same_pressure() {
        let gap = wall(DVec3::NEG_Z, DVec3::Z);
        let told = borne(&gap, DVec3::ZERO, 4.0);
        assert_eq!(told, [(3, DVec3::Z * 4.0), (7, DVec3::Z * -4.0)]);
    }

    /// All colliders together bear the whole impulse.
    #[test]
    fn nothing_is_lost() {
        let slanted = wall(DVec3::new(0.3, -1.0, 0.2), DVec3::new(-0.9, 0.1, 0.4));
        let impulse = DVec3::new(0.7, -0.2, 1.3);
        let sum: DVec3 = borne(&slanted, impulse, 0.8).into_iter().map(|(_, linear)| linear).sum();
        assert!((sum + impulse).length() < 1e-6, "{sum}");
    }
}
