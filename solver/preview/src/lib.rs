//! Pictures of frames without a renderer, and plots of bakes. Pure: no files, no printing, no clock.
//!
//! Points, stars, hexagons and links follow Tonnesen (1992), "T92", section 6.1. The implicit surface follows section
//! 6.2.1, which finds the first intersection of each ray by iteration.
//!
//! | module | what |
//! |---|---|
//! | `camera`, `bounds` | a perspective camera, fitted to the bounding box of the matter |
//! | `colour_scale`, `colour` | values of particles, and the colours that show them |
//! | `neighbour_grid`, `normals` | neighbours of points; normals from the density |
//! | `style`, `glyph`, `rasterizer` | particles to glyphs, glyphs to pixels |
//! | `surface` | rays through a sparse field and to a mesh |
//! | `lighting` | lights and backdrop |
//! | `legend`, `text` | the legend below the matter |
//! | `picture`, `gif` | bytes of PNG and GIF files |
//! | `renderer` | the pictures of a series: one camera and one range of colours |
//! | `outliers` | the range of values without outliers |
//! | `plot` | small multiples of curves, as SVG or as a picture |
//!
//! Every pixel is computed on its own, so pictures have the same bits for any number of threads.

mod bounds;
mod camera;
mod colour;
mod colour_scale;
mod error;
mod gif;
mod glyph;
mod legend;
mod lighting;
mod neighbour_grid;
mod normals;
mod outliers;
mod picture;
mod plot;
mod rasterizer;
mod renderer;
mod style;
mod surface;
mod text;

pub use camera::ViewDirection;
pub use error::PreviewError;
pub use gif::Animation;
pub use picture::{Picture, PictureSize};
pub use plot::{Panel, Plot, PlotCurve};
pub use renderer::{Options, Renderer, SeriesBounds};
pub use style::Style;
