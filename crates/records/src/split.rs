//! Splitters, which find where records begin and end. They are state machines that process each
//! byte once. Before a record, zero bytes and byte order marks count as white space: a log has
//! zeros if it was truncated while its writer kept its position, and marks if files were
//! concatenated.

use alloc::vec::Vec;
use core::ops::Range;

use memchr::{memchr, memchr2};

use crate::csv::At;

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
}

#[derive(Debug)]
enum Kind {
    Lines,
    Sequence,
    Json(Json),
    Rows(Rows),
}

#[derive(Debug, Default)]
struct Json {
    /// Set if brackets and commas between values must be where JSON allows them.
    is_strict: bool,
    /// Set if one was not. All bytes from it on may be a part of a value.
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
}

impl Splitter {
    /// Creates a splitter for lines, of which the first has this number.
    pub const fn lines(number: u64) -> Self {
        let (kind, first) = (Kind::Lines, number);
        Self {
            number,
            first,
            ..Self::of(kind)
        }
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

    /// Creates a splitter for JSON values. Data to be sealed must be read strictly: after a stray
    /// bracket or comma, a part of a value could be mistaken for a whole value in which no field is
    /// found. So all bytes from the stray one on are one record.
    pub fn json(is_strict: bool) -> Self {
        Self::of(Kind::Json(Json {
            is_strict,
            ..Json::default()
        }))
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
            (false, _, Kind::Json(Json { is_lost: true, .. })) => SlotKind::Fragment,
            (false, ..) => SlotKind::Record,
            (true, false, _) => SlotKind::TooLarge,
            (true, true, Kind::Json(Json { in_array: true, .. })) => SlotKind::Part(b','),
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
        matches!(self.kind, Kind::Json(_))
    }

    /// Appends the records that end in `bytes` from position `from` on. A record larger than
    /// `limit` bytes is marked.
    pub fn split(&mut self, bytes: &[u8], from: usize, limit: usize, slots: &mut Vec<Slot>) {
        let (mut at, before) = (from, slots.len());
        while at < bytes.len() {
            at = self.skip(bytes, at);
            let Some(byte) = bytes.get(at) else { break };
            match self.meaning(*byte) {
                Meaning::Begins => {
                    (self.start, self.first) = (Some(at), self.number);
                    self.mark = usize::from(*byte == MARK[0]);
                }
                Meaning::EndsBefore => self.finish(at, slots),
                Meaning::EndsWith => self.finish(at + 1, slots),
                Meaning::Nothing if self.mark > 0 => self.mark_goes_on(*byte),
                Meaning::Nothing => {}
            }
            if !matches!(self.kind, Kind::Json(_)) && *byte == b'\n' {
                self.number += 1;
            }
            at += 1;
        }
        self.trim(bytes, &mut slots[before..]);
        self.too_large |= self
            .pending()
            .is_some_and(|start| bytes.len() - start > limit);
        slots
            .iter_mut()
            .filter(|slot| slot.kind == SlotKind::Record && slot.range.len() > limit)
            .for_each(|slot| slot.kind = SlotKind::TooLarge);
    }

    /// Ends the input, and the unfinished record with it.
    ///
    /// # Errors
    /// [`OpenArray`] if the input ends within an array.
    pub fn end(&mut self, bytes: &[u8], slots: &mut Vec<Slot>) -> Result<(), OpenArray> {
        let before = slots.len();
        self.finish(bytes.len(), slots);
        self.trim(bytes, &mut slots[before..]);
        match &self.kind {
            Kind::Json(json) if json.in_array && !json.is_lost => Err(OpenArray),
            _ => Ok(()),
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
            Kind::Json(json) if json.in_string && !json.escaped => memchr2(b'"', b'\\', rest),
            Kind::Rows(Rows { at: At::Quoted, .. }) => memchr2(b'"', b'\n', rest),
            Kind::Rows(Rows {
                at: At::Bare,
                delimiter,
            }) => memchr2(*delimiter, b'\n', rest),
            _ => Some(0),
        };
        skipped.map_or(bytes.len(), |skipped| at + skipped)
    }

    fn finish(&mut self, at: usize, slots: &mut Vec<Slot>) {
        if let Some(start) = self.start.take() {
            slots.push(self.slot(start..at));
            (self.too_large, self.has_passed) = (false, false);
            if let Kind::Json(_) = self.kind {
                self.number += 1;
            }
        }
    }

    fn meaning(&mut self, byte: u8) -> Meaning {
        let within = self.start.is_some();
        match &mut self.kind {
            Kind::Lines if byte == b'\n' && within => Meaning::EndsBefore,
            Kind::Sequence if byte == SEPARATOR && within => Meaning::EndsBefore,
            Kind::Lines | Kind::Sequence if !within && !is_blank(byte) => Meaning::Begins,
            Kind::Lines | Kind::Sequence => Meaning::Nothing,
            Kind::Json(json) => json.meaning(byte, within),
            Kind::Rows(rows) => rows.meaning(byte, within),
        }
    }
}

/// Reports whether a byte before a record is skipped.
const fn is_blank(byte: u8) -> bool {
    byte.is_ascii_whitespace() || matches!(byte, 0 | SEPARATOR)
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

impl Json {
    fn meaning(&mut self, byte: u8, within: bool) -> Meaning {
        if self.in_string {
            return self.string(byte);
        }
        // From a stray byte on, all bytes are one record.
        self.is_lost |= self.is_strict && self.loses(byte);
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

    fn string(&mut self, byte: u8) -> Meaning {
        let ends = byte == b'"' && !self.escaped;
        self.escaped = byte == b'\\' && !self.escaped;
        self.in_string = !ends;
        Meaning::Nothing
    }
}
