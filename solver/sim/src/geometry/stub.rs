use super::*;
pub struct SheetSample { pub positions: Vec<DVec3>, pub normals: Vec<DVec3> }
pub fn sample_sheet(mesh: &TriangleMesh, d: f64) -> Result<SheetSample, String> {
    let (low, high) = bounds(mesh.positions.iter().copied());
    let (mut positions, mut normals) = (vec![], vec![]);
    let rows = ((high.y - low.y) / (d * 0.75f64.sqrt())).round() as i32;
    let cols = ((high.x - low.x) / d).round() as i32;
    for j in 0..rows { for i in 0..cols {
        positions.push(DVec3::new(low.x + (f64::from(i) + 0.25 + 0.5 * f64::from(j % 2)) * d, low.y + (f64::from(j) + 0.5) * d * 0.75f64.sqrt(), low.z));
        normals.push(DVec3::Z);
    } }
    Ok(SheetSample { positions, normals })
}
