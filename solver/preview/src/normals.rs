//! Normals of matter whose particles carry no orientation.

use crate::neighbour_grid::NeighbourGrid;
use dollop_sim::Frame;
use glam::Vec3;
use rayon::prelude::*;

/// At each particle, the unit vector along which the density (DG96 equation (3)) falls fastest; zero if there is none.
pub(crate) fn density_normals(frame: &Frame) -> Vec<Vec3> {
    let cells = NeighbourGrid::new(&frame.positions, frame.kernel.support() as f32);
    let normal = |&position: &Vec3| {
        let slopes = cells.near(position).map(|(other, squared)| {
            let away = (position - frame.positions[other]).normalize_or_zero();
            // The kernel falls with distance, so this points away from the neighbour.
            away * -(f64::from(frame.rest_volumes[other]) * frame.kernel.derivative(f64::from(squared).sqrt())) as f32
        });
        slopes.sum::<Vec3>().normalize_or_zero()
    };
    frame.positions.par_iter().map(normal).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use dollop_sim::SmoothingKernel;
    use dollop_sim::kernel::Kernel;

    /// On the outer particles of a ball cut from a cubic lattice, normals are radial within 25 degrees, as the lattice
    /// has steps.
    #[test]
    fn normals_of_a_ball_are_radial() {
        let steps = || (-6..6).map(|n| n as f32 + 0.5);
        let all = steps().flat_map(|x| steps().flat_map(move |y| steps().map(move |z| Vec3::new(x, y, z))));
        let positions: Vec<Vec3> = all.filter(|p| p.length() < 5.5).collect();
        let frame = Frame::of_points(positions, 1.0, SmoothingKernel::new(Kernel::Spiky, 1.25));
        let normals = density_normals(&frame);
        let outer: Vec<_> = frame.positions.iter().zip(&normals).filter(|(p, _)| p.length() > 4.7).collect();
        assert!(outer.len() > 100);
        for (position, normal) in outer {
            assert!(position.normalize().dot(*normal) > 0.906, "{position} {normal}");
        }
    }
}
