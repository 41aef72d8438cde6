//! The fields of soft particles and of their mirror images behind walls.

use crate::field::FieldSample;
use crate::lattice::blocks::{EDGE, SLOTS, node_point, slot};
use dollop_sim::frame::Skin;
use dollop_sim::frame::wall::{Beside, NearbyPlanes, WallPlane, clip};
use glam::{DVec3, Vec3};
use std::f64::consts::PI;

/// A particle of soft matter, or its mirror image behind a wall. Lengths are in cells.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SkinParticle {
    /// Relative to the lowest node of a block.
    pub centre: Vec3,
    pub offset: f32,
    pub skin: Skin,
    pub lump: u32,
    pub piece: u32,
    /// Whether it blends with its whole lump.
    pub fused: bool,
    /// The wall that its skin may lie on.
    pub wall: Option<WallPlane>,
    /// Weight of a mirror image; none for a particle itself.
    pub image: Option<f32>,
    pub number: u32,
}

impl SkinParticle {
    pub fn reach(&self) -> f32 {
        self.skin.reach as f32 + self.offset.max(0.0)
    }

    /// Whether it belongs to a lump and is no mirror image.
    pub fn is_of(&self, lump: u32) -> bool {
        self.lump == lump && self.image.is_none()
    }

    /// Volume of its skin if it is isolated, cells^3.
    pub fn lone_volume(&self) -> Option<f64> {
        let radius = (self.skin.lone_radius()? + f64::from(self.offset)).max(0.0);
        Some(4.0 / 3.0 * PI * radius.powi(3))
    }

    /// The input for clipping at walls.
    fn for_clipping(&self) -> Beside {
        let (centre, reach, wall) = (self.centre, self.skin.reach as f32, self.wall);
        Beside { centre, reach, wall, is_image: self.image.is_some() }
    }

    /// Vector to a point and its length, if the field may reach it.
    fn offset_to(&self, point: Vec3) -> Option<(DVec3, f64)> {
        let to_point = (point - self.centre).as_dvec3();
        let reach = self.skin.reach + f64::from(self.offset);
        // Slightly beyond the reach; the exact test uses the square root.
        (to_point.length_squared() < reach * reach * (1.0 + 1e-9)).then(|| (to_point, to_point.length()))
    }

    /// The field at a point over the isovalue.
    pub fn value(&self, point: Vec3) -> f32 {
        let Some((_, distance)) = self.offset_to(point) else { return 0.0 };
        let value = (self.skin.value(distance - f64::from(self.offset)) / self.skin.isovalue) as f32;
        self.image_weight(point).map_or(value, |(share, _)| share * value)
    }

    /// The field at a point over the isovalue, and its gradient, 1/cell.
    fn value_and_gradient(&self, point: Vec3) -> (f32, Vec3) {
        let Some((to_point, distance)) = self.offset_to(point) else { return (0.0, Vec3::ZERO) };
        let r = distance - f64::from(self.offset);
        let (value, slope) = (self.skin.value(r), self.skin.slope(r));
        let gradient = if distance > 0.0 { to_point * (slope / distance) } else { DVec3::ZERO };
        let (value, gradient) = ((value / self.skin.isovalue) as f32, (gradient / self.skin.isovalue).as_vec3());
        self.image_weight(point)
            .map_or((value, gradient), |(share, slope)| (share * value, share * gradient + value * slope))
    }

    /// The weight of a mirror image at a point, and its gradient.
    fn image_weight(&self, point: Vec3) -> Option<(f32, Vec3)> {
        let (share, plane) = (self.image?, self.wall.as_ref()?);
        let (front, slope) = plane.front(point - self.centre, self.skin.reach as f32);
        Some((share * front, share * slope))
    }
}

/// The field of a piece at a point: of all of its particles, and of the fused ones.
#[derive(Debug, Clone, Copy)]
struct PieceField {
    lump: u32,
    piece: u32,
    all: FieldSample,
    fused: FieldSample,
}

/// Evaluates the field of a lump at points; reuses its memory.
#[derive(Debug)]
pub(crate) struct SkinEvaluator {
    pieces: Vec<PieceField>,
    walls: NearbyPlanes,
    /// The piece whose field is that of the lump.
    pub piece: u32,
    /// By how much the lump exceeds any other lump, before clipping at walls.
    pub margin: FieldSample,
    /// Normal of the wall near it, scaled by its influence: length 1 at the wall.
    pub wall: Vec3,
    /// Whether the wall limits the field here.
    pub at_wall: bool,
}

