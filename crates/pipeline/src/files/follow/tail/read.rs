//! Reading of the data that was added to a file.

use std::{
    fs::{self, File, Metadata},
    io::{self, Read, Seek, SeekFrom},
    time::Instant,
};

use pqseal_records::detect;

use super::{
    super::{Event, mark::Mark, piece::Piece},
    Tail,
};
use crate::{
    files::{Error, Stamp},
    input::InputError,
    pipeline::Doubt,
};

/// The number of bytes that are read at once.
const READ: u64 = 1 << 20;
/// The number of bytes at the beginning and at the end from which the format is detected.
const EVIDENCE: u64 = detect::EVIDENCE as u64;

impl Tail {
    /// Returns the next complete lines, or `None` if there are none yet.
    ///
    /// # Errors
    /// The event to report instead.
    pub(in super::super) fn next(&mut self, limit: usize) -> Result<Option<Piece>, Event> {
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

    /// Returns the unfinished line, if nothing else is left.
    pub(in super::super) fn rest(&mut self, limit: usize) -> Option<Piece> {
        if self.is_refused || !self.open().ok()? {
            return None;
        }
        let (bytes, is_all) = self.bytes((limit as u64).saturating_add(READ)).ok()?;
        let is_line = is_all && !bytes.is_empty() && !bytes.contains(&b'\n');
        is_line.then(|| self.take(bytes, true).ok()).flatten()
    }

    fn read(&mut self, limit: usize) -> io::Result<Result<Option<Piece>, Event>> {
        let Some(found) = self.changed()? else {
            return Ok(Ok(None));
        };
        self.size = found.len();
        if self.is_other(&found)? {
            self.start_again();
            return Ok(Err(Event::Truncated));
        }
        let stamp = Stamp::from(&found);
        if self.offset == 0
            && let Some(error) = self.unsupported()?
        {
            // The file is looked at again when it has changed.
            self.stamp = Some(stamp);
            let is_told = std::mem::replace(&mut self.is_refused, true);
            return Ok(match is_told {
                true => Ok(None),
                false => Err(Event::Refused(error)),
            });
        }
        self.is_refused = false;
        let piece = self.lines(limit as u64)?;
        if piece.is_none() {
            // The file was read completely; the rest has no line end yet.
            if self.stamp.as_ref() != Some(&stamp) {
                self.changed = Instant::now();
            }
            self.stamp = Some(stamp);
        }
        Ok(Ok(piece))
    }

    /// Opens the file and returns its metadata, or `None` if it has not changed. If it was renamed,
    /// removed or replaced, the next listing detects that.
    fn changed(&mut self) -> io::Result<Option<Metadata>> {
        let found = match &self.file {
            Some(file) => file.metadata(),
            None => fs::metadata(self.path()),
        };
        match found {
            Ok(found) if self.stamp == Some(Stamp::from(&found)) => return Ok(None),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            found => found?,
        };
        self.open()?;
        self.file.as_ref().map(File::metadata).transpose()
    }

    /// Reports whether the file was truncated, and possibly rewritten.
    fn is_other(&self, found: &Metadata) -> io::Result<bool> {
        if found.len() < self.offset {
            return Ok(true);
        }
        match &self.file {
            Some(file) => Ok(!self.mark.is_before(file, self.offset)?),
            None => Ok(false),
        }
    }

    fn start_again(&mut self) {
        (self.offset, self.number, self.in_line) = (0, 1, false);
        (self.mark, self.stamp) = (Mark::default(), None);
        self.doubt = Doubt::default();
    }

    /// Skips the lines that existed when the file was first seen.
    pub(super) fn skip(&mut self) -> io::Result<()> {
        let (Some(size), Some(mut file)) = (self.to_skip, self.file.as_ref()) else {
            return Ok(());
        };
        let (mut offset, mut number, mut at) = (0, 1, 0);
        let mut buffer = vec![0; 64 * 1024];
        file.seek(SeekFrom::Start(0))?;
        let mut there = file.take(size);
        loop {
            let read = there.read(&mut buffer)?;
            if read == 0 {
                break;
            }
            for end in memchr::memchr_iter(b'\n', &buffer[..read]) {
                offset = at + end as u64 + 1;
                number += 1;
            }
            at += read as u64;
        }
        self.mark = Mark::before(file, offset)?;
        (self.offset, self.number, self.to_skip) = (offset, number, None);
        self.doubt = Doubt::raised();
        Ok(())
    }

    /// Returns the reason why the file is not followed, from its beginning, unless that or the end
    /// of the file contains a record.
    fn unsupported(&mut self) -> io::Result<Option<InputError>> {
        let (start, _) = self.bytes(EVIDENCE)?;
        let Some(error) = InputError::of_lines(&start) else {
            return Ok(None);
        };
        let (end, _) = self.bytes_at(self.size.saturating_sub(EVIDENCE), EVIDENCE)?;
        let has_records = detect::has_record(&start) || detect::has_record(&end);
        Ok((!has_records).then_some(error))
    }

    /// Returns at most `most` bytes from the position on, and whether there are fewer.
    fn bytes(&mut self, most: u64) -> io::Result<(Vec<u8>, bool)> {
        self.bytes_at(self.offset, most)
    }

    fn bytes_at(&mut self, start: u64, most: u64) -> io::Result<(Vec<u8>, bool)> {
        let Some(file) = &mut self.file else {
            return Ok((Vec::new(), true));
        };
        file.seek(SeekFrom::Start(start))?;
        let mut bytes = Vec::new();
        file.take(most).read_to_end(&mut bytes)?;
        let is_end = (bytes.len() as u64) < most;
        Ok((bytes, is_end))
    }

    fn lines(&mut self, limit: u64) -> io::Result<Option<Piece>> {
        let (mut bytes, is_end) = self.bytes(READ)?;
        if !self.in_line && bytes.first() == Some(&0) {
            return self.zeros(bytes);
        }
        if self.in_line {
            // Takes the rest of the line that is too large, and nothing after it.
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

    /// Skips zeros before a line, as in a log that was truncated while its writer kept its
    /// position. Zeros at the end of the file are not taken, since a writer may have preallocated
    /// them.
    fn zeros(&mut self, mut bytes: Vec<u8>) -> io::Result<Option<Piece>> {
        let (last, _) = self.bytes_at(self.size.saturating_sub(1), 1)?;
        let mut end = self.offset;
        while !bytes.is_empty() {
            let zeros = bytes.iter().take_while(|byte| **byte == 0).count();
            end += zeros as u64;
            if last != [0] || zeros < bytes.len() {
                self.offset = end;
                return self.take(Vec::new(), true).map(Some);
            }
            (bytes, _) = self.bytes_at(end, READ)?;
        }
        Ok(None)
    }

    /// Takes these bytes and moves the position.
    fn take(&mut self, bytes: Vec<u8>, is_last: bool) -> io::Result<Piece> {
        self.offset += bytes.len() as u64;
        self.changed = Instant::now();
        if let Some(file) = &self.file {
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
