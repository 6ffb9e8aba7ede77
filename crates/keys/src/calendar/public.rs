//! A public calendar of which sealing reads the lines that it needs, of up to 10,000.

use std::{
    cmp::Ordering,
    fmt,
    io::{Read, Seek, SeekFrom},
    ops::Range,
    sync::{Mutex, PoisonError},
};

use pqseal_hpke::{AnyPublicKey, KemInfo};
use zeroize::Zeroizing;

use super::{
    CalendarId, Error, Header, KeyState, MAX_LEN, MAX_PERIODS, date, is,
    parse::{DIGITS, Line, Lines, header, start_of_first},
};
use crate::{Fingerprint, line};

/// The number of bytes that are read at once. Half of it has two lines or more.
const BLOCK: u64 = 16_384;

trait File: Read + Seek + Send {}

impl<T: Read + Seek + Send> File for T {}

/// A public calendar in a file, of which the lines of single periods are read. What is appended
/// later is not.
pub struct PublicCalendar {
    header: Header,
    /// The start of the first period, in seconds since 1970.
    start: u64,
    count: usize,
    /// The beginning of the file up to the first period's line.
    first: Zeroizing<Vec<u8>>,
    /// The place of the periods' lines.
    lines: Range<u64>,
    /// The size of a line with a key and its line end.
    longest: u64,
    file: Mutex<Box<dyn File>>,
}

impl PublicCalendar {
    /// Opens a public calendar. Only the lines of the first and the last period are read, and a
    /// last line without its line end is not.
    ///
    /// # Errors
    /// [`Error::NotCalendar`] if the file does not begin like a calendar, [`Error::PrivateGiven`]
    /// for a private one, [`Error::Read`], or the problem of one of these lines.
    pub fn open(file: impl Read + Seek + Send + 'static) -> Result<Self, Error> {
        let mut file: Box<dyn File> = Box::new(file);
        let size = file.seek(SeekFrom::End(0)).map_err(unreadable)?;
        let mut beginning = read(&mut *file, 0..size.min(BLOCK))?;
        if !is(&beginning) {
            return Err(Error::NotCalendar);
        }
        if size > MAX_LEN as u64 {
            return Err(Error::TooLong(usize::try_from(size).unwrap_or(usize::MAX)));
        }
        let mut lines = Lines::new(text_of(&beginning)?);
        let (_, first) = lines.next().ok_or(Error::Cut)?;
        let header = header(first)?;
        let begin = lines.at;
        let (_, second) = lines.next().ok_or(Error::NoPeriods)?;
        let second = Line::parse(&header, 2, second)?;
        if second.is_private {
            return Err(Error::PrivateGiven);
        }
        let start = start_of_first(&header, second.start).map_err(|what| Error::Line(2, what))?;

        let from = (begin as u64).max(size.saturating_sub(BLOCK));
        let ending = read(&mut *file, from..size)?;
        let ending = text_of(&ending)?;
        let (ending, _) = ending.rsplit_once('\n').ok_or(Error::Cut)?;
        let last = ending.rsplit('\n').next().unwrap_or(ending);
        // Lines that were appended may have other ends than those before.
        let end_of_line = 1 + usize::from(last.ends_with('\r') || beginning.contains(&b'\r'));
        let before_key = header.length.name_len() + 1 + DIGITS + 1;
        let longest = before_key + line::public_len(header.kem) + end_of_line;
        beginning.truncate(begin);
        Ok(Self {
            start,
            count: count(&header, start, last).ok_or(Error::Disordered)?,
            first: beginning,
            lines: begin as u64..from + ending.len() as u64 + 1,
            longest: longest as u64,
            header,
            file: Mutex::new(file),
        })
    }

    /// Returns the id, which all files of one calendar have.
    pub const fn id(&self) -> CalendarId {
        self.header.id
    }

