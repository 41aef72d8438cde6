use crate::{Attribute, EncodeError};
use dollop_sim::Frame;

/// A file format for one kind of thing: a surface mesh, the particles of a frame, a volume.
pub trait Format<T> {
    /// File name extension, without the dot.
    fn extension(&self) -> &'static str;

    /// What the files of a bake hold, told by any of its frames.
    fn attributes(&self, frame: &Frame) -> Vec<Attribute>;

    /// The bytes of one file.
    ///
    /// # Errors
    /// When the thing contradicts itself or the format cannot hold it.
    fn encode(&self, item: &T) -> Result<Vec<u8>, EncodeError>;
}
