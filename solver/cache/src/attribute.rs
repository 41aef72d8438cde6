use dollop_sim::field::QUANTITIES;
use dollop_sim::{Field, FieldData, Frame};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// A named column of a file, for people and for shaders.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Attribute {
    /// Name: lower case, as shaders ask for it.
    pub name: Cow<'static, str>,
    /// The type of one value.
    pub kind: AttributeKind,
    /// Names of its components in the file, where the file stores them apart: `vx`, `vy`, `vz`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub properties: Vec<Cow<'static, str>>,
    /// SI unit; empty for dimensionless numbers.
    pub unit: Cow<'static, str>,
    /// One sentence.
    pub description: Cow<'static, str>,
}

/// The type of one value of an attribute.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AttributeKind {
    /// A 32-bit float.
    Float,
    /// A 32-bit integer.
    Integer,
    /// Three 32-bit floats.
    Vector,
}

impl Attribute {
    /// An attribute stored under its own name.
    pub(crate) fn plain(
        name: &'static str,
        kind: AttributeKind,
        unit: &'static str,
        description: &'static str,
    ) -> Self {
        let [name, unit, description] = [name, unit, description].map(Cow::Borrowed);
        Self { name, kind, properties: Vec::new(), unit, description }
    }

    fn vector(name: &'static str, parts: [&'static str; 3], unit: &'static str, description: &'static str) -> Self {
        let properties = parts.map(Cow::Borrowed).to_vec();
        Self { properties, ..Self::plain(name, AttributeKind::Vector, unit, description) }
    }

    pub(crate) fn position() -> Self {
        Self::vector("position", ["x", "y", "z"], "m", "Position.")
    }

    pub(crate) fn normal() -> Self {
        Self::vector("normal", ["nx", "ny", "nz"], "", "Unit normal, pointing out of the matter.")
    }

    pub(crate) fn velocity() -> Self {
        Self::vector("velocity", ["vx", "vy", "vz"], "m/s", "Velocity.")
    }

    pub(crate) fn source() -> Self {
        let description = "Number of the body that the matter came from, counted from 0 as in the scene.";
        Self::plain("source", AttributeKind::Integer, "", description)
    }

    pub(crate) fn id() -> Self {
        let description = "Identity of the particle, which stays the same over the whole bake when others are removed.";
        Self::plain("particle_id", AttributeKind::Integer, "", description)
    }

    pub(crate) fn radius() -> Self {
        Self::plain("radius", AttributeKind::Float, "m", "Radius to draw a particle with: half the particle spacing.")
    }

    pub(crate) fn volume() -> Self {
        Self::plain("volume", AttributeKind::Float, "m^3", "Volume of the particle at rest.")
    }

    /// A field as its frame describes it.
    pub(crate) fn of_field(field: &Field) -> Self {
        let own = |kind| Self::plain(field.name, kind, field.unit, field.description);
        match field.data {
            FieldData::Scalar(_) => own(AttributeKind::Float),
            FieldData::Vector(_) => Self { properties: components(field.name), ..own(AttributeKind::Vector) },
        }
    }

    /// The field of that name as the frame describes it, if the frame has it.
    pub(crate) fn field_of(frame: &Frame, name: &str) -> Option<Self> {
        frame.fields.iter().find(|field| field.name == name).map(Self::of_field)
    }

    /// Names in the file: the components, or the name itself.
    pub(crate) fn columns(&self) -> impl Iterator<Item = &str> {
        let alone = self.properties.is_empty().then_some(&self.name);
        self.properties.iter().chain(alone).map(AsRef::as_ref)
    }
}

/// Names of the components of a vector field in a file.
fn components(field: &str) -> Vec<Cow<'static, str>> {
    let known = QUANTITIES.iter().find(|quantity| quantity.name == field).and_then(|quantity| quantity.components);
    let axes = || ["x", "y", "z"].map(|axis| format!("{field}_{axis}").into()).to_vec();
    known.map_or_else(axes, |names| names.map(Cow::Borrowed).to_vec())
}
