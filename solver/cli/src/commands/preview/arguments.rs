//! The options of `dollop preview`.

use crate::frame_range::FrameList;
use crate::threads::threads;
use clap::ValueEnum;
use dollop_preview::{PictureSize, ViewDirection};
use std::path::PathBuf;

/// Arguments of `dollop preview`.
#[derive(Debug, clap::Args)]
pub struct PreviewArguments {
    /// Cache folder of a bake with particles
    pub cache: PathBuf,
    /// Folder for a PNG file a frame, or FILE.gif for one animation
    #[arg(long, value_name = "DIR|FILE.gif")]
    pub out: PathBuf,
    /// Frames to draw: 5, 1-6, 1..6, 7-20:2, 1-3,5, -3..2 [default: all that have particles]
    #[arg(long, value_name = "FRAMES", allow_hyphen_values = true)]
    pub frames: Option<FrameList>,
    /// How to draw matter
    #[arg(long, value_enum, default_value_t = PreviewStyle::Surface)]
    pub style: PreviewStyle,
    /// Colour by this field: source, speed, temperature, density, pressure, or any other of the particles
    #[arg(long, value_name = "FIELD", default_value = "source")]
    pub color: String,
    /// Values at the ends of the colours [default: smallest and largest of all frames drawn, but for strays].
    /// The colours of source and color are fixed: it does nothing for them
    #[arg(long, value_name = "MIN,MAX", allow_hyphen_values = true, value_parser = value_range)]
    pub range: Option<[f32; 2]>,
    /// front, side, top, three-quarter, or AZIMUTH,ELEVATION in degrees [default: three-quarter; front in a plane]
    #[arg(long, value_name = "VIEW", allow_hyphen_values = true)]
    pub view: Option<ViewDirection>,
    /// Width and height of a picture, pixels
    #[arg(long, value_name = "WIDTHxHEIGHT", default_value = "640x360", allow_hyphen_values = true)]
    pub size: PictureSize,
    /// Cells that the surface is sampled on, in particle spacings: 0.1 to 4; finer where matter is only a few across
    #[arg(long, value_name = "SPACINGS", default_value_t = 0.5, allow_hyphen_values = true, value_parser = resolution)]
    pub resolution: f64,
    /// Draw no legend, frame number and time
    #[arg(long)]
    pub no_legend: bool,
    /// Number of threads; 0 uses all cores. The pictures do not depend on it
    #[arg(long, value_name = "N", default_value_t = 0, allow_hyphen_values = true, value_parser = threads)]
    pub threads: u16,
    /// Replace pictures that are there
    #[arg(long)]
    pub overwrite: bool,
}

/// Ways to draw matter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum PreviewStyle {
    /// The surface, by rays; hexagons where there are sheets
    Surface,
    /// Light points, dimmer further back
    Points,
    /// Three perpendicular segments a particle
    Stars,
    /// Balls of half the particle spacing
    Discs,
    /// Hexagons across the normals
    Hexagons,
    /// Segments between neighbours within 1.5 spacings
    Links,
}

fn value_range(text: &str) -> Result<[f32; 2], String> {
    let ends = text.split_once(',').and_then(|(low, high)| Some([low.trim().parse().ok()?, high.trim().parse().ok()?]));
    ends.filter(|[low, high]: &[f32; 2]| low < high && low.is_finite() && high.is_finite())
        .ok_or_else(|| "write the smaller and the larger value: 290,350".into())
}

fn resolution(text: &str) -> Result<f64, String> {
    let cells = text.parse().ok().filter(|cells| (0.1..=4.0).contains(cells));
    cells.ok_or_else(|| "write a number from 0.1 to 4".into())
}
