//! `bake.json`: the index of a cache folder.
//!
//! Within a major version, fields are only added: a reader accepts any minor version and skips unknown fields.

use crate::bins::occupied_bins;
use crate::{Attribute, BinRecord, OutputKind};
use dollop_sim::frame::{Amount, Reaction, Skin, SoftField};
use dollop_sim::kernel::Kernel;
use dollop_sim::{Frame, HeatStats, SmoothingKernel};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt;

/// The value of `Index::format`.
pub const FORMAT: &str = "dollop-bake";
/// The version that this release writes.
pub const VERSION: FormatVersion = FormatVersion { major: 1, minor: 10 };

/// A version of the index format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct FormatVersion {
    /// Readers of another major version must refuse.
    pub major: u32,
    /// Readers of another minor version may read.
    pub minor: u32,
}

impl fmt::Display for FormatVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

/// The index of a bake.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Index {
    /// Always [`FORMAT`].
    pub format: String,
    /// Version of the index format.
    pub version: FormatVersion,
    /// Version of the Dollop that baked.
    pub dollop: String,
    /// The state of the bake.
    pub status: Status,
    /// Why it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The scene that was baked.
    pub scene: SceneRecord,
    /// The requested frames.
    pub frames: FrameRange,
    /// Distance between neighbouring particles at rest, m.
    pub particle_spacing: f64,
    /// The kernel of the surfaces; none in caches older than format 1.2.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kernel: Option<KernelRecord>,
    /// The bodies, by source number.
    pub bodies: Vec<BodyRecord>,
    /// Names of the colliders, by number; new in format 1.8.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub colliders: Vec<String>,
    /// The files that were written for each frame.
    pub outputs: Vec<OutputRecord>,
    /// The frames whose files are complete, in rising order.
    pub done: Vec<FrameRecord>,
}

impl Index {
    /// The files of a kind, if the cache has some.
    pub fn output(&self, kind: OutputKind) -> Option<&OutputRecord> {
        self.outputs.iter().find(|output| output.kind == kind)
    }

    /// The record of a frame.
    pub fn frame(&self, number: i32) -> Option<&FrameRecord> {
        self.done.binary_search_by_key(&number, |record| record.frame).ok().map(|at| &self.done[at])
    }

    /// Whether the file of a frame is listed.
    pub fn lists(&self, kind: OutputKind, frame: i32) -> bool {
        self.frame(frame).is_some_and(|record| record.files.contains_key(&kind))
    }
}

/// A smoothing kernel in space.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct KernelRecord {
    /// Its name.
    pub kind: Kernel,
    /// Smoothing length h, m.
    pub smoothing_length: f64,
}

impl From<SmoothingKernel> for KernelRecord {
    fn from(kernel: SmoothingKernel) -> Self {
        Self { kind: kernel.kind(), smoothing_length: kernel.smoothing_length() }
    }
}

impl Index {
    /// For each body the source number of the first body of the same material.
    pub fn materials(&self) -> Vec<u32> {
        self.bodies.iter().map(|body| body.material.unwrap_or(body.source)).collect()
    }
}

/// The state of a bake.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// It runs, or was killed before it could say so.
    Running,
    /// All requested frames are there.
    Complete,
    /// The user stopped it.
    Cancelled,
    /// It failed.
    Failed,
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Running => "running",
            Self::Complete => "complete",
            Self::Cancelled => "cancelled",
            Self::Failed => "failed",
        })
    }
}

/// The scene that was baked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SceneRecord {
    /// The scene file as it was named on the command line.
    pub path: String,
    /// SHA-256 of the settings and the meshes, as 64 hexadecimal digits.
    pub sha256: String,
}

/// The frames of a bake.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FrameRange {
    /// First frame of the scene.
    pub start: i32,
    /// Last frame of the scene.
    pub end: i32,
    /// Frames per second.
    pub rate: f64,
    /// The requested frames: `1-6,10`.
    pub requested: String,
    /// Number of requested frames.
    pub count: usize,
}

/// A body.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BodyRecord {
    /// Number in `source` attributes.
    pub source: u32,
    /// Name in the scene.
    pub name: String,
    /// Particles at the start.
    pub particles: usize,
    /// Source number of the first body of the same material; none in caches of format 1.1 and before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub material: Option<u32>,
    /// Whether it is a sheet that does not tear; new in format 1.4.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub lasting: bool,
    /// Whether it is solid matter that keeps apart from all other; new in format 1.9.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub apart: bool,
    /// Its skin where it is soft matter; new in format 1.6.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skin: Option<SkinRecord>,
}

/// The skin of soft matter.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct SkinRecord {
    /// The field of a particle.
    pub field: SoftField,
    /// Where the field ends, m.
    pub reach: f64,
    /// Value of the field at the skin.
    pub isovalue: f64,
}

