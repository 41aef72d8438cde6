//! `dollop preview`: pictures of a cache's particles.

mod animation;
mod arguments;
mod series;

pub use arguments::PreviewArguments;

use crate::console;
use crate::failure::{ExitCode, Failure};
use crate::pictures::{check_free, has_extension, make_folder, write};
use crate::threads::start_threads;
use animation::animate;
use arguments::PreviewStyle;
use dollop_cache::read_index;
use dollop_preview::{Options, Renderer, Style};
use dollop_sim::wording::counted;
use series::Series;
use std::path::{Path, PathBuf};

/// Draws frames of a cache.
///
/// # Errors
/// When the cache or one of its frames cannot be read, has no such frame or field, or a picture cannot be written.
pub fn preview(arguments: &PreviewArguments) -> Result<ExitCode, Failure> {
    refuse_files_of_other_kinds(&arguments.out)?;
    start_threads(arguments.threads)?;
    let index = read_index(&arguments.cache)?;
    let series = Series::new(&arguments.cache, &index, arguments.frames.as_ref(), bytes_a_particle(arguments))?;
    let told = if has_extension(&arguments.out, "gif") {
        animation_file(arguments, &series)?
    } else {
        picture_files(arguments, &series)?
    };
    console::line(&told)?;
    Ok(ExitCode::Success)
}

/// Bytes per particle while its frame is drawn, beside its record of 76: measured 910 as links, 250 as a surface, 200
/// as discs, for a cube of 205,379 particles.
const BYTES_A_PARTICLE: f64 = 1000.0;

/// Additional bytes per particle for the surface on cells as long as the spacing: measured 7 there. Spray needs more.
const BYTES_OF_SURFACE: f64 = 10.0;

/// Bytes per particle while its frame is drawn. Fields are kept near surfaces only, so finer cells count by their
/// squares.
fn bytes_a_particle(arguments: &PreviewArguments) -> f64 {
    let surface = BYTES_OF_SURFACE / arguments.resolution.powi(2);
    BYTES_A_PARTICLE + if arguments.style == PreviewStyle::Surface { surface } else { 0.0 }
}

/// Extensions of picture files that users might expect, but that a preview cannot write.
const OTHER_FILES: [&str; 9] = ["png", "jpg", "jpeg", "webp", "svg", "exr", "mp4", "mov", "avi"];

/// Refuses the name of a file for the folder of pictures.
fn refuse_files_of_other_kinds(out: &Path) -> Result<(), Failure> {
    if out.is_dir() || !OTHER_FILES.iter().any(|extension| has_extension(out, extension)) {
        return Ok(());
    }
    let message = format!("{}: a preview is a folder with a PNG file a frame, or a GIF file", out.display());
    Err(Failure::new(ExitCode::BadInput, message).with_help("name a folder or FILE.gif with --out"))
}

/// Writes one animation; returns its description.
fn animation_file(arguments: &PreviewArguments, series: &Series) -> Result<String, Failure> {
    let file = &arguments.out;
    check_free(file, arguments.overwrite)?;
    let bytes = animate(series, &renderer(arguments, series)?)?;
    make_folder(file.parent().unwrap_or(Path::new("")))?;
    write(file, &bytes)?;
    Ok(format!("{} in {}", counted(series.len(), "frame"), file.display()))
}

/// Writes one picture per frame; returns their description.
fn picture_files(arguments: &PreviewArguments, series: &Series) -> Result<String, Failure> {
    let file = |frame: i32| -> PathBuf { arguments.out.join(format!("preview_{frame:04}.png")) };
    series.numbers().try_for_each(|frame| check_free(&file(frame), arguments.overwrite))?;
    let renderer = renderer(arguments, series)?;
    make_folder(&arguments.out)?;
    series.each(|frame| write(&file(frame.number), &renderer.picture(frame)?.png()?), |()| Ok(()))?;
    Ok(format!("{} in {}", counted(series.len(), "picture"), arguments.out.display()))
}

/// One camera and one range of colours for all frames.
fn renderer(arguments: &PreviewArguments, series: &Series) -> Result<Renderer, Failure> {
    let options = Options {
        size: arguments.size,
        style: style(arguments.style),
        view: arguments.view,
        colour: arguments.color.clone(),
        range: arguments.range,
        resolution: arguments.resolution,
        legend: !arguments.no_legend,
    };
    let bounds = series.bounds(&options)?;
    Ok(Renderer::new(options, &bounds))
}

fn style(style: PreviewStyle) -> Style {
    match style {
        PreviewStyle::Surface => Style::Surface,
        PreviewStyle::Points => Style::Points,
        PreviewStyle::Stars => Style::Stars,
        PreviewStyle::Discs => Style::Discs,
        PreviewStyle::Hexagons => Style::Hexagons,
        PreviewStyle::Links => Style::Links,
    }
}
