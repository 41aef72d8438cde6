//! A cache folder that this process writes into.
//!
//! | module | what |
//! |---|---|
//! | `checkpoints` | writes and finds checkpoints |
//! | `records` | writes records of files, and merges them into the index |
//! | `markers` | marks finished stages |

mod checkpoints;
mod markers;
mod records;

use crate::checkpoint::remove_checkpoints;
use crate::entries::{make_folder, remove, remove_chosen};
use crate::finite::check_finite;
use crate::index_read::{read_bare, read_index};
use crate::index_text::index_text;
use crate::lock::FolderLock;
use crate::names::{CHECKPOINTS, DONE, PICTURES, RECORDS, is_transient, is_unfinished};
use crate::ownership::check_owned;
use crate::pending::Pending;
use crate::records::remove_records;
use crate::stage::remove_markers;
use crate::storage::{write_inside, write_pending};
use crate::{CacheError, FrameRecord, INDEX_FILE, Index, OutputKind, OutputRecord, file_name};
use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

pub use checkpoints::Checkpoints;

/// How long to wait for another process that locks the folder for a moment, and how often to try.
const PATIENCE: Duration = Duration::from_secs(5);
const NAP: Duration = Duration::from_millis(50);

/// A cache folder that this process writes into. Unless it is shared, it is locked against other processes while this
/// value lives.
#[derive(Debug)]
pub struct CacheFolder {
    root: PathBuf,
    held: Held,
    pending: Pending,
}

/// How a folder is protected from changes by other processes.
#[derive(Debug)]
enum Held {
    /// Other processes are locked out.
    Alone(FolderLock),
    /// Other processes may write, too; the bake must stay the one that was opened.
    With(Box<Begun>),
}

/// The start of a bake with files of a kind.
#[derive(Debug, PartialEq)]
struct Begun {
    scene: String,
    kind: OutputKind,
    output: Option<OutputRecord>,
}

impl Begun {
    fn of(index: &Index, kind: OutputKind) -> Self {
        Self { scene: index.scene.sha256.clone(), kind, output: index.output(kind).cloned() }
    }
}

impl CacheFolder {
    fn new(root: &Path, held: Held) -> Self {
        Self { root: root.to_owned(), held, pending: Pending::default() }
    }

    /// Tells whether [`create`](Self::create) would refuse a folder for its content or its place; changes nothing.
    ///
    /// # Errors
    /// As `create`, for the present content of the folder.
    pub fn check(root: &Path, overwrite: bool) -> Result<(), CacheError> {
        match fs::canonicalize(root) {
            Ok(inside) if inside.is_dir() => check_owned(root, &inside, overwrite).map(drop),
            Ok(_) => Err(CacheError::IsAFile(root.to_owned())),
            Err(_) => try_to_make(root),
        }
    }

    /// Makes a folder ready for a new bake: makes it, or removes the bake in it if `overwrite` allows it. Files that
    /// belong to no bake stay.
    ///
    /// # Errors
    /// When the folder holds a bake and `overwrite` does not allow it, when it holds files but no bake (a damaged index
    /// counts if its beginning is intact), when another process bakes into it, or when it cannot be written.
    pub fn create(root: &Path, overwrite: bool) -> Result<Self, CacheError> {
        make_folder(root)?;
        // The user may name a link; links inside the folder are not followed.
        let inside = fs::canonicalize(root).map_err(|source| CacheError::Read { path: root.to_owned(), source })?;
        // Before anything is written, and again once no other bake can change the folder.
        check_owned(root, &inside, overwrite)?;
        let lock = FolderLock::take(root)?;
        if check_owned(root, &inside, overwrite)? {
            empty(&inside)?;
        }
        Ok(Self::new(root, Held::Alone(lock)))
    }

