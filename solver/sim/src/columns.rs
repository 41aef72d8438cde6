//! Structs of columns. Operations on all columns follow from one list of the columns.

use rayon::prelude::*;

/// Declares a struct of columns: each has one entry per particle, in the same order, or is empty where it is not kept.
/// Fields that are no such columns follow after `besides`.
macro_rules! columns {
    (
        $(#[$about:meta])*
        $visible:vis struct $name:ident {
            $( $(#[$doc:meta])* $column:ident: $entry:ty, )*
        }
        $( besides { $( $(#[$other_doc:meta])* $other:ident: $type:ty, )* } )?
    ) => {
        $(#[$about])*
        $visible struct $name {
            $( $(#[$doc])* pub $column: Vec<$entry>, )*
            $( $( $(#[$other_doc])* pub $other: $type, )* )?
        }

        #[allow(dead_code, reason = "not every struct of columns needs all of these")]
        impl $name {
            /// Reorders all columns; `order` lists the old slot of each new one.
            pub fn reorder_columns(&mut self, order: &[u32]) {
                $( $crate::columns::reorder(&mut self.$column, order); )*
            }

            /// Gives each column `count` default entries.
            pub fn reset_columns(&mut self, count: usize) {
                $(
                    self.$column.clear();
                    self.$column.resize(count, Default::default());
                )*
            }

            /// Appends a copy of a slot's entry to each kept column.
            pub fn push_copy(&mut self, slot: usize) {
                $(
                    if let Some(&entry) = self.$column.get(slot) {
                        self.$column.push(entry);
                    }
                )*
            }

            /// Whether each column has `count` entries if `other` keeps it, and none otherwise.
            pub fn has_columns_of(&self, other: &Self, count: usize) -> bool {
                [$( (self.$column.len(), other.$column.is_empty()), )*]
                    .into_iter()
                    .all(|(length, is_left_out)| length == if is_left_out { 0 } else { count })
            }

            /// Memory per particle of the kept columns, bytes.
            pub fn bytes_per_particle(&self) -> usize {
                [$( if self.$column.is_empty() { 0 } else { size_of::<$entry>() }, )*].into_iter().sum()
            }
        }
    };
}
pub(crate) use columns;

/// Reorders a column; `order` lists the old slot of each new one. A column that is not kept is left alone.
pub fn reorder<T: Copy + Send + Sync>(column: &mut Vec<T>, order: &[u32]) {
    if !column.is_empty() {
        *column = order.par_iter().with_min_len(1024).map(|&old| column[old as usize]).collect();
    }
}

#[cfg(test)]
mod tests {
    columns! {
        #[derive(Default)]
        struct Table {
            /// Kept.
            heights: f64,
            /// Not kept.
            widths: f32,
            /// Kept.
            names: u32,
        }
        besides {
            /// No column; it counts nothing.
            total: usize,
        }
    }

    #[test]
    fn operations_act_on_all_kept_columns() {
        let mut table = Table { heights: vec![1.0, 2.0, 3.0], names: vec![10, 20, 30], total: 7, ..Table::default() };
        assert_eq!(table.bytes_per_particle(), 12);
        table.reorder_columns(&[2, 0, 1]);
        assert_eq!((&*table.heights, &*table.names), (&[3.0, 1.0, 2.0][..], &[30, 10, 20][..]));
        table.push_copy(1);
        assert_eq!((table.heights[3], table.names[3], table.widths.len()), (1.0, 10, 0));
        let other = Table { heights: vec![0.0], names: vec![0], ..Table::default() };
        assert!(table.has_columns_of(&other, 4) && !table.has_columns_of(&other, 3));
        assert!(!table.has_columns_of(&Table { widths: vec![0.0], ..other }, 4));
        table.reset_columns(2);
        assert_eq!(
            (&*table.heights, &*table.widths, &*table.names, table.total),
            (&[0.0; 2][..], &[0.0; 2][..], &[0; 2][..], 7)
        );
    }
}
