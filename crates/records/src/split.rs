//! Splitters, which find where records begin and end. They are state machines that process each
//! byte once, except after damage. Before a record, zero bytes and byte order marks count as white
//! space: a log has zeros if it was truncated while its writer kept its position, and marks if files
//! were concatenated.

#[cfg(test)]
mod tests;
mod values;

use alloc::vec::Vec;
use core::ops::Range;

use memchr::{memchr, memchr_iter, memchr2, memchr3, memrchr};

use crate::csv::At;
use values::Values;

/// The UTF-8 byte order mark that some editors write before text.
pub const MARK: &[u8] = b"\xef\xbb\xbf";
/// The record separator of JSON text sequences (RFC 7464).
pub(crate) const SEPARATOR: u8 = 0x1e;

/// The separation of records in a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framing {
    /// One record per line (NDJSON).
    Lines,
    /// Concatenated JSON values. The items of arrays are records.
    Json,
    /// JSON texts after record separators (RFC 7464), which may be over several lines.
    Sequence,
    /// Rows of cells with this delimiter (RFC 4180). The first row is the header.
    Rows(u8),
}

/// A record in a batch of bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slot {
    /// The line that the record begins on, or its number among the values, counted from 1.
    pub number: u64,
    /// The range in the batch.
    pub range: Range<usize>,
    /// Its content.
    pub kind: SlotKind,
}

/// The content of a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SlotKind {
    /// A record.
    Record,
    /// The part in this batch of a record that exceeds the limit.
    TooLarge,
    /// A further part of such a record. If each part becomes a record of the output, this byte is
    /// written before it.
    Part(u8),
    /// Bytes that may be a part of a damaged record, even if they are JSON.
    Fragment,
}

impl Slot {
    /// Reports whether the slot is a record, or the first part of one.
    #[must_use]
    pub const fn is_record(&self) -> bool {
        !matches!(self.kind, SlotKind::Part(_))
    }
}

/// The error of a JSON array that is never closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpenArray;

/// Returns the records of a complete input, and an error if it ends within an array.
pub fn all(input: &[u8], framing: Framing) -> (Vec<Slot>, Result<(), OpenArray>) {
    let (mut splitter, mut slots) = (Splitter::new(framing, false), Vec::new());
    splitter.split(input, 0, usize::MAX, &mut slots);
    let end = splitter.end(input, &mut slots);
    (slots, end)
}

/// A splitter of bytes that arrive in pieces.
#[derive(Debug)]
pub struct Splitter {
    kind: Kind,
    /// The start of the unfinished record.
    start: Option<usize>,
    /// Set if that record is too large. Its bytes are then passed on as they arrive.
    too_large: bool,
    /// Set if a part of it was passed on.
    has_passed: bool,
    number: u64,
    /// The number that the record began with.
    first: u64,
    /// The number of bytes of a byte order mark that the record so far consists of.
    mark: usize,
    /// The number of bytes that may still be looked at again, after damage.
    again: usize,
}

/// The largest number of bytes of an input that are read twice, so that crafted damage does not
/// take quadratic time. Beyond it, the next value is looked for only after the byte that shows the
/// damage.
const AGAIN: usize = 64 << 20;

#[derive(Debug)]
enum Kind {
    Lines,
    Sequence,
    Strict(Strict),
    Values(Values),
    Rows(Rows),
}

/// JSON values as data to be sealed is read: see [`Splitter::json`].
#[derive(Debug, Default)]
struct Strict {
    /// Set if a bracket or comma was not where JSON allows it. All bytes from it on may be a part
    /// of a value.
    is_lost: bool,
    /// Set if values are the items of an array.
    in_array: bool,
    depth: usize,
    in_string: bool,
    escaped: bool,
}

#[derive(Debug)]
struct Rows {
    delimiter: u8,
    at: At,
}

/// The meaning of a byte for the current record.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Meaning {
    Nothing,
    Begins,
    /// The record ends before this byte.
    EndsBefore,
    /// The record ends with this byte.
    EndsWith,
    /// The record is damaged and ends before this byte, with which the next one begins.
    BeginsNext,
    /// The record is damaged, as this byte shows. The next one may begin before it.
    Damages,
}

