//! Heat: conduction, walls, air, heaters and melting, against closed forms.

use crate::common::{advanced, at, scene, simulate, weightless, with, with_any_threads};
use dollop_scene::{HeatFlow, Scene};
use dollop_sim::{Frame, HeatStats, Simulation};
use serde_json::{Value, json};

const SPACING: f64 = 0.02;
/// Edge of the cube of four particles of the lattice that bodies are filled with: boxes of whole cubes are filled
/// exactly.
const CUBE: f64 = SPACING * 1.587_401_052;
/// Half the length, and the width, of a bar that is 51 spacings long and 6 wide.
const HALF: f64 = 16.0 * CUBE;
const WIDTH: f64 = 4.0 * CUBE;
/// Heat capacity of all matter here, J/(m^3 K): its rest density is 1000 kg/m^3.
const CAPACITY: f64 = 2e6;

/// A still box of matter on which only heat acts.
fn bar(name: &str, size: [f64; 3], x: f64, temperature: f64, heat: Value) -> Value {
    let substance = with(json!({"specific_heat": 2000, "conductivity": 100, "emissivity": 0}), &heat);
    json!({"name": name, "shape": {"type": "box", "size": size}, "transform": at(x, 0.0, 0.0), "temperature": temperature,
        "heat": substance, "material": {"type": "smoothed", "stiffness": 10, "viscosity": 0, "cohesion": 0}})
}

/// Factor by which heat flows faster, so that the matter stays where it is.
const RATE: f64 = 1000.0;

/// A scene where heat flows and the air takes none, in frames of `seconds` seconds of heat.
fn warm(bodies: Value, colliders: Value, heaters: Value, seconds: f64) -> Scene {
    let mut scene = weightless(scene(SPACING, bodies, colliders));
    scene.frames.rate = RATE / seconds;
    scene.ambient.convection = 0.0;
    scene.heat = Some(HeatFlow { rate: RATE });
    scene.heaters = serde_json::from_value(heaters).unwrap();
    scene
}

/// A scene with all matter on a grid.
fn on_grid(mut scene: Scene) -> Scene {
    let fluid = json!({"type": "continuum", "rest_density": 1000, "viscosity": 1});
    for body in &mut scene.bodies {
        body.material = serde_json::from_value(fluid.clone()).unwrap();
    }
    scene
}

