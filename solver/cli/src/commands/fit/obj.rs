//! The vertices of OBJ files with their normals.

use super::points::{PointCloud, PointFault, numbers};
use crate::meshes::{unfolded, words};
use glam::DVec3;

/// First words of the lines in OBJ files; no line of a table begins with one.
const KEYWORDS: [&str; 10] = ["v", "vt", "vn", "f", "l", "p", "o", "g", "s", "mtllib"];

/// Below this length of their sum, the unit normals of a vertex point to all sides, and the vertex has no normal.
const LEAST_SUM: f64 = 0.1;

/// Whether any line belongs to an OBJ file.
pub fn is_obj(text: &str) -> bool {
    text.lines().any(|line| words(line).next().is_some_and(|word| KEYWORDS.contains(&word)))
}

/// Reads vertices. Normals are the ones that faces assign to vertices; if faces name none, the listed ones in order,
/// provided there are as many as vertices.
pub fn parse(text: &str) -> Result<PointCloud, PointFault> {
    let (mut positions, mut normals) = (vec![], vec![]);
    let mut named = vec![];
    for (line, content) in (1..).zip(unfolded(text).lines()) {
        let all: Vec<&str> = words(content).collect();
        match all.split_first() {
            Some((&"v", rest)) => positions.push(vector(line, rest)?),
            Some((&"vn", rest)) => normals.push(vector(line, rest)?),
            Some((&"f" | &"l" | &"p", corners)) => {
                let (vertices, normals) = (positions.len(), normals.len());
                named.extend(corners.iter().filter_map(|corner| pair(corner, vertices, normals)));
            }
            _ => {}
        }
    }
    let told = told(positions.len(), &normals, named);
    if told.is_none() && normals.len() == positions.len() {
        return Ok(PointCloud { positions, normals, ..PointCloud::default() });
    }
    let has_stray_normals = told.is_none() && !normals.is_empty();
    Ok(PointCloud { positions, normals: told.unwrap_or_default(), has_stray_normals })
}

/// The normals of so many vertices by the pairs in faces; none if the faces name no existing normal.
fn told(count: usize, normals: &[DVec3], mut named: Vec<(usize, usize)>) -> Option<Vec<DVec3>> {
    // Each pair counts once, however many triangles a side is cut into.
    named.sort_unstable();
    named.dedup();
    named.retain(|&(vertex, normal)| vertex < count && normal < normals.len());
    let mut sums = vec![DVec3::ZERO; count];
    for &(vertex, normal) in &named {
        sums[vertex] += normals[normal].normalize_or_zero();
    }
    let clear = |sum: DVec3| if sum.length() > LEAST_SUM { sum.normalize() } else { DVec3::ZERO };
    (!named.is_empty()).then(|| sums.into_iter().map(clear).collect())
}

fn vector(line: usize, words: &[&str]) -> Result<DVec3, PointFault> {
    let Some(three) = words.get(..3) else {
        return Err(PointFault::at(line, format!("three coordinates are needed, but there are {}", words.len())));
    };
    Ok(DVec3::from_slice(&numbers(line, three)?))
}

/// Vertex and normal of a corner, from 0; negative numbers count back from the last one read, given how many vertices
/// and normals were read.
fn pair(corner: &str, vertices: usize, normals: usize) -> Option<(usize, usize)> {
    let mut parts = corner.split('/');
    let (vertex, _, normal) = (parts.next()?, parts.next()?, parts.next()?);
    let place = |text: &str, count: usize| match text.parse::<i64>().ok()? {
        number @ 1.. => Some(number as usize - 1),
        number => count.checked_sub(number.unsigned_abs() as usize),
    };
    Some((place(vertex, vertices)?, place(normal, normals)?))
}
