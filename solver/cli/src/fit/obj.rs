//! The vertices of OBJ files with their normals.

use super::points::{Fault, PointCloud, numbers};
use crate::meshes::{unfolded, words};
use glam::DVec3;

/// What no table begins its lines with.
const KEYWORDS: [&str; 10] = ["v", "vt", "vn", "f", "l", "p", "o", "g", "s", "mtllib"];

/// Whether any line is one of an OBJ file.
pub fn is_obj(text: &str) -> bool {
    text.lines().any(|line| words(line).next().is_some_and(|word| KEYWORDS.contains(&word)))
}

/// Reads vertices. Normals are theirs in order where there are as many, else by the faces that name both.
pub fn parse(text: &str) -> Result<PointCloud, Fault> {
    let (mut positions, mut normals) = (vec![], vec![]);
    let mut named = vec![];
    for (line, content) in (1..).zip(unfolded(text).lines()) {
        let all: Vec<&str> = words(content).collect();
        match all.split_first() {
            Some((&"v", rest)) => positions.push(vector(line, rest)?),
            Some((&"vn", rest)) => normals.push(vector(line, rest)?),
            Some((&"f" | &"p", corners)) => {
                let counts = (positions.len(), normals.len());
                named.extend(corners.iter().filter_map(|corner| pair(corner, counts)));
            }
            _ => {}
        }
    }
    if normals.len() == positions.len() {
        return Ok(PointCloud { positions, normals, ..PointCloud::default() });
    }
    let mut told = vec![DVec3::ZERO; positions.len()];
    for (vertex, normal) in named {
        if let (Some(told), Some(normal)) = (told.get_mut(vertex), normals.get(normal)) {
            *told = *normal;
        }
    }
    let is_told = told.iter().any(|normal| *normal != DVec3::ZERO);
    let has_stray_normals = !is_told && !normals.is_empty();
    Ok(PointCloud { positions, normals: if is_told { told } else { vec![] }, has_stray_normals })
}

fn vector(line: usize, words: &[&str]) -> Result<DVec3, Fault> {
    let Some(three) = words.get(..3) else {
        return Err(Fault::at(line, format!("three coordinates are needed, but there are {}", words.len())));
    };
    Ok(DVec3::from_slice(&numbers(line, three)?))
}

/// Vertex and normal that a corner names, from 0; negative numbers count back from the last before.
fn pair(corner: &str, counts: (usize, usize)) -> Option<(usize, usize)> {
    let mut parts = corner.split('/');
    let (vertex, _, normal) = (parts.next()?, parts.next()?, parts.next()?);
    let place = |text: &str, count: usize| match text.parse::<i64>().ok()? {
        number @ 1.. => Some(number as usize - 1),
        number => count.checked_sub(number.unsigned_abs() as usize),
    };
    Some((place(vertex, counts.0)?, place(normal, counts.1)?))
}
