use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The files to write for each frame; leave a part out, or set it to null, to skip it. Without `output` a mesh is
/// written.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Output {
    /// The surface of the matter as a triangle mesh.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-on" = true))]
    pub mesh: Option<MeshOutput>,
    /// The matter as OpenVDB grids.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-on" = false))]
    pub volume: Option<VolumeOutput>,
    /// The particles themselves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-on" = false))]
    pub particles: Option<ParticleOutput>,
}

impl Default for Output {
    fn default() -> Self {
        Self { mesh: Some(MeshOutput::default()), volume: None, particles: None }
    }
}

/// Settings of the surface mesh.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct MeshOutput {
    /// File format.
    pub format: MeshFormat,
    /// Edge length of the sampling cells in units of the particle spacing.
    #[schemars(range(min = 0.1, max = 2.0))]
    pub resolution: f64,
    /// The field around the particles that the surface is cut from.
    pub field: SurfaceField,
    /// Where the field is cut.
    pub level: SurfaceLevel,
    /// Waves of the surface shorter than this are smoothed away, in units of the particle spacing; drops and strands
    /// are spared.
    #[schemars(range(min = 0.0, max = 20.0))]
    pub smoothing: f64,
    /// Merges triangles where the surface is flat, as long as that moves the surface by no more than about this, in
    /// units of the particle spacing; 0 merges none.
    #[schemars(range(min = 0.0, max = 0.5))]
    pub adaptivity: f64,
    /// Drops of fewer particles than this are left out of the surface.
    #[schemars(range(min = 0, max = 100_000))]
    pub smallest_drop: u32,
    /// Which matter shares a surface.
    pub surfaces: Surfaces,
    /// Attributes of the vertices of a PLY file besides their position. Attributes that a frame does not have, as
    /// `temperature` without temperatures, are left out. `source` is there, too, where not all matter shares one
    /// surface.
    pub attributes: Vec<MeshAttribute>,
}

impl Default for MeshOutput {
    fn default() -> Self {
        Self {
            format: MeshFormat("ply".into()),
            resolution: 0.5,
            field: SurfaceField::Anisotropic,
            level: SurfaceLevel::Component,
            smoothing: 6.0,
            adaptivity: 0.0,
            smallest_drop: 0,
            surfaces: Surfaces::One,
            attributes: vec![MeshAttribute::Velocity, MeshAttribute::Temperature, MeshAttribute::Color],
        }
    }
}

/// A field around the particles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SurfaceField {
    /// Ellipsoids that follow the shape of the matter: flat sheets, sharp edges.
    Anisotropic,
    /// The density of the model, the sum of its smoothing kernel.
    Density,
    /// Blinn's exponential blobs.
    Blinn,
    /// Blobs of a bounded polynomial.
    Polynomial,
}

/// Where the field is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SurfaceLevel {
    /// Where each connected piece of matter encloses its own volume.
    Component,
    /// Where the matter of the frame as a whole encloses its volume.
    Frame,
    /// Where two particles part at the distance at which they cease to act on each other: fatter than the matter.
    Interaction,
}

/// Which matter shares a surface.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Surfaces {
    /// All matter has one surface, which blends where bodies touch; solids that keep apart have their own.
    One,
    /// Each body has a closed surface of its own; `source` tells which.
    Bodies,
    /// Bodies of the same material share a surface.
    Materials,
}

/// An attribute of a vertex.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MeshAttribute {
    /// Velocity in metres per second, for motion blur.
    Velocity,
    /// Temperature in kelvin.
    Temperature,
    /// How far the matter has broken, from 0 to 1, where a material has a `strength`.
    Damage,
    /// Colour of the body that the matter came from, linear red, green and blue.
    Color,
    /// Time since the matter came into being, in seconds.
    Age,
    /// Position of the matter when its body was filled, in metres: textures stick to it.
    RestPosition,
    /// Number of the body that the matter came from, counted from 0.
    Source,
    /// Normal of the field that the surface is cut from. Blender shades by normals of its own, and shows files without
    /// these faster.
    Normal,
}

/// File formats of a mesh.
// Names and sentences stand where the formats do, in `cache/formats`; the binary puts them into the schema in the place
// of `x-formats`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(extend("x-formats" = "mesh"))]
pub struct MeshFormat(pub String);

/// Settings of the volume grids.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct VolumeOutput {
    /// File format.
    pub format: VolumeFormat,
    /// Voxel size in units of the particle spacing.
    #[schemars(range(min = 0.25, max = 4.0))]
    pub resolution: f64,
    /// The grids. Grids that a frame does not have, as `temperature` without temperatures, are left out.
    #[schemars(length(min = 1))]
    pub grids: Vec<VolumeGrid>,
    /// Bits for each value.
    pub precision: Precision,
    /// Compression of the values.
    pub compression: Compression,
}

impl Default for VolumeOutput {
    fn default() -> Self {
        Self {
            format: VolumeFormat("vdb".into()),
            resolution: 1.0,
            grids: vec![VolumeGrid::Density, VolumeGrid::Temperature, VolumeGrid::Velocity],
            precision: Precision::Half,
            compression: Compression::Blosc,
        }
    }
}

/// File formats of a volume.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(extend("x-formats" = "volume"))]
pub struct VolumeFormat(pub String);

/// A grid of a volume.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum VolumeGrid {
    /// Density relative to the matter at rest: about 1 inside, 0 outside.
    Density,
    /// Temperature in kelvin.
    Temperature,
    /// Velocity in metres per second, reaching beyond the density so that motion blur is not cut.
    Velocity,
    /// How far the matter has broken, from 0 to 1, where a material has a `strength`.
    Damage,
    /// Colour of the body that the matter came from, linear red, green and blue.
    Color,
    /// Time since the matter came into being, in seconds.
    Age,
    /// Position of the matter when its body was filled, in metres: textures stick to it.
    #[serde(rename = "rest_position")]
    RestPosition,
    /// Distance to the surface in metres, negative inside, within three voxels of it: an OpenVDB level set, of the
    /// surface that `mesh` shows, or its defaults.
    Surface,
}

/// Bits for each value of a volume.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Precision {
    /// 16-bit floats: half the size, three decimal digits.
    Half,
    /// 32-bit floats.
    Full,
}

/// Compression of the values of a volume.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Compression {
    /// Blosc with LZ4: small and fast.
    Blosc,
    /// Zlib: usually a little smaller, and slower.
    Zip,
    /// None.
    None,
}

/// Settings of the particle files.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ParticleOutput {
    /// File format.
    pub format: ParticleFormat,
}

impl Default for ParticleOutput {
    fn default() -> Self {
        Self { format: ParticleFormat("ply".into()) }
    }
}

/// File formats of particles.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(extend("x-formats" = "particles"))]
pub struct ParticleFormat(pub String);
