//! The sources of the heat of a bake.

use dollop_cache::FrameRecord;
use dollop_sim::wording::rounded;

/// The heat balance of a bake; empty if no heat flows, or for a single frame.
pub fn of_bake(done: &[FrameRecord]) -> Option<String> {
    let heats: Vec<_> = done.iter().filter_map(|frame| Some((frame.frame, frame.heat?))).collect();
    let ((from, first), (to, last)) = (heats.first()?, heats.last()?);
    let came = &heats[1..];
    let gained = rounded(last.stored - first.stored);
    if came.is_empty() {
        return None;
    }
    // Each frame records the heat since the last one.
    if to.abs_diff(*from) as usize != came.len() {
        return Some(format!(
            "heat       gained {gained} J from frame {from} to {to}; where it came from, only a bake of all frames tells"
        ));
    }
    let sources = [
        ("colliders", came.iter().map(|(_, heat)| heat.walls).sum::<f64>()),
        ("air", came.iter().map(|(_, heat)| heat.air).sum()),
        ("heaters", came.iter().map(|(_, heat)| heat.heaters).sum()),
    ];
    let outflows: f64 = came.iter().map(|(_, heat)| heat.outflows).sum();
    let removed = (outflows != 0.0).then_some(("outflows", outflows));
    let parts = sources.into_iter().chain(removed).map(|(name, heat)| format!("{name} {} J", rounded(heat)));
    Some(format!("heat       gained {gained} J: {}", parts.collect::<Vec<_>>().join(", ")))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use serde_json::json;

    fn told(frames: &[i32]) -> Option<String> {
        let record = |&frame: &i32| {
            let heat = json!({"stored": 100.0 * f64::from(frame), "walls": 60, "air": -10, "heaters": 50});
            let done = json!({"frame": frame, "time": 0, "particles": 1, "steps": 1, "smallest_step": 1, "neighbours": 1,
                "kinetic_energy": 0, "elastic_energy": 0, "max_speed": 0, "max_compression": 0, "simulate_seconds": 0,
                "write_seconds": 0, "heat": heat, "files": {}});
            serde_json::from_value(done).unwrap()
        };
        of_bake(&frames.iter().map(record).collect::<Vec<_>>())
    }

    #[test]
    fn only_a_bake_of_all_frames_reports_the_sources_of_heat() {
        assert_eq!(told(&[1, 2, 3]).unwrap(), "heat       gained 200 J: colliders 120 J, air -20 J, heaters 100 J");
        assert!(told(&[1, 3]).unwrap().starts_with("heat       gained 200 J from frame 1 to 3;"));
        assert_eq!(told(&[3]), None);
        assert!(told(&[i32::MIN, i32::MAX]).is_some());
    }
}
