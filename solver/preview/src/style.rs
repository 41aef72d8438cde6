//! Ways to draw matter (T92 section 6.1), all but the surface.
//!
//! | style | T92 | what is drawn of a particle |
//! |---|---|---|
//! | points | 6.1.1 | a light spot, dimmer further back |
//! | stars | 6.1.2 | three perpendicular segments as long as the spacing |
//! | discs | 6.1.3 | a ball whose radius is half the spacing |
//! | hexagons | 6.1.3 | a filled hexagon across the normal |
//! | links | 6.1.3 | a segment to each neighbour within 1.5 spacings |
//!
//! Bodies begin as lattices whose nearest neighbours are 1.12 spacings apart and whose next are 1.59, so 1.5 spacings link
//! each particle to its nearest in matter at rest, and part when matter tears.

use crate::camera::Camera;
use crate::cells::Cells;
use crate::glyph::{Glyph, Hexagon, Line, Round};
use crate::lighting::{backdrop, reflected};
use crate::normals::density_normals;
use dollop_sim::Frame;
use glam::Vec3;
use rayon::prelude::*;

/// How to draw matter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// The implicit surface, by rays; hexagons where there are sheets, which have none.
    Surface,
    /// Light points.
    Points,
    /// Three perpendicular segments.
    Stars,
    /// Balls of half the spacing.
    Discs,
    /// Hexagons across the normals.
    Hexagons,
    /// Segments between neighbours.
    Links,
}

impl Style {
    /// How to draw the matter of a frame.
    pub(crate) fn of(self, frame: &Frame) -> Self {
        let sheets = || frame.normals().is_some_and(|normals| normals.iter().any(|normal| *normal != Vec3::ZERO));
        if self == Self::Surface && sheets() { Self::Hexagons } else { self }
    }

    /// How far what is drawn of a particle may reach from it, spacings: a lone drop's surface 0.62 and a cell.
    pub(crate) fn room(self) -> f64 {
        if self == Self::Surface { 1.0 } else { 0.5 }
    }
}

/// Longest link, spacings.
const LINK: f64 = 1.5;

/// Radius of a point, spacings, and least radius in pixels.
const POINT: f32 = 0.16;
const LEAST_POINT: f32 = 0.9;

/// Apothem of a hexagon, spacings: neighbours overlap a little.
const APOTHEM: f32 = 0.58;

/// Half the width of a line in a picture 360 pixels high, and least half width.
const HALF_WIDTH: f32 = 0.45;

/// How far the furthest matter fades into the backdrop.
const FADING: f32 = 0.72;

/// What marks are made of.
pub(crate) struct Marking<'a> {
    pub frame: &'a Frame,
    pub camera: &'a Camera,
    /// Whether the matter lies in the plane y = 0.
    pub flat: bool,
    /// Linear light of each particle.
    pub colours: &'a [Vec3],
    /// Rows of the picture.
    pub rows: u32,
}

