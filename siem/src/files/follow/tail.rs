//! One file that grows.

use std::{
    fs::{self, File, Metadata},
    io::{self, Read, Seek, SeekFrom},
    path::Path,
    time::Instant,
};

use super::{
    Event, REST,
    entry::{Entry, Seen},
    mark::Mark,
    piece::Piece,
};
use crate::{
    files::{Error, Stamp},
    input::{self, InputError},
};

/// How many bytes are read at once.
const READ: u64 = 1 << 20;

/// A file, and how far it was read.
pub(super) struct Tail {
    /// The file, by its last name.
    seen: Seen,
    /// Open while it may be renamed or removed before its last lines are read.
    file: Option<File>,
    /// What was taken.
    offset: u64,
    /// The number of the line that begins there.
    number: u64,
    /// What the bytes before that are.
    mark: Mark,
    /// Whether a line that is too large for a record goes on there.
    in_line: bool,
    /// What the file was like when it was read last.
    stamp: Option<Stamp>,
    /// When it was last seen to change.
    changed: Instant,
    is_listed: bool,
    /// Since when it has another name, or none.
    rotated: Option<Instant>,
    is_refused: bool,
    /// Whether its failure was told.
    is_failed: bool,
}

impl Tail {
    /// A file that is read from its start.
    pub(super) fn at_start(file: &Seen) -> Self {
        Self {
            seen: file.clone(),
            // A failure is told when it is read.
            file: file.open().unwrap_or_default(),
            offset: 0,
            number: 1,
            mark: Mark::default(),
            in_line: false,
            stamp: None,
            changed: Instant::now(),
            is_listed: true,
            rotated: None,
            is_refused: false,
            is_failed: false,
        }
    }

    /// A file that is read on from where an earlier run ended.
    pub(super) fn at(file: &Seen, entry: &Entry) -> Self {
        Self {
            offset: entry.offset,
            number: entry.number,
            mark: entry.mark.clone(),
            in_line: entry.in_line,
            ..Self::at_start(file)
        }
    }

    /// A file of which only what is added is read. A line that has no end yet is read whole. A file
    /// that cannot be read now is read from its start once it can.
    pub(super) fn at_end(file: &Seen) -> Self {
        Self::skipped(file).unwrap_or_else(|_| Self::at_start(file))
    }

    fn skipped(file: &Seen) -> io::Result<Self> {
        let mut tail = Self::at_start(file);
        let mut opened = File::open(&file.path)?;
        let mut buffer = vec![0; 64 * 1024];
        let mut at = 0;
        loop {
            let read = opened.read(&mut buffer)?;
            if read == 0 {
                break;
            }
            let lines = memchr::memchr_iter(b'\n', &buffer[..read]);
            for end in lines {
                tail.offset = at + end as u64 + 1;
                tail.number += 1;
            }
            at += read as u64;
        }
        tail.mark = Mark::before(&mut opened, tail.offset)?;
        tail.file = Some(opened);
        Ok(tail)
    }

    /// It is not known to be there by any name.
    pub(super) const fn unlist(&mut self) {
        self.is_listed = false;
    }

    /// It is there, by this name.
    pub(super) fn list(&mut self, file: Seen) {
        (self.seen, self.is_listed) = (file, true);
    }

    /// All that are there are known by now. In a folder, a file that rests is closed: it is found by
    /// its name again.
    pub(super) fn listed(&mut self, is_closed: bool) {
        self.rotated = match self.is_listed {
            true => None,
            false => self.rotated.or_else(|| Some(Instant::now())),
        };
        if is_closed && self.is_listed && self.changed.elapsed() >= REST {
            self.file = None;
        }
    }

    pub(super) fn path(&self) -> &Path {
        &self.seen.path
    }

    /// Whether it has another name or none, and nothing was added for a while.
    pub(super) fn is_given_up(&self) -> bool {
        let is_old = self.rotated.is_some_and(|since| since.elapsed() >= REST);
        is_old && self.changed.elapsed() >= REST
    }

    /// What the state says of it. Of a file that is not followed nothing is said.
    pub(super) fn entry(&self) -> Option<Entry> {
        (!self.is_refused).then(|| Entry {
            path: self.seen.path.clone(),
            inode: self.seen.inode,
            offset: self.offset,
            number: self.number,
            mark: self.mark.clone(),
            in_line: self.in_line,
        })
    }

    /// The next lines that are complete; `None` if there are none yet.
    ///
    /// # Errors
    /// What happened instead.
    pub(super) fn next(&mut self, limit: usize) -> Result<Option<Piece>, Event> {
        if self.is_refused {
            return Ok(None);
        }
        match self.read(limit) {
            Ok(read) => {
                self.is_failed = false;
                read
            }
            Err(_) if self.is_failed => Ok(None),
            Err(error) => {
                self.is_failed = true;
                Err(Event::Failed(Error::Open(error)))
            }
        }
    }

