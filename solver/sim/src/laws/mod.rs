//! Forces between particles: a file for each law, or a folder.

mod lanes;

pub mod around;
pub mod bond;
pub mod conduction;
pub mod count;
pub mod curve;
pub mod density;
pub mod forces;
pub mod interface;
pub mod masses;
pub mod packing;
pub mod sheet;
pub mod strain;
pub mod tension;
pub mod well;
