//! What is taken of a file at a time.

/// Some bytes of a file.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Piece {
    /// Whole lines; the last one of a file may have no end.
    Lines {
        /// Them.
        bytes: Vec<u8>,
        /// The number of the first one, from 1.
        number: u64,
    },
    /// More of a line that is larger than a record may be, which passes as it is.
    Middle {
        /// It.
        bytes: Vec<u8>,
        /// The number of the line.
        number: u64,
    },
}
