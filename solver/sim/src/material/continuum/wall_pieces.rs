//! The walls of one cell, each with its part of their surface.

use super::cells::Placing;
use super::half_cells::SMALLEST;
use super::walls::WallCell;
use crate::boundary::Walls;
use glam::{IVec3, Vec3};

/// Samples of a plane along each of two axes of a cell.
const SAMPLES: usize = 8;
/// Below this velocity, m/s, walls do not move against each other.
const LEAST_SPEED: f32 = 1e-6;

/// What one wall has of the surface of walls in a cell.
#[derive(Debug, Clone, Copy)]
struct Piece {
    /// Its velocity at the middle of the cell, m/s. A rigid wall has that at all middles of faces, across them.
    velocity: Vec3,
    /// The same at the middle of what is open of the cell.
    at_matter: Vec3,
    /// Its area in cells, toward the matter.
    area: Vec3,
}

/// A wall taken as flat in a cell. Lengths are in cells.
#[derive(Debug, Clone, Copy)]
struct Plane {
    /// Of the low corner of the cell.
    distance: f32,
    normal: Vec3,
}

/// The walls of a cell.
#[derive(Debug)]
pub struct Pieces(Vec<Piece>);

impl Plane {
    fn distance(&self, place: Vec3) -> f32 {
        self.distance + self.normal.dot(place)
    }
}

impl Pieces {
    /// Those of some colliders near a cell. Their planes are those nearest to the middle of what is open of the cell:
    /// there a wall that reaches into another one shows the side with which it meets matter.
    pub fn find(cell: IVec3, wall: Option<&WallCell>, colliders: &[u32], walls: &Walls, placing: &Placing) -> Self {
        let middle = wall.map_or(Vec3::splat(0.5), open_middle);
        let place = |in_cell: Vec3| placing.place(cell.as_dvec3() + in_cell.as_dvec3());
        let (own, open) = (place(Vec3::splat(0.5)), place(middle));
        let velocity = |collider: u32, place| {
            let stands = walls.stands(collider as usize);
            if stands { Vec3::ZERO } else { walls.velocity(collider as usize, place).as_vec3() }
        };
        let piece = |&collider: &u32| Piece {
            velocity: velocity(collider, own),
            at_matter: velocity(collider, open),
            area: Vec3::ZERO,
        };
        let mut all: Vec<_> = colliders.iter().map(piece).collect();
        let moves = |other: &Piece| (other.at_matter - all[0].at_matter).abs().max_element() > LEAST_SPEED;
        if !all.iter().any(moves) {
            all.truncate(1);
            return Self(all);
        }
        let plane = |&collider: &u32| {
            let normal = walls.normal(collider as usize, open).as_vec3();
            let distance = (walls.signed_distance(collider as usize, open) / placing.width) as f32;
            Plane { distance: distance - normal.dot(middle), normal }
        };
        let planes: Vec<Plane> = colliders.iter().map(plane).collect();
        Self::divided(all, &planes, middle)
    }

    /// Walls with the areas that their planes have; first those nearest to the middle of the matter.
    fn divided(mut all: Vec<Piece>, planes: &[Plane], middle: Vec3) -> Self {
        for (number, piece) in all.iter_mut().enumerate() {
            piece.area = open_area(number, planes);
        }
        let mut order: Vec<usize> = (0..all.len()).collect();
        order.sort_by(|&a, &b| planes[a].distance(middle).total_cmp(&planes[b].distance(middle)));
        Self(order.into_iter().map(|number| all[number]).collect())
    }

    /// Whether one of them moves.
    pub fn any_moves(&self) -> bool {
        self.0.iter().any(|piece| piece.velocity != Vec3::ZERO || piece.at_matter != Vec3::ZERO)
    }

    /// What they bring into the cell, m/s times a cell's area, given the whole area of walls in it. What the areas of
    /// the pieces lack of that belongs to the one that moves most toward or away from the matter, seen from others: a
    /// tube around a piston slides along its own surface, so its area does not matter.
    pub fn inflow(&self, whole: Vec3) -> f32 {
        let across = |piece: &Piece| {
            let against = self.0.iter().map(|other| (piece.at_matter - other.at_matter).dot(piece.area).abs());
            against.sum::<f32>()
        };
        let all = self.0.iter().map(|piece| (across(piece), piece));
        let Some((_, most)) = all.reduce(|most, next| if next.0 > most.0 { next } else { most }) else { return 0.0 };
        let besides = self.0.iter().map(|piece| (piece.at_matter - most.at_matter).dot(piece.area));
        most.velocity.dot(whole) + besides.sum::<f32>()
    }
}

/// The middle of what is open of a cell, from its low corner, in cells.
fn open_middle(wall: &WallCell) -> Vec3 {
    let (mut sum, mut all) = (Vec3::ZERO, 0.0);
    for bits in 0..8 {
        // Half a cell wide.
        let open = (0.5 + 2.0 * wall.of_half(bits).0).clamp(0.0, 1.0);
        sum += Vec3::from_array([0, 1, 2].map(|axis| if bits >> axis & 1 == 1 { 0.75 } else { 0.25 })) * open;
        all += open;
    }
    if all > 0.0 { sum / all } else { Vec3::splat(0.5) - wall.normal() * wall.distance() }
}

