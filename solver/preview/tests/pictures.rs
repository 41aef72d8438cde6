//! Pictures of hand-made frames, checked pixel by pixel.
#![allow(clippy::unwrap_used)]

#[path = "../../surface/tests/common/mod.rs"]
#[allow(dead_code)]
mod common;

use common::{ball, close_packed_lattice, frame, with_temperatures};
use dollop_preview::{
    Options, Panel, Picture, PictureSize, Plot, PlotCurve, PreviewError, Renderer, SeriesBounds, Style, ViewDirection,
};
use dollop_sim::field::NORMAL;
use dollop_sim::{FieldData, Frame};
use dollop_surface::{SurfaceOptions, extract_surface};
use glam::Vec3;

const STYLES: [Style; 6] = [Style::Surface, Style::Points, Style::Stars, Style::Discs, Style::Hexagons, Style::Links];
const SIZE: PictureSize = PictureSize { width: 200, height: 150 };

fn options(style: Style) -> Options {
    Options { size: SIZE, style, view: None, colour: "source".into(), range: None, resolution: 0.5, legend: false }
}

fn picture(frame: &Frame, options: &Options) -> Picture {
    Renderer::new(options.clone(), &SeriesBounds::of(frame, options).unwrap()).picture(frame).unwrap()
}

fn nothing() -> Picture {
    picture(&frame(vec![], 0.1), &options(Style::Points))
}

/// Number of pixels that differ from the backdrop.
fn covered(picture: &Picture) -> usize {
    let behind = nothing();
    assert_eq!(picture.size, behind.size);
    let pixels = picture.rgb.as_chunks::<3>().0.iter().zip(behind.rgb.as_chunks::<3>().0);
    pixels.filter(|(a, b)| a != b).count()
}

fn matter() -> Frame {
    let positions = close_packed_lattice(0.1, 0.5, ball(0.5));
    with_temperatures(frame(positions, 0.1), |p| if p.x > 0.0 { 350.0 } else { 290.0 })
}

#[test]
fn every_style_has_the_same_bits_for_any_number_of_threads() {
    let matter = matter();
    let with_threads = |threads: usize, style| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| picture(&matter, &options(style)))
    };
    for style in STYLES {
        let one = with_threads(1, style);
        assert!(covered(&one) > 1000, "{style:?} shows {} pixels", covered(&one));
        assert!(one == with_threads(3, style), "{style:?}");
    }
}

/// Sheets have no implicit surface. They are drawn as hexagons perpendicular to their normals, which cover them.
#[test]
fn a_sheet_is_drawn_as_hexagons() {
    let position =
        |n: u32| Vec3::new((n % 20) as f32 + 0.5 * (n / 20 % 2) as f32, (n / 20) as f32 * 0.866, 0.0) * 0.1122;
    let mut sheet = frame((0..400).map(position).collect(), 0.1);
    sheet.fields.push(NORMAL.with(FieldData::Vector(vec![Vec3::Z; 400])));
    let view = |style| Options { view: Some("top".parse().unwrap()), ..options(style) };
    let [surface, hexagons] = [Style::Surface, Style::Hexagons].map(|style| covered(&picture(&sheet, &view(style))));
    // The camera leaves more room around a surface.
    assert!(surface > hexagons * 8 / 10 && surface > 10_000, "{surface} {hexagons}");
}

#[test]
fn empty_and_broken_frames_are_drawn() {
    let mut broken = frame(vec![Vec3::NAN, Vec3::INFINITY, Vec3::ZERO, Vec3::ZERO, Vec3::splat(1e-3)], 0.1);
    broken.rest_volumes[3] = f32::NAN;
    broken.velocities[2] = Vec3::NAN;
    for style in STYLES {
        assert_eq!(covered(&picture(&frame(vec![], 0.1), &options(style))), 0);
        for colour in ["source", "speed"] {
            let options = Options { colour: colour.into(), ..options(style) };
            assert!(covered(&picture(&broken, &options)) > 0, "{style:?}");
        }
    }
    let far = frame(vec![Vec3::splat(-1e30), Vec3::splat(1e30)], 0.1);
    for style in STYLES {
        picture(&far, &options(style));
    }
}

/// A few outliers, however far away, leave the picture unchanged: they are out of view and lengthen no ray.
#[test]
fn outliers_do_not_change_the_surface() {
    let matter = frame(close_packed_lattice(0.1, 1.2, ball(1.0)), 0.1);
    assert!(matter.positions.len() > 8 * 200, "one in 200 may be a stray");
    let alone = picture(&matter, &options(Style::Surface));
    for far in [100.0, 1e7] {
        let strays = [Vec3::X, Vec3::NEG_Y, Vec3::new(1.0, 1.0, -1.0), Vec3::NEG_ONE, Vec3::new(-0.2, 1.0, 0.3)];
        let positions = matter.positions.iter().copied().chain(strays.map(|away| away * far)).collect();
        let with = picture(&frame(positions, 0.1), &options(Style::Surface));
        let differing = with.rgb.iter().zip(&alone.rgb).filter(|(a, b)| a.abs_diff(**b) > 2).count();
        assert!(differing < alone.rgb.len() / 1000, "{far} m: {differing} bytes differ");
    }
}

