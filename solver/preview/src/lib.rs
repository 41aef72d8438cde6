//! Pictures of frames without a renderer, and plots of bakes. Pure: no files, no printing, no clock.
//!
//! Ways to show matter at once follow Tonnesen (1992), "T92": light points, stars, hexagons and links (section 6.1), and
//! the implicit surface, whose first intersection with each ray is found by iteration (section 6.2.1).
//!
//! | module | what |
//! |---|---|
//! | `camera`, `bounds` | a perspective view of the box of all matter |
//! | `field`, `colour` | which values are shown, and as which colours |
//! | `cells`, `normals` | who is near, and where the density falls |
//! | `style`, `glyph`, `painter` | particles to marks, marks to pixels |
//! | `surface` | rays through a sparse field |
//! | `lighting` | light and backdrop |
//! | `legend`, `text` | what the colours mean |
//! | `picture`, `gif` | bytes of PNG and GIF files |
//! | `plot` | small multiples of curves as SVG or picture |
//!
//! Every pixel is made by itself, so pictures have the same bits for any number of threads.

mod bounds;
mod camera;
mod cells;
mod colour;
mod error;
mod field;
mod gif;
mod glyph;
mod legend;
mod lighting;
mod normals;
mod painter;
mod picture;
mod plot;
mod studio;
mod style;
mod surface;
mod text;
mod typical;

pub use camera::View;
pub use error::PreviewError;
pub use gif::Animation;
pub use picture::{Picture, Size};
pub use plot::{Curve, Panel, Plot};
pub use studio::{Options, Studio, Survey};
pub use style::Style;
