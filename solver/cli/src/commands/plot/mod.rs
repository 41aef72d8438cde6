//! `dollop plot`: the statistics of a bake over time, from its index alone.

mod panels;

use crate::console;
use crate::failure::{ExitCode, Failure};
use crate::pictures::{check_free, has_extension, make_folder, write};
use dollop_cache::{Index, read_index};
use dollop_preview::Plot;
use dollop_sim::wording::counted;
use panels::panels;
use std::path::{Path, PathBuf};

/// Arguments of `dollop plot`.
#[derive(Debug, clap::Args)]
pub struct PlotArguments {
    /// Cache folder
    pub cache: PathBuf,
    /// File to write: FILE.svg or FILE.png; its folder is made if it is not there
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,
    /// Replace the file, if it is there
    #[arg(long)]
    pub overwrite: bool,
}

/// Plots a bake into a file.
///
/// # Errors
/// When the folder is no cache, no frame is baked, or the file cannot be written.
pub fn plot(PlotArguments { cache, out, overwrite }: &PlotArguments) -> Result<ExitCode, Failure> {
    let (svg, png) = (has_extension(out, "svg"), has_extension(out, "png"));
    if !svg && !png {
        let message = format!("{}: a plot is an SVG or a PNG file", out.display());
        return Err(Failure::new(ExitCode::BadInput, message).with_help("name FILE.svg or FILE.png with --out"));
    }
    let index = read_index(cache)?;
    if index.done.is_empty() {
        let message = format!("{}: no frame is baked", cache.display());
        return Err(Failure::new(ExitCode::BadInput, message).with_help("bake the scene to a first frame at least"));
    }
    check_free(out, *overwrite)?;
    let plot = Plot { title: title(&index), axis: "time, s".into(), panels: panels(&index.done) };
    let bytes = if svg { plot.svg()?.into_bytes() } else { plot.picture()?.png()? };
    make_folder(out.parent().unwrap_or(Path::new("")))?;
    write(out, &bytes)?;
    console::line(&format!("{} in {}", counted(index.done.len(), "frame"), out.display()))?;
    Ok(ExitCode::Success)
}

fn title(index: &Index) -> String {
    let (done, count) = (index.done.len(), index.frames.count);
    format!("{}: {} ({done} of {count} frames)", index.scene.path, index.status)
}
