//! Columns of a frame beside positions and velocities.

use crate::common::{advanced, at, floor, scene, simulate};
use dollop_sim::Frame;
use glam::Vec3;
use serde_json::json;

/// Two balls that fall; the first has a colour and a speed of its own.
fn falling(settle: bool, frames: usize) -> Frame {
    let ball = json!({"type": "sphere", "radius": 0.3});
    let bodies = json!([
        {"name": "red", "shape": ball, "transform": at(0.0, 0.0, 0.5), "velocity": [1, 0, 0], "color": [1, 0.25, 0]},
        {"name": "plain", "shape": ball, "transform": at(2.0, 0.0, 0.4)}
    ]);
    let mut scene = scene(0.1, bodies, json!([floor(0.5)]));
    scene.settle = settle;
    advanced(simulate(&scene), frames).frame()
}

#[test]
fn matter_keeps_the_position_that_it_was_filled_at() {
    let filled = falling(false, 0).positions;
    for frame in [falling(false, 0), falling(true, 0), falling(false, 3), falling(true, 3)] {
        assert_eq!(frame.vector("rest_position").unwrap(), filled, "bit for bit");
    }
    assert_ne!(falling(false, 3).positions, filled);
}

#[test]
fn age_is_the_time_since_the_first_frame() {
    assert!(falling(true, 0).scalar("age").unwrap().iter().all(|&age| age == 0.0));
    let frame = falling(true, 3);
    let ages = frame.scalar("age").unwrap();
    assert_eq!(ages.len(), frame.len());
    assert!(ages.iter().all(|&age| age == 0.125), "3 frames of 1/24 s");
}

#[test]
fn matter_has_the_colour_of_its_body() {
    let frame = falling(true, 2);
    let colors = frame.vector("color").unwrap();
    assert_eq!(colors.len(), frame.len());
    for (&color, source) in colors.iter().zip(&frame.sources) {
        assert_eq!(color, [Vec3::new(1.0, 0.25, 0.0), Vec3::splat(0.8)][*source as usize]);
    }
    assert_eq!((frame.scalar("color"), frame.vector("age")), (None, None), "a field has one kind of values");
}
