//! The array that values of JSON are items of. What is between them says where it begins and ends, unless
//! that is in a damaged value which goes on to the end of the input.

use crate::frame::Batch;

/// A place between values.
#[derive(Clone, Copy, Default)]
pub(super) struct Array {
    /// True if it is in an array.
    is_open: bool,
    /// True if a value is before it, without a comma after that.
    follows_value: bool,
    /// True if nothing is between that value and this place.
    is_close: bool,
}

impl Array {
    /// The place before the last value of a batch, which begins here.
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

    /// The place after a batch, which begins here.
    pub(super) fn after_batch(self, batch: &Batch) -> Self {
        match batch.slots.last() {
            Some(last) => self
                .before_last(batch)
                .after_value()
                .after(&batch.bytes[last.range.end..]),
            None => self.after(&batch.bytes),
        }
    }

    /// The place after a value that is here.
    const fn after_value(self) -> Self {
        Self {
            is_open: self.is_open,
            follows_value: true,
            is_close: true,
        }
    }

    /// The place after these bytes, which are between values.
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

    /// The byte that has to be written before a value here.
    pub(super) const fn separator(self) -> Option<u8> {
        match self.is_open {
            true if self.follows_value => Some(b','),
            false if self.follows_value && self.is_close => Some(b'\n'),
            _ => None,
        }
    }

    /// The byte between the parts of a value here.
    pub(super) const fn between_parts(self) -> u8 {
        match self.is_open {
            true => b',',
            false => b'\n',
        }
    }

    /// The bytes that end it.
    pub(super) const fn end(self) -> Option<&'static [u8]> {
        match self.is_open {
            true => Some(b"]\n"),
            false => None,
        }
    }
}
