//! Points as lines of three numbers, or six with a normal.

use super::points::{PointCloud, PointFault, numbers};
use glam::DVec3;

/// Reads a table; blanks, commas or semicolons separate numbers, and # begins a comment.
pub fn parse(text: &str) -> Result<PointCloud, PointFault> {
    let mut cloud = PointCloud::default();
    let mut has_normals = false;
    for (line, content) in (1..).zip(text.lines()) {
        let content = content.split('#').next().unwrap_or_default();
        let parts = |letter: char| letter.is_whitespace() || letter == ',' || letter == ';';
        let words: Vec<&str> = content.split(parts).filter(|word| !word.is_empty()).collect();
        if words.is_empty() {
            continue;
        }
        if words.len() != 3 && words.len() != 6 {
            return Err(PointFault::at(line, format!("a point needs three or six numbers, but has {}", words.len())));
        }
        let numbers = numbers(line, &words)?;
        cloud.positions.push(DVec3::from_slice(&numbers));
        cloud.normals.push(numbers.get(3..6).map_or(DVec3::ZERO, DVec3::from_slice));
        has_normals |= numbers.len() == 6;
    }
    if !has_normals {
        cloud.normals.clear();
    }
    Ok(cloud)
}
