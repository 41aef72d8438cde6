/// Why something cannot be written in a format.
#[derive(Debug, thiserror::Error)]
pub enum EncodeError {
    /// A column is shorter or longer than the others.
    #[error("`{name}` has {found} values for {expected} points")]
    Length {
        /// The attribute.
        name: String,
        /// Number of points.
        expected: usize,
        /// Number of its values.
        found: usize,
    },
    /// The volume writer refused.
    #[error("{0}")]
    Volume(#[from] dollop_vdb::Error),
}
