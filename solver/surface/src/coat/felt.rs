//! What is felt of the particles of soft matter, and of their images behind walls.

use crate::blocks::{EDGE, SLOTS, node_point, slot};
use crate::implicit::near::Level;
use dollop_sim::frame::Skin;
use dollop_sim::frame::wall::{Beside, Plane, Seen, clip};
use glam::{DVec3, Vec3};
use std::f64::consts::PI;

/// A particle of soft matter, or its image behind a wall. Lengths in cells.
#[derive(Debug, Clone, Copy)]
pub(super) struct Coat {
    /// Relative to the lowest node of the block that it is looked at from.
    pub centre: Vec3,
    pub offset: f32,
    pub skin: Skin,
    pub lump: u32,
    pub piece: u32,
    /// Whether it blends with all of its lump.
    pub fused: bool,
    /// The wall that its skin may lie on.
    pub wall: Option<Plane>,
    /// How much of it counts where it is an image.
    pub image: Option<f32>,
    pub particle: u32,
}

impl Coat {
    pub fn reach(&self) -> f32 {
        self.skin.reach as f32 + self.offset.max(0.0)
    }

    /// The volume that its skin holds where it is alone, cells^3.
    pub fn ball(&self) -> Option<f64> {
        let radius = (self.skin.lone_radius()? + f64::from(self.offset)).max(0.0);
        Some(4.0 / 3.0 * PI * radius.powi(3))
    }

    /// As a wall sees it.
    fn beside(&self) -> Beside {
        let (centre, reach, wall) = (self.centre, self.skin.reach as f32, self.wall);
        Beside { centre, reach, wall, is_image: self.image.is_some() }
    }

    /// Its distance from a point, if it may be felt there.
    fn distance(&self, point: Vec3) -> Option<(DVec3, f64)> {
        let way = (point - self.centre).as_dvec3();
        let reach = self.skin.reach + f64::from(self.offset);
        // A hair more than it reaches: the root decides.
        (way.length_squared() < reach * reach * (1.0 + 1e-9)).then(|| (way, way.length()))
    }

    /// Its field at a point over the isovalue.
    pub fn value(&self, point: Vec3) -> f32 {
        let Some((_, distance)) = self.distance(point) else { return 0.0 };
        let value = (self.skin.value(distance - f64::from(self.offset)) / self.skin.isovalue) as f32;
        self.in_front(point).map_or(value, |(share, _)| share * value)
    }

    /// The same and its gradient, 1/cell.
    fn felt(&self, point: Vec3) -> (f32, Vec3) {
        let Some((way, distance)) = self.distance(point) else { return (0.0, Vec3::ZERO) };
        let r = distance - f64::from(self.offset);
        let (value, slope) = (self.skin.value(r), self.skin.slope(r));
        let gradient = if distance > 0.0 { way * (slope / distance) } else { DVec3::ZERO };
        let (value, gradient) = ((value / self.skin.isovalue) as f32, (gradient / self.skin.isovalue).as_vec3());
        self.in_front(point)
            .map_or((value, gradient), |(share, slope)| (share * value, share * gradient + value * slope))
    }

    /// How much of an image counts at a point, and the gradient of that.
    fn in_front(&self, point: Vec3) -> Option<(f32, Vec3)> {
        let (share, plane) = (self.image?, self.wall.as_ref()?);
        let (front, slope) = plane.front(point - self.centre, self.skin.reach as f32);
        Some((share * front, share * slope))
    }
}

/// What is felt of a piece: of all of it, and of what is fused.
#[derive(Debug, Clone, Copy)]
struct Group {
    lump: u32,
    piece: u32,
    all: Level,
    fused: Level,
}

/// What a point feels; kept for the next one, as it is made often.
#[derive(Debug)]
pub(super) struct Felt {
    groups: Vec<Group>,
    seen: Seen,
    /// The piece whose field is the lump's.
    pub piece: u32,
    /// How much more than any other lump it is felt, whatever walls leave of it.
    pub lead: Level,
    /// Normal of the wall near it, as long as that matters: of length 1 at the wall.
    pub wall: Vec3,
    /// Whether it is the wall that it ends at.
    pub walled: bool,
}

