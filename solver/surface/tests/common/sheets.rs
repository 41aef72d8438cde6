//! Oriented particles on sheets, about one apart.

use dollop_surface::sheet::{SheetPoints, triangulate};
use dollop_surface::{Quality, Topology};
use glam::{DVec2, DVec3, Vec3};
use std::f64::consts::{PI, TAU};

/// Oriented particles.
#[derive(Debug, Clone, Default)]
pub struct TestSheet {
    pub positions: Vec<Vec3>,
    pub normals: Vec<Vec3>,
}

impl TestSheet {
    pub fn triangles(&self, longest_edge: f32) -> Vec<[u32; 3]> {
        triangulate(SheetPoints { positions: &self.positions, normals: &self.normals }, longest_edge)
    }

    pub fn topology(&self, longest_edge: f32) -> Topology {
        Topology::of(&self.triangles(longest_edge))
    }

    pub fn push(&mut self, position: DVec3, normal: DVec3) {
        self.positions.push(position.as_vec3());
        self.normals.push(normal.normalize().as_vec3());
    }

    pub fn of(points: impl IntoIterator<Item = (DVec3, DVec3)>) -> Self {
        let mut sheet = Self::default();
        points.into_iter().for_each(|(position, normal)| sheet.push(position, normal));
        sheet
    }

    pub fn flat(points: &[DVec2]) -> Self {
        Self::of(points.iter().map(|point| (point.extend(0.0), DVec3::Z)))
    }

    /// A plane bent to another shape; the normals come from finite differences.
    pub fn bent(points: &[DVec2], shape: impl Fn(DVec2) -> DVec3) -> Self {
        let step = 1e-4;
        let slope = |p: DVec2, axis: DVec2| shape(p + step * axis) - shape(p - step * axis);
        Self::of(points.iter().map(|&p| (shape(p), slope(p, DVec2::X).cross(slope(p, DVec2::Y)))))
    }

    pub fn moved(&self, shift: Vec3) -> Self {
        let positions = self.positions.iter().map(|position| position + shift).collect();
        Self { positions, normals: self.normals.clone() }
    }

    pub fn turned_over(&self) -> Self {
        Self { positions: self.positions.clone(), normals: self.normals.iter().map(|normal| -normal).collect() }
    }

    pub fn with(mut self, other: &Self) -> Self {
        self.positions.extend(&other.positions);
        self.normals.extend(&other.normals);
        self
    }

    /// The sheet with random displacements up to `by` on each axis.
    pub fn shaken(&self, by: f64, random: &mut Random) -> Self {
        let shift = |random: &mut Random| DVec3::from_array([(); 3].map(|()| random.between(-by, by))).as_vec3();
        let positions = self.positions.iter().map(|position| position + shift(random)).collect();
        Self { positions, normals: self.normals.clone() }
    }

    /// The corners of triangles.
    pub fn corners<'a>(&'a self, triangles: &'a [[u32; 3]]) -> impl Iterator<Item = [DVec3; 3]> + 'a {
        triangles.iter().map(|t| t.map(|corner| self.positions[corner as usize].as_dvec3()))
    }

    pub fn area(&self, triangles: &[[u32; 3]]) -> f64 {
        self.corners(triangles).map(|[a, b, c]| (b - a).cross(c - a).length()).sum::<f64>() / 2.0
    }

    pub fn quality(&self, triangles: &[[u32; 3]]) -> Quality {
        Quality::of(self.corners(triangles))
    }
}

/// Random numbers, reproducible for a seed.
pub struct Random(pub u64);

