use std::io;

/// Why a file cannot be read.
#[derive(Debug)]
pub enum ReadFault {
    /// The system reports an error.
    Io(io::Error),
    /// The content is wrong.
    Content(String),
}

impl From<io::Error> for ReadFault {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::NotFound => content("there is no such file"),
            io::ErrorKind::UnexpectedEof => content("it became shorter while it was read"),
            _ => Self::Io(error),
        }
    }
}

/// A fault in the content of a file.
pub fn content(reason: impl Into<String>) -> ReadFault {
    ReadFault::Content(reason.into())
}
