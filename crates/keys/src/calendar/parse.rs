//! Reading of calendars: all of a file, or a public one by the line. Keys stay text until they are
//! used.

use std::{
    fmt,
    io::{Read, Seek, SeekFrom},
    sync::{Mutex, PoisonError},
};

use pqseal_hpke::{AnyPublicKey, KemInfo};
use zeroize::Zeroizing;

use super::{
    Calendar, CalendarHeader, CalendarId, DIGITS, Error, FIRST_WORD, KeyState, LEFT_OUT, MAX_LEN,
    MAX_PERIODS, NOT_LENT, Period, SHREDDED, may_have,
};
use crate::{Fingerprint, kem_named, line};

/// More than the first two lines have, in bytes.
const BEGINNING: u64 = 8192;

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
        let header = CalendarHeader::parse(first)?;
        let (mut start, mut is_private) = (0, None);
        let mut periods = Vec::new();
        for (at, text) in &mut lines {
            let number = periods.len() + 2;
            if periods.len() == MAX_PERIODS {
                return Err(Error::TooManyPeriods);
            }
            let line = Line::parse(&header, number, text)?;
            // A date is parsed only for the first period; later ones are compared as text.
            if periods.is_empty() {
                start = header.start_of_first(line.start)?;
            }
            let expected = header.length.end(start, periods.len());
            if expected.is_none_or(|start| header.length.name_of(start) != line.start) {
                let what = "it is not the period after the one on the line above";
                return Err(Error::Line(number, what));
            }
            if *is_private.get_or_insert(line.is_private) != line.is_private {
                let what = "private and public periods are in one file";
                return Err(Error::Line(number, what));
            }
            periods.push(Period {
                fingerprint: line.fingerprint,
                state: line.state,
                at: at..at + text.len(),
            });
        }
        let is_private = is_private.ok_or(Error::NoPeriods)?;
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

/// A public calendar.
pub struct PublicCalendar {
    header: CalendarHeader,
    /// The start of the first period, in seconds since 1970.
    start: u64,
    count: usize,
    keys: KeyLines,
}

impl PublicCalendar {
    /// Opens a public calendar whose lines all have the same size, because no key was left out. The
    /// file stays open, and the line of a period is read when its key is needed. Returns `None` for
    /// any other file, which [`Calendar::parse`] reads.
    pub fn by_line(file: impl Read + Seek + Send + 'static) -> Option<Self> {
        let mut file: Box<dyn SeekRead> = Box::new(file);
        let size = file.seek(SeekFrom::End(0)).ok()?;
        let beginning = read(&mut *file, 0, size.min(BEGINNING)).ok()?;
        let mut lines = Lines::new(std::str::from_utf8(&beginning).ok()?);
        let (_, first) = lines.next()?;
        let header = CalendarHeader::parse(first).ok()?;
        let begin = lines.at;
        let (_, second) = lines.next()?;
        let second = Line::parse(&header, 2, second).ok()?;
        let has_key = !second.is_private && second.state == KeyState::Present;
        let start = has_key.then(|| header.start_of_first(second.start).ok())??;
        let len = (lines.at - begin) as u64;
        let periods = size - begin as u64;
        let count = usize::try_from(periods / len).ok()?;
        let found = Self {
            header,
            start,
            count,
            keys: KeyLines::InFile(
                Mutex::new(file),
                Zeroizing::new(beginning[..begin].to_vec()),
                len,
            ),
        };
        // An appended calendar has a first line, which changes the size.
        let is_even = periods.is_multiple_of(len) && count <= MAX_PERIODS;
        (is_even && found.public_key(count - 1).is_ok()).then_some(found)
    }

    /// Returns the id, which all files of one calendar have.
    pub const fn id(&self) -> CalendarId {
        self.header.id
    }

    /// Returns the entry of the KEM of all keys.
    pub fn kem_info(&self) -> &'static KemInfo {
        self.header.kem.info()
    }

    /// Returns the start of the first period, in seconds since 1970.
    pub const fn start(&self) -> u64 {
        self.start
    }

    /// Returns the end of the last period, in seconds since 1970.
    pub const fn end(&self) -> u64 {
        self.start + self.count as u64 * self.header.length.seconds()
    }

    /// Returns the index of the period that contains `time`, in seconds since 1970; `None` outside
    /// the calendar.
    pub fn at(&self, time: u64) -> Option<usize> {
        self.header.length.index(self.start, self.count, time)
    }

    /// Reads the public key of a period, and checks that it has the period's fingerprint.
    ///
    /// # Errors
    /// [`Error::LeftOut`] if it was left out, [`Error::NotAStart`] for an index after the last
    /// period, [`Error::Key`] or [`Error::OtherKey`] if the key is wrong, [`Error::Unreadable`] or
    /// [`Error::Disordered`] if the open file does not have the period's line any more.
    pub fn public_key(&self, index: usize) -> Result<AnyPublicKey, Error> {
        let (file, first, len) = match &self.keys {
            KeyLines::Parsed(calendar) => return calendar.public_key(index),
            _ if index >= self.count => return Err(Error::NotAStart),
            KeyLines::InFile(file, first, len) => (file, first, *len),
        };
        let begin = first.len() as u64;
        let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
        let text = read(&mut **file, begin + index as u64 * len, len)?;
        // After the line: a process that replaces the file begins with its first one.
        if read(&mut **file, 0, begin)? != *first {
            return Err(Error::Disordered);
        }
        let text = std::str::from_utf8(&text).map_err(|_| Error::Disordered)?;
        let (_, text) = Lines::new(text).next().ok_or(Error::Disordered)?;
        let number = index + 2;
        let line = Line::parse(&self.header, number, text)?;
        let start = self.start + index as u64 * self.header.length.seconds();
        if line.start != self.header.length.name_of(start) {
            return Err(Error::Disordered);
        }
        if line.is_private {
            return Err(Error::PrivateGiven);
        }
        let key = line::read_public(line.key).map_err(|error| Error::Key(number, error))?;
        match Fingerprint::of(&key) == line.fingerprint {
            true => Ok(key),
            false => Err(Error::OtherKey(number)),
        }
    }
}

