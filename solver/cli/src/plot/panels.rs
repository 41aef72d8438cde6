//! What is plotted of a bake.

use dollop_cache::FrameRecord;
use dollop_preview::{Panel, PlotCurve};

/// A panel for each thing that the frames tell of: energies, volume, particles, evaluations, steps, compression.
pub fn panels(done: &[FrameRecord]) -> Vec<Panel> {
    let drift = done.iter().scan(0.0, |sum, frame| {
        *sum += frame.energy_drift;
        Some([frame.time, *sum])
    });
    let energies = vec![
        curve("kinetic", done, |frame| Some(frame.kinetic_energy)),
        curve("elastic", done, |frame| Some(frame.elastic_energy)),
        PlotCurve { name: "drift so far".into(), points: drift.collect() },
    ];
    let evaluations = vec![
        curve("done", done, |frame| stepped(frame).then_some(frame.force_evaluations as f64)),
        curve("one step for all", done, |frame| stepped(frame).then_some(frame.global_force_evaluations as f64)),
    ];
    let first = done.iter().find_map(|frame| frame.mesh).map_or(0.0, |mesh| mesh.volume);
    let volume = curve("", done, |frame| frame.mesh.map(|mesh| mesh.volume / first));
    let one = |value: fn(&FrameRecord) -> Option<f64>| vec![curve("", done, value)];
    let all = [
        panel("energy, J", energies),
        Panel { from_zero: false, ..panel("volume in the mesh, of that of the first frame", vec![volume]) },
        panel("particles", one(|frame| Some(frame.particles as f64))),
        panel("force evaluations a frame", evaluations),
        panel("steps a frame", one(|frame| stepped(frame).then_some(frame.steps as f64))),
        panel("largest compression, %", one(|frame| Some(frame.max_compression * 100.0))),
    ];
    all.into_iter().filter(|panel| panel.curves.iter().any(|curve| !curve.points.is_empty())).collect()
}

/// Whether a frame tells of steps: the first one has none before it, and old caches tell of none.
fn stepped(frame: &FrameRecord) -> bool {
    frame.force_evaluations > 0
}

fn panel(title: &str, curves: Vec<PlotCurve>) -> Panel {
    Panel { title: title.into(), curves, from_zero: true }
}

fn curve(name: &str, done: &[FrameRecord], value: impl Fn(&FrameRecord) -> Option<f64>) -> PlotCurve {
    let points =
        done.iter().filter_map(|frame| value(frame).filter(|value| value.is_finite()).map(|value| [frame.time, value]));
    PlotCurve { name: name.into(), points: points.collect() }
}
