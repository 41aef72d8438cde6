//! `dollop fit`: meshes through points, and refusals.

use crate::tools::{Run, Workplace};
use dollop_surface::Topology;
use glam::DVec3;
use ply_rs_bw::parser::Parser;
use ply_rs_bw::ply::{DefaultElement, Property};
use std::f64::consts::PI;
use std::fmt::Write;
use std::fs;

/// Points along a spiral over a ball of radius 0.5 at height 2.
fn ball(count: usize) -> Vec<DVec3> {
    let point = |number: usize| {
        let height = 1.0 - (2 * number + 1) as f64 / count as f64;
        let (around, radius) = (PI * (3.0 - 5.0_f64.sqrt()) * number as f64, (1.0 - height * height).sqrt());
        0.5 * DVec3::new(radius * around.cos(), radius * around.sin(), height) + 2.0 * DVec3::Z
    };
    (0..count).map(point).collect()
}

fn table(points: &[DVec3]) -> String {
    points.iter().fold(String::new(), |mut text, p| {
        writeln!(text, "{} {} {}", p.x, p.y, p.z).unwrap();
        text
    })
}

/// A folder with `ball.txt` of 80 points.
fn place() -> Workplace {
    let place = Workplace::new();
    place.write("ball.txt", table(&ball(80)));
    place
}

fn fit(place: &Workplace, points: &str, more: &[&str]) -> Run {
    place.run(&[&["fit", points, "--out", "mesh.ply"], more].concat())
}

fn mesh(place: &Workplace) -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let bytes = fs::read(place.path("mesh.ply")).unwrap();
    let ply = Parser::<DefaultElement>::new().read_ply(&mut &bytes[..]).unwrap();
    let number = |vertex: &DefaultElement, name: &str| match vertex[name] {
        Property::Float(value) => f64::from(value),
        ref other => panic!("{name} is {other:?}"),
    };
    let corners = |face: &DefaultElement| match &face["vertex_indices"] {
        Property::ListInt(corners) => [0, 1, 2].map(|k| corners[k] as u32),
        other => panic!("{other:?}"),
    };
    let position = |vertex| DVec3::from_array(["x", "y", "z"].map(|name| number(vertex, name)));
    (ply.payload["vertex"].iter().map(position).collect(), ply.payload["face"].iter().map(corners).collect())
}

#[test]
fn points_become_the_first_vertices_of_a_closed_mesh() {
    let place = place();
    let run = fit(&place, "ball.txt", &[]);
    let out = &run.succeeds().out;
    for words in ["80 points, ", "1 piece, genus 0, 0 boundary loops", "points are at most"] {
        assert!(out.contains(words), "{words:?} is not in {out}");
    }
    assert_eq!(run.err, "");
    let (vertices, triangles) = mesh(&place);
    assert!(Topology::of(&triangles).is_closed_manifold());
    for (point, vertex) in ball(80).iter().zip(&vertices) {
        assert_eq!(point.as_vec3(), vertex.as_vec3());
    }
    for vertex in vertices {
        assert!((vertex.distance(2.0 * DVec3::Z) - 0.5).abs() < 0.005);
    }
}

#[test]
fn options_set_fineness_and_threads() {
    let place = place();
    fit(&place, "ball.txt", &["--threads", "1"]).succeeds();
    let first = fs::read(place.path("mesh.ply")).unwrap();
    fit(&place, "ball.txt", &["--threads", "3", "--overwrite"]).succeeds();
    assert!(first == fs::read(place.path("mesh.ply")).unwrap());
    let count = mesh(&place).1.len();
    fit(&place, "ball.txt", &["--refine", "2", "--overwrite"]).succeeds();
    assert_eq!(mesh(&place).1.len(), 4 * count);
    fit(&place, "ball.txt", &["--spacing", "0.05", "--refine", "0", "--overwrite"]).succeeds();
    let (vertices, triangles) = mesh(&place);
    let longest =
        triangles.iter().map(|t| vertices[t[0] as usize].distance(vertices[t[1] as usize])).fold(0.0, f64::max);
    assert!(longest < 0.1, "{longest}");
    assert!(place.run(&["fit", "--help"]).succeeds().out.contains("its folder is made if it is not there"));
    place.run(&["fit", "none.txt", "--out", "new/mesh.OBJ"]).fails(2, &["none.txt"]);
    assert!(!place.path("new").exists());
    place.run(&["fit", "ball.txt", "--out", "new/mesh.OBJ"]).succeeds();
    assert!(fs::read_to_string(place.path("new/mesh.OBJ")).unwrap().starts_with("# made by Dollop; metres, Z up\nv "));
    // The mesh of the command is itself a file of points with normals.
    fit(&place, "new/mesh.OBJ", &["--overwrite"]).succeeds();
}

