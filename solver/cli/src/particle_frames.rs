//! The frames of a cache that have particles.

use crate::failure::{ExitCode, Failure};
use crate::frame_range::FrameList;
use dollop_cache::{CacheError, FrameRecord, Index, OutputKind};
use std::path::Path;

/// The frames of a list that have particles; without a list, all frames that have.
///
/// # Errors
/// When no frame has particles, or one of the list has none.
pub fn particle_frames(cache: &Path, index: &Index, list: Option<&FrameList>) -> Result<Vec<FrameRecord>, Failure> {
    let there: Vec<_> = index.done.iter().filter(|frame| frame.files.contains_key(&OutputKind::Particles)).collect();
    if there.is_empty() {
        return Err(CacheError::NoParticles(cache.to_owned()).into());
    }
    let numbers: Vec<_> = there.iter().map(|frame| frame.frame).collect();
    let among = |list: &FrameList| list.among(&numbers).map_err(|missing| list.asked(missing));
    let wanted = list.map_or(Ok(numbers.clone()), among).map_err(|missing| {
        let message = format!(
            "{}: --frames asks for {missing}, which has no particles here; those that have are {}",
            cache.display(),
            FrameList::of(&numbers)
        );
        Failure::new(ExitCode::BadInput, message)
    })?;
    Ok(there.into_iter().filter(|frame| wanted.binary_search(&frame.frame).is_ok()).cloned().collect())
}
