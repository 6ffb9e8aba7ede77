//! Sixteen words of 16 bits in memory.

/// A vector in memory.
#[repr(C, align(32))]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Words(pub(crate) [i16; 16]);

impl Words {
    pub(crate) const ZERO: Self = Self([0; 16]);

    /// Repeats a half twice.
    pub(crate) const fn twice(half: [i16; 8]) -> Self {
        let mut words = [0; 16];
        let mut i = 0;
        while i < 16 {
            words[i] = half[i % 8];
            i += 1;
        }
        Self(words)
    }

    /// Repeats a quad four times.
    pub(crate) const fn quads([a, b, c, d]: [i16; 4]) -> Self {
        Self::twice([a, b, c, d, a, b, c, d])
    }

    /// Repeats a pair eight times.
    pub(crate) const fn pairs([a, b]: [i16; 2]) -> Self {
        Self::quads([a, b, a, b])
    }

    /// Makes words of sixteen bytes for each half.
    pub(crate) const fn bytes(halves: [[u8; 16]; 2]) -> Self {
        let mut words = [0; 16];
        let mut i = 0;
        while i < 16 {
            let half = &halves[i / 8];
            words[i] = i16::from_le_bytes([half[2 * (i % 8)], half[2 * (i % 8) + 1]]);
            i += 1;
        }
        Self(words)
    }
}
