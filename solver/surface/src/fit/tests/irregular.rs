//! Irregular points: outliers, sharp edges, thin plates, and scales beyond single precision.

use super::*;

/// Points scattered evenly over a box around the origin.
fn over_box(random: u64, count: usize, sides: DVec3) -> Vec<DVec3> {
    let areas = DVec3::new(sides.y * sides.z, sides.z * sides.x, sides.x * sides.y);
    Random(random).scattered(count, |random| {
        let pick = random.next() * areas.element_sum();
        let axis = if pick < areas.x { 0 } else { 1 + usize::from(pick > areas.x + areas.y) };
        let mut position = (DVec3::new(random.next(), random.next(), random.next()) - 0.5) * sides;
        position[axis] = sides[axis] * if random.next() < 0.5 { -0.5 } else { 0.5 };
        position
    })
}

/// An outlier a million sizes away is reported and changes nothing else.
#[test]
fn outliers_are_left_out() {
    let points = torus(1);
    // A fixed spacing, as the median distance of points would change a little.
    let options = FitOptions { spacing: Some(0.13), ..OPTIONS };
    let with = |positions: &[DVec3]| fit(Points { positions, normals: &[] }, &options).unwrap();
    let alone = with(&points);
    for strays in [vec![DVec3::new(1e6, 2e5, 3e5)], vec![DVec3::X * 1e6, DVec3::X * 1.1e6, DVec3::Y * -3e6]] {
        let all: Vec<DVec3> = strays.iter().chain(&points).copied().collect();
        let fitted = with(&all);
        assert_eq!((fitted.unused, fitted.seeds, fitted.gaps.len()), (strays.len(), 300 + strays.len(), 0));
        assert_eq!((fitted.mesh.triangles.len(), fitted.inserted), (alone.mesh.triangles.len(), alone.inserted));
        let topology = Topology::of(&fitted.mesh.triangles);
        assert!(topology.is_closed_manifold() && topology.euler_characteristic == 0, "{topology:?}");
        for corner in fitted.mesh.triangles.iter().flatten() {
            let deviation = off_torus(fitted.mesh.positions[*corner as usize].as_dvec3());
            assert!(deviation.abs() < 0.02 * 0.4, "{deviation}");
        }
    }
}

/// Edges of 90 degrees, also close together on a plate only four distances of points thick.
#[test]
fn points_on_sharp_edges_are_vertices() {
    for (random, count, sides) in [(1, 600, DVec3::ONE), (2, 600, DVec3::ONE), (1, 1000, DVec3::new(1.0, 1.0, 0.15))] {
        let fitted = fitted(&over_box(random, count, sides));
        is_closed(&fitted, 1, 0);
        let deviation = |p: DVec3| (p.abs() - sides / 2.0).max_element();
        let [mean, most] = super::deviation(&fitted.mesh, deviation);
        assert!(mean < 0.1 * fitted.spacing && most < fitted.spacing, "{mean} {most}");
    }
}

#[test]
fn scales_beyond_single_precision_are_errors() {
    let scaled = |size: f64| -> Vec<DVec3> { torus(1).iter().map(|point| *point * size).collect() };
    let fails = |positions: &[DVec3]| fit(Points { positions, normals: &[] }, &OPTIONS).unwrap_err();
    for size in [1e-200, 1e-40, 1e40, 1e200] {
        let error = fails(&scaled(size));
        assert!(
            matches!(error, FitError::Size(distance) if (0.05..0.3).contains(&(distance / size))),
            "{size}: {error:?}"
        );
    }
    assert!(matches!(fails(&scaled(f64::MAX / 1.5)), FitError::Size(_)));
    // All but one coincide at the scale of the last.
    let vanishing: Vec<DVec3> = scaled(1e-250).into_iter().chain([DVec3::ONE]).collect();
    assert_eq!(fails(&vanishing), FitError::Line);
}

/// The spacing that an error suggests is accepted.
#[test]
fn spacings_suggested_by_errors_are_accepted() {
    let points = torus(1);
    let seeds = |positions: &[DVec3], spacing| Seeds::new(Points { positions, normals: &[] }, Some(spacing));
    for spacing in [1e-300, 1e-9, 1e-5] {
        let Err(FitError::TooFine { least, .. }) = seeds(&points, spacing).map(|_| ()) else { panic!("{spacing}") };
        assert!((seeds(&points, least).unwrap().spacing / least - 1.0).abs() < 1e-12);
        assert!(seeds(&points, 0.9 * least).is_err(), "not much coarser than it has to be");
    }
    let lattice = (0..27).map(|n| 1e6 * DVec3::new(f64::from(n % 3), f64::from(n / 3 % 3), f64::from(n / 9 + 1)));
    let uneven: Vec<DVec3> = points.iter().copied().chain(lattice).collect();
    for spacing in [1e-3, 0.1] {
        assert_eq!(seeds(&uneven, spacing).map(|_| ()), Err(FitError::TooUneven));
    }
}
