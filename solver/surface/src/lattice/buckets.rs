//! The occupied cubes of a lattice, as ranges of a sorted list.

use rustc_hash::FxHashMap;
use std::ops::Range;

/// Coordinates of a cube.
pub(crate) type CubeKey = [i32; 3];

/// The occupied cubes, sorted, and the range of each in a list sorted by cubes.
#[derive(Debug, Default)]
pub(crate) struct Buckets {
    keys: Vec<CubeKey>,
    starts: Vec<usize>,
    /// The cubes of each column along z, by its x and y.
    columns: FxHashMap<[i32; 2], Range<u32>>,
}

impl Buckets {
    /// Builds buckets from a list sorted by cubes.
    pub fn new<T>(sorted: &[(CubeKey, T)]) -> Self {
        let (mut keys, mut starts) = (vec![], vec![]);
        for (start, (key, _)) in sorted.iter().enumerate() {
            if keys.last() != Some(key) {
                keys.push(*key);
                starts.push(start);
            }
        }
        starts.push(sorted.len());
        let (mut columns, mut first) = (FxHashMap::default(), 0);
        for column in keys.chunk_by(|a, b| a[..2] == b[..2]) {
            let next = first + column.len() as u32;
            columns.insert([column[0][0], column[0][1]], first..next);
            first = next;
        }
        Self { keys, starts, columns }
    }

    /// The cubes, sorted.
    pub fn keys(&self) -> &[CubeKey] {
        &self.keys
    }

    /// The range of a cube's items in the list.
    pub fn items(&self, cube: usize) -> Range<usize> {
        self.starts[cube]..self.starts[cube + 1]
    }

    /// The range of the items of consecutive cubes.
    pub fn items_of(&self, cubes: Range<usize>) -> Range<usize> {
        self.starts[cubes.start]..self.starts[cubes.end]
    }

    /// The cubes of a row along z, from `first` up to the height `last`.
    pub fn row(&self, first: CubeKey, last: i32) -> Range<usize> {
        let Some(column) = self.columns.get(&[first[0], first[1]]) else {
            let start = self.keys.partition_point(|key| *key < first);
            return start..start;
        };
        let start = column.start as usize;
        let keys = &self.keys[start..column.end as usize];
        let before = |height: i64| number_below(keys, height);
        let (from, to) = (before(i64::from(first[2])), before(i64::from(last) + 1));
        start + from..start + to.max(from)
    }

    /// For each row along z within `reach` cubes along x and y: the cubes within `reach` along z.
    pub fn around(&self, [x, y, z]: CubeKey, reach: i32) -> impl Iterator<Item = Range<usize>> {
        let rows = (x - reach..=x + reach).flat_map(move |x| (y - reach..=y + reach).map(move |y| (x, y)));
        rows.map(move |(x, y)| self.row([x, y, z - reach], z + reach))
    }
}

/// The number of cubes of a column below a height. Most columns have no gap, so that it follows from the lowest cube.
fn number_below(column: &[CubeKey], height: i64) -> usize {
    let (Some([.., low]), Some([.., high])) = (column.first(), column.last()) else { return 0 };
    let (low, high) = (i64::from(*low), i64::from(*high));
    if (high - low) as usize + 1 == column.len() {
        (height - low).clamp(0, column.len() as i64) as usize
    } else {
        column.partition_point(|key| i64::from(key[2]) < height)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_found_by_their_cubes() {
        let list: Vec<(CubeKey, u32)> =
            [[0, 0, -1], [0, 0, -1], [0, 0, 1], [0, 1, 0], [2, 0, 0]].into_iter().zip(0..).collect();
        let buckets = Buckets::new(&list);
        assert_eq!(buckets.keys(), [[0, 0, -1], [0, 0, 1], [0, 1, 0], [2, 0, 0]]);
        assert_eq!((buckets.items(0), buckets.items(3), buckets.items_of(1..3)), (0..2, 4..5, 2..4));
        assert_eq!(
            (buckets.row([0, 0, -1], 0), buckets.row([0, 0, 0], 9), buckets.row([1, 0, 0], 9)),
            (0..1, 1..2, 3..3)
        );
        let around: Vec<usize> = buckets.around([0, 0, 0], 1).flatten().collect();
        assert_eq!(around, [0, 1, 2]);
    }
}
