use super::{bake_coarse, greatest, least, mean, particles, scene};
use serde_json::json;

const SPACING: f64 = 0.0015;
/// Radius of the rim of the dish, m.
const RIM: f64 = 0.0465;
/// The temperature above which all has melted, K.
const LIQUIDUS: f64 = 273.15;
/// The last frame that is baked.
const LAST: usize = 72;

#[test]
fn ice_melts_from_below_and_its_water_stays_in_the_dish() {
    let mut scene = scene("ice");
    scene["frames"]["end"] = json!(LAST);
    let place = bake_coarse(scene, SPACING, false);
    let [first, early, last] = [1, 10, LAST].map(|frame| particles(&place, frame));
    assert_eq!(last.len(), first.len());
    let middle = mean(early.iter().map(|p| p.position.z));
    let warm = |above: bool| mean(early.iter().filter(|p| (p.position.z > middle) == above).map(|p| p.temperature));
    assert!(warm(false) > warm(true) + 3.0, "{} K below, {} K above", warm(false), warm(true));
    let melted = mean(last.iter().map(|p| f64::from(p.temperature > LIQUIDUS)));
    assert!(melted > 0.6, "melted: {melted}");
    let height = greatest(last.iter().map(|p| p.position.z));
    assert!((0.002..0.02).contains(&height), "it is {height} m high");
    let farthest = greatest(last.iter().map(|p| p.position.truncate().length()));
    assert!(farthest < RIM, "water {farthest} m from the axis");
    let lowest = least(last.iter().map(|p| p.position.z));
    assert!(lowest > -SPACING, "water in the wall of the dish, {lowest} m above its floor");
}
