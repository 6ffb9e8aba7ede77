//! A public calendar to seal to, read as a whole or by the line.

use std::{
    fmt,
    io::{self, Read, Seek, SeekFrom},
    sync::{Mutex, PoisonError},
};

use pqseal_hpke::{AnyPublicKey, KemInfo};
use zeroize::Zeroizing;

use super::{
    Calendar, CalendarId, Error, Header, KeyState, MAX_PERIODS,
    parse::{Line, Lines, header, start_of_first},
};
use crate::{Fingerprint, line};

/// More than the first two lines have, in bytes.
const BEGINNING: u64 = 8192;

/// A public calendar.
pub struct PublicCalendar {
    header: Header,
    /// The start of the first period, in seconds since 1970.
    start: u64,
    count: usize,
    source: Source,
}

enum Source {
    Whole(Calendar),
    /// A file whose lines have this size after its first one.
    Lines(Mutex<Box<dyn File>>, Zeroizing<Vec<u8>>, u64),
}

trait File: Read + Seek + Send {}

impl<T: Read + Seek + Send> File for T {}

impl PublicCalendar {
    /// Opens a public calendar whose lines all have the same size, because no key was left out. The
    /// file stays open, and the line of a period is read when its key is needed. Returns `None` for
    /// any other file, which [`Calendar::parse`] reads.
    pub fn by_line(file: impl Read + Seek + Send + 'static) -> Option<Self> {
        let mut file: Box<dyn File> = Box::new(file);
        let size = file.seek(SeekFrom::End(0)).ok()?;
        let beginning = read(&mut *file, 0, size.min(BEGINNING)).ok()?;
        let mut lines = Lines::new(std::str::from_utf8(&beginning).ok()?);
        let (_, first) = lines.next()?;
        let header = header(first).ok()?;
        let begin = lines.at;
        let (_, second) = lines.next()?;
        let second = Line::parse(&header, 2, second).ok()?;
        let has_key = !second.is_private && second.state == KeyState::Present;
        let start = has_key.then(|| start_of_first(&header, second.start).ok())??;
        let len = (lines.at - begin) as u64;
        let periods = size - begin as u64;
        let count = usize::try_from(periods / len).ok()?;
        let found = Self {
            header,
            start,
            count,
            source: Source::Lines(
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
        let (file, first, len) = match &self.source {
            Source::Whole(calendar) => return calendar.public_key(index),
            _ if index >= self.count => return Err(Error::NotAStart),
            Source::Lines(file, first, len) => (file, first, *len),
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
                source: Source::Whole(calendar),
            }),
        }
    }
}

/// Reads `len` bytes, which are wiped in case a private calendar was given by mistake.
fn read(file: &mut dyn File, at: u64, len: u64) -> Result<Zeroizing<Vec<u8>>, Error> {
    let unreadable = |_: io::Error| Error::Unreadable;
    let len = usize::try_from(len).map_err(|_| Error::Disordered)?;
    let mut bytes = Zeroizing::new(vec![0; len]);
    file.seek(SeekFrom::Start(at)).map_err(unreadable)?;
    file.read_exact(&mut bytes).map_err(unreadable)?;
    Ok(bytes)
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
