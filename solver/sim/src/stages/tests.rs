#![allow(clippy::unwrap_used, clippy::print_stdout)]

use super::{Stage, World};
use crate::{Frame, MeshLibrary, Simulation};
use dollop_scene::Scene;
use glam::DVec3;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// In each frame every fifth of the original particles bears a copy of itself far above, and every third of the
/// particles born two frames before is removed.
#[derive(Debug)]
struct Exchange {
    first: u32,
}

impl Stage for Exchange {
    fn begin_frame(&mut self, world: &mut World) {
        let (time, interval) = (world.time, world.interval);
        let goes = |id: u32, birth: f64| id.is_multiple_of(3) && birth > 0.0 && time - birth > 1.5 * interval;
        let leaves: Vec<bool> = (0..world.particles.len())
            .map(|slot| goes(world.particles.id(slot), world.particles.births[slot]))
            .collect();
        world.remove(|slot| leaves[slot]);
        let particles = &mut *world.particles;
        for like in 0..particles.len() {
            let id = particles.id(like);
            if time > 0.0 && id < self.first && id.is_multiple_of(5) {
                let born = particles.spawn(like);
                particles.positions[born] += DVec3::Z * 0.4;
                particles.births[born] = time;
            }
        }
    }
}

fn scene(material: &Value) -> Scene {
    let block = json!({"name": "block", "shape": {"type": "box", "size": [0.1, 0.1, 0.1]}, "material": material, "temperature": 350});
    let fixed = json!({"name": "table", "shape": {"type": "plane"}, "transform": {"translation": [0, 0, -0.06]}});
    serde_json::from_value(json!({"version": 1, "frames": {"start": 1, "end": 9}, "particle_spacing": 0.02, "heat": {},
        "gravity": [0, 0, -1], "settle": false, "bodies": [block], "colliders": [fixed]}))
    .unwrap()
}

fn start(scene: &Scene) -> Simulation {
    let mut simulation = Simulation::new(scene, &MeshLibrary::new()).unwrap();
    let first = simulation.frame().len() as u32;
    simulation.add_stage(Exchange { first });
    simulation
}

/// Matter of every model can be born and removed in any frame: no particle is mistaken for another, ages count from the
/// birth, and an interrupted bake has the same bits.
#[test]
fn matter_of_every_model_can_be_born_and_removed() {
    let materials = [
        json!({"type": "smoothed"}),
        json!({"type": "smoothed", "yield_stress": 500}),
        json!({"type": "thermal"}),
        json!({"type": "soft", "volume_rate": 5}),
        json!({"type": "oriented"}),
        json!({"type": "oriented", "structure": "free"}),
    ];
    for material in materials {
        let scene = scene(&material);
        let mut simulation = start(&scene);
        let mut frames: Vec<Frame> = vec![simulation.frame()];
        let (mut seen, mut state) = (BTreeSet::<u32>::new(), None);
        for number in 0..5 {
            simulation.advance().unwrap();
            frames.push(simulation.frame());
            if number == 3 {
                state = Some(simulation.state());
            }
        }
        let counts: Vec<usize> = frames.iter().map(Frame::len).collect();
        println!("{material}: {counts:?}");
        for pair in frames.windows(2) {
            let [before, after] =
                [&pair[0], &pair[1]].map(|frame| frame.ids.iter().copied().collect::<BTreeSet<u32>>());
            assert_eq!(after.len(), pair[1].len());
            seen.extend(before.iter().copied());
            assert!(after.difference(&before).all(|id| !seen.contains(id)), "an id came back");
            let ages = pair[1].scalar("age").unwrap();
            let young = |n: usize| !before.contains(&pair[1].ids[n]);
            let expected = |n: usize| if young(n) { pair[1].interval as f32 } else { ages[n] };
            assert!((0..pair[1].len()).all(|n| (ages[n] - expected(n)).abs() < 1e-6));
        }
        assert!(counts[5] > counts[0] && frames[5].ids.iter().max() > Some(&(counts[5] as u32)), "{counts:?}");
        let mut resumed = start(&scene);
        resumed.resume(state.unwrap(), frames[4].number).unwrap();
        resumed.advance().unwrap();
        let told = |frame: &Frame| {
            (frame.ids.clone(), frame.positions.clone(), frame.velocities.clone(), frame.fields.clone())
        };
        assert_eq!(told(&resumed.frame()), told(&frames[5]), "{material}");
    }
}
