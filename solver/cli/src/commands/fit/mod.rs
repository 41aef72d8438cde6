//! `dollop fit`: a surface through points, as a mesh.

mod obj;
mod ply;
mod points;
mod report;
mod table;

use crate::console;
use crate::failure::{ExitCode, Failure, FileLocation};
use crate::pictures::{check_free, has_extension, make_folder, write};
use crate::threads::{start_threads, threads};
use dollop_cache::{Content, Format, MeshSettings};
use dollop_sim::wording::{rounded_down, rounded_up, short};
use dollop_surface::SurfaceMesh;
use dollop_surface::fit::{FitError, FitOptions, Points, fit as fit_surface};
use std::path::{Path, PathBuf};

/// Arguments of `dollop fit`.
#[derive(Debug, clap::Args)]
pub struct FitArguments {
    /// Points: OBJ (v, vn), PLY (x y z, nx ny nz) or a table of 3 or 6 columns, in metres
    pub points: PathBuf,
    #[arg(long, value_name = "MESH", help = format!("Mesh to write: {}; its folder is made if it is not there", files()))]
    #[allow(missing_docs, reason = "its help names the formats that there are")]
    pub out: PathBuf,
    /// Distance of neighbouring particles, m; at most that of the points [default: half of that]
    #[arg(long, value_name = "METRES", allow_hyphen_values = true, value_parser = spacing)]
    pub spacing: Option<f64>,
    /// Leave gaps open that are wider than twice the distance of the points around
    #[arg(long)]
    pub open: bool,
    /// How often the triangles over the particles are quartered on curved patches: 0 to 4
    #[arg(long, value_name = "TIMES", default_value_t = 1, allow_hyphen_values = true, value_parser = levels)]
    pub refine: u32,
    /// Number of threads; 0 uses all cores. The result does not depend on it
    #[arg(long, value_name = "N", default_value_t = 0, allow_hyphen_values = true, value_parser = threads)]
    pub threads: u16,
    /// Replace the mesh, if it is there
    #[arg(long)]
    pub overwrite: bool,
}

/// Fits a surface to the points of a file, writes its mesh and prints a report.
///
/// # Errors
/// When the points cannot be read, no surface goes through them, or the mesh cannot be written.
pub fn fit(arguments: &FitArguments) -> Result<ExitCode, Failure> {
    let format = format_of(&arguments.out)?;
    check_free(&arguments.out, arguments.overwrite)?;
    start_threads(arguments.threads)?;
    let cloud = points::read(&arguments.points)?;
    let options = FitOptions { spacing: arguments.spacing, open: arguments.open, levels: arguments.refine };
    let points = Points { positions: &cloud.positions, normals: &cloud.normals };
    let fitted = fit_surface(points, &options).map_err(|error| failure(&arguments.points, error))?;
    let settings = MeshSettings { attributes: vec!["normal"] };
    let bytes =
        format.encode(&settings, &fitted.mesh).map_err(|error| Failure::new(ExitCode::Internal, error.to_string()))?;
    make_folder(arguments.out.parent().unwrap_or(Path::new("")))?;
    write(&arguments.out, &bytes)?;
    console::warn(&report::warnings(&cloud, &fitted, arguments.open));
    report::lines(&cloud, &fitted).iter().try_for_each(|line| console::line(line))?;
    Ok(ExitCode::Success)
}

/// The format in the extension of a file.
fn format_of(out: &Path) -> Result<&'static dyn Format<SurfaceMesh>, Failure> {
    let found = SurfaceMesh::FORMATS.iter().find(|format| has_extension(out, format.name()));
    found.copied().ok_or_else(|| {
        let message = format!("{}: no format of meshes has this extension", out.display());
        Failure::new(ExitCode::BadInput, message).with_help(format!("name {} with --out", files()))
    })
}

/// Possible names of a mesh: `FILE.ply or FILE.obj`.
fn files() -> String {
    SurfaceMesh::FORMATS.iter().map(|format| format!("FILE.{}", format.name())).collect::<Vec<_>>().join(" or ")
}

fn failure(file: &Path, error: FitError) -> Failure {
    let failure = Failure::input(FileLocation::file(file), error.to_string());
    match error {
        FitError::TooFew(_) | FitError::Line => failure.with_help("give at least four points all over the surface"),
        FitError::TooFine { least, .. } => failure.with_help(format!(
            "use --spacing {} or more; a larger --refine gives smaller triangles, too",
            short(rounded_up(least))
        )),
        FitError::NoSurface => failure.with_help("give more points, or more even ones; or normals with them"),
        FitError::TooCoarse(most) => failure.with_help(format!("use --spacing {}", short(rounded_down(most)))),
        FitError::TooUneven => failure.with_help("leave out points that are far from all others, or give more there"),
        FitError::Size(_) => failure.with_help("give the points in a unit that fits their size"),
        FitError::NotFinite(_) | FitError::Spacing => failure,
    }
}

fn spacing(text: &str) -> Result<f64, String> {
    let metres = text.parse().ok().filter(|metres: &f64| metres.is_finite() && *metres > 0.0);
    metres.ok_or_else(|| "write a number of metres above 0".into())
}

fn levels(text: &str) -> Result<u32, String> {
    text.parse().ok().filter(|levels| *levels <= 4).ok_or_else(|| "write a whole number from 0 to 4".into())
}