/// With so few particles none counts as an outlier, and the box spans them all. Rays still end in time.
#[test]
fn few_particles_far_apart_are_drawn_in_time() {
    for far in [100.0, 1e7] {
        let few = frame(vec![Vec3::ZERO, Vec3::X * far, Vec3::new(0.0, far, -far)], 0.1);
        picture(&few, &options(Style::Surface));
    }
}

/// The whole surface of one to four particles is in the picture: no covered pixel at the edge.
#[test]
fn the_surface_of_few_particles_is_not_cut_off() {
    for count in 1..=4 {
        let positions = (0..count).map(|n| Vec3::X * 0.1 * n as f32).collect();
        let picture = picture(&frame(positions, 0.1), &options(Style::Surface));
        assert!(covered(&picture) > 500, "{count}");
        let behind = nothing();
        let at_edge = |n: &usize| [0, 199].contains(&(n % 200)) || [0, 149].contains(&(n / 200));
        let cut =
            (0..200 * 150).filter(at_edge).filter(|n| picture.rgb[3 * n..3 * n + 3] != behind.rgb[3 * n..3 * n + 3]);
        assert_eq!(cut.count(), 0, "{count}");
    }
}

/// Radius of the covered pixels as a disc, pixels. Partly covered pixels count as whole: half a pixel around it.
fn seen_radius(picture: &Picture) -> f64 {
    (covered(picture) as f64 / std::f64::consts::PI).sqrt() - 0.5
}

/// Focal length, and distance of the camera from the centre of a cube with this half edge. The near side leaves 6 % of
/// the 150 pixels of height free on both sides, and the height spans 28 degrees.
fn camera(half: f64) -> (f64, f64) {
    let focal = 75.0 / 14.0_f64.to_radians().tan();
    (focal, half * focal / (0.44 * 150.0) + half)
}

#[test]
fn a_disc_is_as_large_as_its_particle() {
    let picture = picture(&frame(vec![Vec3::new(3.0, 4.0, 5.0)], 0.1), &options(Style::Discs));
    let (focal, distance) = camera(0.05);
    let expected = 0.05 * focal / distance;
    let radius = seen_radius(&picture);
    assert!((radius / expected - 1.0).abs() < 0.01, "{radius} for {expected}");
}

/// The silhouette of the surface matches that of the mesh within 2 %. For a ball the expected radius follows from the
/// volume of the mesh.
#[test]
fn the_surface_matches_the_mesh() {
    let matter = frame(close_packed_lattice(0.1, 0.5, ball(0.5)), 0.1);
    let ball = (extract_surface(&matter, &SurfaceOptions::new(0.05)).volume() * 0.75 / std::f64::consts::PI).cbrt();
    let (low, high) = matter.positions.iter().fold((Vec3::MAX, Vec3::MIN), |(low, high), &p| (low.min(p), high.max(p)));
    let half = (high - low).as_dvec3() / 2.0 + 0.1;
    let (focal, _) = camera(1.0);
    // The width leaves more room than the height.
    let distance = half.z * focal / (0.44 * 150.0) + half.y;
    let expected = focal * ball / (distance * distance - ball * ball).sqrt();
    let radius =
        seen_radius(&picture(&matter, &Options { view: Some(ViewDirection::FRONT), ..options(Style::Surface) }));
    assert!((radius / expected - 1.0).abs() < 0.02, "{radius} for {expected}");
}

#[test]
fn heat_colours_go_from_white_to_red_over_all_frames() {
    let (cold, warm) = (matter(), with_temperatures(frame(matter().positions, 0.1), |_| 350.0));
    let options = Options { colour: "temperature".into(), view: Some(ViewDirection::FRONT), ..options(Style::Points) };
    let bounds = SeriesBounds::of(&cold, &options).unwrap().union(SeriesBounds::of(&warm, &options).unwrap());
    let renderer = Renderer::new(options.clone(), &bounds);
    let redness = |frame: &Frame| {
        let picture = renderer.picture(frame).unwrap();
        let half = |left: bool| {
            let inside = |n: &usize| (n % 200 < 95) == left && (n % 200 > 104 || left);
            let pixels = picture.rgb.as_chunks::<3>().0.iter().enumerate().filter(|(n, _)| inside(n));
            pixels.map(|(_, [red, green, _])| red.saturating_sub(*green)).max().unwrap()
        };
        [half(true), half(false)]
    };
    let [left, right] = redness(&cold);
    assert!(left < 20 && right > 150, "{left} {right}");
    let [left, right] = redness(&warm);
    assert!(left > 150 && right > 150, "{left} {right}: as hot as the hottest of all frames");
    let alone = Options { range: Some([290.0, 350.0]), ..options };
    assert!(picture(&cold, &alone) == renderer.picture(&cold).unwrap());
}

