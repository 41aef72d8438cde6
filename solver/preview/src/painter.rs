//! Marks to pixels, with a depth for each sample so that what is nearer hides what is behind, in whatever order they come.

use crate::camera::Camera;
use crate::glyph::{Glyph, Sight};
use crate::lighting::backdrop;
use crate::picture::Size;
use glam::{Vec2, Vec3};
use rayon::prelude::*;

/// Samples along each side of a pixel.
const SAMPLES: usize = 3;

/// Rows of pixels that are painted at a time.
const BAND: usize = 16;

/// Paints marks before the backdrop: linear light of each pixel, rows from the top. Of two marks at one depth the first is
/// seen.
pub(crate) fn paint(glyphs: &[Glyph], camera: &Camera, size: Size) -> Vec<Vec3> {
    let bands = bands(glyphs, size);
    let paint = |(band, marks): (usize, &Vec<u32>)| {
        let mut canvas = Band::new(band * BAND, size);
        for &mark in marks {
            canvas.add(&glyphs[mark as usize], camera);
        }
        canvas.pixels()
    };
    bands.par_iter().enumerate().flat_map_iter(paint).collect()
}

/// The marks that may be seen in each band, in their order.
fn bands(glyphs: &[Glyph], size: Size) -> Vec<Vec<u32>> {
    let count = (size.height as usize).div_ceil(BAND);
    let mut bands = vec![Vec::new(); count];
    for (glyph, number) in glyphs.iter().zip(0..) {
        let (low, high) = glyph.bounds();
        if high.y < 0.0 || low.y > size.height as f32 {
            continue;
        }
        // Negative numbers become zero.
        let (first, last) = (low.y as usize / BAND, high.y as usize / BAND);
        bands.iter_mut().take(last + 1).skip(first).for_each(|band| band.push(number));
    }
    bands
}

/// The samples of some rows.
struct Band {
    top: usize,
    rows: usize,
    size: Size,
    sights: Vec<Option<Sight>>,
}

impl Band {
    fn new(top: usize, size: Size) -> Self {
        let rows = BAND.min(size.height as usize - top);
        Self { top, rows, size, sights: vec![None; rows * SAMPLES * size.width as usize * SAMPLES] }
    }

    /// Samples in a row.
    fn across(&self) -> usize {
        self.size.width as usize * SAMPLES
    }

    fn add(&mut self, glyph: &Glyph, camera: &Camera) {
        let (low, high) = glyph.bounds();
        let top = Vec2::new(0.0, self.top as f32);
        let [first, last] = [low, high].map(|corner| (corner - top) * SAMPLES as f32);
        let across = self.across();
        let columns = first.x.max(0.0) as usize..(last.x.max(-1.0) as i64 + 1).clamp(0, across as i64) as usize;
        let rows =
            first.y.max(0.0) as usize..(last.y.max(-1.0) as i64 + 1).clamp(0, (self.rows * SAMPLES) as i64) as usize;
        for row in rows {
            for column in columns.clone() {
                let place = top + (Vec2::new(column as f32, row as f32) + 0.5) / SAMPLES as f32;
                let Some(sight) = glyph.at(place, camera) else { continue };
                let sample = &mut self.sights[row * across + column];
                if sample.is_none_or(|seen| sight.depth < seen.depth) {
                    *sample = Some(sight);
                }
            }
        }
    }

    /// The means of the samples.
    fn pixels(self) -> Vec<Vec3> {
        let (width, across) = (self.size.width as usize, self.across());
        let pixel = |number: usize| {
            let (row, column) = (number / width, number % width);
            let behind = backdrop((self.top + row) as f32 / self.size.height as f32);
            let samples = (0..SAMPLES * SAMPLES).map(|n| {
                let sample = (row * SAMPLES + n / SAMPLES) * across + column * SAMPLES + n % SAMPLES;
                self.sights[sample].map_or(behind, |sight| sight.light)
            });
            samples.sum::<Vec3>() / (SAMPLES * SAMPLES) as f32
        };
        (0..self.rows * width).map(pixel).collect()
    }
}
