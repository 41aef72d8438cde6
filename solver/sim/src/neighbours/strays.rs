//! Particles that have left the cells that they were sorted into.

use rustc_hash::FxHashMap;

/// A few particles and their present cells.
#[derive(Debug, Default)]
pub struct Strays {
    keys: FxHashMap<u32, u64>,
    cells: FxHashMap<u64, Vec<u32>>,
}

impl Strays {
    /// Puts the particle of a slot into a cell.
    pub fn put(&mut self, slot: u32, key: u64) {
        if let Some(before) = self.keys.insert(slot, key)
            && let Some(slots) = self.cells.get_mut(&before)
        {
            slots.retain(|&other| other != slot);
            if slots.is_empty() {
                self.cells.remove(&before);
            }
        }
        self.cells.entry(key).or_default().push(slot);
    }

    /// The key of a slot's cell, if its particle strayed.
    pub fn key(&self, slot: u32) -> Option<u64> {
        self.keys.get(&slot).copied()
    }

    /// The strays in a cell.
    pub fn within(&self, key: u64) -> &[u32] {
        self.cells.get(&key).map_or(&[], Vec::as_slice)
    }

    /// Number of strays.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// Removes all strays.
    pub fn clear(&mut self) {
        self.keys.clear();
        self.cells.clear();
    }
}
