//! The lattice on which fields are sampled: its blocks, and what is sorted into them.
//!
//! | module | what |
//! |---|---|
//! | `blocks` | the lattice in blocks of 8^3 nodes |
//! | `cell` | the corners and edges of a cell between nodes |
//! | `grid` | sparse grids of numbers and vectors, the result of sampling |
//! | `mask` | one bit per node of a block; dilation |
//! | `buckets` | the occupied cubes of a lattice |
//! | `radix_sort` | entries sorted by cubes |
//! | `cube_grid` | items sorted into cubes, and the items near a block |
//! | `splat` | weighted sums over items at the nodes of a block |
//! | `vectorized` | loops run with the machine's vector instructions |

pub(crate) mod blocks;
pub(crate) mod buckets;
pub(crate) mod cell;
pub(crate) mod cube_grid;
pub(crate) mod grid;
pub(crate) mod mask;
pub(crate) mod radix_sort;
pub(crate) mod splat;
pub(crate) mod vectorized;
