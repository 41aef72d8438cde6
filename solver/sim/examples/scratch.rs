#![allow(warnings)]
use dollop_sim::*;
use std::time::Instant;
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let scene: dollop_scene::Scene = serde_json::from_str(&std::fs::read_to_string(&a[1]).unwrap()).unwrap();
    let mut sim = Simulation::new(&scene, &MeshLibrary::new()).unwrap();
    println!("{:?}", sim.estimate());
    let frames: i32 = a[2].parse().unwrap();
    for _ in 0..frames {
        let t = Instant::now();
        sim.advance().unwrap();
        let f = sim.frame();
        let s = f.stats;
        let dt = t.elapsed().as_secs_f64();
        let (lo, hi) = f
            .positions
            .iter()
            .fold((glam::Vec3::INFINITY, glam::Vec3::NEG_INFINITY), |(l, h), p| (l.min(*p), h.max(*p)));
        println!(
            "f{} steps {} dt {:.1e} {:.2}s {:.2} Mps/s KE {:.3e} EE {:.3e} vmax {:.3} comp {:.3} nb {:.1} lo {:.3?} hi {:.3?}",
            f.number,
            s.steps,
            s.smallest_step,
            dt,
            s.force_evaluations as f64 / dt / 1e6,
            s.kinetic_energy,
            s.elastic_energy,
            s.max_speed,
            s.max_compression,
            s.neighbours,
            lo,
            hi
        );
    }
    if let Some(path) = a.get(3) {
        let f = sim.frame();
        let p = f.scalar("pressure").unwrap();
        let d = f.scalar("density").unwrap();
        let mut out = String::new();
        for i in 0..f.len() {
            out += &format!(
                "{} {} {} {} {} {}\n",
                f.positions[i].x,
                f.positions[i].y,
                f.positions[i].z,
                p[i],
                d[i],
                f.velocities[i].length()
            );
        }
        std::fs::write(path, out).unwrap();
    }
}
