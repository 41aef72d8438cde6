//! Animations.

use crate::PreviewError;
use crate::picture::{Picture, Size};
use color_quant::NeuQuant;
use gif::{DisposalMethod, Encoder, Frame, Repeat};
use std::borrow::Cow;

/// Colours of a palette.
const COLOURS: usize = 256;

/// Bits of red, green and blue that colours are told apart by.
const BITS: u32 = 6;

/// One in so many colours teaches the network at a time: 1 is best and slowest, 30 worst.
const PACE: i32 = 1;

/// A colour counts for the palette as often as it is there, but at most so often: a backdrop is not all there is to see.
const MOST: u32 = 160;

/// Browsers show frames shorter than two hundredths of a second as tenths.
const LEAST_DELAY: u16 = 2;

/// An animation that is made frame by frame and shown again and again. All frames share one palette, so that what stands
/// still does not flicker.
pub struct Animation {
    size: Size,
    network: NeuQuant,
    /// The palette's colour for each cell of colours, once it was asked for.
    nearest: Vec<Option<u8>>,
    encoder: Encoder<Vec<u8>>,
    /// Hundredths of a second told so far, and the time that is past.
    told: f64,
    past: f64,
}

impl Animation {
    /// An animation with the colours of some of its pictures, which must all have one size.
    ///
    /// # Errors
    /// When there is no picture, or the encoder fails.
    pub fn new(samples: &[Picture]) -> Result<Self, PreviewError> {
        let size = samples.first().map_or(Size { width: 1, height: 1 }, |picture| picture.size);
        let network = NeuQuant::new(PACE, COLOURS, &colours(samples));
        let [width, height] = [size.width, size.height].map(|side| side as u16);
        let mut encoder = Encoder::new(Vec::new(), width, height, &network.color_map_rgb())?;
        encoder.set_repeat(Repeat::Infinite)?;
        let nearest = vec![None; 1 << (3 * BITS)];
        Ok(Self { size, network, nearest, encoder, told: 0.0, past: 0.0 })
    }

    /// Adds a picture of the size of the samples that is shown for some seconds.
    ///
    /// # Errors
    /// When the encoder fails.
    pub fn push(&mut self, picture: &Picture, seconds: f64) -> Result<(), PreviewError> {
        let pixels = picture.rgb.as_chunks::<3>().0.iter().enumerate();
        let indices = pixels.map(|(place, &rgb)| self.index(rgb, place)).collect::<Vec<_>>();
        let frame = Frame {
            delay: self.delay(seconds),
            dispose: DisposalMethod::Keep,
            width: self.size.width as u16,
            height: self.size.height as u16,
            buffer: Cow::Owned(indices),
            ..Frame::default()
        };
        Ok(self.encoder.write_frame(&frame)?)
    }

    /// The bytes of the GIF file.
    ///
    /// # Errors
    /// When the encoder fails.
    pub fn finish(self) -> Result<Vec<u8>, PreviewError> {
        Ok(self.encoder.into_inner()?)
    }

    /// The delay of the next frame, hundredths of a second: what is rounded off one is given to another.
    fn delay(&mut self, seconds: f64) -> u16 {
        self.past += (seconds * 100.0).clamp(0.0, f64::from(u16::MAX));
        let delay = ((self.past - self.told).round() as u16).max(LEAST_DELAY);
        self.told += f64::from(delay);
        delay
    }

    /// The number of the colour nearest to a pixel after it was moved a little by its place, so that what lies between
    /// two colours is a mixture of both. The pattern stands still.
    fn index(&mut self, rgb: [u8; 3], place: usize) -> u8 {
        let (x, y) = (place % self.size.width as usize, place / self.size.width as usize);
        let moved = rgb.map(|c| (i16::from(c) + DITHER[y % 4][x % 4]).clamp(0, 255) as u8);
        let (network, nearest) = (&self.network, &mut self.nearest[cell(moved)]);
        *nearest.get_or_insert_with(|| {
            // The middle of the cell.
            let [red, green, blue] = moved.map(|c| c >> (8 - BITS) << (8 - BITS) | 1 << (7 - BITS));
            network.index_of(&[red, green, blue, 255]) as u8
        })
    }
}

/// Bayer's matrix of 4 by 4, centred.
const DITHER: [[i16; 4]; 4] = [[-4, 0, -3, 1], [2, -2, 3, -1], [-3, 1, -4, 0], [3, -1, 2, -2]];

/// The cell of a colour in a table of all.
fn cell(rgb: [u8; 3]) -> usize {
    rgb.iter().fold(0, |cell, &c| cell << BITS | usize::from(c >> (8 - BITS)))
}

/// The colours of some pictures by how often they are there, with a fourth byte for the network.
fn colours(samples: &[Picture]) -> Vec<u8> {
    let mut counts = vec![0; 1 << (3 * BITS)];
    let pixels = samples.iter().flat_map(|picture| picture.rgb.as_chunks::<3>().0);
    let new = |&&rgb: &&[u8; 3]| {
        let count: &mut u32 = &mut counts[cell(rgb)];
        *count += 1;
        *count <= MOST
    };
    pixels.filter(new).flat_map(|&[red, green, blue]| [red, green, blue, 255]).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn picture() -> Picture {
        let rgb = (0..64 * 64).flat_map(|n| [(n % 64 * 4) as u8, (n / 64 * 4) as u8, 90]).collect();
        Picture { size: Size { width: 64, height: 64 }, rgb }
    }

    /// Means over squares of 4 by 4 pixels are those of the picture within 12 of 255, and single ones within 32: 256 colours
    /// for a square of 256 by 256 of red and green are 16 apart, and the network draws in its edges by about as much.
    #[test]
    fn colours_are_kept() {
        let picture = picture();
        let mut animation = Animation::new(std::slice::from_ref(&picture)).unwrap();
        animation.push(&picture, 0.04).unwrap();
        let bytes = animation.finish().unwrap();
        let mut options = gif::DecodeOptions::new();
        options.set_color_output(gif::ColorOutput::RGBA);
        let mut decoder = options.read_info(bytes.as_slice()).unwrap();
        let frame = decoder.read_next_frame().unwrap().unwrap();
        let shown = frame.buffer.as_chunks::<4>().0;
        let wanted = picture.rgb.as_chunks::<3>().0;
        let error = |n: usize, c: usize| i32::from(shown[n][c]) - i32::from(wanted[n][c]);
        for n in 0..64 * 64 {
            for c in 0..3 {
                assert!(error(n, c).abs() <= 32, "pixel {n}: {:?} for {:?}", shown[n], wanted[n]);
            }
        }
        let inner = (0..256).filter(|n| (1..15).contains(&(n / 16)) && (1..15).contains(&(n % 16)));
        for square in inner.map(|n| n / 16 * 4 * 64 + n % 16 * 4) {
            for c in 0..3 {
                let mean = (0..16).map(|n| error(square + n / 4 * 64 + n % 4, c)).sum::<i32>() / 16;
                assert!(mean.abs() <= 12, "square at {square}: {mean}");
            }
        }
    }

    #[test]
    fn an_animation_takes_as_long_as_the_frames() {
        let mut animation = Animation::new(&[picture()]).unwrap();
        let delays: Vec<_> = (0..24).map(|_| animation.delay(1.0 / 24.0)).collect();
        assert_eq!(delays.iter().sum::<u16>(), 100);
        assert!(delays.iter().all(|delay| (4..=5).contains(delay)));
        assert_eq!([animation.delay(f64::MAX), animation.delay(0.0)], [u16::MAX, LEAST_DELAY]);
    }
}
