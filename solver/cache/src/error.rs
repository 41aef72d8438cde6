use crate::encode_error::EncodeError;
use crate::formats::UnknownFormat;
use crate::index::FormatVersion;
use std::io;
use std::path::PathBuf;

/// What went wrong with a cache folder.
#[derive(Debug, thiserror::Error)]
pub enum CacheError {
    /// The cache folder cannot be made.
    #[error("{}: the folder cannot be made: {}", path.display(), reason(source))]
    Create {
        /// The folder.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A file has the name that the cache folder should have.
    #[error("{}: is a file, not a folder", .0.display())]
    IsAFile(PathBuf),
    /// A file or folder cannot be written or removed.
    #[error("{}: cannot be written: {}", path.display(), reason(source))]
    Write {
        /// The file or folder.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// An index or a record would hold a number that JSON cannot represent.
    #[error("{}: is not written, as {place} is not a finite number", path.display())]
    NotFinite {
        /// The file.
        path: PathBuf,
        /// The place of the number: `done[3].mesh.volume`.
        place: String,
    },
    /// A file or folder cannot be read.
    #[error("{}: cannot be read: {}", path.display(), reason(source))]
    Read {
        /// The file or folder.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The cache exists and may not be overwritten.
    #[error("{}: holds a bake already", .0.display())]
    Exists(PathBuf),
    /// The folder holds files but no index, so Dollop owns nothing in it.
    #[error("{}: the folder is not empty and is not a Dollop cache (it holds {example:?})", path.display())]
    Foreign {
        /// The folder.
        path: PathBuf,
        /// A file or folder in it.
        example: String,
    },
    /// A job for a farm exists already.
    #[error("{}: holds a job for a farm already", .0.display())]
    HasJob(PathBuf),
    /// The cache belongs to another scene than the bake that should resume there.
    #[error("{}: holds a bake of another scene, or of this one with other settings or meshes", .0.display())]
    OtherScene(PathBuf),
    /// A link leads out of the cache folder.
    #[error("{}: is a link or a file where the cache needs a folder", .0.display())]
    NotAFolder(PathBuf),
    /// Another process bakes into the folder.
    #[error("{}: another process is writing into this folder", .0.display())]
    Busy(PathBuf),
    /// The folder was replaced since the work began.
    #[error("{}: this folder was removed or replaced while it was written into", .0.display())]
    Gone(PathBuf),
    /// There is no index to read.
    #[error("{}: is not a Dollop cache: there is no bake.json in it", .0.display())]
    NotACache(PathBuf),
    /// The index file is not an index.
    #[error("{}:{line}:{column}: the index is damaged: {reason}", path.display())]
    Damaged {
        /// The index file.
        path: PathBuf,
        /// Line, from 1.
        line: usize,
        /// Column, from 1.
        column: usize,
        /// Why.
        reason: String,
    },
    /// The index was written by a release that this one cannot read.
    #[error("{}: is a cache of version {found}; this release reads versions {reads}", path.display())]
    Version {
        /// The index file.
        path: PathBuf,
        /// Version found.
        found: String,
        /// Versions read.
        reads: String,
    },
    /// The index lists files of a format that this release lacks.
    #[error("{}: {source}", path.display())]
    Format {
        /// The index file.
        path: PathBuf,
        /// The format.
        source: UnknownFormat,
    },
    /// The cache has no particles.
    #[error("{}: holds no particles to make anything from", .0.display())]
    NoParticles(PathBuf),
    /// An older release made the cache and kept too few data of its particles.
    #[error("{}: is a cache of format {}, whose particles lack their volumes and their kernel", .0.display(), .1)]
    TooOld(PathBuf, FormatVersion),
    /// The particle file was not written by a bake, or is not complete.
    #[error("{}: these particles cannot be read: {reason}", path.display())]
    Particles {
        /// The file.
        path: PathBuf,
        /// The fault.
        reason: String,
    },
    /// A frame cannot be written in its format.
    #[error("frame {frame}: {source}")]
    Encode {
        /// Frame number.
        frame: i32,
        /// Why.
        source: EncodeError,
    },
}

/// The reason of an error that users meet, in plain words.
fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => "the disk is full".into(),
        io::ErrorKind::PermissionDenied => "permission denied".into(),
        io::ErrorKind::ReadOnlyFilesystem => "the disk is read-only".into(),
        _ => error.to_string(),
    }
}
