//! The splitters: state machines that see each byte once.

use memchr::{memchr, memchr2};

use super::Slot;
use crate::{csv::At, input::InputError};

/// Finds records in bytes that come in pieces.
#[derive(Debug)]
pub(super) struct Splitter {
    kind: Kind,
    /// Where the record that has no end yet begins.
    start: Option<usize>,
    /// Whether that record is too large: then it passes as it comes.
    too_large: bool,
    number: u64,
    /// The number that it began with.
    first: u64,
}

#[derive(Debug)]
enum Kind {
    Lines,
    Json(Json),
    Rows(Rows),
}

#[derive(Debug, Default)]
struct Json {
    /// Whether values are the items of an array.
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

/// What a byte means to the record at hand.
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
    /// Lines, of which the first has this number.
    pub(super) const fn lines(number: u64) -> Self {
        let (kind, first) = (Kind::Lines, number);
        Self {
            number,
            first,
            ..Self::of(kind)
        }
    }

    pub(super) fn json() -> Self {
        Self::of(Kind::Json(Json::default()))
    }

    pub(super) fn rows(delimiter: u8) -> Self {
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
            number: 1,
            first: 1,
        }
    }

    /// Where the record that has no end yet begins, if it has to be kept.
    pub(super) fn pending(&self) -> Option<usize> {
        self.start.filter(|_| !self.too_large)
    }

    /// The same; from here on places count from there.
    pub(super) fn rebase(&mut self) -> Option<usize> {
        let pending = self.pending();
        self.start = self.start.map(|_| 0);
        pending
    }

    pub(super) fn split(&mut self, bytes: &[u8], from: usize, limit: usize, slots: &mut Vec<Slot>) {
        let mut at = from;
        while at < bytes.len() {
            at = self.skip(bytes, at);
            let Some(byte) = bytes.get(at) else { break };
            match self.meaning(*byte) {
                Meaning::Begins => (self.start, self.first) = (Some(at), self.number),
                Meaning::EndsBefore => self.finish(at, slots),
                Meaning::EndsWith => self.finish(at + 1, slots),
                Meaning::Nothing => {}
            }
            if !matches!(self.kind, Kind::Json(_)) && *byte == b'\n' {
                self.number += 1;
            }
            at += 1;
        }
        if let Some(start) = self.pending().filter(|start| bytes.len() - start > limit) {
            self.too_large = true;
            slots.push(Slot {
                number: self.first,
                range: start..start,
            });
        }
        slots
            .iter_mut()
            .filter(|slot| slot.range.len() > limit)
            .for_each(|slot| slot.range.end = slot.range.start);
    }

    /// The input ends: so does the record that has no end yet.
    ///
    /// # Errors
    /// If the input cannot end here.
    pub(super) fn end(&mut self, at: usize, slots: &mut Vec<Slot>) -> Result<(), InputError> {
        self.finish(at, slots);
        match &self.kind {
            Kind::Json(json) if json.in_array => Err(InputError::OpenArray),
            _ => Ok(()),
        }
    }

    /// Past bytes that mean nothing, at the speed of a search.
    fn skip(&self, bytes: &[u8], at: usize) -> usize {
        let rest = &bytes[at..];
        let skipped = match &self.kind {
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
            if !self.too_large {
                slots.push(Slot {
                    number: self.first,
                    range: start..at,
                });
            }
            self.too_large = false;
            if let Kind::Json(_) = self.kind {
                self.number += 1;
            }
        }
    }

    fn meaning(&mut self, byte: u8) -> Meaning {
        let within = self.start.is_some();
        match &mut self.kind {
            Kind::Lines if byte == b'\n' && within => Meaning::EndsBefore,
            Kind::Lines if !within && !byte.is_ascii_whitespace() => Meaning::Begins,
            Kind::Lines => Meaning::Nothing,
            Kind::Json(json) => json.meaning(byte, within),
            Kind::Rows(rows) => rows.meaning(byte, within),
        }
    }
}

impl Rows {
    fn meaning(&mut self, byte: u8, within: bool) -> Meaning {
        if !within && matches!(byte, b'\r' | b'\n') {
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
            b' ' | b'\t' | b'\r' | b'\n' | b',' => {
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

    fn string(&mut self, byte: u8) -> Meaning {
        let ends = byte == b'"' && !self.escaped;
        self.escaped = byte == b'\\' && !self.escaped;
        self.in_string = !ends;
        Meaning::Nothing
    }
}