impl From<Skin> for SkinRecord {
    fn from(Skin { field, reach, isovalue }: Skin) -> Self {
        Self { field, reach, isovalue }
    }
}

impl From<SkinRecord> for Skin {
    fn from(SkinRecord { field, reach, isovalue }: SkinRecord) -> Self {
        Self { field, reach, isovalue }
    }
}

/// Force and torque of the matter on a collider, as means over the time since the last frame.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ReactionRecord {
    /// Number of the collider.
    pub collider: u32,
    /// Force, N.
    pub force: [f64; 3],
    /// Torque about the origin of the collider half way between both frames, N m.
    pub torque: [f64; 3],
}

impl From<&Reaction> for ReactionRecord {
    fn from(&Reaction { collider, force, torque }: &Reaction) -> Self {
        Self { collider, force: force.to_array(), torque: torque.to_array() }
    }
}

/// One kind of file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OutputRecord {
    /// The kind.
    pub kind: OutputKind,
    /// File format, which is also the extension.
    pub format: String,
    /// File names from the cache folder on: `mesh/mesh_{frame:04}.ply`.
    pub pattern: String,
    /// Edge length of a sampling cell or voxel, m; none for particles.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cell_size: Option<f64>,
    /// The settings of these files, as in a scene with all defaults filled in; none in caches older than format 1.2.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settings: Option<Value>,
    /// Vertex attributes, or grids.
    pub attributes: Vec<Attribute>,
}

macro_rules! frame_record {
    (
        steps { $($step:ident: $step_kind:ty, $step_unit:tt, $step_told:literal;)* }
        matter { $($name:ident: $kind:ty, $unit:tt, $told:literal;)* }
    ) => {
        /// A frame whose files are complete. Statistics that an older cache lacks are 0.
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
        pub struct FrameRecord {
            /// Frame number.
            pub frame: i32,
            /// Seconds of the scene since its first frame.
            pub time: f64,
            /// Number of particles.
            pub particles: usize,
            $(
                #[doc = concat!($step_told, "\n\nUnit: `", $step_unit, "`")]
                #[serde(default)]
                pub $step: $step_kind,
            )*
            /// The step lengths of the particles since the last frame.
            #[serde(default)]
            pub bins: Vec<BinRecord>,
            $(
                #[doc = concat!($told, "\n\nUnit: `", $unit, "`")]
                #[serde(default)]
                pub $name: $kind,
            )*
            /// Seconds of simulation since the last frame.
            pub simulate_seconds: f64,
            /// Seconds for making and writing the files.
            pub write_seconds: f64,
            /// Heat of the matter, if heat flows.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub heat: Option<HeatStats>,
            /// Force and torque of the matter on the colliders that it touched since the last frame; new in format 1.8.
            #[serde(default, skip_serializing_if = "Vec::is_empty")]
            pub reactions: Vec<ReactionRecord>,
            /// Where solid bodies have fused, for each body the first of those that it is one with, none of a body that
            /// is one with all that it touches; new in format 1.10.
            #[serde(default, skip_serializing_if = "Vec::is_empty")]
            pub fused_bodies: Vec<Option<u32>>,
            /// The surface, if one was written.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub mesh: Option<MeshRecord>,
            /// Size of each file, bytes.
            pub files: BTreeMap<OutputKind, u64>,
        }

        impl FrameRecord {
            /// The record of a frame, without files and durations.
            pub fn of(frame: &Frame) -> Self {
                let stats = &frame.stats;
                Self {
                    frame: frame.number,
                    time: frame.time,
                    particles: frame.len(),
                    $($step: stats.$step,)*
                    bins: occupied_bins(frame),
                    $($name: stats.$name,)*
                    simulate_seconds: 0.0,
                    write_seconds: 0.0,
                    heat: stats.heat,
                    reactions: frame.reactions.iter().map(Into::into).collect(),
                    fused_bodies: frame.fused_bodies.clone(),
                    mesh: None,
                    files: BTreeMap::new(),
                }
            }

            /// The value of the [`STATISTICS`](dollop_sim::frame::STATISTICS) of that name.
            pub fn amount(&self, name: &str) -> Option<Amount> {
                match name {
                    $(stringify!($step) => Some(self.$step.into()),)*
                    $(stringify!($name) => Some(self.$name.into()),)*
                    _ => None,
                }
            }
        }
    };
}

dollop_sim::for_statistics!(frame_record);

/// Data of a surface.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct MeshRecord {
    /// Number of vertices.
    pub vertices: usize,
    /// Number of triangles.
    pub triangles: usize,
    /// Enclosed volume, m^3.
    pub volume: f64,
}
