//! A validating scanner (RFC 8259) that yields byte ranges. It keeps its own stack, so depth costs
//! memory but no recursion.
//!
//! There is one exception to the RFC: bytes from 0x80 in strings are accepted as they are. A log
//! line with a stray byte in its user agent is still a record, and is passed on unchanged.

use alloc::vec::Vec;
use core::{error, fmt, ops::Range};

/// The maximum depth of containers. A deeper text is not a record, so memory is bounded by eight
/// bytes per level.
const MAX_DEPTH: usize = 1 << 16;

/// The reason why a text is not read, with the position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bad {
    /// The position, in bytes from the start.
    pub offset: usize,
    /// The reason.
    pub why: Why,
}

/// A reason why a text is not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// It is not JSON.
    Syntax,
    /// Its containers are nested more than 65,536 deep.
    TooDeep,
    /// It has more fields that rules name than [`Rules::max_fields`](crate::Rules::max_fields).
    TooManyFields,
}

/// A step through a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// A `{` or `[` at this position.
    Begin(usize),
    /// The end of an object or array, with its range, including the brackets.
    End(Range<usize>),
    /// The name of a member, including its quotes.
    Key(Range<usize>),
    /// A string (including its quotes), number, `true`, `false` or `null`.
    Scalar(Range<usize>),
}

/// The kind of a text.
#[derive(Debug)]
pub enum Whole {
    /// One value.
    Value,
    /// The beginning of a value that may continue in the next line.
    Unfinished(Unfinished),
    /// Other text.
    Bad,
}

/// The state of a scanner at the end of a text that is the beginning of a value.
#[derive(Debug)]
pub struct Unfinished {
    at: usize,
    open: Vec<usize>,
    next: Next,
}

/// Determines the kind of `text`. If a beginning of it was already scanned, `begun` is the state
/// after that beginning.
pub fn whole(text: &[u8], begun: Option<Unfinished>) -> Whole {
    let mut scanner = Scanner::new(text);
    if let Some(Unfinished { at, open, next }) = begun {
        scanner = Scanner {
            at,
            open,
            next,
            ..scanner
        };
    }
    loop {
        match scanner.step() {
            Ok(Some(_)) => {}
            Ok(None) => return Whole::Value,
            Err(_) if scanner.waits => {
                let Scanner { at, open, next, .. } = scanner;
                return Whole::Unfinished(Unfinished { at, open, next });
            }
            Err(_) => return Whole::Bad,
        }
    }
}

/// A scanner that steps through one value with optional white space around it.
#[derive(Debug)]
pub(crate) struct Scanner<'a> {
    bytes: &'a [u8],
    at: usize,
    /// The start of each unclosed container.
    open: Vec<usize>,
    next: Next,
    /// Set if the text ended between two steps, where more may follow.
    waits: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    Value,
    /// A value, or `]`.
    FirstItem,
    Key,
    /// A key, or `}`.
    FirstKey,
    AfterValue,
    Done,
}

/// Checks that `bytes` are one JSON value.
///
/// # Errors
/// The first position at which they are not, or at which they are too deep.
pub fn validate(bytes: &[u8]) -> Result<(), Bad> {
    Scanner::new(bytes).try_for_each(|event| event.map(drop))
}

impl fmt::Display for Bad {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.why {
            Why::Syntax => write!(f, "it is not JSON from byte {} on", self.offset + 1),
            Why::TooDeep => write!(f, "it is nested too deeply at byte {}", self.offset + 1),
            Why::TooManyFields => f.write_str("it has too many fields"),
        }
    }
}

impl error::Error for Bad {}

impl<'a> Scanner<'a> {
    /// Creates a scanner at the start of `bytes`.
    pub(crate) const fn new(bytes: &'a [u8]) -> Self {
        Self {
            bytes,
            at: 0,
            open: Vec::new(),
            next: Next::Value,
            waits: false,
        }
    }

    fn step(&mut self) -> Result<Option<Event>, Bad> {
        #[cfg(test)]
        let from = self.at;
        let step = self.event();
        #[cfg(test)]
        super::count::add(self.at - from);
        step
    }

    fn event(&mut self) -> Result<Option<Event>, Bad> {
        loop {
            self.skip_blanks();
            let byte = self.bytes.get(self.at).copied();
            match (self.next, byte) {
                (Next::Done, _) => return Ok(None),
                (Next::AfterValue, None) if self.open.is_empty() => self.next = Next::Done,
                (Next::AfterValue, Some(b',')) if !self.open.is_empty() => {
                    self.at += 1;
                    self.next = match self.open.last() {
                        Some(start) if self.bytes[*start] == b'{' => Next::Key,
                        _ => Next::Value,
                    };
                }
                (Next::AfterValue | Next::FirstKey, Some(b'}')) => return self.end(b'{').map(Some),
                (Next::AfterValue | Next::FirstItem, Some(b']')) => {
                    return self.end(b'[').map(Some);
                }
                (Next::Key | Next::FirstKey, Some(b'"')) => return self.key().map(Some),
                (Next::Value | Next::FirstItem, Some(byte)) => return self.value(byte).map(Some),
                (_, found) => {
                    self.waits = found.is_none();
                    return Err(self.bad());
                }
            }
        }
    }

