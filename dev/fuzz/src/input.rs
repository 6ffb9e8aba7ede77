//! Splits bytes into the values that a target needs. At the end everything is zero or
//! empty.

/// The rest of an input.
pub(crate) struct Input<'a>(&'a [u8]);

impl<'a> Input<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn byte(&mut self) -> u8 {
        let (first, rest) = self.0.split_first().unwrap_or((&0, &[]));
        self.0 = rest;
        *first
    }

    /// Returns a number below `end`, which is at most 256.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        usize::from(self.byte()) % end
    }

    /// Returns at most `len` bytes.
    pub(crate) fn bytes(&mut self, len: usize) -> &'a [u8] {
        let (taken, rest) = self.0.split_at(len.min(self.0.len()));
        self.0 = rest;
        taken
    }

    /// Returns as many bytes as the next one says.
    pub(crate) fn short(&mut self) -> &'a [u8] {
        let len = self.byte();
        self.bytes(len.into())
    }

    /// Returns exactly `N` bytes, padded with zeros.
    pub(crate) fn array<const N: usize>(&mut self) -> [u8; N] {
        let taken = self.bytes(N);
        let mut out = [0; N];
        out[..taken.len()].copy_from_slice(taken);
        out
    }

    /// Returns the rest.
    pub(crate) fn rest(&mut self) -> &'a [u8] {
        self.bytes(usize::MAX)
    }
}
