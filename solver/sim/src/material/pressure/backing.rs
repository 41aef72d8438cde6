//! The matter that a wall stands for.

/// Wall share of the density above which the density of a backing gas grows evenly instead of without bound.
const LARGEST: f32 = 0.75;

/// How the density at a particle depends on the density m of the matter around it and on the walls' part x.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Backing {
    /// Matter at rest density: delta = m + x.
    AtRest,
    /// Matter as dense as the particle's own: delta = m + delta x, or m / (1 - x). A gas far below rest density would
    /// be thrown off a wall that stands for matter at rest.
    AsDense,
}

impl Backing {
    /// The density.
    pub fn density(self, matter: f32, wall: f32) -> f32 {
        match self {
            Self::AtRest => matter + wall,
            Self::AsDense => matter * self.by_matter(wall),
        }
    }

    /// Its derivative by m.
    pub fn by_matter(self, wall: f32) -> f32 {
        match self {
            Self::AtRest => 1.0,
            Self::AsDense => {
                let part = wall.min(LARGEST);
                let gain = 1.0 / (1.0 - part);
                gain + (wall - part) * gain * gain
            }
        }
    }

    /// Its derivative by x, given the density.
    pub fn by_wall(self, density: f32, wall: f32) -> f32 {
        match self {
            Self::AtRest => 1.0,
            Self::AsDense => {
                let gain = 1.0 / (1.0 - wall.min(LARGEST));
                density / self.by_matter(wall) * gain * gain
            }
        }
    }
}
