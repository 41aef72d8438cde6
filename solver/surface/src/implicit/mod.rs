//! The implicit surface around particles: a field that is a sum of one blob a particle, and the level at which it is cut.
//!
//! | module | what |
//! |---|---|
//! | `falloff` | how a blob falls off with the distance |
//! | `sources` | the blobs of a frame: where, how wide, how strong |
//! | `stretch` | blobs that follow the shape of the matter around them (Yu and Turk 2013) |
//! | `cubes` | who is near whom |
//! | `components` | which particles hang together |
//! | `blobs` | blobs sorted into blocks of a lattice, and their sum at the nodes |
//! | `near` | the blobs around a block, and their sum at any point |
//! | `survey` | the field on a coarse lattice: levels by volume, and where the surface is |
//! | `values` | the field of a component at the nodes of a block |
//! | `levels` | the level at which a component encloses its own volume |

pub(crate) mod blobs;
pub(crate) mod components;
mod cubes;
pub(crate) mod falloff;
pub(crate) mod levels;
pub(crate) mod near;
pub(crate) mod sources;
mod stretch;
pub(crate) mod survey;
mod values;
