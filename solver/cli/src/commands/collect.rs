//! `dollop collect`: the last step of work shared by several workers.

use crate::console;
use crate::failure::{ExitCode, Failure};
use crate::frame_range::FrameList;
use crate::shell::quoted;
use dollop_cache::{CacheFolder, Index, OutputKind, Stage, Status, is_whole};
use dollop_sim::wording::counted;
use std::path::{Path, PathBuf};

/// Arguments of `dollop collect`.
#[derive(Debug, clap::Args)]
pub struct CollectArguments {
    /// Cache folder
    #[arg(value_name = "DIR")]
    pub cache: PathBuf,
}

/// Merges the records of parallel workers into the index, removes unfinished files of killed workers, and checks that
/// no file is missing.
///
/// # Errors
/// When the folder is no cache, other processes write into it, or files are missing: names the frames, and the command
/// that makes them.
pub fn collect(CollectArguments { cache }: &CollectArguments) -> Result<ExitCode, Failure> {
    let (folder, _) = CacheFolder::open_soon(cache)?;
    let index = only_whole(cache, folder.collect()?);
    folder.sweep_all()?;
    for stage in Stage::ALL {
        folder.unmark(stage, &index)?;
        folder.mark(stage, &index)?;
    }
    if index.status != Status::Complete {
        let message = format!("{}: the simulation is {}, not complete", cache.display(), index.status);
        let help = "go on with it by `dollop simulate`, or `dollop bake --resume`";
        return Err(Failure::new(ExitCode::BadInput, message).with_help(help));
    }
    if let Some(absent) = absent(&index) {
        let frames = usize::try_from(i64::from(index.frames.end) - i64::from(index.frames.start) + 1).unwrap_or(0);
        let lack = counted(frames.saturating_sub(index.done.len()), "frame");
        let message = format!("{}: {lack} of the scene are not simulated: {absent}", cache.display());
        let help = format!("simulate them by `dollop simulate` with --frames {absent}");
        return Err(Failure::new(ExitCode::BadInput, message).with_help(help));
    }
    if let Some(failure) = index.outputs.iter().find_map(|output| lacking(cache, &index, output.kind)) {
        return Err(failure);
    }
    console::line(&format!("{} in {} are whole", counted(index.done.len(), "frame"), cache.display()))?;
    Ok(ExitCode::Success)
}

/// An index without its missing files.
fn only_whole(cache: &Path, mut index: Index) -> Index {
    for frame in &mut index.done {
        for output in index
            .outputs
            .iter()
            .filter(|output| !is_whole(cache, frame, output))
            .map(|output| output.kind)
            .collect::<Vec<_>>()
        {
            frame.files.remove(&output);
        }
    }
    index
}

/// The frames of the scene that the index does not list.
fn absent(index: &Index) -> Option<FrameList> {
    let listed: Vec<i32> = index.done.iter().map(|record| record.frame).collect();
    FrameList::between(index.frames.start, index.frames.end, &listed)
}

/// The missing files of a kind.
fn lacking(cache: &Path, index: &Index, kind: OutputKind) -> Option<Failure> {
    let lack = index.done.iter().filter(|frame| !frame.files.contains_key(&kind));
    let frames: Vec<i32> = lack.map(|frame| frame.frame).collect();
    if frames.is_empty() {
        return None;
    }
    let (list, root) = (FrameList::of(&frames), cache.display());
    let word = quoted(&root.to_string());
    let message = format!("{root}: {} without {kind}: {list}", counted(frames.len(), "frame"));
    let help = match kind {
        OutputKind::Particles => format!("simulate again with `dollop simulate SCENE --cache {word} --frames {list}`"),
        _ => format!("make it with `dollop {kind} {word} --frames {list}`"),
    };
    Some(Failure::new(ExitCode::BadInput, message).with_help(help))
}
