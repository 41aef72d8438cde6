//! The film of melt that a solid on a warm wall presses out (close-contact melting).
//!
//! | symbol | meaning |
//! |---|---|
//! | h | thickness of the film, m |
//! | V | speed at which the solid melts, m/s |
//! | A, I | area of the film, m^2, and its polar second moment about its middle, m^4 |
//! | p | mean pressure of the film over that around it, Pa |
//!
//! p = viscosity V S / h^3, where S = 3 A^3 / (4 pi^2 I): Reynolds's equation of lubrication for a film of even
//! thickness that gets V everywhere is that of a twisted bar, whose stiffness is A^4 / (4 pi^2 I) for an ellipse and
//! within a tenth of that for other compact sections (Saint-Venant 1855; Timoshenko and Goodier, "Theory of
//! Elasticity", chapter on torsion). For a disc S is 3/2 of the radius squared, as in Moallemi, Webb and Viskanta 1986,
//! "An experimental and analytical study of close-contact melting", Journal of Heat Transfer 108. In a plane
//! S = 12 I / A.

use crate::material::continuum::FilmLaw;
use glam::DVec3;
use std::f64::consts::PI;

/// Halvings of the range in which a thickness is found, and the thinnest film, over the thickest.
const HALVINGS: usize = 60;
const THINNEST: f64 = 1e-9;

/// The area of a film.
#[derive(Debug, Clone, Copy, Default)]
pub struct FilmArea {
    /// m^2.
    pub area: f64,
    /// Area times place, m^3, and times the square of its distance from the origin, m^4.
    moment: DVec3,
    second: f64,
}

impl FilmArea {
    /// Adds a piece of a width, m, at a place.
    pub fn add(&mut self, area: f64, place: DVec3, width: f64, is_flat: bool) {
        // Its own moment: of a square, or of a line.
        let own = width.powi(2) / if is_flat { 12.0 } else { 6.0 };
        self.area += area;
        self.moment += area * place;
        self.second += area * (place.length_squared() + own);
    }

    /// S, m^2.
    fn shape(&self, is_flat: bool) -> f64 {
        let second = self.second - self.moment.length_squared() / self.area;
        if is_flat { 12.0 * second / self.area } else { 3.0 * self.area.powi(3) / (4.0 * PI.powi(2) * second) }
    }

    /// The film on it, of what flows by a law and melts at a speed times the thickness, m^2/s.
    pub fn film(&self, law: FilmLaw, melting: f64, is_flat: bool) -> Film {
        let shape = self.shape(is_flat);
        // Of the disc or the strip that has this shape.
        let radius = (shape * if is_flat { 0.25 } else { 2.0 / 3.0 }).sqrt();
        Film { law, melting, shape, radius }
    }
}

/// A film that a solid presses out as it melts.
#[derive(Debug)]
pub struct Film {
    law: FilmLaw,
    /// V h, m^2/s.
    melting: f64,
    /// S, m^2.
    shape: f64,
    /// m.
    radius: f64,
}

impl Film {
    /// The thickness at which it bears a pressure, Pa; none if it would be more than so thick, m.
    pub fn thickness(&self, pressure: f64, most: f64) -> Option<f64> {
        let [mut thin, mut thick] = [THINNEST * most, most].map(f64::ln);
        // What is no number presses nothing out.
        let is_thinner = self.pressure(most) < pressure;
        if !is_thinner {
            return None;
        }
        for _ in 0..HALVINGS {
            let middle = f64::midpoint(thin, thick);
            if self.pressure(middle.exp()) > pressure { thin = middle } else { thick = middle }
        }
        Some(thick.exp())
    }

