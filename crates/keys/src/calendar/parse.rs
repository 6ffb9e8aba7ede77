//! Parsing of calendars. Keys stay text until they are used.

use zeroize::Zeroizing;

use super::{
    Calendar, CalendarId, Error, Header, KeyState, MAX_LEN, MAX_PERIODS, PeriodLength,
    header::{FIRST_WORD, may_have},
    period::{LEFT_OUT, NOT_LENT, Period, SHREDDED},
};
use crate::{Fingerprint, KeyError, kems, line, refused_kem_by_name};

/// The size of a fingerprint in hexadecimal, in bytes.
pub(super) const DIGITS: usize = 64;

/// Reports whether a file begins like a calendar of any version, after an optional byte order mark.
#[must_use]
pub fn is(file: &[u8]) -> bool {
    let file = file.strip_prefix(b"\xef\xbb\xbf").unwrap_or(file);
    let rest = file.strip_prefix(FIRST_WORD.as_bytes());
    rest.is_some_and(|rest| rest.starts_with(b" "))
}

impl Calendar {
    /// Parses a private or public calendar. A last line without its line end is not read, since
    /// another process may be writing it ([`Self::is_cut`]). No key is decoded before it is used.
    ///
    /// # Errors
    /// The first problem that is found.
    pub fn parse(mut file: Zeroizing<Vec<u8>>) -> Result<Self, Error> {
        if file.len() > MAX_LEN {
            return Err(Error::TooLong(file.len()));
        }
        if !is(&file) || std::str::from_utf8(&file).is_err() {
            return Err(Error::NotCalendar);
        }
        let text = String::from_utf8(std::mem::take(&mut *file)).expect("it is UTF-8");
        Self::read(Zeroizing::new(text))
    }

    pub(super) fn read(text: Zeroizing<String>) -> Result<Self, Error> {
        let mut lines = Lines::new(&text);
        let (_, first) = lines.next().ok_or(Error::Cut)?;
        let header = header(first)?;
        let mut parser = Parser {
            header: &header,
            start: 0,
            periods: Vec::new(),
            is_private: None,
        };
        for (at, line) in &mut lines {
            parser.add(at, line)?;
        }
        let (start, periods) = (parser.start, parser.periods);
        let is_private = parser.is_private.ok_or(Error::NoPeriods)?;
        let is_cut = lines.at < text.len();
        Ok(Self {
            header,
            start,
            periods,
            is_private,
            is_cut,
            text,
        })
    }
}

/// The complete lines of a text without their line ends, each with its offset.
pub(super) struct Lines<'a> {
    text: &'a str,
    /// The offset of the next line.
    pub(super) at: usize,
}

impl<'a> Lines<'a> {
    /// Skips a byte order mark.
    pub(super) fn new(text: &'a str) -> Self {
        let at = text.len() - text.trim_start_matches('\u{feff}').len();
        Self { text, at }
    }
}

impl<'a> Iterator for Lines<'a> {
    type Item = (usize, &'a str);

    fn next(&mut self) -> Option<Self::Item> {
        let at = self.at;
        let (line, _) = self.text[at..].split_once('\n')?;
        self.at += line.len() + 1;
        Some((at, line.strip_suffix('\r').unwrap_or(line)))
    }
}

/// The line of a period.
pub(super) struct Line<'a> {
    pub(super) start: &'a str,
    pub(super) fingerprint: Fingerprint,
    pub(super) state: KeyState,
    pub(super) is_private: bool,
    /// The key, or the word in its place.
    pub(super) key: &'a str,
}

impl<'a> Line<'a> {
    /// Splits the line of this number. The key is not decoded.
    pub(super) fn parse(header: &Header, number: usize, text: &'a str) -> Result<Self, Error> {
        let malformed = Error::Line(number, "it is not a period's start, fingerprint and key");
        let mut parts = text.split(' ');
        let (Some(start), Some(digits), Some(key), None) =
            (parts.next(), parts.next(), parts.next(), parts.next())
        else {
            return Err(malformed);
        };
        let fingerprint = fingerprint(digits).ok_or(malformed)?;
        let (state, is_private) = state(header, key)
            .map_err(|what| what.map_or(malformed, |what| Error::Line(number, what)))?;
        Ok(Self {
            start,
            fingerprint,
            state,
            is_private,
            key,
        })
    }
}

