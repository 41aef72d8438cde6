//! The scene file: the settings of the user, without the means by which the solver meets them.
//!
//! Every setting of Dollop is declared here once, with its sentence, unit, default and range. From these types come the
//! validation, `dollop schema`, docs/parameters.md and the add-on's property groups. SI units throughout, Z up as in
//! Blender. The schema carries each unit as `x-unit`; a field that an exporter fills in, rather than a person, carries
//! `x-derived: true`.

mod ambient;
mod body;
mod collider;
mod discretization;
mod heat;
mod json_path;
mod key;
mod material;
mod outflow;
mod output;
mod placed;
mod scene;
mod shape;
mod tool;

pub use ambient::Ambient;
pub use body::{Body, Pin};
pub use collider::Collider;
pub use discretization::{Dimensions, Discretization, Kernel};
pub use heat::{Heat, HeatFlow, Heater, HeaterEffect};
pub use json_path::{JsonPath, Step};
pub use key::{Key, ValueKey};
pub use material::{
    Continuum, ContinuumMolten, Material, Molten, Oriented, OrientedMolten, Smoothed, Soft, SoftField, StateEquation,
    Structure, Thermal, ThermalMolten,
};
pub use outflow::Outflow;
pub use output::{
    Compression, MeshAttribute, MeshFormat, MeshOutput, Output, ParticleFormat, ParticleOutput, Precision,
    SurfaceField, SurfaceLevel, Surfaces, VolumeFormat, VolumeGrid, VolumeOutput,
};
pub use placed::Placed;
pub use scene::{Frames, SCENE_VERSION, Scene};
pub use shape::{Shape, Transform};
pub use tool::{Tool, ToolAction};