    fn value(&mut self, byte: u8) -> Result<Event, Bad> {
        let start = self.at;
        match byte {
            b'{' | b'[' if self.open.len() < MAX_DEPTH => {
                self.open.push(start);
                self.at += 1;
                self.next = if byte == b'{' {
                    Next::FirstKey
                } else {
                    Next::FirstItem
                };
                return Ok(Event::Begin(start));
            }
            b'{' | b'[' => {
                return Err(Bad {
                    offset: start,
                    why: Why::TooDeep,
                });
            }
            b'"' => self.string()?,
            b'-' | b'0'..=b'9' => self.number()?,
            b't' => self.word(b"true")?,
            b'f' => self.word(b"false")?,
            b'n' => self.word(b"null")?,
            _ => return Err(self.bad()),
        }
        self.next = Next::AfterValue;
        Ok(Event::Scalar(start..self.at))
    }

    fn end(&mut self, opened_by: u8) -> Result<Event, Bad> {
        let start = self.open.pop();
        let start = start.filter(|start| self.bytes[*start] == opened_by);
        let start = start.ok_or(self.bad())?;
        self.at += 1;
        self.next = Next::AfterValue;
        Ok(Event::End(start..self.at))
    }

    fn key(&mut self) -> Result<Event, Bad> {
        let start = self.at;
        self.string()?;
        let key = start..self.at;
        self.skip_blanks();
        self.take(|byte| byte == b':')?;
        self.next = Next::Value;
        Ok(Event::Key(key))
    }

    #[inline]
    fn string(&mut self) -> Result<(), Bad> {
        self.at += 1;
        loop {
            self.at += plain(self.bytes.get(self.at..).unwrap_or_default());
            match self.bytes.get(self.at) {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(());
                }
                Some(b'\\') => self.escape()?,
                Some(0x20..) => self.at += 1,
                _ => return Err(self.bad()),
            }
        }
    }

    /// Reads a backslash and the escaped characters. Separate from `string`, so that `string` is
    /// small enough to inline.
    #[inline(never)]
    fn escape(&mut self) -> Result<(), Bad> {
        self.at += 1;
        if self.take(|byte| b"\"\\/bfnrtu".contains(&byte))? == b'u' {
            for _ in 0..4 {
                self.take(|byte| byte.is_ascii_hexdigit())?;
            }
        }
        Ok(())
    }

    fn number(&mut self) -> Result<(), Bad> {
        self.maybe(b"-");
        if !self.maybe(b"0") {
            self.digits()?;
        }
        if self.maybe(b".") {
            self.digits()?;
        }
        if self.maybe(b"eE") {
            self.maybe(b"+-");
            self.digits()?;
        }
        Ok(())
    }

    fn digits(&mut self) -> Result<(), Bad> {
        self.take(|byte| byte.is_ascii_digit())?;
        while self.take(|byte| byte.is_ascii_digit()).is_ok() {}
        Ok(())
    }

    fn word(&mut self, word: &[u8]) -> Result<(), Bad> {
        word.iter()
            .try_for_each(|expected| self.take(|byte| byte == *expected).map(drop))
    }

    fn maybe(&mut self, any: &[u8]) -> bool {
        self.take(|byte| any.contains(&byte)).is_ok()
    }

    fn take(&mut self, wanted: impl FnOnce(u8) -> bool) -> Result<u8, Bad> {
        match self.bytes.get(self.at) {
            Some(&byte) if wanted(byte) => {
                self.at += 1;
                Ok(byte)
            }
            _ => Err(self.bad()),
        }
    }

    fn skip_blanks(&mut self) {
        while self.bytes.get(self.at).is_some_and(|byte| is_blank(*byte)) {
            self.at += 1;
        }
    }

    const fn bad(&self) -> Bad {
        Bad {
            offset: self.at,
            why: Why::Syntax,
        }
    }
}

/// Returns the number of bytes before the first quote, backslash or byte below 0x20, examining
/// eight at a time. Up to seven bytes at the end of a record are not examined or counted.
pub(super) fn plain(bytes: &[u8]) -> usize {
    let (words, _) = bytes.as_chunks();
    let mut special = words.iter().map(|word| special(*word)).enumerate();
    match special.find(|(_, special)| *special != 0) {
        Some((word, special)) => 8 * word + special.trailing_zeros() as usize / 8,
        None => 8 * words.len(),
    }
}

/// Returns the high bit of each of eight bytes that is a quote, a backslash or below 0x20. Flipping
/// bit 1 makes the quote 0x20, next to the bytes below it. A byte that is less than the subtrahend,
/// and had no high bit before, borrows. The borrow may also set the bit of the byte above, but
/// never of one below, so the lowest set bit is correct.
const fn special(bytes: [u8; 8]) -> u64 {
    const ONES: u64 = u64::from_le_bytes([1; 8]);
    let word = u64::from_le_bytes(bytes);
    let quote_or_below = (word ^ (ONES * 0x02)).wrapping_sub(ONES * 0x21);
    let backslash = (word ^ (ONES * 0x5c)).wrapping_sub(ONES);
    (quote_or_below | backslash) & !word & (ONES * 0x80)
}

/// Reports whether this is JSON white space.
pub(super) const fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

impl Iterator for Scanner<'_> {
    type Item = Result<Event, Bad>;

    fn next(&mut self) -> Option<Self::Item> {
        let step = self.step();
        if step.is_err() {
            self.next = Next::Done;
        }
        step.transpose()
    }
}
