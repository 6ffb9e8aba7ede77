//! ASCII armor (C2SP age.md, "ASCII armor"): strict PEM, read and written line by line.

mod reader;
mod writer;

use std::io::{self, BufRead, Read};

pub use reader::ArmorReader;
pub use writer::ArmorWriter;

pub(crate) const BEGIN: &str = "-----BEGIN AGE ENCRYPTED FILE-----";
pub(crate) const END: &str = "-----END AGE ENCRYPTED FILE-----";
/// Characters per line, and the bytes that they hold.
pub(crate) const COLUMNS: usize = 64;
pub(crate) const BYTES: usize = 48;

/// An encrypted file that may be armored, without the armor.
pub enum Input<R: BufRead> {
    /// As it is.
    Binary(R),
    /// Armored.
    Armored(ArmorReader<R>),
}

impl<R: BufRead> Input<R> {
    /// Sees by the first byte whether the input is armored.
    ///
    /// # Errors
    /// Of the input.
    pub fn new(mut input: R) -> io::Result<Self> {
        let first = input.fill_buf()?.first().copied();
        let armored = first.is_some_and(|c| c == b'-' || c.is_ascii_whitespace());
        Ok(match armored {
            true => Self::Armored(ArmorReader::new(input)),
            false => Self::Binary(input),
        })
    }
}

impl<R: BufRead> Read for Input<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Binary(input) => input.read(out),
            Self::Armored(input) => input.read(out),
        }
    }
}

impl<R: BufRead> BufRead for Input<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        match self {
            Self::Binary(input) => input.fill_buf(),
            Self::Armored(input) => input.fill_buf(),
        }
    }

    fn consume(&mut self, count: usize) {
        match self {
            Self::Binary(input) => input.consume(count),
            Self::Armored(input) => input.consume(count),
        }
    }
}