impl Default for Felt {
    fn default() -> Self {
        let (groups, seen) = (vec![], Seen::default());
        Self { groups, seen, piece: u32::MAX, lead: NOTHING, wall: Vec3::ZERO, walled: false }
    }
}

const NOTHING: Level = Level { value: 0.0, gradient: Vec3::ZERO };

fn plus(a: Level, b: Level) -> Level {
    Level { value: a.value + b.value, gradient: a.gradient + b.gradient }
}

impl Felt {
    /// The field of a lump at a point over its level, as far as other lumps and walls leave it.
    pub fn level(&mut self, near: &[Coat], lump: u32, point: Vec3) -> Level {
        let own = self.lead(near, lump, point);
        let lead = self.lead;
        // What another lump leaves of it.
        let level =
            if 1.0 + lead.value < own.value { Level { value: (1.0 + lead.value).max(0.0), ..lead } } else { own };
        let wall = clip(&self.seen).map(|(value, gradient)| Level { value, gradient });
        let near = |wall: Level| wall.gradient.normalize_or_zero() * (2.0 - wall.value).clamp(0.0, 1.0).sqrt();
        self.wall = wall.map_or(Vec3::ZERO, near);
        self.walled = wall.is_some_and(|wall| wall.value < level.value);
        match wall {
            Some(wall) if self.walled => Level { value: wall.value.max(0.0), ..wall },
            _ => level,
        }
    }

    /// The field of a lump at a point; and finds how much more than any other it is felt.
    pub fn lead(&mut self, near: &[Coat], lump: u32, point: Vec3) -> Level {
        self.groups.clear();
        self.seen.clear();
        for coat in near {
            let (value, gradient) = coat.felt(point);
            if value > 0.0 {
                self.add(coat, Level { value, gradient });
                if coat.lump == lump {
                    self.seen.add(&coat.beside(), value, point);
                }
            }
        }
        let (piece, own) = self.of_lump(lump);
        let other = self.of_others(lump);
        self.piece = piece;
        self.lead = Level { value: own.value - other.value, gradient: own.gradient - other.gradient };
        own
    }

    fn add(&mut self, coat: &Coat, level: Level) {
        let (lump, piece) = (coat.lump, coat.piece);
        let known = self.groups.iter().position(|group| (group.lump, group.piece) == (lump, piece));
        let place = known.unwrap_or(self.groups.len());
        if known.is_none() {
            self.groups.push(Group { lump, piece, all: NOTHING, fused: NOTHING });
        }
        let group = &mut self.groups[place];
        group.all = plus(group.all, level);
        if coat.fused {
            group.fused = plus(group.fused, level);
        }
    }

    /// The field of a lump, and the piece that it is of: the largest (DG95 section 5.2), of equals the first.
    fn of_lump(&self, lump: u32) -> (u32, Level) {
        let groups = || self.groups.iter().filter(|group| group.lump == lump);
        let field = |group: &Group| {
            let others = groups().filter(|other| other.piece != group.piece);
            plus(group.all, others.fold(NOTHING, |sum, other| plus(sum, other.fused)))
        };
        let fields = groups().map(|group| (group.piece, field(group)));
        let most = fields.max_by(|a, b| a.1.value.total_cmp(&b.1.value).then(b.0.cmp(&a.0)));
        most.unwrap_or((u32::MAX, NOTHING))
    }

    /// The largest field of another lump.
    fn of_others(&self, lump: u32) -> Level {
        // Few lumps meet at a point, so nothing is kept of each.
        let others = self.groups.iter().map(|group| group.lump).filter(|&other| other != lump);
        let fields = others.map(|other| (other, self.of_lump(other).1));
        let most = fields.max_by(|a, b| a.1.value.total_cmp(&b.1.value).then(b.0.cmp(&a.0)));
        most.map_or(NOTHING, |(_, other)| other)
    }
}

/// A column of numbers of the nodes of a block.
type Column = Box<[f32; SLOTS]>;

fn zeros() -> Column {
    Box::new([0.0; SLOTS])
}

/// The fields of a piece at the nodes of a block.
struct Sums {
    lump: u32,
    piece: u32,
    all: Column,
    /// Of what is fused, if any is.
    fused: Option<Column>,
}