impl Default for SkinEvaluator {
    fn default() -> Self {
        let (pieces, walls) = (vec![], NearbyPlanes::default());
        Self { pieces, walls, piece: u32::MAX, margin: ZERO, wall: Vec3::ZERO, at_wall: false }
    }
}

const ZERO: FieldSample = FieldSample { value: 0.0, gradient: Vec3::ZERO };

fn add_samples(a: FieldSample, b: FieldSample) -> FieldSample {
    FieldSample { value: a.value + b.value, gradient: a.gradient + b.gradient }
}

impl SkinEvaluator {
    /// The field of a lump over its level at a point, clipped by other lumps and walls.
    pub fn sample(&mut self, near: &[SkinParticle], lump: u32, point: Vec3) -> FieldSample {
        let own = self.sample_with_margin(near, lump, point);
        let margin = self.margin;
        // Clips at other lumps.
        let sample = if 1.0 + margin.value < own.value {
            FieldSample { value: (1.0 + margin.value).max(0.0), ..margin }
        } else {
            own
        };
        let wall = clip(&self.walls).map(|(value, gradient)| FieldSample { value, gradient });
        let wall_normal =
            |wall: FieldSample| wall.gradient.normalize_or_zero() * (2.0 - wall.value).clamp(0.0, 1.0).sqrt();
        self.wall = wall.map_or(Vec3::ZERO, wall_normal);
        self.at_wall = wall.is_some_and(|wall| wall.value < sample.value);
        match wall {
            Some(wall) if self.at_wall => FieldSample { value: wall.value.max(0.0), ..wall },
            _ => sample,
        }
    }

    /// The field of a lump at a point, unclipped. Also finds its margin over any other lump.
    pub fn sample_with_margin(&mut self, near: &[SkinParticle], lump: u32, point: Vec3) -> FieldSample {
        self.pieces.clear();
        self.walls.clear();
        for particle in near {
            let (value, gradient) = particle.value_and_gradient(point);
            if value > 0.0 {
                self.add(particle, FieldSample { value, gradient });
                if particle.lump == lump {
                    self.walls.add(&particle.for_clipping(), value, point);
                }
            }
        }
        let (piece, own) = self.lump_field(lump);
        let other = self.strongest_other(lump);
        self.piece = piece;
        self.margin = FieldSample { value: own.value - other.value, gradient: own.gradient - other.gradient };
        own
    }

    fn add(&mut self, particle: &SkinParticle, sample: FieldSample) {
        let (lump, piece) = (particle.lump, particle.piece);
        let found = self.pieces.iter().position(|field| (field.lump, field.piece) == (lump, piece));
        let index = found.unwrap_or(self.pieces.len());
        if found.is_none() {
            self.pieces.push(PieceField { lump, piece, all: ZERO, fused: ZERO });
        }
        let field = &mut self.pieces[index];
        field.all = add_samples(field.all, sample);
        if particle.fused {
            field.fused = add_samples(field.fused, sample);
        }
    }

    /// The field of a lump, and the piece that gives it: the largest (DG95 section 5.2), of equals the first.
    fn lump_field(&self, lump: u32) -> (u32, FieldSample) {
        let pieces = || self.pieces.iter().filter(|piece| piece.lump == lump);
        let field = |piece: &PieceField| {
            let others = pieces().filter(|other| other.piece != piece.piece);
            add_samples(piece.all, others.fold(ZERO, |sum, other| add_samples(sum, other.fused)))
        };
        let fields = pieces().map(|piece| (piece.piece, field(piece)));
        let largest = fields.max_by(|a, b| a.1.value.total_cmp(&b.1.value).then(b.0.cmp(&a.0)));
        largest.unwrap_or((u32::MAX, ZERO))
    }

    /// The largest field of another lump.
    fn strongest_other(&self, lump: u32) -> FieldSample {
        // Few lumps meet at a point, so nothing is cached per lump.
        let others = self.pieces.iter().map(|piece| piece.lump).filter(|&other| other != lump);
        let fields = others.map(|other| (other, self.lump_field(other).1));
        let largest = fields.max_by(|a, b| a.1.value.total_cmp(&b.1.value).then(b.0.cmp(&a.0)));
        largest.map_or(ZERO, |(_, other)| other)
    }
}

/// Values at the nodes of a block.
type NodeValues = Box<[f32; SLOTS]>;

fn zeros() -> NodeValues {
    Box::new([0.0; SLOTS])
}

/// The fields of a piece at the nodes of a block.
struct PieceValues {
    lump: u32,
    piece: u32,
    all: NodeValues,
    /// Field of the fused particles, if there are any.
    fused: Option<NodeValues>,
}