    /// Opens the folder of a bake to add to it, and reads its index.
    ///
    /// # Errors
    /// When the folder is no cache, its index cannot be read, another process writes into it, or it cannot be written.
    pub fn open(root: &Path) -> Result<(Self, Index), CacheError> {
        // Before anything is written, and again once no other bake can change the folder.
        read_bare(root)?;
        let lock = FolderLock::take(root)?;
        let index = read_index(root)?;
        Ok((Self::new(root, Held::Alone(lock)), index))
    }

    /// As [`open`](Self::open), but waits a moment for another process that only brings the index up to date.
    ///
    /// # Errors
    /// As `open`.
    pub fn open_soon(root: &Path) -> Result<(Self, Index), CacheError> {
        let clock = Instant::now();
        loop {
            match Self::open(root) {
                Err(CacheError::Busy(_)) if clock.elapsed() < PATIENCE => thread::sleep(NAP),
                opened => return opened,
            }
        }
    }

    /// Opens, without a lock, the folder of a bake whose index was read, to add files of a kind while other processes
    /// write there, too. Such a process must not write the index, but writes records of its files.
    ///
    /// # Errors
    /// When the folder no longer holds the bake of the index, or its index cannot be read.
    pub fn share(root: &Path, kind: OutputKind, index: &Index) -> Result<Self, CacheError> {
        let folder = Self::new(root, Held::With(Box::new(Begun::of(index, kind))));
        folder.check_there()?;
        Ok(folder)
    }

    /// Whether a lock keeps all others out; some network disks have no locks.
    pub fn is_locked(&self) -> bool {
        matches!(&self.held, Held::Alone(lock) if lock.is_sure())
    }

    /// Checks that the folder is still the one that was opened.
    ///
    /// # Errors
    /// When it was removed or replaced, or its index cannot be read.
    fn check_there(&self) -> Result<(), CacheError> {
        let is_there = match &self.held {
            Held::Alone(lock) => lock.is_there(),
            Held::With(begun) => match read_bare(&self.root) {
                Err(CacheError::NotACache(_)) => false,
                read => Begun::of(&read?, begun.kind) == **begun,
            },
        };
        if is_there { Ok(()) } else { Err(CacheError::Gone(self.root.clone())) }
    }

    /// The folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Removes unfinished files that a killed process left: of these kinds of files, and of files that only one process
    /// at a time writes. If a process still writes such a file, it writes it again.
    ///
    /// # Errors
    /// When something cannot be removed.
    pub fn sweep(&self, kinds: &[OutputKind]) -> Result<(), CacheError> {
        self.sweep_folders(kinds.iter().map(|kind| kind.name()).chain([CHECKPOINTS, RECORDS, DONE, ""]))
    }

    /// As [`sweep`](Self::sweep), for all files and pictures, when no process works on any of them.
    ///
    /// # Errors
    /// When something cannot be removed.
    pub fn sweep_all(&self) -> Result<(), CacheError> {
        self.sweep(&OutputKind::ALL)?;
        self.sweep_folders([PICTURES])
    }

