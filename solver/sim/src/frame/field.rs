//! Fields: named columns of a frame beside positions and velocities.

use glam::Vec3;

/// A named column of values.
#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    /// Name in files: lower case, for use in Blender shaders.
    pub name: &'static str,
    /// SI unit.
    pub unit: &'static str,
    /// One sentence.
    pub description: &'static str,
    /// One value per particle.
    pub data: FieldData,
}

impl Field {
    /// The same field of no particles.
    #[must_use]
    pub fn without_data(&self) -> Self {
        let data = match self.data {
            FieldData::Scalar(_) => FieldData::Scalar(Vec::new()),
            FieldData::Vector(_) => FieldData::Vector(Vec::new()),
        };
        Self { data, ..*self }
    }
}

/// The values of a field.
#[derive(Debug, Clone, PartialEq)]
pub enum FieldData {
    /// One number per particle.
    Scalar(Vec<f32>),
    /// Three numbers per particle.
    Vector(Vec<Vec3>),
}

/// The description of a field, without its values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Quantity {
    /// Name of the field.
    pub name: &'static str,
    /// SI unit; empty for pure numbers.
    pub unit: &'static str,
    /// One sentence.
    pub description: &'static str,
    /// Names of the three numbers of a vector; none for a single number.
    pub components: Option<[&'static str; 3]>,
}

impl Quantity {
    const fn scalar(name: &'static str, unit: &'static str, description: &'static str) -> Self {
        Self { name, unit, description, components: None }
    }

    /// A field of this quantity.
    pub fn with(&self, data: FieldData) -> Field {
        Field { name: self.name, unit: self.unit, description: self.description, data }
    }
}

/// Density.
pub const DENSITY: Quantity = Quantity::scalar("density", "kg/m^3", "Density of the matter.");
/// Pressure.
pub const PRESSURE: Quantity =
    Quantity::scalar("pressure", "Pa", "Pressure in the matter, over that of the ambient air.");
/// Temperature.
pub const TEMPERATURE: Quantity = Quantity::scalar("temperature", "K", "Temperature of the matter.");
/// Damage.
pub const DAMAGE: Quantity = Quantity::scalar(
    "damage",
    "",
    "How far the matter has broken there: 0 for whole matter, 1 on both sides of a crack.",
);
/// Age.
pub const AGE: Quantity = Quantity::scalar("age", "s", "Time since the particle came into being.");
/// Position at rest.
pub const REST_POSITION: Quantity = Quantity {
    name: "rest_position",
    unit: "m",
    description: "Where the particle was when its body was filled, or half way between those that it was born of: what textures stick to.",
    components: Some(["rest_x", "rest_y", "rest_z"]),
};
/// Colour.
pub const COLOR: Quantity = Quantity {
    name: "color",
    unit: "",
    description: "Colour of the body that the matter came from, linear red, green and blue.",
    components: Some(["color_r", "color_g", "color_b"]),
};

/// Normal.
pub const NORMAL: Quantity = Quantity {
    name: "normal",
    unit: "",
    description: "Normal of the sheet that the particle is of, on the side that its faces looked to; zero elsewhere.",
    components: Some(["nx", "ny", "nz"]),
};

/// Normal at rest.
pub const REST_NORMAL: Quantity = Quantity {
    name: "rest_normal",
    unit: "",
    description: "Normal of the woven sheet that the particle is of when it was made; zero elsewhere.",
    components: Some(["rest_nx", "rest_ny", "rest_nz"]),
};

/// Sheet.
pub const SHEET: Quantity = Quantity::scalar(
    "sheet",
    "",
    "Number of the piece of a sheet that the particle is of, where sheets grow or tools work on them; pieces are counted anew in each frame.",
);

/// Piece.
pub const PIECE: Quantity = Quantity::scalar(
    "piece",
    "",
    "Piece of soft matter that the particle is of, by the number or, where matter is removed, the identity of its first particle; -1 for other matter.",
);

/// Lump.
pub const LUMP: Quantity = Quantity::scalar(
    "lump",
    "",
    "Lump of soft matter that the particle is of, named in the same way: pieces that have fused are one; -1 for other matter.",
);

/// Whether it is fused.
pub const FUSED: Quantity = Quantity::scalar(
    "fused",
    "",
    "1 for a particle of soft matter that has fused with another piece, and blends with all of its lump; 0 for others.",
);

/// Wall.
pub const WALL: Quantity = Quantity {
    name: "wall",
    unit: "m",
    description: "The offset from a particle of soft matter to the wall that its skin may lie on; zero where none is near.",
    components: Some(["wall_x", "wall_y", "wall_z"]),
};

/// Offset.
pub const OFFSET: Quantity = Quantity::scalar(
    "offset",
    "m",
    "How far the field of a particle of soft matter is moved out, so that its volume is kept.",
);

/// All quantities that a frame can have fields of, in the order of the fields.
pub const QUANTITIES: [Quantity; 15] = [
    DENSITY,
    PRESSURE,
    TEMPERATURE,
    DAMAGE,
    AGE,
    REST_POSITION,
    COLOR,
    NORMAL,
    REST_NORMAL,
    SHEET,
    PIECE,
    LUMP,
    FUSED,
    WALL,
    OFFSET,
];