    /// The pressure that it bears at a thickness, Pa; a yield stress adds what holds a disc of such matter.
    fn pressure(&self, thickness: f64) -> f64 {
        let speed = self.melting / thickness;
        let rate = 2.0 * speed * self.radius / thickness.powi(2);
        let yields = 2.0 * self.law.yield_stress * self.radius / (3.0 * thickness);
        self.law.viscosity_at(rate) * speed * self.shape / thickness.powi(3) + yields
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WIDTH: f64 = 0.001;

    fn area(inside: impl Fn(f64, f64) -> bool) -> FilmArea {
        let mut area = FilmArea::default();
        for (i, j) in (-80..80).flat_map(|i| (-80..80).map(move |j| (i, j))) {
            let [x, y] = [i, j].map(|n| (f64::from(n) + 0.5) * WIDTH);
            if inside(x, y) {
                area.add(WIDTH.powi(2), DVec3::new(5.0 + x, 3.0 + y, -2.0), WIDTH, false);
            }
        }
        area
    }

    fn water(yield_stress: f64) -> FilmLaw {
        FilmLaw { viscosity: 0.002, yield_stress, consistency: 0.0, index: 1.0 }
    }

    /// Mean pressures of Reynolds's equation: of a disc, a square, and a strip four times as long as it is wide, by the
    /// sums of Timoshenko and Goodier for the torsion of bars.
    #[test]
    fn it_bears_the_pressure_of_reynolds_equation() {
        let [disc, square, bar] = [
            area(|x, y| x.hypot(y) < 0.05),
            area(|x, y| x.abs() < 0.05 && y.abs() < 0.05),
            area(|x, y| x.abs() < 0.02 && y.abs() < 0.08),
        ];
        for (found, exact) in
            [(disc, 1.5 * 0.05_f64.powi(2)), (square, 0.4217 * 0.1_f64.powi(2)), (bar, 0.843 * 0.04_f64.powi(2))]
        {
            let shape = found.shape(false);
            assert!((shape / exact - 1.0).abs() < 0.1, "{shape} {exact}");
        }
        let mut strip = FilmArea::default();
        (-20..20).for_each(|n| strip.add(WIDTH.powi(2), DVec3::X * (f64::from(n) + 0.5) * WIDTH, WIDTH, true));
        assert!((strip.shape(true) / (4.0 * 0.02_f64.powi(2)) - 1.0).abs() < 1e-9);
    }

    #[test]
    fn it_is_as_thick_as_its_pressure_allows() {
        let disc = area(|x, y| x.hypot(y) < 0.05);
        let melting = 3e-6;
        let found = disc.film(water(0.0), melting, false).thickness(200.0, 0.01).unwrap_or(f64::NAN);
        let exact = (1.5 * 0.002 * melting * 0.05_f64.powi(2) / 200.0).powf(0.25);
        assert!((found / exact - 1.0).abs() < 0.01, "{found} {exact}");
        // A yield stress holds the film where it would be thinner: 2/3 of it times radius over pressure.
        let found = disc.film(water(60.0), melting, false).thickness(200.0, 0.02).unwrap_or(f64::NAN);
        assert!((found / 0.01 - 1.0).abs() < 0.01, "{found}");
        for pressure in [0.0, -1.0, 1e-9, f64::NAN] {
            assert!(disc.film(water(0.0), melting, false).thickness(pressure, 0.01).is_none(), "{pressure}");
        }
        assert!(FilmArea::default().film(water(0.0), melting, false).thickness(200.0, 0.01).is_none());
    }

    #[test]
    fn a_melt_that_shears_thinner_is_pressed_out_further() {
        let disc = area(|x, y| x.hypot(y) < 0.05);
        let law = |index| FilmLaw { viscosity: 0.0, yield_stress: 0.0, consistency: 0.5, index };
        let [thick, thin] =
            [1.0, 0.5].map(|index| disc.film(law(index), 1e-6, false).thickness(200.0, 0.01).unwrap_or(f64::NAN));
        let rate = 2.0 * 1e-6 / thin * 0.05 / thin.powi(2);
        let exact = (1.5 * 0.5 * rate.powf(-0.5) * 1e-6 * 0.05_f64.powi(2) / 200.0).powf(0.25);
        assert!(thin < 0.8 * thick && (thin / exact - 1.0).abs() < 0.01, "{thin} {thick} {exact}");
    }
}