impl Splitter {
    /// Creates a splitter for lines, of which the first has this number.
    pub const fn lines(number: u64) -> Self {
        let mut lines = Self::of(Kind::Lines);
        (lines.number, lines.first) = (number, number);
        lines
    }

    /// Creates a splitter. For JSON values, see [`Splitter::json`] about `is_strict`.
    #[must_use]
    pub fn new(framing: Framing, is_strict: bool) -> Self {
        match framing {
            Framing::Lines => Self::lines(1),
            Framing::Json => Self::json(is_strict),
            Framing::Sequence => Self::of(Kind::Sequence),
            Framing::Rows(delimiter) => Self::rows(delimiter),
        }
    }

    /// Creates a splitter for JSON values. After damage the next value is looked for. Data to be
    /// sealed must be read strictly instead: after a stray bracket or comma, a part of a value could
    /// be mistaken for a whole value in which no field is found. So all bytes from the stray one on
    /// are one record.
    pub fn json(is_strict: bool) -> Self {
        Self::of(match is_strict {
            true => Kind::Strict(Strict::default()),
            false => Kind::Values(Values::default()),
        })
    }

    /// Creates a splitter for rows of cells.
    pub fn rows(delimiter: u8) -> Self {
        Self::of(Kind::Rows(Rows {
            delimiter,
            at: At::default(),
        }))
    }

    const fn of(kind: Kind) -> Self {
        Self {
            kind,
            start: None,
            too_large: false,
            has_passed: false,
            number: 1,
            first: 1,
            mark: 0,
            again: AGAIN,
        }
    }

    /// Returns the start of the unfinished record, if it must be kept.
    pub fn pending(&self) -> Option<usize> {
        self.start.filter(|_| !self.too_large)
    }

    /// Returns [`Self::pending`], for a caller that drops the bytes before it, or all bytes up to
    /// `end` if it is `None`. Later positions count from there. If the unfinished record is too
    /// large, its part up to `end` becomes a slot.
    pub fn rebase(&mut self, end: usize, slots: &mut Vec<Slot>) -> Option<usize> {
        let pending = self.pending();
        if let Some(start) = self.start.filter(|start| self.too_large && *start < end) {
            slots.push(self.slot(start..end));
            self.has_passed = true;
        }
        self.start = self.start.map(|_| 0);
        pending
    }

    fn slot(&self, range: Range<usize>) -> Slot {
        let kind = match (self.too_large, self.has_passed, &self.kind) {
            (false, _, Kind::Strict(Strict { is_lost: true, .. })) => SlotKind::Fragment,
            (false, ..) => SlotKind::Record,
            (true, false, _) => SlotKind::TooLarge,
            (true, true, Kind::Strict(Strict { in_array: true, .. }))
            | (true, true, Kind::Values(Values { in_array: true, .. })) => SlotKind::Part(b','),
            (true, true, _) => SlotKind::Part(b'\n'),
        };
        Slot {
            number: self.first,
            range,
            kind,
        }
    }

    /// Reports whether records are JSON values.
    pub const fn has_values(&self) -> bool {
        matches!(self.kind, Kind::Strict(_) | Kind::Values(_))
    }

    /// Appends the records that end in `bytes` from position `from` on. A record larger than
    /// `limit` bytes is marked.
    pub fn split(&mut self, bytes: &[u8], from: usize, limit: usize, slots: &mut Vec<Slot>) {
        let (mut at, before) = (from, slots.len());
        while at < bytes.len() {
            at = self.skip(bytes, at);
            let Some(byte) = bytes.get(at) else { break };
            match self.meaning(*byte) {
                Meaning::Begins => self.begin(at, *byte),
                Meaning::BeginsNext => {
                    self.finish(at, limit, slots);
                    trim_damaged(bytes, slots);
                    self.begin(at, *byte);
                }
                Meaning::Damages => {
                    at = self.lose(at, limit);
                    continue;
                }
                Meaning::EndsBefore => self.finish(at, limit, slots),
                Meaning::EndsWith => self.finish(at + 1, limit, slots),
                Meaning::Nothing if self.mark > 0 => self.mark_goes_on(*byte),
                Meaning::Nothing => {}
            }
            if !self.has_values() && *byte == b'\n' {
                self.number += 1;
            }
            at += 1;
        }
        self.trim(bytes, &mut slots[before..]);
        self.too_large |= self
            .pending()
            .is_some_and(|start| bytes.len() - start > limit);
    }

