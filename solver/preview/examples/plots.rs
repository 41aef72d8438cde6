//! A plot of made-up curves: `cargo run -p dollop-preview --example plots -- DIR` writes `plot.svg` and `plot.png`.

#![allow(clippy::unwrap_used)]

use dollop_preview::{Panel, Plot, PlotCurve};
use std::path::Path;

fn main() {
    let folder = std::env::args().nth(1).unwrap();
    let curve = |name: &str, scale: f64, rate: f64| {
        let points = (0..96).map(|n| f64::from(n) / 24.0).map(|t| [t, scale * (-t).exp() * (rate * t).sin().abs()]);
        PlotCurve { name: name.into(), points: points.collect() }
    };
    let panel = |title: &str, curves| Panel { title: title.into(), curves, from_zero: true };
    let plot = Plot {
        title: "made up".into(),
        axis: "time, s".into(),
        panels: vec![
            panel(
                "energy, J",
                vec![curve("kinetic", 30.0, 2.0), curve("elastic", 5.0, 9.0), curve("drift", -1.0, 3.0)],
            ),
            panel("particles", vec![PlotCurve { name: String::new(), points: vec![[0.0, 3851.0], [4.0, 3851.0]] }]),
            panel("force evaluations a frame", vec![curve("done", 3e6, 1.0), curve("with one step for all", 7e6, 1.0)]),
            Panel {
                from_zero: false,
                ..panel("volume", vec![PlotCurve { name: String::new(), points: vec![[0.0, 1.0]] }])
            },
            panel("largest compression", vec![curve("", 1e-3, 1.0)]),
        ],
    };
    std::fs::write(Path::new(&folder).join("plot.svg"), plot.svg().unwrap()).unwrap();
    std::fs::write(Path::new(&folder).join("plot.png"), plot.picture().unwrap().png().unwrap()).unwrap();
}