/// A scene of smoothed matter, and the same on a grid, each with a tolerance.
fn both(scene: Scene, tolerances: [f64; 2]) -> [(&'static str, Scene, f64); 2] {
    [("smoothed", scene.clone(), tolerances[0]), ("on the grid", on_grid(scene), tolerances[1])]
}

fn heat(simulation: &Simulation) -> HeatStats {
    simulation.stats().heat.unwrap()
}

/// Places along x, m, and temperatures, K.
fn profile(frame: &Frame) -> impl Iterator<Item = (f64, f64)> {
    let temperatures = frame.temperatures().unwrap().iter().map(|&t| f64::from(t));
    frame.positions.iter().map(|p| f64::from(p.x)).zip(temperatures)
}

/// The error function, by its series or its continued fraction.
fn erf(x: f64) -> f64 {
    if x.abs() < 3.0 {
        let (mut term, mut sum) = (x, x);
        for n in 1..200 {
            term *= -x * x / f64::from(n);
            sum += term / f64::from(2 * n + 1);
        }
        return sum * std::f64::consts::FRAC_2_SQRT_PI;
    }
    let fraction = (1..60).rev().fold(x.abs(), |below, n| x.abs() + f64::from(n) / 2.0 / below);
    x.signum() * (1.0 - (-x * x).exp() / fraction / std::f64::consts::PI.sqrt())
}

#[test]
fn a_step_in_a_bar_spreads_as_the_error_function() {
    // 48 spacings long, thin: without corrections its surfaces would conduct half as well.
    let sides = json!([
        bar("cold", [HALF, WIDTH, WIDTH], -HALF / 2.0, 300.0, json!({})),
        bar("hot", [HALF, WIDTH, WIDTH], HALF / 2.0, 400.0, json!({})),
    ]);
    let kappa = 100.0 / CAPACITY;
    for frames in [40, 60] {
        let time = frames as f64 * 5.0;
        let exact = |x: f64| 350.0 + 50.0 * erf(x / (4.0 * kappa * time).sqrt());
        for (how, scene, tolerance) in both(warm(sides.clone(), json!([]), json!([]), 5.0), [0.01; 2]) {
            let frame = advanced(simulate(&scene), frames).frame();
            let worst = profile(&frame).map(|(x, t)| (t - exact(x)).abs() / 100.0).fold(0.0, f64::max);
            println!("{how} {time} s, width {:.1} spacings: {:.4}", (4.0 * kappa * time).sqrt() / SPACING, worst);
            assert!(worst < tolerance, "{worst}");
        }
    }
}

#[test]
fn between_fixed_ends_the_profile_is_straight() {
    let end = |name: &str, x: f64, temperature: f64| {
        json!({"name": name, "shape": {"type": "box", "size": [0.1, 1.0, 1.0]}, "transform": at(x, 0.0, 0.0),
            "effect": {"type": "temperature", "temperature": temperature, "response": 0.0}})
    };
    let body = json!([bar("bar", [HALF, WIDTH, WIDTH], 0.0, 300.0, json!({}))]);
    let ends = json!([end("cold", -0.25, 300.0), end("hot", 0.25, 400.0)]);
    // On the grid a heater's end is off by up to a spacing.
    for (how, scene, tolerance) in both(warm(body, json!([]), ends, 50.0), [0.01, 0.08]) {
        let frame = advanced(simulate(&scene), 40).frame();
        // The innermost particles at fixed temperatures.
        let held = |sign: f64, at: f64| {
            let end = profile(&frame).filter(|&(x, t)| x * sign > 0.15 && (t - at).abs() < 1e-3);
            end.map(|(x, _)| x * sign).fold(f64::INFINITY, f64::min)
        };
        let (cold, hot) = (-held(-1.0, 300.0), held(1.0, 400.0));
        let exact = |x: f64| 300.0 + 100.0 * ((x - cold) / (hot - cold)).clamp(0.0, 1.0);
        let worst = profile(&frame).map(|(x, t)| (t - exact(x)).abs() / 100.0).fold(0.0, f64::max);
        println!("{how} {:.2} spacings, {worst:.4}", (hot - cold) / SPACING);
        assert!(worst < tolerance, "{worst}");
    }
}

#[test]
fn two_bodies_meet_at_the_temperature_of_their_effusivities() {
    let sides = json!([
        bar("poor", [HALF, WIDTH, WIDTH], -HALF / 2.0, 300.0, json!({"conductivity": 20})),
        bar("good", [HALF, WIDTH, WIDTH], HALF / 2.0, 400.0, json!({"conductivity": 180, "specific_heat": 1000})),
    ]);
    let effusivity = [(20.0 * CAPACITY).sqrt(), (180.0 * CAPACITY / 2.0).sqrt()];
    let contact = (effusivity[0] * 300.0 + effusivity[1] * 400.0) / (effusivity[0] + effusivity[1]);
    let kappa = [20.0 / CAPACITY, 180.0 / CAPACITY * 2.0];
    let exact = |x: f64| {
        let (side, far) = if x < 0.0 { (0, 300.0) } else { (1, 400.0) };
        contact + (far - contact) * erf(x.abs() / (4.0 * kappa[side] * 100.0).sqrt())
    };
    // The poor conductor warms over three spacings, one and a half cells of the grid.
    for (how, scene, tolerance) in both(warm(sides, json!([]), json!([]), 5.0), [0.02, 0.07]) {
        let frame = advanced(simulate(&scene), 20).frame();
        let worst = profile(&frame).map(|(x, t)| (t - exact(x)).abs() / 100.0).fold(0.0, f64::max);
        println!("{how} {worst:.4}");
        assert!(worst < tolerance, "{worst}");
    }
}

#[test]
fn a_closed_piece_keeps_its_heat_to_rounding() {
    let sides = json!([
        bar("cold", [0.2; 3], -0.1, 300.0, json!({"latent_heat": 1e4, "solidus": 310, "liquidus": 320})),
        bar("hot", [0.2; 3], 0.1, 400.0, json!({"conductivity": 300})),
    ]);
    for (how, scene, tolerance) in both(warm(sides, json!([]), json!([]), 5.0), [1e-9, 1e-6]) {
        let start = simulate(&scene);
        let before = heat(&start).stored;
        let simulation = advanced(start, 40);
        let temperatures = simulation.frame().temperatures().unwrap().to_vec();
        let spread = temperatures.iter().fold((f32::INFINITY, 0.0_f32), |(a, b), &t| (a.min(t), b.max(t)));
        assert!(spread.1 - spread.0 < 80.0, "it flows: {spread:?}");
        let off = heat(&simulation).stored / before - 1.0;
        println!("{how} {off:e}");
        assert!(off.abs() < tolerance, "{off:e}");
    }
}

#[test]
fn a_hot_plate_warms_by_the_complementary_error_function() {
    let plate = json!([{"name": "plate", "shape": {"type": "plane"}, "transform": {"translation": [-HALF / 2.0, 0.0, 0.0],
        "rotation": [0.5_f64.sqrt(), 0.0, 0.5_f64.sqrt(), 0.0]}, "temperature": 400}]);
    let body = json!([bar("bar", [HALF, WIDTH, WIDTH], 0.0, 300.0, json!({}))]);
    let kappa = 100.0 / CAPACITY;
    for (how, scene, tolerance) in both(warm(body, plate, json!([]), 5.0), [0.025, 0.05]) {
        let mut simulation = simulate(&scene);
        let before = heat(&simulation).stored;
        let mut given = 0.0;
        for _ in 0..40 {
            simulation.advance().unwrap();
            given += heat(&simulation).walls;
        }
        let width = (4.0 * kappa * 200.0_f64).sqrt();
        let exact = |x: f64| 400.0 - 100.0 * erf((x + HALF / 2.0) / width);
        let worst = profile(&simulation.frame()).map(|(x, t)| (t - exact(x)).abs() / 100.0).fold(0.0, f64::max);
        let stored = heat(&simulation).stored - before;
        // Heat through a half space: 2 k A dT sqrt(t / (pi kappa)).
        let all = 2.0 * 100.0 * WIDTH * WIDTH * 100.0 * (200.0 / (std::f64::consts::PI * kappa)).sqrt();
        println!("{how} {worst:.4}, {:.4} of the heat, {:e}", given / all, given / stored - 1.0);
        assert!(worst < tolerance && (given / all - 1.0).abs() < 0.05, "{worst} {}", given / all);
        assert!((given / stored - 1.0).abs() < 1e-5);
    }
}

#[test]
fn air_cools_by_the_free_surface() {
    // The block conducts so well that it cools as a whole.
    let block = json!([bar("block", [6.0 * CUBE; 3], 0.0, 400.0, json!({"conductivity": 1000}))]);
    let walls = json!([{"name": "walls", "shape": {"type": "box", "size": [6.0 * CUBE, 6.0 * CUBE, 6.0 * CUBE]}, "inverted": true}]);
    let air = |mut scene: Scene| {
        (scene.ambient.convection, scene.ambient.temperature) = (200.0, 300.0);
        both(scene, [0.1, 0.12])
    };
    let lost = |scene: &Scene| {
        let frame = advanced(simulate(scene), 20).frame();
        let mean = profile(&frame).map(|(_, t)| t).sum::<f64>() / frame.len() as f64;
        -((mean - 300.0) / 100.0_f64).ln()
    };
    let exact = 200.0 * 6.0 * 200.0 / (CAPACITY * 6.0 * CUBE);
    let closed = air(warm(block.clone(), walls, json!([]), 10.0));
    for ((how, open, tolerance), (_, closed, _)) in air(warm(block, json!([]), json!([]), 10.0)).into_iter().zip(closed)
    {
        let open = lost(&open);
        println!("{how} {:.4} of the surface", open / exact);
        assert!((open / exact - 1.0).abs() < tolerance, "{}", open / exact);
        // Between walls it has no free surface.
        let part = lost(&closed) / open;
        println!("{part:.4} of that between walls");
        assert!(part < 0.05, "{part}");
    }
}

/// Part of a slab's excess heat over its surroundings that is left; its faces lie at one half and minus one half of its
/// thickness: by its Biot number and Fourier number for half the thickness (Carslaw and Jaeger 1959, section 3.11).
fn left_in_slab(biot: f64, fourier: f64) -> f64 {
    let root = |n: i32| {
        let from = f64::from(n) * std::f64::consts::PI;
        let (mut low, mut high) = (from, from + std::f64::consts::FRAC_PI_2);
        for _ in 0..60 {
            let middle = f64::midpoint(low, high);
            if middle * middle.tan() < biot { low = middle } else { high = middle }
        }
        low
    };
    let term = |z: f64| 2.0 * z.sin().powi(2) / (z * (z + z.sin() * z.cos())) * (-z * z * fourier).exp();
    (0..30).map(|n| term(root(n))).sum()
}

/// The air may take heat much better than matter conducts it to its surface.
#[test]
fn air_cools_matter_that_conducts_badly() {
    let (edge, conductivity, frames) = (10.0 * CUBE, 100.0, 12);
    for ratio in [0.25, 4.0] {
        let block = json!([bar("block", [edge; 3], 0.0, 400.0, json!({"conductivity": conductivity}))]);
        let mut open = warm(block, json!([]), json!([]), 10.0);
        open.ambient.convection = ratio * conductivity / SPACING;
        open.ambient.temperature = 300.0;
        let half = edge / 2.0;
        let fourier = conductivity / CAPACITY * 10.0 * frames as f64 / (half * half);
        let lost = 1.0 - left_in_slab(open.ambient.convection * half / conductivity, fourier).powi(3);
        for (how, open, tolerance) in both(open, [0.04; 2]) {
            let frame = advanced(simulate(&open), frames).frame();
            let left = (profile(&frame).map(|(_, t)| t).sum::<f64>() / frame.len() as f64 - 300.0) / 100.0;
            println!("{how} {:.4} of {lost:.4} lost at {ratio}", 1.0 - left);
            assert!(((1.0 - left) / lost - 1.0).abs() < tolerance, "{left} {lost}");
        }
    }
}

/// The free surface of matter, m^2, by the heat that the air takes in a frame.
fn free_surface(scene: &Scene, frames: usize) -> f64 {
    let simulation = advanced(simulate(scene), frames);
    -heat(&simulation).air * scene.frames.rate
}

/// A scene whose air takes a watt from each square metre, of smoothed matter and on a grid.
fn in_air(mut scene: Scene, tolerances: [f64; 2]) -> [(&'static str, Scene, f64); 2] {
    (scene.ambient.convection, scene.ambient.temperature) = (1e-3, 0.0);
    scene.heat = Some(HeatFlow { rate: 1.0 });
    for body in &mut scene.bodies {
        (body.temperature, body.heat.emissivity) = (Some(1000.0), 0.0);
    }
    both(scene, tolerances)
}

#[test]
fn the_free_surface_is_that_of_liquids_under_their_weight_and_of_sheets_and_drops() {
    let tank = json!([{"name": "tank", "shape": {"type": "box", "size": [0.3, 0.3, 2.0]}, "transform": at(0.0, 0.0, 1.0),
        "inverted": true}]);
    let smoothed = json!({"type": "smoothed"});
    let body = |size: [f64; 3], z: f64| json!([{"name": "b", "shape": {"type": "box", "size": size}, "transform": at(0.0, 0.0, z), "material": smoothed}]);
    let weightless = |bodies: Value| weightless(scene(SPACING, bodies, json!([])));
    let pool = scene(SPACING, body([0.3, 0.3, 0.16], 0.08), tank);
    let ball = json!([{"name": "b", "shape": {"type": "sphere", "radius": 8.0 * SPACING}, "material": smoothed}]);
    let of_ball = std::f64::consts::PI * 4.0 * (8.0 * SPACING).powi(2);
    let cases = [
        ("pool after a frame", pool.clone(), 1, 0.09, [0.25; 2]),
        ("pool after 8", pool.clone(), 8, 0.09, [0.25; 2]),
        ("pool after 16", pool, 16, 0.09, [0.25; 2]),
        // On a grid films of less than a cell have less.
        ("sheet", weightless(body([0.4, 0.4, SPACING * 0.9], 0.0)), 1, 0.32, [0.3, 0.55]),
        ("thick sheet", weightless(body([0.4, 0.4, SPACING * 2.0], 0.0)), 1, 0.32, [0.3; 2]),
        ("ball", weightless(ball), 1, of_ball, [0.15; 2]),
    ];
    for (what, scene, frames, exact, tolerances) in cases {
        for (how, scene, tolerance) in in_air(scene, tolerances) {
            let ratio = free_surface(&scene, frames) / exact;
            println!("{how}: {ratio:.3} of a {what}");
            assert!((ratio - 1.0).abs() < tolerance, "{how}: {ratio} of a {what}");
        }
    }
}

#[test]
fn a_red_hot_piece_radiates() {
    let block = json!([bar("block", [6.0 * CUBE; 3], 0.0, 1200.0, json!({"conductivity": 3000, "emissivity": 0.8}))]);
    let mut scene = warm(block, json!([]), json!([]), 1.0);
    scene.ambient.temperature = 300.0;
    let exact = -0.8 * 5.670_374_419e-8 * 6.0 * (6.0 * CUBE).powi(2) * (1200.0_f64.powi(4) - 300.0_f64.powi(4));
    for (how, scene, tolerance) in both(scene, [0.15; 2]) {
        let mut simulation = simulate(&scene);
        simulation.advance().unwrap();
        let ratio = heat(&simulation).air / exact;
        println!("{how} {ratio:.4} of the radiation");
        assert!((ratio - 1.0).abs() < tolerance, "{ratio}");
    }
}

#[test]
fn a_heater_gives_its_power_and_melting_takes_the_latent_heat() {
    let wax = json!({"conductivity": 5, "solidus": 320, "liquidus": 330, "latent_heat": 5e4});
    let body = json!([bar("wax", [6.0 * CUBE; 3], 0.0, 300.0, wax)]);
    let heater = json!([{"name": "torch", "shape": {"type": "sphere", "radius": 0.08},
        "effect": {"type": "power", "power": 1000.0 * RATE}}]);
    for (how, scene, tolerance) in both(warm(body, json!([]), heater, 10.0), [1e-6; 2]) {
        heater_gives_its_power(how, &scene, tolerance);
    }
}

fn heater_gives_its_power(how: &str, scene: &Scene, tolerance: f64) {
    let mut simulation = simulate(scene);
    let before = heat(&simulation).stored;
    let mut given = 0.0;
    for _ in 0..60 {
        simulation.advance().unwrap();
        given += heat(&simulation).heaters;
    }
    let stored = heat(&simulation).stored - before;
    println!("{how} {:.4} of its power, {:e}", given / 600_000.0, given / stored - 1.0);
    assert!((given / 600_000.0 - 1.0).abs() < 0.05, "{given}");
    assert!((given / stored - 1.0).abs() < tolerance);
    // The heat by the temperatures: sensible, and latent where the matter has melted.
    let frame = simulation.frame();
    let volume = SPACING.powi(3);
    let of = |t: f64| CAPACITY * (t - 300.0) + 5e7 * ((t - 320.0) / 10.0).clamp(0.0, 1.0);
    let told: f64 = profile(&frame).map(|(_, t)| of(t) * volume).sum();
    println!("{:e} by temperatures", told / stored - 1.0);
    assert!((told / stored - 1.0).abs() < 0.005, "{told} {stored}");
    assert!(profile(&frame).any(|(_, t)| t > 330.0) && profile(&frame).any(|(_, t)| t < 320.0));
}

/// Stefan's problem: liquid from a hot wall melts matter at its melting point; the front is at 2 lambda sqrt(kappa t).
#[test]
fn a_melting_front_goes_with_the_root_of_time() {
    let plate = json!([{"name": "plate", "shape": {"type": "plane"}, "transform": {"translation": [-HALF / 2.0, 0.0, 0.0],
        "rotation": [0.5_f64.sqrt(), 0.0, 0.5_f64.sqrt(), 0.0]}, "temperature": 400}]);
    let ice = json!({"solidus": 300, "liquidus": 300, "latent_heat": 2e5});
    let body = json!([bar("ice", [HALF, WIDTH, WIDTH], 0.0, 300.0, ice)]);
    for (how, scene, tolerance) in both(warm(body, plate, json!([]), 5.0), [0.75; 2]) {
        front_goes_with_the_root_of_time(how, &scene, tolerance * SPACING);
    }
}

fn front_goes_with_the_root_of_time(how: &str, scene: &Scene, tolerance: f64) {
    let mut simulation = simulate(scene);
    // Stefan number 1: lambda exp(lambda^2) erf(lambda) = 1 / sqrt(pi).
    let lambda = 0.620_063;
    let kappa = 100.0 / CAPACITY;
    for seconds in [100, 200] {
        while 5 * (simulation.frame_number() - 1) < seconds {
            simulation.advance().unwrap();
        }
        let frame = simulation.frame();
        let molten = frame.temperatures().unwrap().iter().filter(|&&t| t > 300.0).count();
        let front = molten as f64 / frame.len() as f64 * HALF;
        let exact = 2.0 * lambda * (kappa * f64::from(seconds)).sqrt();
        println!("{how} {seconds} s: {:.2} of {:.2} spacings", front / SPACING, exact / SPACING);
        assert!((front - exact).abs() < tolerance, "{front} {exact}");
    }
}

/// A tank of matter that melts from 323 to 338 K, with heaters.
fn tank(heaters: Value) -> Scene {
    let material = json!({"type": "smoothed", "viscosity": 20, "molten": {"viscosity": 1, "cohesion": 0.2}});
    let body = json!([{"name": "wax", "shape": {"type": "box", "size": [0.2, 0.2, 0.1]}, "transform": at(0.0, 0.0, 0.05),
        "temperature": 300, "heat": {"conductivity": 1, "latent_heat": 1e5}, "material": material}]);
    let walls = json!([{"name": "tank", "shape": {"type": "box", "size": [0.2, 0.2, 1.0]}, "transform": at(0.0, 0.0, 0.5),
        "inverted": true}]);
    let mut scene = scene(SPACING, body, walls);
    scene.ambient.temperature = 300.0;
    scene.heat = Some(HeatFlow::default());
    scene.heaters = serde_json::from_value(heaters).unwrap();
    scene
}

#[test]
fn sleeping_matter_wakes_while_it_melts() {
    let oven = json!([{"name": "oven", "shape": {"type": "box", "size": [1, 1, 1]},
        "effect": {"type": "temperature", "temperature": 300, "response": 0.3},
        "values": [{"frame": 200, "value": 300}, {"frame": 201, "value": 420}]}]);
    let sleeps = |simulation: &Simulation| simulation.stats().force_evaluations == simulation.frame().len() as u64;
    let mut simulation = advanced(simulate(&tank(oven)), 190);
    assert!(sleeps(&simulation), "before it is warmed");
    let (mut awake, mut hottest) = (0, 0.0_f32);
    for _ in 0..40 {
        simulation.advance().unwrap();
        awake += u32::from(!sleeps(&simulation));
        hottest = simulation.frame().temperatures().unwrap().iter().copied().fold(hottest, f32::max);
    }
    println!("{awake} frames awake");
    assert!(hottest > 390.0 && awake > 5, "{hottest} {awake}");
}

#[test]
fn heat_has_the_same_bits_for_any_number_of_threads() {
    let torch = json!([{"name": "torch", "shape": {"type": "sphere", "radius": 0.06}, "transform": at(0.05, 0.0, 0.1),
        "effect": {"type": "temperature", "temperature": 600, "response": 0.1}}]);
    let mut scene = tank(torch);
    scene.colliders[0].temperature = Some(250.0);
    scene.ambient.convection = 100.0;
    let frame = with_any_threads(|| advanced(simulate(&scene), 6).frame());
    let melted = frame.temperatures().unwrap().iter().filter(|&&t| t > 338.15).count();
    assert!(melted > 50 && melted < frame.len() / 2, "{melted}");
}
