//! Fields whose iso-surface is the surface of matter, where they are 1.
//!
//! | module | what |
//! |---|---|
//! | `local` | a field near a block, at any point |
//! | `nodes` | a field at the nodes of a lattice |
//! | `blobs` | the field that sums one blob per particle |
//! | `skins` | the fields of soft matter |

pub(crate) mod blobs;
mod local;
mod nodes;
pub(crate) mod skins;

pub(crate) use local::{FieldSample, LocalField, VertexProperties};
pub(crate) use nodes::{NeighbourValues, Nodes};
