//! Styles of drawing matter (T92 section 6.1), except the surface.
//!
//! | style | T92 | glyphs of a particle |
//! |---|---|---|
//! | points | 6.1.1 | a light spot, dimmer further back |
//! | stars | 6.1.2 | three perpendicular segments, each as long as the spacing |
//! | discs | 6.1.3 | a ball whose radius is half the spacing |
//! | hexagons | 6.1.3 | a filled hexagon perpendicular to the normal |
//! | links | 6.1.3 | a segment to each neighbour within 1.5 spacings |
//!
//! Bodies start as lattices with nearest neighbours 1.12 spacings apart and next neighbours 1.59. So a limit of 1.5
//! spacings links nearest neighbours in matter at rest, and links vanish where matter tears.

use crate::camera::Camera;
use crate::glyph::{Glyph, Hexagon, Line, Round};
use crate::lighting::{backdrop, reflected};
use crate::neighbour_grid::NeighbourGrid;
use crate::normals::density_normals;
use dollop_sim::Frame;
use glam::Vec3;
use rayon::prelude::*;

/// A style of drawing matter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// The implicit surface, by ray casting. Sheets have none and are drawn as hexagons.
    Surface,
    /// Light points.
    Points,
    /// Three perpendicular segments.
    Stars,
    /// Balls with half the spacing as radius.
    Discs,
    /// Hexagons perpendicular to the normals.
    Hexagons,
    /// Segments between neighbours.
    Links,
}

impl Style {
    /// The style for a frame: hexagons replace the surface of sheets.
    pub(crate) fn of(self, frame: &Frame) -> Self {
        let sheets = || frame.normals().is_some_and(|normals| normals.iter().any(|normal| *normal != Vec3::ZERO));
        if self == Self::Surface && sheets() { Self::Hexagons } else { self }
    }

    /// How far the drawing of a particle reaches, spacings: 0.62 for the surface of a lone drop, plus a cell.
    pub(crate) fn margin(self) -> f64 {
        if self == Self::Surface { 1.0 } else { 0.5 }
    }
}

/// Longest link, spacings.
const LINK: f64 = 1.5;

/// Radius of a point, spacings, and its least radius, pixels.
const POINT: f32 = 0.16;
const LEAST_POINT: f32 = 0.9;

/// Apothem of a hexagon, spacings: neighbours overlap a little.
const APOTHEM: f32 = 0.58;

/// Half the width of a line in a picture 360 pixels high, and at least.
const HALF_WIDTH: f32 = 0.45;

/// How far the farthest matter fades into the backdrop.
const FADING: f32 = 0.72;

/// Builds the glyphs of a frame.
pub(crate) struct GlyphBuilder<'a> {
    pub frame: &'a Frame,
    pub camera: &'a Camera,
    /// Whether the matter lies in the plane y = 0.
    pub flat: bool,
    /// Linear light of each particle.
    pub colours: &'a [Vec3],
    /// Rows of the picture.
    pub rows: u32,
}

impl GlyphBuilder<'_> {
    /// The glyphs of a style, in the order of the particles; none for the surface.
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

    /// A colour, faded with depth.
    fn faded(&self, colour: Vec3, depth: f32) -> Vec3 {
        colour.lerp(backdrop(0.5), FADING * self.camera.relative_depth(depth))
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
        let cells = NeighbourGrid::new(&self.frame.positions, (LINK * self.frame.spacing) as f32);
        let (positions, colours) = (&self.frame.positions, self.lit_colours());
        let of_particle = |particle: usize| {
            let (position, colours) = (positions[particle], &colours);
            // Draw each link once.
            let later = cells.near(position).map(|(other, _)| other).filter(move |&other| other > particle);
            later.filter_map(move |other| {
                self.line([position, positions[other]], colours[particle].midpoint(colours[other]))
            })
        };
        let finite = (0..self.frame.len()).into_par_iter().filter(|&particle| positions[particle].is_finite());
        finite.flat_map_iter(of_particle).collect()
    }

    /// The colours shaded by the normals of the particles, so that a web of lines shows the form of the surface.
    fn lit_colours(&self) -> Vec<Vec3> {
        let lit = |(&colour, normal): (&Vec3, Vec3)| match self.camera.direction_to_view(normal).try_normalize() {
            Some(normal) if !self.flat => reflected(colour, normal, Vec3::NEG_Z, 1.0, 1.0),
            _ => colour,
        };
        self.colours.iter().zip(self.normals()).map(lit).collect()
    }

    /// The normal of each particle. Planar matter faces the viewer; the normals of sheets are flipped towards the eye.
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
        let world = self.frame.positions[particle];
        let (centre, position) = (self.camera.project(world)?, self.camera.in_view_space(world));
        // Particles without a normal face the eye.
        let normal = self.camera.direction_to_view(normal).try_normalize().unwrap_or_else(|| -position.normalize());
        let (u, v) = normal.any_orthonormal_pair();
        let apothem = APOTHEM * self.frame.spacing as f32;
        let colour = self.colours[particle];
        Some(Glyph::Hexagon(Hexagon { centre, position, normal, across: [u, v], apothem, colour }))
    }
}
