//! The statistics in the plot of a bake.

use dollop_cache::FrameRecord;
use dollop_preview::{Panel, PlotCurve};
use dollop_sim::frame::STATISTICS;

/// How the values of a statistic become a curve.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// Unchanged.
    Plain,
    /// Unchanged, without the first frame and frames of old caches, which have no steps.
    OfSteps,
    /// Cumulative sum.
    SoFar,
    /// In percent.
    Percent,
}

/// The curves, in the order of their panels: title of the panel, name of the curve, statistic.
const CURVES: [(&str, &str, &str, Form); 7] = [
    ("energy", "kinetic", "kinetic_energy", Form::Plain),
    ("energy", "elastic", "elastic_energy", Form::Plain),
    ("energy", "drift so far", "energy_drift", Form::SoFar),
    ("force evaluations a frame", "done", "force_evaluations", Form::OfSteps),
    ("force evaluations a frame", "one step for all", "global_force_evaluations", Form::OfSteps),
    ("steps a frame", "", "steps", Form::OfSteps),
    ("largest compression", "", "max_compression", Form::Percent),
];

/// A panel for each kind of statistic: energies, volume, particles, evaluations, steps, compression.
pub fn panels(done: &[FrameRecord]) -> Vec<Panel> {
    let mut all: Vec<Panel> = Vec::new();
    for (title, name, statistic, form) in CURVES {
        let title = with_unit(title, unit(statistic, form));
        let curve = drawn(name, done, statistic, form);
        match all.last_mut().filter(|panel| panel.title == title) {
            Some(panel) => panel.curves.push(curve),
            None => all.push(Panel { title, curves: vec![curve], from_zero: true }),
        }
    }
    all.splice(1..1, [volume(done), particles(done)]);
    all.into_iter().filter(|panel| panel.curves.iter().any(|curve| !curve.points.is_empty())).collect()
}

fn unit(statistic: &str, form: Form) -> &'static str {
    let found = STATISTICS.iter().find(|one| one.name == statistic);
    if form == Form::Percent { "%" } else { found.map_or("", |one| one.unit) }
}

fn with_unit(title: &str, unit: &str) -> String {
    if unit.is_empty() { title.into() } else { format!("{title}, {unit}") }
}

fn drawn(name: &str, done: &[FrameRecord], statistic: &str, form: Form) -> PlotCurve {
    let mut sum = 0.0;
    curve(name, done, |frame| {
        let value = f64::from(frame.amount(statistic)?);
        sum += value;
        match form {
            Form::Plain => Some(value),
            Form::OfSteps => (frame.force_evaluations > 0).then_some(value),
            Form::SoFar => Some(sum),
            Form::Percent => Some(value * 100.0),
        }
    })
}

fn volume(done: &[FrameRecord]) -> Panel {
    let first = done.iter().find_map(|frame| frame.mesh).map_or(0.0, |mesh| mesh.volume);
    let curve = curve("", done, |frame| frame.mesh.map(|mesh| mesh.volume / first));
    Panel { title: "volume in the mesh, of that of the first frame".into(), curves: vec![curve], from_zero: false }
}

fn particles(done: &[FrameRecord]) -> Panel {
    let curve = curve("", done, |frame| Some(frame.particles as f64));
    Panel { title: "particles".into(), curves: vec![curve], from_zero: true }
}

fn curve(name: &str, done: &[FrameRecord], mut value: impl FnMut(&FrameRecord) -> Option<f64>) -> PlotCurve {
    let points =
        done.iter().filter_map(|frame| value(frame).filter(|value| value.is_finite()).map(|value| [frame.time, value]));
    PlotCurve { name: name.into(), points: points.collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curves_are_of_statistics_and_panels_in_one_piece() {
        for (title, _, statistic, _) in CURVES {
            assert!(STATISTICS.iter().any(|one| one.name == statistic), "{statistic}");
            let places: Vec<_> = (0..CURVES.len()).filter(|&at| CURVES[at].0 == title).collect();
            assert!(places.windows(2).all(|pair| pair[1] == pair[0] + 1), "{title}");
        }
        assert_eq!(with_unit("energy", unit("energy_drift", Form::SoFar)), "energy, J");
    }
}
