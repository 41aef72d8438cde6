//! `dollop preview`: pictures of a cache's particles.

mod animation;
mod arguments;
mod series;

pub use arguments::PreviewArguments;

use crate::bake::start_threads;
use crate::console;
use crate::failure::{ExitCode, Failure};
use crate::number::counted;
use crate::pictures::{check_free, has_extension, make_folder, write};
use animation::animate;
use arguments::PreviewStyle;
use dollop_cache::read_index;
use dollop_preview::{Options, Studio, Style};
use series::Series;
use std::path::{Path, PathBuf};

/// Draws frames of a cache.
///
/// # Errors
/// When the cache or one of its frames cannot be read, has no such frame or field, or a picture cannot be written.
pub fn preview(arguments: &PreviewArguments) -> Result<ExitCode, Failure> {
    start_threads(arguments.threads)?;
    let index = read_index(&arguments.cache)?;
    let series = Series::new(&arguments.cache, &index, arguments.frames.as_ref())?;
    let told = if has_extension(&arguments.out, "gif") {
        animation_file(arguments, &series)?
    } else {
        picture_files(arguments, &series)?
    };
    console::line(&told)?;
    Ok(ExitCode::Success)
}

/// Writes one animation; tells what was written.
fn animation_file(arguments: &PreviewArguments, series: &Series) -> Result<String, Failure> {
    let file = &arguments.out;
    check_free(file, arguments.overwrite)?;
    let bytes = animate(series, &studio(arguments, series)?)?;
    make_folder(file.parent().unwrap_or(Path::new("")))?;
    write(file, &bytes)?;
    Ok(format!("{} in {}", counted(series.len(), "frame"), file.display()))
}

/// Writes a picture a frame; tells what was written.
fn picture_files(arguments: &PreviewArguments, series: &Series) -> Result<String, Failure> {
    let file = |frame: i32| -> PathBuf { arguments.out.join(format!("preview_{frame:04}.png")) };
    series.numbers().try_for_each(|frame| check_free(&file(frame), arguments.overwrite))?;
    let studio = studio(arguments, series)?;
    make_folder(&arguments.out)?;
    series.each(|frame| write(&file(frame.number), &studio.picture(frame)?.png()?), |()| Ok(()))?;
    Ok(format!("{} in {}", counted(series.len(), "picture"), arguments.out.display()))
}

/// One camera and one range of colours for all frames.
fn studio(arguments: &PreviewArguments, series: &Series) -> Result<Studio, Failure> {
    let options = Options {
        size: arguments.size,
        style: style(arguments.style),
        view: arguments.view,
        colour: arguments.color.clone(),
        range: arguments.range,
        resolution: arguments.resolution,
        legend: !arguments.no_legend,
    };
    let survey = series.survey(&options)?;
    Ok(Studio::new(options, &survey))
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