/// The fields of all lumps over their levels at the nodes of a block, as [`SkinEvaluator::sample`] evaluates them,
/// sorted by lump.
pub(super) fn values(near: &[SkinParticle]) -> Vec<(u32, NodeValues)> {
    let piece_values = piece_values(near);
    let mut lumps: Vec<(u32, NodeValues)> = piece_values.chunk_by(|a, b| a.lump == b.lump).map(lump_values).collect();
    if lumps.len() > 1 {
        clip_at_others(&mut lumps);
    }
    for (lump, values) in &mut lumps {
        clip_at_walls(near, *lump, values);
    }
    lumps
}

/// Clips the field of each lump at the largest field of another lump, node by node.
fn clip_at_others(lumps: &mut [(u32, NodeValues)]) {
    for slot in 0..SLOTS {
        // The largest field and its lump, and the second largest field.
        let (mut first, mut second) = ((0.0, usize::MAX), 0.0);
        for (index, value) in lumps.iter().map(|(_, field)| field[slot]).enumerate() {
            if value > first.0 {
                (first, second) = ((value, index), first.0);
            } else if value > second {
                second = value;
            }
        }
        for (index, (_, field)) in lumps.iter_mut().enumerate() {
            let (value, other) = (&mut field[slot], if index == first.1 { second } else { first.0 });
            *value = value.min((1.0 + *value - other).max(0.0));
        }
    }
}

/// The fields of all pieces, sorted by lump and piece.
fn piece_values(near: &[SkinParticle]) -> Vec<PieceValues> {
    let mut pieces: Vec<(u32, u32)> = near.iter().map(|particle| (particle.lump, particle.piece)).collect();
    pieces.sort_unstable();
    pieces.dedup();
    let mut all_values: Vec<PieceValues> =
        pieces.iter().map(|&(lump, piece)| PieceValues { lump, piece, all: zeros(), fused: None }).collect();
    for particle in near {
        let key = (particle.lump, particle.piece);
        let index = all_values.partition_point(|values| (values.lump, values.piece) < key);
        let PieceValues { all, fused, .. } = &mut all_values[index];
        let mut fused = particle.fused.then(|| fused.get_or_insert_with(zeros));
        for_each_node(particle, |slot, value| {
            all[slot] += value;
            if let Some(fused) = &mut fused {
                fused[slot] += value;
            }
        });
    }
    all_values
}

/// Visits the nodes of a block that the field of a particle reaches.
fn for_each_node(particle: &SkinParticle, mut visit: impl FnMut(usize, f32)) {
    let (low, high) = (particle.centre - particle.reach(), particle.centre + particle.reach());
    // One more node on either side, to allow for rounding.
    let range = |axis: usize| {
        (low[axis].ceil() as i32 - 1).max(0) as usize..=(high[axis].floor() as i32 + 1).clamp(0, EDGE - 1) as usize
    };
    for (x, y) in range(0).flat_map(|x| range(1).map(move |y| (x, y))) {
        for z in range(2) {
            let slot = slot([x, y, z]);
            let value = particle.value(node_point(slot));
            if value > 0.0 {
                visit(slot, value);
            }
        }
    }
}

/// The field of a lump, from the fields of its pieces.
fn lump_values(pieces: &[PieceValues]) -> (u32, NodeValues) {
    let mut largest = zeros();
    for own in pieces {
        let others: Vec<&NodeValues> =
            pieces.iter().filter(|other| other.piece != own.piece).filter_map(|other| other.fused.as_ref()).collect();
        for (slot, largest) in largest.iter_mut().enumerate() {
            let field = own.all[slot] + others.iter().fold(0.0, |sum, other| sum + other[slot]);
            *largest = largest.max(field);
        }
    }
    (pieces[0].lump, largest)
}

/// Clips the values of a lump at walls.
fn clip_at_walls(near: &[SkinParticle], lump: u32, values: &mut [f32; SLOTS]) {
    let own: Vec<&SkinParticle> = near.iter().filter(|particle| particle.lump == lump).collect();
    if own.iter().all(|particle| particle.wall.is_none()) {
        return;
    }
    let mut walls = NearbyPlanes::default();
    for (slot, value) in values.iter_mut().enumerate().filter(|(_, value)| **value > 0.0) {
        let point = node_point(slot);
        walls.clear();
        for particle in &own {
            let weight = particle.value(point);
            if weight > 0.0 {
                walls.add(&particle.for_clipping(), weight, point);
            }
        }
        if let Some((wall, _)) = clip(&walls) {
            *value = value.min(wall.max(0.0));
        }
    }
}
