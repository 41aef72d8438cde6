//! Bytes: the files of a bake and the index that lists them. Knows no material.
//!
//! A cache folder holds
//!
//! ```text
//! bake.json                          the index: the scene, the complete frames, the meaning of the fields
//! mesh/mesh_{frame:04}.ply           or .obj
//! volume/volume_{frame:04}.vdb       the tables in `formats` list all formats
//! particles/particles_{frame:04}.ply
//! checkpoints/checkpoint_{frame:04}.state   the last two of an incomplete bake
//! records/mesh_{frame:04}.json       of files that several workers make, until the index lists them
//! done/{stage}.json                  markers of finished stages
//! ```
//!
//! A file with its final name is always complete: it is written under a temporary name, flushed to the disk and
//! renamed.

mod attribute;
mod audit;
mod bins;
mod checkpoint;
mod encode_error;
mod entries;
mod error;
mod farm;
mod finite;
mod folder;
mod formats;
mod index;
mod index_read;
mod index_text;
mod lock;
mod names;
mod ownership;
mod particle_read;
mod particle_table;
mod pending;
mod ply;
mod ply_table;
mod read_fault;
mod records;
mod stage;
mod storage;

pub use attribute::{Attribute, AttributeKind};
pub use audit::{Audit, audit, is_whole};
pub use bins::{BinRecord, occupied_bins};
pub use checkpoint::Checkpoint;
pub use encode_error::EncodeError;
pub use error::CacheError;
pub use farm::FarmFolder;
pub use folder::{CacheFolder, Checkpoints};
pub use formats::{
    Content, Format, MeshObj, MeshPly, MeshSettings, ParticlePly, UnknownFormat, VolumeSettings, VolumeVdb,
    format_named,
};
pub use index::{
    BodyRecord, FORMAT, FormatVersion, FrameRange, FrameRecord, Index, KernelRecord, MeshRecord, OutputRecord,
    ReactionRecord, SceneRecord, SkinRecord, Status, VERSION,
};
pub use index_read::read_index;
pub use names::{INDEX_FILE, OutputKind, file_name, pattern};
pub use ownership::FARM_FOLDER;
pub use particle_read::{check_particles, read_particles};
pub use records::FileRecord;
pub use stage::Stage;
pub use storage::write_whole;

#[cfg(test)]
mod tests;
