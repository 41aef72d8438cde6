//! A lattice grown over a surface from seeds, as a crystal grows: each sample puts up to six others around itself.

use super::samples::{Point, Samples, nearest};
use super::surface::SheetSurface;
use super::walk::{SurfacePoint, WalkEnd};
use crate::hash_grid::HashGrid;
use glam::{DQuat, DVec3};
use std::f64::consts::FRAC_PI_3;

/// Least distance of a new sample from all others, in the distance of neighbours.
const ROOM: f64 = 0.8;

/// Distance of the outermost row from the edge of the sheet, in the distance of neighbours: half the distance between
/// rows.
pub(super) const MARGIN: f64 = 0.433;

/// Grows the samples of one piece after another.
pub(super) struct FrontGrowth<'a> {
    surface: &'a SheetSurface,
    distance: f64,
    grid: HashGrid,
    pub samples: Samples,
    /// Unit vector from each sample to one of its neighbours.
    directions: Vec<DVec3>,
}

impl<'a> FrontGrowth<'a> {
    pub fn new(surface: &'a SheetSurface, distance: f64) -> Self {
        Self { surface, distance, grid: HashGrid::empty(distance), samples: Samples::default(), directions: Vec::new() }
    }

    /// Adds a sample at any place.
    pub fn put(&mut self, place: SurfacePoint, direction: DVec3) {
        self.samples.push(self.surface, place);
        self.grid.push(self.surface.point(place));
        self.directions.push(direction);
    }

    /// Adds the first sample of a piece; if more are to come, grows a lattice over the piece as far as it goes.
    pub fn seed(&mut self, piece: usize, more: bool) {
        let (seed, direction) = seed(self.surface, piece, self.distance);
        self.put(seed, direction);
        if more {
            self.grow();
        }
    }

    /// Grows more samples wherever a probe of a piece finds none near.
    pub fn cover(&mut self, probes: &[SurfacePoint]) {
        for &probe in probes {
            let point = Point::new(self.surface, probe);
            if self.nearest(&point, self.distance) >= self.distance {
                let face = &self.surface.faces[probe.face as usize];
                let [a, b] = face.ends(longest_edge(face));
                self.put(probe, (b - a).normalize_or_zero());
                self.grow();
            }
        }
    }

    fn nearest(&self, point: &Point, limit: f64) -> f64 {
        nearest(&self.grid, &self.samples.points, point, limit, self.distance)
    }

    /// Grows from the newest sample until there is no more room.
    fn grow(&mut self) {
        let mut next = self.samples.len() - 1;
        while next < self.samples.len() {
            for turn in 0..6 {
                self.propose(next, f64::from(turn) * FRAC_PI_3);
            }
            next += 1;
        }
    }

    fn propose(&mut self, from: usize, angle: f64) {
        let place = self.samples.places[from];
        let normal = self.surface.faces[place.face as usize].normal;
        let direction = DQuat::from_axis_angle(normal, angle) * self.directions[from];
        let WalkEnd { place, direction, left } = self.surface.walk(place, direction, self.distance);
        if left > 0.0 {
            return;
        }
        if self.nearest(&Point::new(self.surface, place), ROOM * self.distance) >= ROOM * self.distance {
            let normal = self.surface.faces[place.face as usize].normal;
            self.put(place, DQuat::from_axis_angle(normal, -angle) * direction);
        }
    }
}

/// Where the lattice of a piece begins, and the direction of its rows: half a row inside the longest edge of its rim,
/// or in the middle of its largest face.
fn seed(surface: &SheetSurface, piece: usize, distance: f64) -> (SurfacePoint, DVec3) {
    let range = surface.pieces[piece].faces.clone();
    let length = |face: &super::surface::Face, k: usize| face.ends(k)[0].distance(face.ends(k)[1]);
    let longest = (range.clone())
        .flat_map(|number| surface.rim(number..number + 1).map(move |(_, k)| (number, k)))
        .map(|(number, k)| (length(&surface.faces[number], k), number, k))
        .max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)));
    if let Some((_, number, k)) = longest {
        let face = &surface.faces[number];
        let mut barycentric = DVec3::splat(0.5);
        barycentric[k] = 0.0;
        let start = SurfacePoint { face: number as u32, barycentric };
        let end = surface.walk(start, face.inwards(k), MARGIN * distance);
        if end.left == 0.0 {
            let normal = surface.faces[end.place.face as usize].normal;
            return (end.place, normal.cross(end.direction));
        }
    }
    let largest = range.max_by(|&a, &b| surface.faces[a].area.total_cmp(&surface.faces[b].area).then(b.cmp(&a)));
    let number = largest.unwrap_or_default();
    let face = &surface.faces[number];
    let [a, b] = face.ends(longest_edge(face));
    (SurfacePoint { face: number as u32, barycentric: DVec3::splat(1.0 / 3.0) }, (b - a).normalize_or_zero())
}

fn longest_edge(face: &super::surface::Face) -> usize {
    let length = |k: usize| face.ends(k)[0].distance_squared(face.ends(k)[1]);
    (1..3).fold(0, |longest, k| if length(k) > length(longest) { k } else { longest })
}
