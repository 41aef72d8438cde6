//! Where the heat of a bake came from.

use crate::number::rounded;
use dollop_cache::FrameRecord;

/// The balance of a bake's heat; nothing where none flows.
pub fn of_bake(done: &[FrameRecord]) -> Option<String> {
    let heats: Vec<_> = done.iter().filter_map(|frame| frame.heat).collect();
    let (first, last) = (heats.first()?, heats.last()?);
    let came = &heats[1..];
    let sources = [
        ("colliders", came.iter().map(|heat| heat.walls).sum::<f64>()),
        ("air", came.iter().map(|heat| heat.air).sum()),
        ("heaters", came.iter().map(|heat| heat.heaters).sum()),
    ];
    let gained = last.stored - first.stored;
    let parts = sources.map(|(name, heat)| format!("{name} {} J", rounded(heat)));
    Some(format!("heat       gained {} J: {}", rounded(gained), parts.join(", ")))
}
