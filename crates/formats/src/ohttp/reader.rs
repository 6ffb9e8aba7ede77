//! A reader of bytes with checked lengths.

use crate::Error;

const TRUNCATED: Error = Error::Malformed("it ends too early");

/// The bytes that remain to be read.
pub(super) struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    pub(super) const fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) const fn rest(&self) -> &'a [u8] {
        self.0
    }

    pub(super) fn take(&mut self, len: usize) -> Result<&'a [u8], Error> {
        let (taken, rest) = self.0.split_at_checked(len).ok_or(TRUNCATED)?;
        self.0 = rest;
        Ok(taken)
    }

    pub(super) fn array<const N: usize>(&mut self) -> Result<[u8; N], Error> {
        let (taken, rest) = self.0.split_first_chunk().ok_or(TRUNCATED)?;
        self.0 = rest;
        Ok(*taken)
    }

    /// Reads bytes after their length in 16 bits.
    pub(super) fn prefixed(&mut self) -> Result<&'a [u8], Error> {
        let len = u16::from_be_bytes(self.array()?);
        self.take(len.into())
    }
}
