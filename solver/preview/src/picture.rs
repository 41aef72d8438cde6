//! A finished picture.

use crate::PreviewError;
use crate::colour::{from_srgb, to_srgb};
use glam::Vec3;
use std::str::FromStr;

/// Width and height of a picture, pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PictureSize {
    /// Pixels in a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
}

impl PictureSize {
    /// Smallest and largest width and height.
    pub const LIMITS: [u32; 2] = [16, 4096];

    /// A size within the [limits](Self::LIMITS), else none.
    pub fn new(width: u32, height: u32) -> Option<Self> {
        let [least, most] = Self::LIMITS;
        [width, height].iter().all(|side| (least..=most).contains(side)).then_some(Self { width, height })
    }

    /// Number of pixels.
    pub(crate) fn pixels(self) -> usize {
        self.width as usize * self.height as usize
    }
}

impl FromStr for PictureSize {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let [least, most] = Self::LIMITS;
        let sides = text.split_once('x').and_then(|(width, height)| Some((width.parse().ok()?, height.parse().ok()?)));
        sides
            .and_then(|(width, height)| Self::new(width, height))
            .ok_or_else(|| format!("write WIDTHxHEIGHT in pixels, each from {least} to {most}: 640x360"))
    }
}

/// A picture: rows from the top, three sRGB bytes per pixel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    /// Width and height.
    pub size: PictureSize,
    /// The bytes, `3 * width * height`.
    pub rgb: Vec<u8>,
}

impl Picture {
    /// Converts pixels in linear light, rows from the top.
    pub(crate) fn of_light(size: PictureSize, light: &[Vec3]) -> Self {
        Self { size, rgb: light.iter().flat_map(|&light| to_srgb(light)).collect() }
    }

    /// Blends a colour over a pixel with coverage 0 to 1; does nothing outside the picture.
    pub(crate) fn blend(&mut self, x: i32, y: i32, colour: [u8; 3], cover: f32) {
        let inside = (0..self.size.width as i32).contains(&x) && (0..self.size.height as i32).contains(&y);
        if !inside {
            return;
        }
        let offset = 3 * (y as usize * self.size.width as usize + x as usize);
        for (old, new) in self.rgb[offset..offset + 3].iter_mut().zip(colour) {
            let (from, to) = (f32::from(*old), f32::from(new));
            *old = (from + (to - from) * cover.clamp(0.0, 1.0)).round() as u8;
        }
    }

    /// Downsamples the picture: each new pixel is the mean of `samples` by `samples` pixels in linear light.
    pub(crate) fn reduced(&self, samples: usize) -> Self {
        let [width, height] = [self.size.width, self.size.height].map(|side| side as usize / samples);
        let (pixels, across) = (self.rgb.as_chunks::<3>().0, self.size.width as usize);
        let mean = |(x, y): (usize, usize)| {
            let rows = (0..samples).flat_map(|row| &pixels[(y * samples + row) * across + x * samples..][..samples]);
            rows.map(|&pixel| from_srgb(pixel)).sum::<Vec3>() / (samples * samples) as f32
        };
        let light: Vec<Vec3> = (0..width * height).map(|index| mean((index % width, index / width))).collect();
        Self::of_light(PictureSize { width: width as u32, height: height as u32 }, &light)
    }

    /// The picture as the bytes of a PNG file.
    ///
    /// # Errors
    /// If the encoder fails.
    pub fn png(&self) -> Result<Vec<u8>, PreviewError> {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, self.size.width, self.size.height);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_source_srgb(png::SrgbRenderingIntent::Perceptual);
        let mut writer = encoder.write_header()?;
        writer.write_image_data(&self.rgb)?;
        writer.finish()?;
        Ok(bytes)
    }
}
