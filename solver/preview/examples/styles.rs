//! A dam break and a warm drop, in every style and with every kind of colours.
//!
//! `cargo run --release -p dollop-preview --example styles -- DIR [PARTICLES]` writes `STYLE_FIELD.png` into a folder
//! that is there, and prints how long each picture took.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

use dollop_preview::{Options, PictureSize, Renderer, SeriesBounds, Style};
use dollop_scene::Scene;
use dollop_sim::{MeshLibrary, Simulation};
use serde_json::json;
use std::path::Path;
use std::time::Instant;

fn scene(particles: f64) -> Scene {
    let block = json!({"name": "water", "shape": {"type": "box", "size": [0.8, 1.0, 1.0]}, "temperature": 290,
        "transform": {"translation": [-0.61, -0.26, 0.5]}, "material": {"type": "smoothed", "viscosity": 1.0}});
    let drop = json!({"name": "drop", "shape": {"type": "sphere", "radius": 0.25}, "temperature": 350,
        "transform": {"translation": [0.55, 0.1, 0.6]}, "material": {"type": "smoothed", "viscosity": 50.0}});
    let tank = json!({"name": "tank", "shape": {"type": "box", "size": [2.02, 1.52, 4.02]},
        "transform": {"translation": [0.0, 0.0, 2.01]}, "inverted": true, "friction": 0.0});
    serde_json::from_value(json!({
        "version": 1, "frames": {"start": 1, "end": 20, "rate": 24}, "settle": false,
        "particle_spacing": (0.865 / particles).cbrt(), "bodies": [block, drop], "colliders": [tank],
    }))
    .unwrap()
}

fn main() {
    let folder = std::env::args().nth(1).unwrap();
    let particles = std::env::args().nth(2).map_or(20_000.0, |text| text.parse().unwrap());
    let mut simulation = Simulation::new(&scene(particles), &MeshLibrary::new()).unwrap();
    (0..9).for_each(|_| simulation.advance().unwrap());
    let frame = simulation.frame();
    println!("{} particles", frame.len());
    let pictures = [
        ("surface", Style::Surface, "source"),
        ("surface", Style::Surface, "temperature"),
        ("surface", Style::Surface, "speed"),
        ("points", Style::Points, "temperature"),
        ("points", Style::Points, "speed"),
        ("stars", Style::Stars, "speed"),
        ("discs", Style::Discs, "source"),
        ("discs", Style::Discs, "pressure"),
        ("hexagons", Style::Hexagons, "temperature"),
        ("links", Style::Links, "source"),
    ];
    for (name, style, field) in pictures {
        let options = Options {
            size: PictureSize::new(640, 360).unwrap(),
            style,
            view: None,
            colour: field.into(),
            range: None,
            resolution: 0.5,
            legend: true,
        };
        let bounds = SeriesBounds::of(&frame, &options).unwrap();
        let renderer = Renderer::new(options, &bounds);
        let clock = Instant::now();
        let picture = renderer.picture(&frame).unwrap();
        println!("{name} by {field}: {:.0} ms", clock.elapsed().as_secs_f64() * 1e3);
        std::fs::write(Path::new(&folder).join(format!("{name}_{field}.png")), picture.png().unwrap()).unwrap();
    }
}
