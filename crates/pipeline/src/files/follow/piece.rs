//! The unit in which a file is processed.

/// Some bytes of a file.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Piece {
    /// Whole lines, except that the last line of a file may have no end.
    Lines {
        /// The lines.
        bytes: Vec<u8>,
        /// The number of the first line, counted from 1.
        number: u64,
    },
    /// A further part of a line that exceeds the maximum size of a record. It is
    /// passed through unchanged.
    Middle {
        /// The part of the line.
        bytes: Vec<u8>,
        /// The number of the line.
        number: u64,
    },
}