/// The fields of all lumps at the nodes of a block over their levels, as [`Felt::level`] has them, by their numbers.
pub(super) fn values(near: &[Coat]) -> Vec<(u32, Column)> {
    let sums = sums(near);
    let mut lumps: Vec<(u32, Column)> = sums.chunk_by(|a, b| a.lump == b.lump).map(own).collect();
    if lumps.len() > 1 {
        leave_others(&mut lumps);
    }
    for (lump, values) in &mut lumps {
        clip_values(near, *lump, values);
    }
    lumps
}

/// Leaves of the fields of lumps at each node what others do: of all others the largest counts.
fn leave_others(lumps: &mut [(u32, Column)]) {
    for slot in 0..SLOTS {
        // The largest field, whose it is, and the next.
        let (mut first, mut second) = ((0.0, usize::MAX), 0.0);
        for (place, value) in lumps.iter().map(|(_, field)| field[slot]).enumerate() {
            if value > first.0 {
                (first, second) = ((value, place), first.0);
            } else if value > second {
                second = value;
            }
        }
        for (place, (_, field)) in lumps.iter_mut().enumerate() {
            let (value, other) = (&mut field[slot], if place == first.1 { second } else { first.0 });
            *value = value.min((1.0 + *value - other).max(0.0));
        }
    }
}

/// The fields of pieces, by lumps and pieces.
fn sums(near: &[Coat]) -> Vec<Sums> {
    let mut pieces: Vec<(u32, u32)> = near.iter().map(|coat| (coat.lump, coat.piece)).collect();
    pieces.sort_unstable();
    pieces.dedup();
    let mut sums: Vec<Sums> =
        pieces.iter().map(|&(lump, piece)| Sums { lump, piece, all: zeros(), fused: None }).collect();
    for coat in near {
        let place = sums.partition_point(|sums| (sums.lump, sums.piece) < (coat.lump, coat.piece));
        let Sums { all, fused, .. } = &mut sums[place];
        let mut fused = coat.fused.then(|| fused.get_or_insert_with(zeros));
        for_nodes(coat, |slot, value| {
            all[slot] += value;
            if let Some(fused) = &mut fused {
                fused[slot] += value;
            }
        });
    }
    sums
}

/// Tells the nodes of a block that feel a coat.
fn for_nodes(coat: &Coat, mut tell: impl FnMut(usize, f32)) {
    let (low, high) = (coat.centre - coat.reach(), coat.centre + coat.reach());
    // A node more on either side, as these are rounded.
    let range = |axis: usize| {
        (low[axis].ceil() as i32 - 1).max(0) as usize..=(high[axis].floor() as i32 + 1).clamp(0, EDGE - 1) as usize
    };
    for (x, y) in range(0).flat_map(|x| range(1).map(move |y| (x, y))) {
        for z in range(2) {
            let slot = slot([x, y, z]);
            let value = coat.value(node_point(slot));
            if value > 0.0 {
                tell(slot, value);
            }
        }
    }
}

/// The field of a lump, given those of its pieces.
fn own(pieces: &[Sums]) -> (u32, Column) {
    let mut most = zeros();
    for own in pieces {
        let others: Vec<&Column> =
            pieces.iter().filter(|other| other.piece != own.piece).filter_map(|other| other.fused.as_ref()).collect();
        for (slot, most) in most.iter_mut().enumerate() {
            let field = own.all[slot] + others.iter().fold(0.0, |sum, other| sum + other[slot]);
            *most = most.max(field);
        }
    }
    (pieces[0].lump, most)
}

/// Leaves of the values of a lump what walls do.
fn clip_values(near: &[Coat], lump: u32, values: &mut [f32; SLOTS]) {
    let own: Vec<&Coat> = near.iter().filter(|coat| coat.lump == lump).collect();
    if own.iter().all(|coat| coat.wall.is_none()) {
        return;
    }
    let mut seen = Seen::default();
    for (slot, value) in values.iter_mut().enumerate().filter(|(_, value)| **value > 0.0) {
        let point = node_point(slot);
        seen.clear();
        for coat in &own {
            let felt = coat.value(point);
            if felt > 0.0 {
                seen.add(&coat.beside(), felt, point);
            }
        }
        if let Some((wall, _)) = clip(&seen) {
            *value = value.min(wall.max(0.0));
        }
    }
}
