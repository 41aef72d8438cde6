//! The vertices of PLY files, text or binary.

use super::points::{PointCloud, PointFault, are_usable};
use glam::DVec3;
use ply_rs_bw::parser::Parser;
use ply_rs_bw::ply::{Header, Property, PropertyAccess};

/// The numbers of a vertex, in the order of [`NAMES`].
struct Vertex([f64; 6]);

const NAMES: [&str; 6] = ["x", "y", "z", "nx", "ny", "nz"];

impl PropertyAccess for Vertex {
    fn new() -> Self {
        Self([0.0; 6])
    }

    fn set_property(&mut self, name: &str, property: Property) {
        if let Some(place) = NAMES.iter().position(|own| *own == name) {
            self.0[place] = number(&property);
        }
    }
}

/// The value of a property; NaN for a list.
fn number(property: &Property) -> f64 {
    match *property {
        Property::Char(value) => value.into(),
        Property::UChar(value) => value.into(),
        Property::Short(value) => value.into(),
        Property::UShort(value) => value.into(),
        Property::Int(value) => value.into(),
        Property::UInt(value) => value.into(),
        Property::Float(value) => value.into(),
        Property::Double(value) => value,
        _ => f64::NAN,
    }
}

/// Reads vertices.
pub fn parse(bytes: &[u8]) -> Result<PointCloud, PointFault> {
    let fault = |error: std::io::Error| {
        let first = error.to_string().lines().next().unwrap_or_default().to_owned();
        PointFault::whole(format!("the file cannot be read as PLY: {first}"))
    };
    let header = Parser::<Vertex>::new().read_ply_header(&mut &*bytes).map_err(fault)?;
    let has_normals = check(&header, bytes.len())?;
    let mut ply = Parser::<Vertex>::new().read_ply(&mut &*bytes).map_err(fault)?;
    let vertices = ply.payload.swap_remove("vertex").unwrap_or_default();
    if let Some(number) = vertices.iter().position(|vertex| !are_usable(&vertex.0)) {
        return Err(PointFault::whole(format!(
            "point {}: coordinates must be finite numbers of metres within 1e9 of zero",
            number + 1
        )));
    }
    let positions = vertices.iter().map(|vertex| DVec3::from_slice(&vertex.0[..3])).collect();
    let normals = vertices.iter().filter(|_| has_normals).map(|vertex| DVec3::from_slice(&vertex.0[3..])).collect();
    Ok(PointCloud { positions, normals, has_stray_normals: false })
}

/// Whether vertices have normals; checks that the file is long enough for the header.
fn check(header: &Header, size: usize) -> Result<bool, PointFault> {
    let is_too_long =
        header.elements.values().any(|element| element.count.saturating_mul(element.properties.len().max(1)) > size);
    if is_too_long {
        return Err(PointFault::whole("its header tells of more than the file holds"));
    }
    let Some(vertex) = header.elements.get("vertex") else {
        return Err(PointFault::whole("it has no element `vertex`"));
    };
    let has = |names: &[&str]| names.iter().all(|name| vertex.properties.contains_key(*name));
    if has(&NAMES[..3]) { Ok(has(&NAMES[3..])) } else { Err(PointFault::whole("its vertices need x, y and z")) }
}
