//! Different texts by number. A map of the standard library takes more code and time.

use crate::{js::random, low, part};

/// Texts as bytes, one directly after another, by number.
pub(crate) struct Numbers {
    bytes: Vec<u8>,
    ends: Vec<u32>,
    /// At a text's hash, or soon after it, its number plus 1. At most half of it is used.
    table: Vec<u32>,
    /// Clients choose texts, and must not know which ones collide.
    seed: u32,
}

impl Numbers {
    /// Creates no texts.
    pub(crate) fn new() -> Self {
        Self {
            bytes: Vec::new(),
            ends: Vec::new(),
            table: vec![0; 256],
            seed: low(random().to_bits() & u64::from(u32::MAX)),
        }
    }

    /// Returns the number of different texts.
    pub(crate) const fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns a text.
    pub(crate) fn get(&self, number: usize) -> &[u8] {
        part(&self.bytes, &self.ends, number)
    }

    /// Returns the number of a text, and whether it is new.
    pub(crate) fn number(&mut self, text: &[u8]) -> (u32, bool) {
        let place = self.place(text);
        if self.table[place] > 0 {
            return (self.table[place] - 1, false);
        }
        self.bytes.extend_from_slice(text);
        self.ends.push(low(self.bytes.len() as u64));
        let number = low(self.len() as u64);
        self.table[place] = number;
        if 2 * self.len() > self.table.len() {
            self.grow();
        }
        (number - 1, true)
    }

    /// Returns the place of a text in the table, or the empty place where it would be.
    fn place(&self, text: &[u8]) -> usize {
        let last = self.table.len() - 1;
        let mut at = self.hash(text) & last;
        while self.table[at] > 0 && self.get(self.table[at] as usize - 1) != text {
            at = (at + 1) & last;
        }
        at
    }

    fn hash(&self, text: &[u8]) -> usize {
        text.iter().fold(self.seed, |hash, byte| {
            let product = (hash ^ u32::from(*byte)).wrapping_mul(0x9e37_79b1);
            product ^ (product >> 16)
        }) as usize
    }

    fn grow(&mut self) {
        self.table = vec![0; 2 * self.table.len()];
        for number in 0..self.len() {
            let place = self.place(self.get(number));
            self.table[place] = low(number as u64) + 1;
        }
    }
}