impl TryFrom<Calendar> for PublicCalendar {
    type Error = Error;

    /// # Errors
    /// [`Error::PrivateGiven`] for a private calendar.
    fn try_from(calendar: Calendar) -> Result<Self, Error> {
        match calendar.is_private {
            true => Err(Error::PrivateGiven),
            false => Ok(Self {
                header: calendar.header.clone(),
                start: calendar.start,
                count: calendar.count(),
                keys: KeyLines::Parsed(calendar),
            }),
        }
    }
}

impl fmt::Debug for PublicCalendar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PublicCalendar")
            .field("id", &self.header.id.to_string())
            .field("name", &self.header.name)
            .field("periods", &self.count)
            .finish_non_exhaustive()
    }
}

/// The lines of a public calendar.
enum KeyLines {
    Parsed(Calendar),
    /// A file, its first line, and the size of each other line.
    InFile(Mutex<Box<dyn SeekRead>>, Zeroizing<Vec<u8>>, u64),
}

trait SeekRead: Read + Seek + Send {}

impl<T: Read + Seek + Send> SeekRead for T {}

/// Reads `len` bytes, which are wiped in case a private calendar was given by mistake.
fn read(file: &mut dyn SeekRead, at: u64, len: u64) -> Result<Zeroizing<Vec<u8>>, Error> {
    let len = usize::try_from(len).map_err(|_| Error::Disordered)?;
    let mut bytes = Zeroizing::new(vec![0; len]);
    file.seek(SeekFrom::Start(at))
        .and_then(|_| file.read_exact(&mut bytes))
        .map_err(|_| Error::Unreadable)?;
    Ok(bytes)
}

/// The complete lines of a text without their line ends, each with its offset.
struct Lines<'a> {
    text: &'a str,
    /// The offset of the next line.
    at: usize,
}

impl<'a> Lines<'a> {
    /// Skips a byte order mark.
    fn new(text: &'a str) -> Self {
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
struct Line<'a> {
    start: &'a str,
    fingerprint: Fingerprint,
    state: KeyState,
    is_private: bool,
    /// The key, or the word in its place.
    key: &'a str,
}

impl<'a> Line<'a> {
    /// Splits the line of this number. The key is not decoded.
    fn parse(header: &CalendarHeader, number: usize, text: &'a str) -> Result<Self, Error> {
        let malformed = Error::Line(number, "it is not a period's start, fingerprint and key");
        let mut parts = text.split(' ');
        let (Some(start), Some(digits), Some(key), None) =
            (parts.next(), parts.next(), parts.next(), parts.next())
        else {
            return Err(malformed);
        };
        let fingerprint = bytes::<{ DIGITS / 2 }>(digits).ok_or(malformed)?;
        let (state, is_private) = match key {
            SHREDDED => (KeyState::Shredded, true),
            NOT_LENT => (KeyState::NotLent, true),
            LEFT_OUT => (KeyState::LeftOut, false),
            _ => {
                let private = key.strip_prefix(line::PRIVATE);
                let rest = private.or(key.strip_prefix(line::PUBLIC));
                let kem = rest.ok_or(malformed)?.split_once(':').map(|(kem, _)| kem);
                if kem != Some(header.kem.info().short_name) {
                    let what = "its key is of another KEM than line 1 names";
                    return Err(Error::Line(number, what));
                }
                (KeyState::Present, private.is_some())
            }
        };
        Ok(Self {
            start,
            fingerprint: Fingerprint::from_bytes(fingerprint),
            state,
            is_private,
            key,
        })
    }
}

impl CalendarHeader {
    fn parse(line: &str) -> Result<Self, Error> {
        let mut parts = line.splitn(6, ' ').skip(1);
        if parts.next().ok_or(Error::Header("version"))? != "1" {
            return Err(Error::Version);
        }
        let id = parts.next().and_then(bytes).ok_or(Error::Header("id"))?;
        let kem = parts.next().ok_or(Error::Header("KEM"))?;
        let kem = kem_named(kem).map_err(|error| Error::Key(1, error))?;
        if !may_have(kem) {
            return Err(Error::KemRefused);
        }
        let length = parts.next().and_then(|length| length.parse().ok());
        let length = length.ok_or(Error::Header("period"))?;
        let name = parts.next().ok_or(Error::Header("name"))?;
        Self::new(CalendarId(id), kem, length, name)
    }

    /// Parses the name of the first period.
    fn start_of_first(&self, name: &str) -> Result<u64, Error> {
        super::date::parse(name)
            .filter(|start| self.length.may_begin(*start))
            .ok_or(Error::Line(2, "no such period can begin at this time"))
    }
}

/// Parses lowercase hexadecimal.
fn bytes<const N: usize>(digits: &str) -> Option<[u8; N]> {
    let mut bytes = [0; N];
    if digits.len() != 2 * N {
        return None;
    }
    for (byte, pair) in bytes.iter_mut().zip(digits.as_bytes().chunks_exact(2)) {
        for digit in pair {
            *byte = *byte << 4
                | match digit {
                    b'0'..=b'9' => digit - b'0',
                    b'a'..=b'f' => digit - b'a' + 10,
                    _ => return None,
                };
        }
    }
    Some(bytes)
}