/// The area of one of some planes in a cell that none of the others covers, toward the matter. One at a face of the
/// cell belongs to the side where the matter is, as what it covers of the face does.
fn open_area(number: usize, planes: &[Plane]) -> Vec3 {
    let plane = planes[number];
    let size = plane.normal.abs();
    let up = size.max_position();
    if size[up] <= 0.0 {
        return Vec3::ZERO;
    }
    let step = 1.0 / SAMPLES as f32;
    let samples = (0..SAMPLES * SAMPLES).map(|sample| {
        let mut place = Vec3::ZERO;
        place[(up + 1) % 3] = (0.5 + (sample % SAMPLES) as f32) * step;
        place[(up + 2) % 3] = (0.5 + (sample / SAMPLES) as f32) * step;
        place[up] = -plane.distance(place) / plane.normal[up];
        let off = if plane.normal[up] < 0.0 { place[up] } else { 1.0 - place[up] };
        let part = (off / SMALLEST).clamp(0.0, 1.0) - ((off - 1.0) / SMALLEST).clamp(0.0, 1.0);
        if part <= 0.0 {
            return 0.0;
        }
        let others = planes.iter().enumerate().filter(|(other, _)| *other != number);
        others.map(|(_, other)| (0.5 + other.distance(place) / step).clamp(0.0, 1.0)).fold(1.0, f32::min) * part
    });
    plane.normal * (samples.sum::<f32>() * step * step / size[up])
}

#[cfg(test)]
mod tests {
    use super::{Piece, Pieces, Plane};
    use glam::Vec3;

    const TOLERANCE: f32 = 1e-5;

    /// A wall through a place in a cell, with a normal toward the matter and a velocity.
    type Wall = (Vec3, Vec3, Vec3);

    /// What walls bring into a cell, and the same with the walls in the opposite order.
    fn inflows(walls: &[Wall], whole: Vec3) -> [f32; 2] {
        let mut reversed = walls.to_vec();
        reversed.reverse();
        [walls, &reversed].map(|walls| {
            let plane = |&(place, normal, _): &Wall| Plane { distance: -normal.dot(place), normal };
            let piece = |&(.., velocity): &Wall| Piece { velocity, at_matter: velocity, area: Vec3::ZERO };
            let planes: Vec<Plane> = walls.iter().map(plane).collect();
            Pieces::divided(walls.iter().map(piece).collect(), &planes, Vec3::splat(0.5)).inflow(whole)
        })
    }

    fn assert_inflow(walls: &[Wall], whole: Vec3, expected: f32) {
        for found in inflows(walls, whole) {
            assert!((found - expected).abs() < TOLERANCE, "{found} in place of {expected}");
        }
    }

    #[test]
    fn a_plate_that_closes_on_a_floor_presses_all_between_them_out() {
        let floor = (Vec3::Z * 0.25, Vec3::Z, Vec3::ZERO);
        let plate = (Vec3::Z * 0.75, -Vec3::Z, -Vec3::Z * 0.3);
        assert_inflow(&[floor, plate], Vec3::ZERO, 0.3);
    }

    /// The wall at the end covers a face of the cell, and lies in it, not in the next one.
    #[test]
    fn so_does_one_that_closes_on_a_wall_at_a_face_of_the_cell() {
        let end = (Vec3::X, -Vec3::X, Vec3::ZERO);
        let plate = (Vec3::X * 0.5, Vec3::X, Vec3::X * 0.3);
        assert_inflow(&[end, plate], Vec3::ZERO, 0.3);
    }

    #[test]
    fn a_plate_outside_the_cell_brings_nothing_into_it() {
        let end = (Vec3::X, -Vec3::X, Vec3::ZERO);
        let plate = (-Vec3::X * 0.5, Vec3::X, Vec3::X * 0.3);
        assert_inflow(&[end, plate], -Vec3::X, 0.0);
        let inner = (Vec3::X * 0.6, -Vec3::X, Vec3::ZERO);
        assert_inflow(&[inner, plate], -Vec3::X, 0.0);
    }

    /// However wrong the area of the tube's wall is.
    #[test]
    fn a_piston_in_a_tilted_tube_brings_what_its_velocity_does() {
        let axis = Vec3::new(0.4, 0.1, 0.9).normalize();
        let side = axis.any_orthonormal_vector();
        let carried = Vec3::new(0.2, 0.0, 0.1);
        let tube = (Vec3::splat(0.5) - side * 0.3, side, carried);
        let piston = (Vec3::splat(0.5) + axis * 0.2, -axis, carried - axis * 0.3);
        for wrong in [-0.2, 0.0, 0.4] {
            let whole = side * (0.8 + wrong) - axis * 0.7;
            assert_inflow(&[tube, piston], whole, (carried - axis * 0.3).dot(whole));
        }
    }
}
