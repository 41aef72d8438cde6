/// Why there is no picture.
#[derive(Debug, thiserror::Error)]
pub enum PreviewError {
    /// The frame has no field of that name.
    #[error("frame {frame} has no field {name:?} to colour by; it has {known}")]
    NoField {
        /// Frame number.
        frame: i32,
        /// The requested name.
        name: String,
        /// The fields that the frame has, as a list in words.
        known: String,
    },
    /// The PNG encoder failed.
    #[error("the picture cannot be encoded: {0}")]
    Png(#[from] png::EncodingError),
    /// The GIF encoder failed.
    #[error("the animation cannot be encoded: {0}")]
    Gif(#[from] gif::EncodingError),
    /// A plot could not be drawn.
    #[error("the plot cannot be drawn: {0}")]
    Plot(String),
}
