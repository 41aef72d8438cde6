//! Bytes: the files of a bake and the index that lists them. Knows no material.
//!
//! A cache folder holds
//!
//! ```text
//! bake.json                          the index: what was baked, which frames are whole, what the fields mean
//! mesh/mesh_{frame:04}.ply           or .obj
//! volume/volume_{frame:04}.vdb
//! particles/particles_{frame:04}.ply
//! checkpoints/checkpoint_{frame:04}.state   the last two, of a bake that is not complete
//! records/mesh_{frame:04}.json       of files that several workers make, until they are taken over into the index
//! done/{stage}.json                  markers of stages that are done
//! ```
//!
//! A file with its final name is always whole: it is written under a temporary name, flushed to the disk and renamed.

mod attribute;
mod bins;
mod checkpoint;
mod error;
mod farm;
mod finite;
mod folder;
mod format;
mod index;
mod index_text;
mod lock;
mod mesh_obj;
mod mesh_ply;
mod names;
mod particle_ply;
mod particle_read;
mod pending;
mod ply;
mod ply_table;
mod records;
mod stage;
mod storage;
mod volume_vdb;

pub use attribute::{Attribute, AttributeKind};
pub use bins::{BinRecord, occupied_bins};
pub use checkpoint::{Checkpoint, Checkpoints};
pub use error::{CacheError, EncodeError};
pub use farm::{FARM_FOLDER, FarmFolder};
pub use folder::{Audit, CacheFolder, audit, is_whole, read_index};
pub use format::Format;
pub use index::{
    BodyRecord, FORMAT, FormatVersion, FrameRange, FrameRecord, HeatRecord, Index, KernelRecord, MeshRecord,
    OutputRecord, SceneRecord, SkinRecord, Status, VERSION,
};
pub use mesh_obj::MeshObj;
pub use mesh_ply::MeshPly;
pub use names::{INDEX_FILE, OutputKind, file_name, pattern};
pub use particle_ply::ParticlePly;
pub use particle_read::{check_particles, read_particles};
pub use records::FileRecord;
pub use stage::Stage;
pub use storage::write_whole;
pub use volume_vdb::VolumeVdb;

#[cfg(test)]
mod tests;
