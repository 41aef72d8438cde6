//! Where the heat of a bake came from.

use crate::number::rounded;
use dollop_cache::FrameRecord;

/// The balance of a bake's heat; nothing where none flows, or of a single frame.
pub fn of_bake(done: &[FrameRecord]) -> Option<String> {
    let heats: Vec<_> = done.iter().filter_map(|frame| Some((frame.frame, frame.heat?))).collect();
    let ((from, first), (to, last)) = (heats.first()?, heats.last()?);
    let came = &heats[1..];
    let gained = rounded(last.stored - first.stored);
    if came.is_empty() {
        return None;
    }
    // Each frame knows what came since the one before.
    if (to - from) as usize != came.len() {
        return Some(format!(
            "heat       gained {gained} J from frame {from} to {to}; where it came from, only a bake of all frames tells"
        ));
    }
    let sources = [
        ("colliders", came.iter().map(|(_, heat)| heat.walls).sum::<f64>()),
        ("air", came.iter().map(|(_, heat)| heat.air).sum()),
        ("heaters", came.iter().map(|(_, heat)| heat.heaters).sum()),
    ];
    let parts = sources.map(|(name, heat)| format!("{name} {} J", rounded(heat)));
    Some(format!("heat       gained {gained} J: {}", parts.join(", ")))
}