    fn sweep_folders<'a>(&self, names: impl IntoIterator<Item = &'a str>) -> Result<(), CacheError> {
        names.into_iter().try_for_each(|name| remove_chosen(&self.root.join(name), is_unfinished))
    }

    /// Stops all writing through this value, on every thread, and removes unfinished files: for a thread that is about
    /// to end the process.
    ///
    /// # Errors
    /// When something cannot be removed.
    pub fn shut(&self) -> Result<(), CacheError> {
        self.pending.shut()
    }

    /// As [`shut`](Self::shut), and removes complete files of these kinds and frames that are not listed, and the lock.
    ///
    /// # Errors
    /// When something cannot be removed.
    pub fn abandon(&self, index: &Index, kinds: &[OutputKind], frames: &[i32]) -> Result<(), CacheError> {
        self.shut()?;
        let outputs = || index.outputs.iter().filter(|output| kinds.contains(&output.kind));
        let files = frames.iter().flat_map(|&frame| outputs().map(move |output| (frame, output)));
        for (frame, OutputRecord { kind, format, .. }) in files {
            if !index.lists(*kind, frame) {
                self.remove(*kind, frame, format)?;
            }
        }
        if let Held::Alone(lock) = &self.held {
            lock.remove();
        }
        Ok(())
    }

    /// Writes the file of a frame. Returns its size, bytes.
    ///
    /// # Errors
    /// When it cannot be written; no part of it is left.
    pub fn write(&self, kind: OutputKind, frame: i32, extension: &str, bytes: &[u8]) -> Result<u64, CacheError> {
        self.put(&self.root.join(file_name(kind, frame, extension)), bytes)?;
        Ok(bytes.len() as u64)
    }

    /// Removes the file of a frame, if it is there.
    ///
    /// # Errors
    /// When it cannot be removed.
    pub fn remove(&self, kind: OutputKind, frame: i32, extension: &str) -> Result<(), CacheError> {
        // Files behind a link are not ours.
        if !fs::symlink_metadata(self.root.join(kind.name())).is_ok_and(|about| about.is_dir()) {
            return Ok(());
        }
        remove(&self.root.join(file_name(kind, frame, extension)))
    }

    /// Writes the index, over the older one.
    ///
    /// # Errors
    /// When it cannot be written, or holds a number that JSON cannot represent; the older index stays.
    pub fn write_index(&self, index: &Index) -> Result<(), CacheError> {
        let path = self.root.join(INDEX_FILE);
        check_finite(index).map_err(|place| CacheError::NotFinite { path: path.clone(), place })?;
        let text = index_text(index).map_err(|error| CacheError::Write { path: path.clone(), source: error.into() })?;
        self.put(&path, &text)
    }

    /// Tells whether an index with this frame could be written: a frame with odd numbers must stay out of the index.
    ///
    /// # Errors
    /// When the frame holds a number that JSON cannot represent.
    pub fn check_frame(&self, record: &FrameRecord) -> Result<(), CacheError> {
        check_finite(record).map_err(|place| CacheError::NotFinite {
            path: self.root.join(INDEX_FILE),
            place: format!("{place} of frame {}", record.frame),
        })
    }

    /// Writes a file in the folder or in a folder inside it, while the folder is still the one that was opened.
    ///
    /// # Errors
    /// When the folder was replaced, also if the write failed for that reason.
    fn put(&self, path: &Path, bytes: &[u8]) -> Result<(), CacheError> {
        self.check_there()?;
        // The folder itself may be a link that the user named.
        let is_inside = path.parent() != Some(&self.root);
        let written = if is_inside {
            write_inside(path, bytes, &self.pending)
        } else {
            write_pending(path, bytes, &self.pending)
        };
        written.map_err(|error| self.check_there().err().unwrap_or(error))
    }
}

/// Makes a folder and its parents, and removes them again.
fn try_to_make(root: &Path) -> Result<(), CacheError> {
    let missing: Vec<&Path> =
        root.ancestors().take_while(|path| !path.as_os_str().is_empty() && !path.exists()).collect();
    let made = make_folder(root);
    // Innermost first. Folders that already existed stay, and so does a folder that another process has put files into.
    for folder in missing {
        let _ = fs::remove_dir(folder);
    }
    made
}

/// Removes the files of a bake. The index stays until the new one replaces it: without an index, the folder would no
/// longer count as a cache.
fn empty(inside: &Path) -> Result<(), CacheError> {
    for kind in OutputKind::ALL {
        let folder = inside.join(kind.name());
        remove_chosen(&folder, |name| kind.frame_of(name).is_some() || is_transient(name))?;
        // This fails unless the folder is empty.
        let _ = fs::remove_dir(&folder);
    }
    remove_checkpoints(inside)?;
    remove_records(inside, |_| true)?;
    remove_markers(inside)?;
    remove_chosen(inside, is_unfinished)
}
