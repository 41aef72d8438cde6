//! Animations.

use crate::PreviewError;
use crate::picture::{Picture, PictureSize};
use color_quant::NeuQuant;
use gif::{DisposalMethod, Encoder, Frame, Repeat};
use std::borrow::Cow;

/// Colours in the palette.
const COLOURS: usize = 256;

/// Bits of red, green and blue that distinguish colours.
const BITS: u32 = 6;

/// The network learns from one in this many colours: 1 is best and slowest, 30 worst.
const SAMPLE_STEP: i32 = 1;

/// A colour counts towards the palette at most this often, so the backdrop does not dominate.
const MAX_COUNT: u32 = 160;

/// Browsers stretch frames shorter than two hundredths of a second to a tenth.
const MIN_DELAY: u16 = 2;

/// An endless animation, built frame by frame. All frames share one palette, so still parts do not flicker.
pub struct Animation {
    size: PictureSize,
    network: NeuQuant,
    /// The palette index of each cell of the colour cube, filled on demand.
    nearest: Vec<Option<u8>>,
    encoder: Encoder<Vec<u8>>,
    /// Hundredths of a second shown so far, and elapsed so far.
    shown: f64,
    elapsed: f64,
}

impl Animation {
    /// An animation whose palette comes from some of its pictures, which must have the same size.
    ///
    /// # Errors
    /// If there is no picture, or the encoder fails.
    pub fn new(samples: &[Picture]) -> Result<Self, PreviewError> {
        let size = samples.first().map_or(PictureSize { width: 1, height: 1 }, |picture| picture.size);
        let network = NeuQuant::new(SAMPLE_STEP, COLOURS, &colours(samples));
        let [width, height] = [size.width, size.height].map(|side| side as u16);
        let mut encoder = Encoder::new(Vec::new(), width, height, &network.color_map_rgb())?;
        encoder.set_repeat(Repeat::Infinite)?;
        let nearest = vec![None; 1 << (3 * BITS)];
        Ok(Self { size, network, nearest, encoder, shown: 0.0, elapsed: 0.0 })
    }

    /// Adds a picture of the same size, shown for some seconds.
    ///
    /// # Errors
    /// If the encoder fails.
    pub fn push(&mut self, picture: &Picture, seconds: f64) -> Result<(), PreviewError> {
        let pixels = picture.rgb.as_chunks::<3>().0.iter().enumerate();
        let indices = pixels.map(|(index, &rgb)| self.index(rgb, index)).collect::<Vec<_>>();
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
    /// If the encoder fails.
    pub fn finish(self) -> Result<Vec<u8>, PreviewError> {
        Ok(self.encoder.into_inner()?)
    }

    /// The delay of the next frame, hundredths of a second. Rounding errors carry over to the next delay.
    fn delay(&mut self, seconds: f64) -> u16 {
        self.elapsed += (seconds * 100.0).clamp(0.0, f64::from(u16::MAX));
        let delay = ((self.elapsed - self.shown).round() as u16).max(MIN_DELAY);
        self.shown += f64::from(delay);
        delay
    }

    /// The palette index of a pixel after dithering by its position, so that tones between two colours become a
    /// mixture. The dither pattern does not move between frames.
    fn index(&mut self, rgb: [u8; 3], pixel: usize) -> u8 {
        let (x, y) = (pixel % self.size.width as usize, pixel / self.size.width as usize);
        let dithered = rgb.map(|c| (i16::from(c) + DITHER[y % 4][x % 4]).clamp(0, 255) as u8);
        let (network, nearest) = (&self.network, &mut self.nearest[colour_cell(dithered)]);
        *nearest.get_or_insert_with(|| {
            // The middle of the cell.
            let [red, green, blue] = dithered.map(|c| c >> (8 - BITS) << (8 - BITS) | 1 << (7 - BITS));
            network.index_of(&[red, green, blue, 255]) as u8
        })
    }
}

/// Bayer's 4 by 4 matrix, centred.
const DITHER: [[i16; 4]; 4] = [[-4, 0, -3, 1], [2, -2, 3, -1], [-3, 1, -4, 0], [3, -1, 2, -2]];

/// The cell of a colour in the colour cube.
fn colour_cell(rgb: [u8; 3]) -> usize {
    rgb.iter().fold(0, |colour_cell, &c| colour_cell << BITS | usize::from(c >> (8 - BITS)))
}

/// The colours of some pictures, each as often as it counts, with a fourth byte for the network.
fn colours(samples: &[Picture]) -> Vec<u8> {
    let mut counts = vec![0; 1 << (3 * BITS)];
    let pixels = samples.iter().flat_map(|picture| picture.rgb.as_chunks::<3>().0);
    let new = |&&rgb: &&[u8; 3]| {
        let count: &mut u32 = &mut counts[colour_cell(rgb)];
        *count += 1;
        *count <= MAX_COUNT
    };
    pixels.filter(new).flat_map(|&[red, green, blue]| [red, green, blue, 255]).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn picture() -> Picture {
        let rgb = (0..64 * 64).flat_map(|n| [(n % 64 * 4) as u8, (n / 64 * 4) as u8, 90]).collect();
        Picture { size: PictureSize { width: 64, height: 64 }, rgb }
    }

    /// Means over 4 by 4 pixels match the picture within 12 of 255, single pixels within 32. Reason: 256 colours for a
    /// 256 by 256 square of red and green are 16 apart, and the network contracts the edges by about as much.
    #[test]
    fn an_animation_keeps_colours_on_average() {
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
    fn delays_add_up_to_the_duration_of_the_frames() {
        let mut animation = Animation::new(&[picture()]).unwrap();
        let delays: Vec<_> = (0..24).map(|_| animation.delay(1.0 / 24.0)).collect();
        assert_eq!(delays.iter().sum::<u16>(), 100);
        assert!(delays.iter().all(|delay| (4..=5).contains(delay)));
        assert_eq!([animation.delay(f64::MAX), animation.delay(0.0)], [u16::MAX, MIN_DELAY]);
    }
}