    /// Ends the input, and the unfinished record with it.
    ///
    /// # Errors
    /// [`OpenArray`] if the input ends within an array.
    pub fn end(&mut self, bytes: &[u8], slots: &mut Vec<Slot>) -> Result<(), OpenArray> {
        // A value without an end may have others in it.
        while !self.too_large && matches!(&self.kind, Kind::Values(values) if values.is_open()) {
            let from = self.lose(bytes.len(), usize::MAX);
            self.split(bytes, from, usize::MAX, slots);
        }
        let before = slots.len();
        self.finish(bytes.len(), usize::MAX, slots);
        self.trim(bytes, &mut slots[before..]);
        let in_array = match &self.kind {
            Kind::Strict(json) => json.in_array && !json.is_lost,
            Kind::Values(values) => values.in_array,
            _ => false,
        };
        match in_array {
            true => Err(OpenArray),
            false => Ok(()),
        }
    }

    fn begin(&mut self, at: usize, byte: u8) {
        (self.start, self.first) = (Some(at), self.number);
        self.mark = usize::from(byte == MARK[0]);
    }

    /// Begins to look for the value after a damaged one, from the returned position on: in the
    /// damaged one, if its bytes are still there, or else at `at`.
    fn lose(&mut self, at: usize, limit: usize) -> usize {
        if let Kind::Values(values) = &mut self.kind {
            values.lose();
        }
        let start = self.start.unwrap_or(at);
        match self.again.checked_sub(at - start) {
            Some(again) if !self.too_large && at - start <= limit => {
                self.again = again;
                start + 1
            }
            _ => at,
        }
    }

    /// Reads a further byte of what may be a byte order mark. A complete one is not a record.
    fn mark_goes_on(&mut self, byte: u8) {
        self.mark = match MARK.get(self.mark) {
            Some(expected) if *expected == byte => self.mark + 1,
            _ => 0,
        };
        if self.mark == MARK.len() {
            (self.start, self.mark) = (None, 0);
            if let Kind::Rows(rows) = &mut self.kind {
                rows.at = At::default();
            }
        }
    }

    /// Removes the white space at the end of records of a sequence.
    fn trim(&self, bytes: &[u8], slots: &mut [Slot]) {
        if let Kind::Sequence = self.kind {
            for Slot { range, .. } in slots {
                range.end = range.start + bytes[range.clone()].trim_ascii_end().len();
            }
        }
    }

    /// Skips bytes without a meaning, by a fast search.
    fn skip(&self, bytes: &[u8], at: usize) -> usize {
        let rest = &bytes[at..];
        let skipped = match &self.kind {
            _ if self.mark > 0 => Some(0),
            Kind::Sequence if self.start.is_some() => memchr2(SEPARATOR, b'\n', rest),
            Kind::Lines if self.start.is_some() => memchr(b'\n', rest),
            Kind::Strict(json) if json.is_in_text() => memchr2(b'"', b'\\', rest),
            Kind::Values(values) if values.is_in_text() => memchr3(b'"', b'\\', b'\n', rest),
            Kind::Rows(Rows { at: At::Quoted, .. }) => memchr2(b'"', b'\n', rest),
            Kind::Rows(Rows {
                at: At::Bare,
                delimiter,
            }) => memchr2(*delimiter, b'\n', rest),
            _ => Some(0),
        };
        skipped.map_or(bytes.len(), |skipped| at + skipped)
    }

    /// Ends the record before `at`. White space that is removed from it counts for the limit, since
    /// the record may have been passed on as too large before its end was known.
    fn finish(&mut self, at: usize, limit: usize, slots: &mut Vec<Slot>) {
        if let Some(start) = self.start.take() {
            self.too_large |= at - start > limit;
            slots.push(self.slot(start..at));
            (self.too_large, self.has_passed) = (false, false);
            self.number += u64::from(self.has_values());
        }
    }

