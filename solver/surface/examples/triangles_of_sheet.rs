//! Triangulates the oriented particles of a sheet from a file and writes an OBJ file, to view it or for other tools.
//!
//!     triangles_of_sheet POINTS.txt LONGEST_EDGE OUT.obj [LEVELS]
//!
//! Each line has a position and a normal: six numbers. Triangles are refined on curved patches by some levels; default
//! none. Prints the time without reading and writing, and the topology.

#![allow(clippy::print_stdout)]

use dollop_surface::Topology;
use dollop_surface::sheet::patches::{Refined, subdivide};
use dollop_surface::sheet::{SheetPoints, triangulate};
use glam::Vec3;
use std::error::Error;
use std::fmt::Write;
use std::time::Instant;

fn read(path: &str) -> Result<(Vec<Vec3>, Vec<Vec3>), Box<dyn Error>> {
    let (mut positions, mut normals) = (vec![], vec![]);
    for line in std::fs::read_to_string(path)?.lines() {
        let numbers: Vec<f32> = line.split_whitespace().map(str::parse).collect::<Result<_, _>>()?;
        let [x, y, z, i, j, k] = numbers[..] else { return Err(format!("six numbers, not {line:?}").into()) };
        positions.push(Vec3::new(x, y, z));
        normals.push(Vec3::new(i, j, k));
    }
    Ok((positions, normals))
}

fn obj(mesh: &Refined) -> Result<String, std::fmt::Error> {
    let mut text = String::new();
    for p in &mesh.positions {
        writeln!(text, "v {} {} {}", p.x, p.y, p.z)?;
    }
    for n in &mesh.normals {
        writeln!(text, "vn {} {} {}", n.x, n.y, n.z)?;
    }
    for [a, b, c] in mesh.triangles.iter().map(|t| t.map(|v| v + 1)) {
        writeln!(text, "f {a}//{a} {b}//{b} {c}//{c}")?;
    }
    Ok(text)
}

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [points, longest_edge, out, levels @ ..] = &words[..] else {
        return Err("POINTS.txt LONGEST_EDGE OUT.obj [LEVELS]".into());
    };
    let (positions, normals) = read(points)?;
    let longest_edge = longest_edge.parse()?;
    let clock = Instant::now();
    let triangles = triangulate(SheetPoints { positions: &positions, normals: &normals }, longest_edge);
    println!("{} particles, {} triangles in {:.3} s", positions.len(), triangles.len(), clock.elapsed().as_secs_f64());
    println!("{:?}", Topology::of(&triangles));
    let levels = levels.first().map_or(Ok(0), |levels| levels.parse())?;
    std::fs::write(out, obj(&subdivide(&positions, &normals, &triangles, levels))?)?;
    Ok(())
}
