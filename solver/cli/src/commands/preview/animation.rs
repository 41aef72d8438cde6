//! All frames as one GIF.

use super::series::Series;
use crate::failure::Failure;
use dollop_preview::{Animation, Renderer};

/// Frames that the palette is made from.
const PALETTE_FRAMES: usize = 6;

/// The bytes of an animation that is as fast as the scene, up to the 50 frames/s of a GIF.
///
/// # Errors
/// When a frame cannot be read or drawn.
pub fn animate(series: &Series, renderer: &Renderer) -> Result<Vec<u8>, Failure> {
    let picture = |frame: &_| Ok(renderer.picture(frame)?);
    let mut samples = Vec::new();
    series.spread(PALETTE_FRAMES).each(picture, |picture| {
        samples.push(picture);
        Ok(())
    })?;
    let mut animation = Animation::new(&samples)?;
    let mut delays = series.delays().into_iter();
    series.each(picture, |picture| Ok(animation.push(&picture, delays.next().unwrap_or_default())?))?;
    Ok(animation.finish()?)
}
