//! Laws of matter: one material a folder or file.

pub mod smoothed;
