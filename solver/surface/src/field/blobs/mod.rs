//! The implicit surface around particles: a field that sums one blob per particle, and its iso-level.
//!
//! | module | what |
//! |---|---|
//! | `falloff` | how a blob falls off with distance |
//! | `ellipsoid` | the shape of a blob |
//! | `sources` | the blobs of a frame: centres, shapes, factors |
//! | `anisotropy` | blobs that follow the shape of the matter around them (Yu and Turk 2013) |
//! | `moments` | weighted sums over the neighbours of particles |
//! | `cubes` | the particles of a frame sorted into cubes |
//! | `components` | connected components of particles |
//! | `on_lattice` | blobs sorted into cubes of a lattice, and their sum at the nodes |
//! | `nearby` | the blobs near a block, and their sum at any point |
//! | `local` | the field near a block, with the values that it carries |
//! | `coarse` | the field on a coarse lattice: levels by volume, and which blocks hold the surface |
//! | `values` | the field of a component at the nodes of a block, stored compactly |
//! | `nodes` | the field at the nodes of the blocks where the surface may be |
//! | `levels` | the level at which a component encloses its own volume |

mod anisotropy;
pub(crate) mod coarse;
pub(crate) mod components;
mod cubes;
mod ellipsoid;
mod falloff;
mod levels;
pub(crate) mod local;
mod moments;
mod nearby;
pub(crate) mod nodes;
mod on_lattice;
pub(crate) mod sources;
mod values;