impl Random {
    pub fn between(&mut self, from: f64, to: f64) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut hash = self.0;
        hash = (hash ^ hash >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        hash = (hash ^ hash >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        from + (to - from) * ((hash ^ hash >> 31) >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// A random permutation.
    pub fn order(&mut self, count: usize) -> Vec<usize> {
        let mut keyed: Vec<(u64, usize)> = (0..count).map(|i| (self.between(0.0, 1e15) as u64, i)).collect();
        keyed.sort_unstable();
        keyed.into_iter().map(|(_, i)| i).collect()
    }
}

/// A hexagonal lattice with rows along x.
pub fn hexagonal(columns: usize, rows: usize) -> Vec<DVec2> {
    let point =
        |row: usize, column: usize| DVec2::new(column as f64 + 0.5 * (row % 2) as f64, row as f64 * 0.75_f64.sqrt());
    (0..rows).flat_map(|row| (0..columns).map(move |column| point(row, column))).collect()
}

pub fn square(columns: usize, rows: usize) -> Vec<DVec2> {
    (0..rows).flat_map(|row| (0..columns).map(move |column| DVec2::new(column as f64, row as f64))).collect()
}

/// A rectangle with points at distance one on its boundary and the given points inside, which repel each other for some
/// steps.
fn in_rectangle(width: usize, height: usize, inner: Vec<DVec2>, steps: usize) -> Vec<DVec2> {
    let (right, top) = (width as f64, height as f64);
    let along = (0..width).map(|x| x as f64).flat_map(|x| [DVec2::new(x, 0.0), DVec2::new(right - x, top)]);
    let up = (0..height).map(|y| y as f64).flat_map(|y| [DVec2::new(right, y), DVec2::new(0.0, top - y)]);
    let mut points: Vec<DVec2> = along.chain(up).collect();
    let fixed = points.len();
    points.extend(inner);
    for _ in 0..steps {
        push_apart(&mut points, fixed, |point| point.clamp(DVec2::splat(0.5), DVec2::new(right - 0.5, top - 0.5)));
    }
    points
}

/// Points closer than one move apart by a third of the missing distance.
fn push_apart(points: &mut [DVec2], fixed: usize, hold: impl Fn(DVec2) -> DVec2) {
    let before = points.to_vec();
    for (place, point) in points.iter_mut().enumerate().skip(fixed) {
        let push = |other: &DVec2| {
            let way = before[place] - *other;
            let length = way.length();
            if length > 0.0 && length < 1.0 { way * ((1.0 - length) / length / 3.0) } else { DVec2::ZERO }
        };
        *point = hold(before[place] + before.iter().map(push).sum::<DVec2>());
    }
}

/// A hexagonal lattice in a rectangle, jittered and relaxed a little.
pub fn jittered(width: usize, height: usize, by: f64, random: &mut Random) -> Vec<DVec2> {
    let inner = |p: &DVec2| p.min_element() > 0.6 && p.x < width as f64 - 0.6 && p.y < height as f64 - 0.6;
    let lattice = hexagonal(width + 1, 2 * height).into_iter().map(|p| p + DVec2::new(0.2, 0.1)).filter(inner);
    let shift = |p: DVec2, random: &mut Random| p + DVec2::new(random.between(-by, by), random.between(-by, by));
    let points = lattice.map(|p| shift(p, random)).collect();
    in_rectangle(width, height, points, 3)
}

/// Random points in a rectangle, at least 0.7 apart, then relaxed a little: no lattice anywhere.
pub fn scattered(width: usize, height: usize, random: &mut Random) -> Vec<DVec2> {
    let rim = in_rectangle(width, height, vec![], 0);
    let mut points = rim.clone();
    for _ in 0..60 * width * height {
        let point = DVec2::new(random.between(0.4, width as f64 - 0.4), random.between(0.4, height as f64 - 0.4));
        if points.iter().all(|other| other.distance_squared(point) > 0.7 * 0.7) {
            points.push(point);
        }
    }
    in_rectangle(width, height, points.split_off(rim.len()), 12)
}

/// Points of a sphere about one apart (Fibonacci lattice).
pub fn fibonacci_sphere(count: usize) -> TestSheet {
    let radius = (count as f64 * 0.75_f64.sqrt() / (4.0 * PI)).sqrt();
    let golden = PI * (3.0 - 5.0_f64.sqrt());
    let direction = |i: usize| {
        let z = 1.0 - (2.0 * i as f64 + 1.0) / count as f64;
        let (sin, cos) = (golden * i as f64).sin_cos();
        DVec3::new((1.0 - z * z).sqrt() * cos, (1.0 - z * z).sqrt() * sin, z)
    };
    TestSheet::of((0..count).map(direction).map(|way| (radius * way, way)))
}

/// Random points of a sphere, relaxed.
pub fn relaxed_sphere(count: usize, random: &mut Random) -> TestSheet {
    let radius = (count as f64 * 0.75_f64.sqrt() / (4.0 * PI)).sqrt();
    let direction = |random: &mut Random| {
        let (z, angle) = (random.between(-1.0, 1.0), random.between(0.0, TAU));
        DVec3::new((1.0 - z * z).sqrt() * angle.cos(), (1.0 - z * z).sqrt() * angle.sin(), z)
    };
    let mut points: Vec<DVec3> = (0..count).map(|_| radius * direction(random)).collect();
    for _ in 0..60 {
        let before = points.clone();
        for (place, point) in points.iter_mut().enumerate() {
            let push = |other: &DVec3| {
                let way = before[place] - *other;
                let length = way.length();
                if length > 0.0 && length < 1.2 { way * ((1.2 - length) / length / 5.0) } else { DVec3::ZERO }
            };
            *point = (*point + before.iter().map(push).sum::<DVec3>()).normalize() * radius;
        }
    }
    TestSheet::of(points.into_iter().map(|point| (point, point)))
}

/// A torus, by steps around it and around its tube; every second ring is rotated by half a step.
pub fn torus(around: usize, tube: usize) -> TestSheet {
    let (large, small) = (around as f64 * 0.75_f64.sqrt() / TAU, tube as f64 / TAU);
    let point = |i: usize, j: usize| {
        let (sin, cos) = (TAU * i as f64 / around as f64).sin_cos();
        let (up, out) = (TAU * (j as f64 + 0.5 * (i % 2) as f64) / tube as f64).sin_cos();
        let normal = DVec3::new(out * cos, out * sin, up);
        (DVec3::new(large * cos, large * sin, 0.0) + small * normal, normal)
    };
    TestSheet::of((0..around).flat_map(|i| (0..tube).map(move |j| point(i, j))))
}

/// A tube along z, hexagonal.
pub fn cylinder(around: usize, rings: usize) -> TestSheet {
    let radius = 0.5 / (PI / around as f64).sin();
    let point = |ring: usize, j: usize| {
        let (sin, cos) = (TAU * (j as f64 + 0.5 * (ring % 2) as f64) / around as f64).sin_cos();
        (DVec3::new(radius * cos, radius * sin, ring as f64 * 0.75_f64.sqrt()), DVec3::new(cos, sin, 0.0))
    };
    TestSheet::of((0..rings).flat_map(|ring| (0..around).map(move |j| point(ring, j))))
}

/// A plane folded by half a turn in its middle, along x.
pub fn folded(points: &[DVec2], radius: f64) -> TestSheet {
    let midst = points.iter().map(|p| p.x).fold(0.0, f64::max) / 2.0;
    let half_arc = radius * PI / 2.0;
    TestSheet::bent(points, |p| {
        let way = p.x - midst;
        let angle = way.clamp(-half_arc, half_arc) / radius;
        let straight = way - way.clamp(-half_arc, half_arc);
        DVec3::new(radius * angle.cos() - straight.abs(), p.y, radius * angle.sin() + 0.0 * straight)
    })
}

/// A plane rolled up along x, from a radius outwards, with a given distance between turns.
pub fn rolled(points: &[DVec2], radius: f64, apart: f64) -> TestSheet {
    let pitch = apart / TAU;
    TestSheet::bent(points, |p| {
        // The arc to angle a is about radius a + pitch a^2 / 2.
        let angle = ((radius * radius + 2.0 * pitch * p.x.max(-1.0)).sqrt() - radius) / pitch;
        let (sin, cos) = angle.sin_cos();
        DVec3::new((radius + pitch * angle) * cos, (radius + pitch * angle) * sin, p.y)
    })
}

/// Waves along x and y, as steep as hanging cloth.
pub fn wavy(points: &[DVec2], height: f64, length: f64) -> TestSheet {
    let wave = TAU / length;
    TestSheet::bent(points, |p| p.extend(height * (wave * p.x).sin() * (0.6 * wave * p.y).cos()))
}
