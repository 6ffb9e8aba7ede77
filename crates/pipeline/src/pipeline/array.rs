//! The array whose items are JSON values. Its beginning and end are found between values, except an
//! end inside a damaged value that extends to the end of the input.

use crate::frame::Batch;

/// A position between values.
#[derive(Clone, Copy, Default)]
pub(super) struct Array {
    /// Set if the position is in an array.
    is_open: bool,
    /// Set if a value precedes it without a comma after that value.
    follows_value: bool,
    /// Set if the position is directly after that value.
    is_close: bool,
}

impl Array {
    /// Returns the position before the last value of a batch that begins here.
    pub(super) fn before_last(self, batch: &Batch) -> Self {
        let (mut place, mut from) = (self, 0);
        for (at, slot) in batch.slots.iter().enumerate() {
            place = place.after(&batch.bytes[from..slot.range.start]);
            from = slot.range.end;
            if at + 1 < batch.slots.len() {
                place = place.after_value();
            }
        }
        place
    }

    /// Returns the position after a batch that begins here.
    pub(super) fn after_batch(self, batch: &Batch) -> Self {
        match batch.slots.last() {
            Some(last) => self
                .before_last(batch)
                .after_value()
                .after(&batch.bytes[last.range.end..]),
            None => self.after(&batch.bytes),
        }
    }

    /// Returns the position after a value that is here.
    const fn after_value(self) -> Self {
        Self {
            is_open: self.is_open,
            follows_value: true,
            is_close: true,
        }
    }

    /// Returns the position after these bytes, which are between values.
    fn after(mut self, between: &[u8]) -> Self {
        for byte in between {
            match byte {
                b'[' => (self.is_open, self.follows_value) = (true, false),
                b']' => (self.is_open, self.follows_value) = (false, true),
                b',' => self.follows_value = false,
                _ => {}
            }
        }
        self.is_close &= between.is_empty();
        self
    }

    /// Returns the byte that must be written before a value here.
    pub(super) const fn separator(self) -> Option<u8> {
        match self.is_open {
            true if self.follows_value => Some(b','),
            false if self.follows_value && self.is_close => Some(b'\n'),
            _ => None,
        }
    }

    /// Returns the byte between the parts of a value here.
    pub(super) const fn between_parts(self) -> u8 {
        match self.is_open {
            true => b',',
            false => b'\n',
        }
    }

    /// Returns the bytes that end the array.
    pub(super) const fn end(self) -> Option<&'static [u8]> {
        match self.is_open {
            true => Some(b"]\n"),
            false => None,
        }
    }
}
