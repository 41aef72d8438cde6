//! Rasterizes glyphs. Each sample has a depth, so nearer glyphs hide those behind, in any order.

use crate::camera::Camera;
use crate::glyph::{Fragment, Glyph};
use crate::lighting::backdrop;
use crate::picture::PictureSize;
use glam::{Vec2, Vec3};
use rayon::prelude::*;

/// Samples along each side of a pixel.
const SAMPLES: usize = 3;

/// Rows of pixels in a band; one thread rasterizes a band.
const BAND: usize = 16;

/// Rasterizes glyphs in front of the backdrop. Returns the linear light of each pixel, rows from the top. Of two glyphs
/// at the same depth, the first is visible.
pub(crate) fn rasterize(glyphs: &[Glyph], camera: &Camera, size: PictureSize) -> Vec<Vec3> {
    let bands = bands(glyphs, size);
    let rasterize_band = |(band, glyph_numbers): (usize, &Vec<u32>)| {
        let mut canvas = Band::new(band * BAND, size);
        for &number in glyph_numbers {
            canvas.add(&glyphs[number as usize], camera);
        }
        canvas.pixels()
    };
    bands.par_iter().enumerate().flat_map_iter(rasterize_band).collect()
}

/// The numbers of the glyphs that may touch each band, ascending.
fn bands(glyphs: &[Glyph], size: PictureSize) -> Vec<Vec<u32>> {
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

/// The samples of some rows of pixels.
struct Band {
    top: usize,
    rows: usize,
    size: PictureSize,
    fragments: Vec<Option<Fragment>>,
}

impl Band {
    fn new(top: usize, size: PictureSize) -> Self {
        let rows = BAND.min(size.height as usize - top);
        Self { top, rows, size, fragments: vec![None; rows * SAMPLES * size.width as usize * SAMPLES] }
    }

    /// Samples in a row of samples.
    fn row_length(&self) -> usize {
        self.size.width as usize * SAMPLES
    }

    fn add(&mut self, glyph: &Glyph, camera: &Camera) {
        let (low, high) = glyph.bounds();
        let top = Vec2::new(0.0, self.top as f32);
        let [first, last] = [low, high].map(|corner| (corner - top) * SAMPLES as f32);
        let row_length = self.row_length();
        let columns = first.x.max(0.0) as usize..(last.x.max(-1.0) as i64 + 1).clamp(0, row_length as i64) as usize;
        let rows =
            first.y.max(0.0) as usize..(last.y.max(-1.0) as i64 + 1).clamp(0, (self.rows * SAMPLES) as i64) as usize;
        for row in rows {
            for column in columns.clone() {
                let position = top + (Vec2::new(column as f32, row as f32) + 0.5) / SAMPLES as f32;
                let Some(fragment) = glyph.at(position, camera) else { continue };
                let sample = &mut self.fragments[row * row_length + column];
                if sample.is_none_or(|seen| fragment.depth < seen.depth) {
                    *sample = Some(fragment);
                }
            }
        }
    }

    /// The means of the samples.
    fn pixels(self) -> Vec<Vec3> {
        let (width, row_length) = (self.size.width as usize, self.row_length());
        let pixel = |number: usize| {
            let (row, column) = (number / width, number % width);
            let behind = backdrop((self.top + row) as f32 / self.size.height as f32);
            let samples = (0..SAMPLES * SAMPLES).map(|n| {
                let sample = (row * SAMPLES + n / SAMPLES) * row_length + column * SAMPLES + n % SAMPLES;
                self.fragments[sample].map_or(behind, |fragment| fragment.light)
            });
            samples.sum::<Vec3>() / (SAMPLES * SAMPLES) as f32
        };
        (0..self.rows * width).map(pixel).collect()
    }
}