    /// Returns the entry of the KEM of all keys.
    pub fn kem_info(&self) -> &'static KemInfo {
        self.header.kem.info()
    }

    /// Returns the number of periods.
    pub const fn count(&self) -> usize {
        self.count
    }

    /// Returns the start of the period at this index, in seconds since 1970. For an index after the
    /// last period it is the end of that one.
    pub fn start_of(&self, index: usize) -> u64 {
        self.start + index.min(self.count) as u64 * self.header.length.seconds()
    }

    /// Returns the end of the last period, in seconds since 1970.
    pub fn end(&self) -> u64 {
        self.start_of(self.count)
    }

    /// Returns the index of the period that contains `time`, in seconds since 1970; `None` outside
    /// the calendar.
    pub fn at(&self, time: u64) -> Option<usize> {
        let since = time.checked_sub(self.start)?;
        let index = usize::try_from(since / self.header.length.seconds()).ok()?;
        (index < self.count).then_some(index)
    }

    /// Reads the public key of a period, and checks that it has the period's fingerprint.
    ///
    /// # Errors
    /// [`Error::LeftOut`] if it was left out, [`Error::NotAStart`] for an index after the last
    /// period, [`Error::Read`], [`Error::Disordered`] if the line is not where it should be, or
    /// [`Error::Key`] if the key is wrong.
    pub fn public_key(&self, index: usize) -> Result<AnyPublicKey, Error> {
        if index >= self.count {
            return Err(Error::NotAStart);
        }
        let number = index + 2;
        let text = self.line(index)?;
        let line = Line::parse(&self.header, number, &text)?;
        if line.is_private {
            return Err(Error::PrivateGiven);
        }
        if line.state == KeyState::LeftOut {
            return Err(Error::LeftOut);
        }
        let key = line::read_public(line.key).map_err(|error| Error::Key(number, error))?;
        match Fingerprint::of(&key) == line.fingerprint {
            true => Ok(key),
            false => Err(Error::OtherKey(number)),
        }
    }

    /// Finds the line of a period by bisection: names of periods are in the order of text. A line
    /// behind the place that it can have is not the period's: another calendar was appended.
    fn line(&self, index: usize) -> Result<Zeroizing<String>, Error> {
        let name = self.header.length.name_of(self.start_of(index));
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let mut part = self.lines.clone();
        let last = self.lines.start + index as u64 * self.longest;
        while part.start < part.end {
            let middle = match part.end - part.start > BLOCK {
                true => part.start.midpoint(part.end),
                false => part.start,
            };
            let block = read(&mut **file, middle..part.end.min(middle + BLOCK))?;
            let mut lines = Lines::new(text_of(&block)?);
            // The rest of a line.
            if middle > part.start {
                lines.next();
            }
            let before = part.clone();
            while let Some((at, line)) = lines.next() {
                let at = middle + at as u64;
                match line.get(..name.len()).cmp(&Some(&name)) {
                    Ordering::Less => part.start = middle + lines.at as u64,
                    Ordering::Equal if at <= last => {
                        let line = Zeroizing::new(line.to_owned());
                        self.expect_first(&mut **file)?;
                        return Ok(line);
                    }
                    _ => {
                        part.end = at;
                        break;
                    }
                }
            }
            if part == before {
                break;
            }
        }
        Err(Error::Disordered)
    }

    /// Checks that the file still begins as it did.
    fn expect_first(&self, file: &mut dyn File) -> Result<(), Error> {
        match read(file, 0..self.lines.start)? == self.first {
            true => Ok(()),
            false => Err(Error::Disordered),
        }
    }
}

/// Returns the number of periods from `start` to that of the last line.
fn count(header: &Header, start: u64, last: &str) -> Option<usize> {
    let last = date::parse(last.get(..header.length.name_len())?)?;
    let count = last.checked_sub(start)? / header.length.seconds() + 1;
    let count = usize::try_from(count).ok();
    count.filter(|count| *count <= MAX_PERIODS)
}

/// Reads a part of the file, which is wiped in case a private calendar was given by mistake.
fn read(file: &mut dyn File, part: Range<u64>) -> Result<Zeroizing<Vec<u8>>, Error> {
    let len = usize::try_from(part.end - part.start).map_err(|_| Error::Disordered)?;
    let mut bytes = Zeroizing::new(vec![0; len]);
    file.seek(SeekFrom::Start(part.start)).map_err(unreadable)?;
    file.read_exact(&mut bytes).map_err(unreadable)?;
    Ok(bytes)
}

/// Returns a part as text. Only the name on the first line is not ASCII, so no character is cut.
fn text_of(part: &[u8]) -> Result<&str, Error> {
    std::str::from_utf8(part).map_err(|_| Error::Disordered)
}

fn unreadable(error: std::io::Error) -> Error {
    Error::Read(error.kind())
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
