//! `dollop collect`: the last step of work that was shared out.

use crate::console;
use crate::failure::{ExitCode, Failure};
use crate::farm::quoted;
use crate::frame_range::FrameList;
use crate::number::counted;
use dollop_cache::{CacheError, CacheFolder, Index, OutputKind, OutputRecord, Stage, Status, audit, file_name};
use std::collections::BTreeSet;
use std::path::Path;

/// Takes over into the index what workers made side by side, takes away what killed ones left unfinished, and checks that
/// nothing is missing.
///
/// # Errors
/// When the folder is no cache, others write into it, or something is missing: which frames, and what makes them.
pub fn collect(cache: &Path) -> Result<ExitCode, Failure> {
    let (folder, _) = CacheFolder::open_soon(cache)?;
    let index = folder.collect()?;
    folder.sweep(&OutputKind::ALL)?;
    let missing: BTreeSet<String> = audit(cache, &index)?.missing.into_iter().collect();
    Stage::ALL.iter().try_for_each(|&stage| mark(&folder, stage, &index, &missing))?;
    if index.status != Status::Complete {
        let message = format!("{}: the simulation is {}, not complete", cache.display(), index.status);
        let help = "go on with it by `dollop simulate`, or `dollop bake --resume`";
        return Err(Failure::new(ExitCode::BadInput, message).with_help(help));
    }
    let absent: Vec<i32> = (index.frames.start..=index.frames.end).filter(|frame| !is_listed(&index, *frame)).collect();
    if !absent.is_empty() {
        let list = FrameList::of(&absent);
        let message =
            format!("{}: {} of the scene are not simulated: {list}", cache.display(), counted(absent.len(), "frame"));
        let help = format!("simulate them by `dollop simulate` with --frames {list}");
        return Err(Failure::new(ExitCode::BadInput, message).with_help(help));
    }
    if let Some(failure) = index.outputs.iter().find_map(|output| lacking(cache, &index, output, &missing)) {
        return Err(failure);
    }
    console::line(&format!("{} in {} are whole", counted(index.done.len(), "frame"), cache.display()))?;
    Ok(ExitCode::Success)
}

fn is_listed(index: &Index, frame: i32) -> bool {
    index.done.binary_search_by_key(&frame, |record| record.frame).is_ok()
}

/// Puts the marker of a stage there if none of its files is missing.
fn mark(folder: &CacheFolder, stage: Stage, index: &Index, missing: &BTreeSet<String>) -> Result<(), CacheError> {
    let mut found = index.clone();
    for output in &index.outputs {
        let is_there = |frame: i32| !missing.contains(&file_name(output.kind, frame, &output.format));
        for frame in found.done.iter_mut().filter(|frame| !is_there(frame.frame)) {
            frame.files.remove(&output.kind);
        }
    }
    folder.unmark(stage, &found)?;
    folder.mark(stage, &found)
}

/// What files of a kind are missing.
fn lacking(cache: &Path, index: &Index, output: &OutputRecord, missing: &BTreeSet<String>) -> Option<Failure> {
    let kind = output.kind;
    let frames: Vec<i32> = index
        .done
        .iter()
        .map(|frame| frame.frame)
        .filter(|&frame| missing.contains(&file_name(kind, frame, &output.format)))
        .collect();
    if frames.is_empty() {
        return None;
    }
    let (list, root) = (FrameList::of(&frames), cache.display());
    let word = quoted(&root.to_string());
    let message = format!("{root}: the {kind} of {} is missing: {list}", counted(frames.len(), "frame"));
    let help = match kind {
        OutputKind::Particles => "simulate again with `dollop simulate`".to_owned(),
        _ => format!("make it with `dollop {kind} {word} --frames {list}`"),
    };
    Some(Failure::new(ExitCode::BadInput, message).with_help(help))
}