#[test]
fn remaining_gaps_are_reported_with_their_place() {
    let place = place();
    let half: Vec<DVec3> = ball(160).into_iter().filter(|p| p.z > 2.1).chain([DVec3::Z * 2.5; 2]).collect();
    place.write("half.txt", table(&half));
    let run = fit(&place, "half.txt", &[]);
    assert!(run.succeeds().out.contains("genus 0, 1 boundary loop"), "{}", run.out);
    for words in
        ["warning: 1 point in the place of another left out", "the surface is not closed, 1 gap: ", "m around at ("]
    {
        assert!(run.err.contains(words), "{words:?} is not in {}", run.err);
    }
    fit(&place, "half.txt", &["--open", "--overwrite"]).succeeds();
}

#[test]
fn wrong_points_are_reported_with_their_line() {
    let place = place();
    for (name, content, words) in [
        ("empty.txt", "", "empty.txt: the file is empty"),
        ("nan.txt", "0 0 0\n1 nan 0\n", "nan.txt:2: a coordinate must be a finite number"),
        ("few.txt", "0 0 0\n1 0 0\n0 0 1\n", "few.txt: a surface needs 4 different points, not 3"),
        ("columns.txt", "0 0 0\n1 0\n", "columns.txt:2: a point needs three or six numbers, but has 2"),
        ("line.obj", "v 0 0 0\nv 1 1 1\nv 2 2 2\nv 3 3 3\n", "line.obj: all points lie on one line"),
        ("cut.ply", "ply\nformat ascii 1.0\n", "cut.ply: the file cannot be read as PLY"),
        ("far.txt", "0 0 0\n1e10 0 0\n", "far.txt:2: a coordinate must be a finite number of metres within 1e9"),
    ] {
        place.write(name, content);
        fit(&place, name, &[]).fails(2, &[words, "help: "]);
    }
    place.write("tiny.txt", table(&ball(80).iter().map(|point| *point * 1e-40).collect::<Vec<_>>()));
    fit(&place, "tiny.txt", &[]).fails(2, &["single precision", "help: give the points in a unit that fits"]);
    fit(&place, "none.txt", &[]).fails(2, &["none.txt: the file does not exist", "help: give the path of a file"]);
    fit(&place, ".", &[]).fails(2, &["is a folder", "help: give the path of a file"]);
    assert!(!place.path("mesh.ply").exists());
}

#[test]
fn a_stray_is_reported_and_left_out() {
    let place = place();
    place.write("stray.txt", format!("1e6 0 0\n{}", table(&ball(80))));
    let run = fit(&place, "stray.txt", &[]);
    let out = &run.succeeds().out;
    for words in ["81 points, ", "1 piece, genus 0, 0 boundary loops", ", but for 1 point more than "] {
        assert!(out.contains(words), "{words:?} is not in {out}");
    }
    assert!(run.err.contains("warning: 1 point in no triangle"), "{}", run.err);
    assert!(!run.err.contains("from the origin"), "{}", run.err);
}

#[test]
fn a_spacing_that_an_error_suggests_is_accepted() {
    let place = place();
    let run = fit(&place, "ball.txt", &["--spacing", "3"]);
    run.fails(2, &["the spacing is wider than the points are apart", "help: use --spacing "]);
    let (_, advice) = run.err.split_once("use --spacing ").unwrap();
    let told = fit(&place, "ball.txt", &["--spacing", advice.trim()]);
    assert!(told.succeeds().out.contains(&format!("{} m apart", advice.trim())), "{}", told.out);
    assert_eq!(told.err, "");
}

#[test]
fn wrong_options_are_refused_before_anything_is_read() {
    let place = place();
    place
        .run(&["fit", "none.txt", "--out", "mesh.no-format"])
        .fails(2, &["mesh.no-format: no format of meshes has this extension", "FILE.ply"]);
    for wrong in [["--spacing", "0"], ["--spacing", "nan"], ["--refine", "5"], ["--threads", "-1"]] {
        fit(&place, "ball.txt", &wrong).fails(2, &[wrong[0]]);
    }
    fit(&place, "ball.txt", &["--spacing", "1e-7"])
        .fails(2, &["more than 1.0e5 particles", "use --spacing", "--refine"]);
    place.write("mesh.ply", "mine");
    fit(&place, "ball.txt", &[]).fails(4, &["mesh.ply: is there already", "--overwrite"]);
    assert_eq!(fs::read(place.path("mesh.ply")).unwrap(), b"mine");
}
