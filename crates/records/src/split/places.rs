//! Lines and characters, for messages about records.

use memchr::{memchr_iter, memrchr};

/// The place of a byte. Lines and characters count from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The line.
    pub line: u64,
    /// The character in the line.
    pub column: u64,
}

/// A counter of lines and characters in bytes that arrive in pieces.
///
/// ```
/// use pqseal_records::split::{Place, Places};
///
/// let mut places = Places::default();
/// assert_eq!(places.after("[{},\n \"é\", ".as_bytes()), Place { line: 2, column: 7 });
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Places(Place);

impl Default for Places {
    fn default() -> Self {
        Self(Place { line: 1, column: 1 })
    }
}

impl Places {
    /// Returns the place after these bytes, which follow those that were counted.
    pub fn after(&mut self, bytes: &[u8]) -> Place {
        let last = memrchr(b'\n', bytes);
        if last.is_some() {
            self.0.line += memchr_iter(b'\n', bytes).count() as u64;
            self.0.column = 1;
        }
        let line = &bytes[last.map_or(0, |last| last + 1)..];
        // Bytes that continue a character of UTF-8 have the bits 10.
        let characters = line.iter().filter(|byte| **byte & 0xc0 != 0x80);
        self.0.column += characters.count() as u64;
        self.0
    }
}
