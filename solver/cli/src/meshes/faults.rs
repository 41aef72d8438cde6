//! Finds the faulty line of an OBJ file: the parser does not report it.

use super::obj::{is_usable, words};

/// The first faulty line, from 1, and its fault.
pub fn find(text: &str) -> Option<(usize, String)> {
    let vertices = text.lines().filter(|line| words(line).next() == Some("v")).count();
    let mut before = 0;
    for (index, line) in text.lines().enumerate() {
        let mut parts = words(line);
        let fault = match parts.next() {
            Some("v") => {
                before += 1;
                vertex_fault(&parts.collect::<Vec<_>>())
            }
            Some("f") => face_fault(&parts.collect::<Vec<_>>(), before, vertices),
            _ => None,
        };
        if let Some(message) = fault {
            return Some((index + 1, message));
        }
    }
    None
}

fn vertex_fault(coordinates: &[&str]) -> Option<String> {
    if coordinates.len() < 3 {
        return Some(format!("a vertex needs three coordinates, but has {}", coordinates.len()));
    }
    let wrong = coordinates[..3].iter().find(|word| !word.parse().is_ok_and(is_usable))?;
    Some(format!("a coordinate must be a finite number of metres within 1e9 of zero, but is {wrong:?}"))
}

/// `before` counts the vertices before the face, for negative numbers; `all` counts the vertices of the file.
fn face_fault(corners: &[&str], before: usize, all: usize) -> Option<String> {
    if corners.is_empty() {
        return Some("a face needs vertex numbers".into());
    }
    corners.iter().find_map(|corner| {
        let number = corner.split('/').next().unwrap_or_default();
        match number.parse::<i64>() {
            Ok(number) if (1..=all as i64).contains(&number) || (-(before as i64)..0).contains(&number) => None,
            Ok(number) => {
                let there =
                    if number < 0 { format!("there are {before} before it") } else { format!("there are {all}") };
                Some(format!("a face names vertex {number}, but {there}, counted from 1"))
            }
            Err(_) => Some(format!("a face needs vertex numbers, but has {corner:?}")),
        }
    })
}
