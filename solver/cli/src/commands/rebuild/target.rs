//! The folder for rebuilt files: the cache with the particles, or another.

use crate::failure::{ExitCode, Failure};
use crate::frame_range::FrameList;
use dollop_cache::{
    CacheError, CacheFolder, FrameRange, FrameRecord, Index, OutputKind, OutputRecord, Status, VERSION,
};
use std::fs;
use std::path::{Path, PathBuf};

/// A folder to write into.
#[derive(Debug, Clone)]
pub enum TargetFolder {
    /// The cache with the particles.
    Same(PathBuf),
    /// Another folder, and whether a cache in it may be replaced.
    Other(PathBuf, bool),
}

impl TargetFolder {
    /// The folder of the request.
    pub fn of(cache: &Path, out: Option<&Path>, overwrite: bool) -> Self {
        let real = |folder: &Path| fs::canonicalize(folder).ok();
        match out {
            // However the path is written, the source cache must not be emptied.
            Some(out) if real(out).is_none() || real(out) != real(cache) => Self::Other(out.to_owned(), overwrite),
            _ => Self::Same(cache.to_owned()),
        }
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        match self {
            Self::Same(folder) | Self::Other(folder, _) => folder,
        }
    }

    /// Tells whether the folder would be refused; changes nothing.
    ///
    /// # Errors
    /// As [`CacheFolder::check`].
    pub fn check(&self) -> Result<(), CacheError> {
        match self {
            Self::Same(_) => Ok(()),
            Self::Other(out, overwrite) => CacheFolder::check(out, *overwrite),
        }
    }

    /// Whether files of a kind with these records have the same settings as those in the cache.
    pub fn is_beside(&self, index: &Index, kind: OutputKind, records: &[OutputRecord]) -> bool {
        matches!(self, Self::Same(_)) && index.output(kind).is_some() && index.output(kind) == records.first()
    }

    /// Whether preparing for files of a kind with these records removes files.
    pub fn is_emptied(&self, index: &Index, kind: OutputKind, records: &[OutputRecord]) -> bool {
        match self {
            Self::Same(_) => index.output(kind).is_some_and(|old| records.first() != Some(old)),
            Self::Other(_, overwrite) => *overwrite,
        }
    }
}

/// A folder that is ready, and its index without the files to make.
pub struct Target {
    pub folder: CacheFolder,
    pub index: Index,
    pub manner: ListingMode,
}

/// How frames are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListingMode {
    /// Files are added to listed frames, each with its own record, as other processes may do the same.
    Beside,
    /// Files are added to listed frames.
    Add,
    /// Frames are listed as they are made.
    Anew,
}

impl Target {
    /// Makes the folder ready. Files with the cache's own settings may be written beside those of other processes.
    /// Other settings need the cache alone, and older files are removed: all of them or none.
    ///
    /// # Errors
    /// When files of other settings would stay beside new ones, another process writes into a folder that is needed
    /// alone or has just changed it, or it cannot be written.
    pub fn prepare(
        index: Index,
        place: &TargetFolder,
        kind: OutputKind,
        records: Vec<OutputRecord>,
        wanted: &[FrameRecord],
    ) -> Result<Self, Failure> {
        if let TargetFolder::Other(out, overwrite) = place {
            let folder = CacheFolder::create(out, *overwrite)?;
            return Ok(Self { folder, index: index_of_its_own(index, records, wanted), manner: ListingMode::Anew });
        }
        let root = place.folder();
        if place.is_beside(&index, kind, &records) {
            return Ok(Self { folder: CacheFolder::share(root, kind, &index)?, index, manner: ListingMode::Beside });
        }
        let (folder, now) = CacheFolder::open_soon(root)?;
        if now != index {
            return Err(CacheError::Busy(root.to_owned()).into());
        }
        Self::same(root, folder, index, kind, records, wanted)
    }

    fn same(
        root: &Path,
        folder: CacheFolder,
        mut index: Index,
        kind: OutputKind,
        records: Vec<OutputRecord>,
        wanted: &[FrameRecord],
    ) -> Result<Self, Failure> {
        let old = index.output(kind).cloned();
        refuse_a_part(root, &index, kind, wanted)?;
        for frame in &mut index.done {
            frame.files.remove(&kind);
            if kind == OutputKind::Mesh {
                frame.mesh = None;
            }
        }
        index.outputs.retain(|output| output.kind != kind);
        index.outputs.extend(records);
        index.outputs.sort_by_key(|output| output.kind);
        index.version = VERSION;
        folder.remove_records(kind)?;
        // Before the files are removed: so the index never lists a missing file.
        folder.write_index(&index)?;
        for (old, frame) in old.iter().flat_map(|old| index.done.iter().map(move |frame| (old, frame))) {
            folder.remove(kind, frame.frame, &old.format)?;
        }
        Ok(Self { folder, index, manner: ListingMode::Add })
    }
}

/// A cache lists one record of settings for all files of a kind, so either all files have these settings or none.
fn refuse_a_part(root: &Path, index: &Index, kind: OutputKind, wanted: &[FrameRecord]) -> Result<(), Failure> {
    if wanted.len() == index.done.len() {
        return Ok(());
    }
    let is_new = index.output(kind).is_none();
    let state = if is_new { format!("has no {kind} files yet") } else { format!("has {kind} files of other settings") };
    let message = format!(
        "{}: this cache {state}, and only {} of its {} frames would get new ones",
        root.display(),
        wanted.len(),
        index.done.len()
    );
    let help = "name another folder with --out, or make all frames";
    Err(Failure::new(ExitCode::Refused, message).with_help(help))
}

/// The index of a separate folder, with the data of the bake that the particles come from.
fn index_of_its_own(source: Index, outputs: Vec<OutputRecord>, wanted: &[FrameRecord]) -> Index {
    let numbers: Vec<_> = wanted.iter().map(|frame| frame.frame).collect();
    let requested = FrameList::of(&numbers).to_string();
    Index {
        version: VERSION,
        dollop: env!("CARGO_PKG_VERSION").into(),
        status: Status::Running,
        error: None,
        frames: FrameRange { requested, count: numbers.len(), ..source.frames },
        outputs,
        done: Vec::new(),
        ..source
    }
}