/// Returns the state of a key, and whether the line is of a private calendar. The error describes a
/// key of another KEM, or is `None` if the text is neither a key nor a word for a missing one.
fn state(header: &Header, key: &str) -> Result<(KeyState, bool), Option<&'static str>> {
    let half = |prefix| {
        let kem = header.kem.info().short_name;
        let key = key.strip_prefix(prefix)?;
        Some(
            key.strip_prefix(kem)
                .is_some_and(|key| key.starts_with(':')),
        )
    };
    match (key, half(line::PRIVATE), half(line::PUBLIC)) {
        (SHREDDED, ..) => Ok((KeyState::Shredded, true)),
        (NOT_LENT, ..) => Ok((KeyState::NotLent, true)),
        (LEFT_OUT, ..) => Ok((KeyState::LeftOut, false)),
        (_, Some(true), _) => Ok((KeyState::Present, true)),
        (_, _, Some(true)) => Ok((KeyState::Present, false)),
        (_, None, None) => Err(None),
        _ => Err(Some("its key is of another KEM than line 1 names")),
    }
}

struct Parser<'h> {
    header: &'h Header,
    start: u64,
    periods: Vec<Period>,
    is_private: Option<bool>,
}

impl Parser<'_> {
    fn add(&mut self, at: usize, text: &str) -> Result<(), Error> {
        let number = self.periods.len() + 2;
        let wrong = |what| Error::Line(number, what);
        if self.periods.len() == MAX_PERIODS {
            return Err(Error::TooManyPeriods);
        }
        let line = Line::parse(self.header, number, text)?;
        self.check_start(line.start).map_err(wrong)?;
        if *self.is_private.get_or_insert(line.is_private) != line.is_private {
            return Err(wrong("private and public periods are in one file"));
        }
        self.periods.push(Period {
            fingerprint: line.fingerprint,
            state: line.state,
            at: at..at + text.len(),
        });
        Ok(())
    }

    /// Checks that a period begins where the one before it ends. A date is parsed only for the
    /// first period; later ones are compared as text.
    fn check_start(&mut self, name: &str) -> Result<(), &'static str> {
        let length = self.header.length;
        if self.periods.is_empty() {
            self.start = start_of_first(self.header, name)?;
        }
        let next = length.end(self.start, self.periods.len());
        match next.is_some_and(|next| length.name_of(next) == name) {
            true => Ok(()),
            false => Err("it is not the period after the one on the line above"),
        }
    }
}

/// Parses the name of the first period.
pub(super) fn start_of_first(header: &Header, name: &str) -> Result<u64, &'static str> {
    let start = super::date::parse(name).filter(|start| header.length.may_begin(*start));
    start.ok_or("no such period can begin at this time")
}

pub(super) fn header(line: &str) -> Result<Header, Error> {
    let mut parts = line.splitn(6, ' ').skip(1);
    let mut part = |what| parts.next().ok_or(Error::Header(what));
    if part("version")? != "1" {
        return Err(Error::Version);
    }
    let id = bytes(part("id")?).ok_or(Error::Header("id"))?;
    let kem = part("KEM")?;
    let refused = || refused_kem_by_name(kem).map_or(KeyError::UnknownKem, KeyError::RefusedKem);
    let mut known = kems().filter(|known| known.info().short_name == kem);
    let kem = known.next().ok_or_else(|| Error::Key(1, refused()))?;
    if !may_have(kem) {
        return Err(Error::KemRefused);
    }
    let length: Result<PeriodLength, _> = part("period")?.parse();
    let length = length.map_err(|_| Error::Header("period"))?;
    Header::new(CalendarId(id), kem, length, part("name")?)
}

fn fingerprint(digits: &str) -> Option<Fingerprint> {
    Some(Fingerprint::from_bytes(bytes::<{ DIGITS / 2 }>(digits)?))
}

/// Parses lowercase hexadecimal.
pub(super) fn bytes<const N: usize>(digits: &str) -> Option<[u8; N]> {
    let mut bytes = [0; N];
    if digits.len() != 2 * N {
        return None;
    }
    for (byte, pair) in bytes.iter_mut().zip(digits.as_bytes().chunks_exact(2)) {
        let digit = |c: u8| match c {
            b'0'..=b'9' => Some(c - b'0'),
            b'a'..=b'f' => Some(c - b'a' + 10),
            _ => None,
        };
        *byte = digit(pair[0])? << 4 | digit(pair[1])?;
    }
    Some(bytes)
}