    /// The line that has no end yet, if it is all that is left.
    pub(super) fn rest(&mut self, limit: usize) -> Option<Piece> {
        if self.is_refused {
            return None;
        }
        let (bytes, is_all) = self.bytes((limit as u64).saturating_add(READ)).ok()?;
        let is_line = is_all && !bytes.is_empty() && !bytes.contains(&b'\n');
        is_line.then(|| self.take(bytes, true).ok()).flatten()
    }

    fn read(&mut self, limit: usize) -> io::Result<Result<Option<Piece>, Event>> {
        let found = match &self.file {
            Some(file) => file.metadata()?,
            None => fs::metadata(self.path())?,
        };
        if !self.has_changed(&found) {
            return Ok(Ok(None));
        }
        if self.file.is_none() {
            self.file = self.seen.open()?;
        }
        // Another has its name by now: the next look finds out.
        if self.file.is_none() {
            return Ok(Ok(None));
        }
        if self.is_other(&found)? {
            self.start_again();
            return Ok(Err(Event::Truncated));
        }
        let stamp = Stamp::from(&found);
        if self.offset == 0
            && let Some(error) = self.unsupported()?
        {
            self.is_refused = true;
            return Ok(Err(Event::Refused(error)));
        }
        let piece = self.lines(limit as u64)?;
        if piece.is_none() {
            // All of it was seen, and what is there has no end yet.
            if self.stamp.as_ref() != Some(&stamp) {
                self.changed = Instant::now();
            }
            self.stamp = Some(stamp);
        }
        Ok(Ok(piece))
    }

    fn has_changed(&self, found: &Metadata) -> bool {
        self.stamp != Some(Stamp::from(found))
    }

    /// Whether it was truncated, and maybe written again.
    fn is_other(&mut self, found: &Metadata) -> io::Result<bool> {
        if found.len() < self.offset {
            return Ok(true);
        }
        let offset = self.offset;
        match &mut self.file {
            Some(file) => Ok(!self.mark.is_before(file, offset)?),
            None => Ok(false),
        }
    }

    fn start_again(&mut self) {
        (self.offset, self.number, self.in_line) = (0, 1, false);
        (self.mark, self.stamp) = (Mark::default(), None);
    }

    fn unsupported(&mut self) -> io::Result<Option<InputError>> {
        let (start, _) = self.bytes(1024)?;
        Ok(input::unsupported::of_lines(&start))
    }

    /// At most `most` bytes from where it was read to, and whether these are fewer.
    fn bytes(&mut self, most: u64) -> io::Result<(Vec<u8>, bool)> {
        let Some(file) = &mut self.file else {
            return Ok((Vec::new(), true));
        };
        file.seek(SeekFrom::Start(self.offset))?;
        let mut bytes = Vec::new();
        file.take(most).read_to_end(&mut bytes)?;
        let is_end = (bytes.len() as u64) < most;
        Ok((bytes, is_end))
    }

    fn lines(&mut self, limit: u64) -> io::Result<Option<Piece>> {
        let (mut bytes, is_end) = self.bytes(READ)?;
        if self.in_line {
            // To the end of the line that is too large, and no further.
            if let Some(end) = memchr::memchr(b'\n', &bytes) {
                bytes.truncate(end + 1);
            }
            let has_more = !bytes.is_empty();
            return has_more.then(|| self.take(bytes, false)).transpose();
        }
        if let Some(end) = memchr::memrchr(b'\n', &bytes) {
            bytes.truncate(end + 1);
            return self.take(bytes, false).map(Some);
        }
        if is_end {
            return Ok(None);
        }
        let (mut bytes, is_end) = self.bytes(limit.saturating_add(READ))?;
        match memchr::memchr(b'\n', &bytes) {
            Some(end) => bytes.truncate(end + 1),
            None if is_end => return Ok(None),
            None => {}
        }
        self.take(bytes, false).map(Some)
    }

    /// These bytes are taken.
    fn take(&mut self, bytes: Vec<u8>, is_last: bool) -> io::Result<Piece> {
        self.offset += bytes.len() as u64;
        self.changed = Instant::now();
        if let Some(file) = &mut self.file {
            self.mark = Mark::before(file, self.offset)?;
        }
        let (number, was_in_line) = (self.number, self.in_line);
        self.number += memchr::memchr_iter(b'\n', &bytes).count() as u64;
        self.in_line = !is_last && !bytes.ends_with(b"\n");
        Ok(match was_in_line {
            true => Piece::Middle { bytes, number },
            false => Piece::Lines { bytes, number },
        })
    }
}