impl Marking<'_> {
    /// The marks of a style, in the order of the particles; none for the surface.
    pub fn glyphs(&self, style: Style) -> Vec<Glyph> {
        let particles = (0..self.frame.len()).into_par_iter();
        match style {
            Style::Surface => Vec::new(),
            Style::Points => particles.filter_map(|particle| self.point(particle)).collect(),
            Style::Discs => particles.filter_map(|particle| self.disc(particle)).collect(),
            Style::Stars => particles.flat_map_iter(|particle| self.star(particle)).collect(),
            Style::Links => self.links(),
            Style::Hexagons => self.hexagons(),
        }
    }

    fn half_spacing(&self) -> f32 {
        (self.frame.spacing / 2.0) as f32
    }

    /// A colour as it is seen from afar.
    fn faded(&self, colour: Vec3, depth: f32) -> Vec3 {
        colour.lerp(backdrop(0.5), FADING * self.camera.remoteness(depth))
    }

    fn point(&self, particle: usize) -> Option<Glyph> {
        let centre = self.camera.project(self.frame.positions[particle])?;
        let radius = (POINT * self.frame.spacing as f32 * centre.scale).max(LEAST_POINT);
        Some(Glyph::Spot(Round { centre, radius, colour: self.faded(self.colours[particle], centre.depth) }))
    }

    fn disc(&self, particle: usize) -> Option<Glyph> {
        let centre = self.camera.project(self.frame.positions[particle])?;
        let radius = (self.half_spacing() * centre.scale).max(LEAST_POINT);
        Some(Glyph::Ball(Round { centre, radius, colour: self.colours[particle] }))
    }

    fn line(&self, ends: [Vec3; 2], colour: Vec3) -> Option<Glyph> {
        let [Some(from), Some(to)] = ends.map(|end| self.camera.project(end)) else { return None };
        let colour = self.faded(colour, f32::midpoint(from.depth, to.depth));
        let half_width = HALF_WIDTH * (self.rows as f32 / 360.0).max(1.0);
        Some(Glyph::Line(Line { ends: [from, to], half_width, colour }))
    }

    fn star(&self, particle: usize) -> impl Iterator<Item = Glyph> {
        let (centre, colour) = (self.frame.positions[particle], self.colours[particle]);
        let rays = Vec3::AXES.map(|axis| axis * self.half_spacing());
        rays.into_iter().filter_map(move |ray| self.line([centre - ray, centre + ray], colour))
    }

    fn links(&self) -> Vec<Glyph> {
        let cells = Cells::new(&self.frame.positions, (LINK * self.frame.spacing) as f32);
        let (positions, colours) = (&self.frame.positions, self.lit_colours());
        let of_particle = |particle: usize| {
            let (position, colours) = (positions[particle], &colours);
            // Each link once.
            let later = cells.near(position).map(|(other, _)| other).filter(move |&other| other > particle);
            later.filter_map(move |other| {
                self.line([position, positions[other]], colours[particle].midpoint(colours[other]))
            })
        };
        let finite = (0..self.frame.len()).into_par_iter().filter(|&particle| positions[particle].is_finite());
        finite.flat_map_iter(of_particle).collect()
    }

    /// The colours in the light, by the normals of the particles: a web of lines shows the form of a surface, too.
    fn lit_colours(&self) -> Vec<Vec3> {
        let lit = |(&colour, normal): (&Vec3, Vec3)| match self.camera.turn(normal).try_normalize() {
            Some(normal) if !self.flat => reflected(colour, normal, Vec3::NEG_Z, 1.0, 1.0),
            _ => colour,
        };
        self.colours.iter().zip(self.normals()).map(lit).collect()
    }

    /// The normal of each particle: a plate faces whoever looks at its plane, as does a sheet from both sides.
    fn normals(&self) -> Vec<Vec3> {
        if self.flat {
            return vec![Vec3::Y; self.frame.len()];
        }
        let mut normals = density_normals(self.frame);
        let own = normals.iter_mut().zip(self.frame.normals().unwrap_or_default()).zip(&self.frame.positions);
        for ((normal, own), position) in own.filter(|((_, own), _)| **own != Vec3::ZERO) {
            let towards = (self.camera.eye().as_vec3() - *position).dot(*own);
            *normal = if towards < 0.0 { -*own } else { *own };
        }
        normals
    }

    fn hexagons(&self) -> Vec<Glyph> {
        let normals = self.normals();
        (0..self.frame.len()).into_par_iter().filter_map(|particle| self.hexagon(particle, normals[particle])).collect()
    }

    fn hexagon(&self, particle: usize, normal: Vec3) -> Option<Glyph> {
        let position = self.frame.positions[particle];
        let (centre, place) = (self.camera.project(position)?, self.camera.view(position));
        // What has no normal faces the eye.
        let normal = self.camera.turn(normal).try_normalize().unwrap_or_else(|| -place.normalize());
        let (u, v) = normal.any_orthonormal_pair();
        let apothem = APOTHEM * self.frame.spacing as f32;
        let colour = self.colours[particle];
        Some(Glyph::Hexagon(Hexagon { centre, place, normal, across: [u, v], apothem, colour }))
    }
}
