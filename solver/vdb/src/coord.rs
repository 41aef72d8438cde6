//! Coordinates of voxels in the tree. They are global index coordinates; `&` works in two's complement.

/// The lowest voxel of the root's child that holds a voxel.
pub(crate) fn root_key(voxel: [i32; 3]) -> [i32; 3] {
    voxel.map(|axis| axis & !4095)
}

/// Slot of the lower node inside its upper node.
pub(crate) fn upper_slot(voxel: [i32; 3]) -> u16 {
    slot(voxel.map(|axis| (axis & 4095) >> 7), 5)
}

/// Slot of the leaf inside its lower node.
pub(crate) fn lower_slot(voxel: [i32; 3]) -> u16 {
    slot(voxel.map(|axis| (axis & 127) >> 3), 4)
}

fn slot([x, y, z]: [i32; 3], bits: u32) -> u16 {
    (x << (2 * bits) | y << bits | z) as u16
}

/// The voxel in a slot of the leaf at `origin`.
pub(crate) fn voxel(origin: [i32; 3], slot: usize) -> [i32; 3] {
    let local = [slot >> 6, slot >> 3 & 7, slot & 7];
    std::array::from_fn(|axis| origin[axis] + local[axis] as i32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn negative_voxels_lie_in_the_last_slots() {
        let voxel = [-1, -8, -4097];
        assert_eq!(root_key(voxel), [-4096, -4096, -8192]);
        assert_eq!(upper_slot(voxel), 31 << 10 | 31 << 5 | 31);
        assert_eq!(lower_slot(voxel), 15 << 8 | 15 << 4 | 15);
    }

    #[test]
    fn slots_of_a_leaf_run_along_z_first() {
        assert_eq!(voxel([8, -8, 0], 1), [8, -8, 1]);
        assert_eq!(voxel([8, -8, 0], 8), [8, -7, 0]);
        assert_eq!(voxel([8, -8, 0], 511), [15, -1, 7]);
    }
}