    fn meaning(&mut self, byte: u8) -> Meaning {
        let within = self.start.is_some();
        match &mut self.kind {
            Kind::Lines if byte == b'\n' && within => Meaning::EndsBefore,
            Kind::Sequence if byte == SEPARATOR && within => Meaning::EndsBefore,
            Kind::Lines | Kind::Sequence if !within && !is_blank(byte) => Meaning::Begins,
            Kind::Lines | Kind::Sequence => Meaning::Nothing,
            Kind::Strict(json) => json.meaning(byte, within),
            Kind::Values(values) => values.meaning(byte, within),
            Kind::Rows(rows) => rows.meaning(byte, within),
        }
    }
}

/// Removes the white space and the comma after the last record, which is damaged.
fn trim_damaged(bytes: &[u8], slots: &mut [Slot]) {
    if let Some(Slot { range, .. }) = slots.last_mut() {
        let text = bytes[range.clone()].trim_ascii_end();
        let text = text.strip_suffix(b",").unwrap_or(text).trim_ascii_end();
        range.end = range.start + text.len();
    }
}

/// Reports whether a byte before a record is skipped.
const fn is_blank(byte: u8) -> bool {
    byte.is_ascii_whitespace() || matches!(byte, 0 | SEPARATOR)
}

impl Strict {
    fn meaning(&mut self, byte: u8, within: bool) -> Meaning {
        if self.in_string {
            return self.string(byte);
        }
        self.is_lost |= self.loses(byte);
        if self.is_lost {
            let begins = !within && !is_blank(byte);
            return if begins {
                Meaning::Begins
            } else {
                Meaning::Nothing
            };
        }
        match byte {
            b'[' if !within && !self.in_array => {
                self.in_array = true;
                Meaning::Nothing
            }
            b']' if self.depth == 0 => {
                self.in_array = false;
                if within {
                    Meaning::EndsBefore
                } else {
                    Meaning::Nothing
                }
            }
            b'}' | b']' => {
                self.depth = self.depth.saturating_sub(1);
                if within && self.depth == 0 {
                    Meaning::EndsWith
                } else {
                    Meaning::Nothing
                }
            }
            b' ' | b'\t' | b'\r' | b'\n' | b',' | 0 | SEPARATOR => {
                if within && self.depth == 0 {
                    Meaning::EndsBefore
                } else {
                    Meaning::Nothing
                }
            }
            _ => {
                self.in_string = byte == b'"';
                self.depth += usize::from(matches!(byte, b'{' | b'['));
                if within {
                    Meaning::Nothing
                } else {
                    Meaning::Begins
                }
            }
        }
    }

    /// Reports whether this byte is a bracket or comma outside of all values, where JSON does not
    /// allow it.
    const fn loses(&self, byte: u8) -> bool {
        match byte {
            b'}' => self.depth == 0,
            b']' | b',' => self.depth == 0 && !self.in_array,
            _ => false,
        }
    }

    /// Reports whether this byte is in a string that no escape interrupts, where only quotes and
    /// backslashes have a meaning.
    const fn is_in_text(&self) -> bool {
        self.in_string && !self.escaped
    }

    fn string(&mut self, byte: u8) -> Meaning {
        let ends = byte == b'"' && !self.escaped;
        self.escaped = byte == b'\\' && !self.escaped;
        self.in_string = !ends;
        Meaning::Nothing
    }
}

impl Rows {
    fn meaning(&mut self, byte: u8, within: bool) -> Meaning {
        if !within && matches!(byte, b'\r' | b'\n' | 0) {
            return Meaning::Nothing;
        }
        if byte == b'\n' && self.at != At::Quoted {
            self.at = At::default();
            return Meaning::EndsBefore;
        }
        self.at = self.at.after(byte, self.delimiter);
        if within {
            Meaning::Nothing
        } else {
            Meaning::Begins
        }
    }
}

/// The place of a byte, for messages about records. Lines and characters count from 1.
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