#[test]
fn a_moving_particle_moves_in_the_picture() {
    let one = frame(vec![Vec3::ZERO], 0.1);
    let other = frame(vec![Vec3::X], 0.1);
    let options = Options { view: Some(ViewDirection::FRONT), ..options(Style::Discs) };
    let bounds = SeriesBounds::of(&one, &options).unwrap().union(SeriesBounds::of(&other, &options).unwrap());
    let renderer = Renderer::new(options, &bounds);
    let column = |frame: &Frame| {
        let (picture, behind) = (renderer.picture(frame).unwrap(), nothing());
        let seen = |n: &usize| picture.rgb[3 * n..3 * n + 3] != behind.rgb[3 * n..3 * n + 3];
        let columns: Vec<usize> = (0..200 * 150).filter(seen).map(|n| n % 200).collect();
        columns.iter().sum::<usize>() / columns.len()
    };
    assert!(column(&one) < 40 && column(&other) > 160, "{} {}", column(&one), column(&other));
}

#[test]
fn an_unknown_field_is_an_error_that_lists_the_fields() {
    let options = Options { colour: "tempreature".into(), ..options(Style::Points) };
    let error = SeriesBounds::of(&matter(), &options).unwrap_err();
    assert!(matches!(error, PreviewError::NoField { frame: 1, .. }));
    assert!(error.to_string().ends_with("it has temperature, speed, source"), "{error}");
}

#[test]
fn planar_matter_is_viewed_from_the_front() {
    let flat = frame((0..40).map(|n| Vec3::new((n % 8) as f32 * 0.1, 0.0, (n / 8) as f32 * 0.1)).collect(), 0.1);
    let front = Options { view: Some(ViewDirection::FRONT), ..options(Style::Hexagons) };
    assert!(picture(&flat, &options(Style::Hexagons)) == picture(&flat, &front));
    // Hexagons of planar matter face the viewer and fill it.
    assert!(covered(&picture(&flat, &front)) > 9000, "{}", covered(&picture(&flat, &front)));
}

#[test]
fn a_legend_changes_the_strip_below() {
    let matter = matter();
    let large = PictureSize { width: 640, height: 360 };
    let with = Options { size: large, colour: "temperature".into(), legend: true, ..options(Style::Points) };
    let below = |picture: &Picture| picture.rgb[3 * 640 * 325..].to_vec();
    let plain = picture(&matter, &Options { legend: false, view: Some(ViewDirection::TOP), ..with.clone() });
    assert!(below(&picture(&matter, &with)) != below(&plain));
    let png = picture(&matter, &with).png().unwrap();
    let mut reader = png::Decoder::new(std::io::Cursor::new(png)).read_info().unwrap();
    let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
    reader.next_frame(&mut bytes).unwrap();
    assert!(bytes == picture(&matter, &with).rgb, "the PNG holds the picture");
}

#[test]
fn picture_sizes_parse_from_text() {
    assert_eq!("640x360".parse(), Ok(PictureSize { width: 640, height: 360 }));
    for wrong in ["", "640", "640x", "0x10", "15x16", "4097x100", "-5x20", "640x360x2", "64 x 64"] {
        assert!(wrong.parse::<PictureSize>().is_err(), "{wrong:?}");
    }
}

fn plot(points: Vec<[f64; 2]>) -> Plot {
    let curve = PlotCurve { name: "kinetic".into(), points };
    let other = PlotCurve { name: "elastic <&>".into(), points: vec![] };
    let panel = Panel { title: "energy, J".into(), curves: vec![curve, other], from_zero: true };
    Plot { title: "scene <1>".into(), axis: "time, s".into(), panels: vec![panel] }
}

#[test]
fn plots_show_titles_names_and_curves() {
    let plot = plot((0..50).map(|n| [f64::from(n) / 24.0, f64::from(n * n)]).collect());
    let svg = plot.svg().unwrap();
    for text in ["energy, J", "kinetic", "elastic &lt;&amp;&gt;", "scene &lt;1&gt;", "time, s", "<polyline", "\n2000\n"]
    {
        assert!(svg.contains(text), "{text:?} is not in {svg}");
    }
    let picture = plot.picture().unwrap();
    let blue = picture.rgb.as_chunks::<3>().0.iter().filter(|pixel| **pixel == [0x4e, 0x79, 0xa7]).count();
    assert!(blue > 200, "{blue} pixels of the curve");
}

#[test]
fn plots_accept_any_numbers() {
    let odd = [f64::NAN, f64::INFINITY, f64::MAX, -f64::MAX, f64::MIN_POSITIVE, 0.0, -0.0, 1e300];
    for value in odd {
        for points in [vec![], vec![[0.0, value]], vec![[0.0, value], [1.0, 1.0]], vec![[value, 0.0], [value, 1.0]]] {
            plot(points.clone()).svg().unwrap_or_else(|error| panic!("{points:?}: {error}"));
            plot(points.clone()).picture().unwrap_or_else(|error| panic!("{points:?}: {error}"));
        }
    }
    Plot { panels: vec![], ..plot(vec![]) }.svg().unwrap();
}
