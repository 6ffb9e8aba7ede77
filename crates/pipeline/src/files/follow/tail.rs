//! Reading of the data that was added to a file, and its processing by the pipeline.

use std::{
    fs::{self, File, Metadata},
    io::{self, Read, Seek, SeekFrom},
    sync::atomic::{AtomicBool, Ordering},
    time::{Duration, Instant},
};

use pqseal_records::detect;

use super::{
    Event, FileProgress, FollowedFile, Follower, Mark, Sink, checkpoint::Checkpoints, written,
};
use crate::{
    Pipeline, Stats, Warning,
    files::{Error, Stamp},
    input::InputError,
    opener::Transform,
    pipeline::{Doubt, Observer},
};

/// The number of pieces of a file that are processed before other files are looked at.
const TURN: usize = 8;
/// The number of bytes that are read at once.
const READ: u64 = 1 << 20;
/// The number of bytes at the beginning and at the end from which the format is detected.
const EVIDENCE: u64 = detect::EVIDENCE as u64;

/// The result of a turn of a file.
pub(super) enum Turn {
    /// The file may have more data.
    Unfinished,
    /// The file has no more data for now.
    Finished,
    /// The file was rotated, and its rest was processed.
    GivenUp,
    /// The name of the output belongs to another file.
    Renamed(UnwrittenLines),
}

/// The output of a piece that was not written, since the output's name now belongs to another file.
pub(super) struct UnwrittenLines {
    /// The position that the file was read to before.
    pub(super) before: Option<FileProgress>,
    lines: Vec<u8>,
    starts_line: bool,
}

impl UnwrittenLines {
    /// Appends the lines to the output. Returns them if its name belongs to another file again.
    pub(super) fn write(self, output: &mut impl Sink) -> io::Result<Option<Self>> {
        let is_in = output.add(&self.lines, self.starts_line)?;
        Ok((!is_in).then_some(self))
    }
}

/// The data that was added to a file, and the destination of its output.
pub(super) struct Tail<'t, T, S, F> {
    pipeline: &'t Pipeline<T>,
    file: &'t mut FollowedFile,
    output: &'t mut S,
    follower: &'t mut F,
    checkpoints: Option<&'t mut Checkpoints>,
}

impl<'t, T: Transform, S: Sink, F: Follower> Tail<'t, T, S, F> {
    pub(super) const fn new(
        pipeline: &'t Pipeline<T>,
        file: &'t mut FollowedFile,
        output: &'t mut S,
        follower: &'t mut F,
        checkpoints: Option<&'t mut Checkpoints>,
    ) -> Self {
        Self {
            pipeline,
            file,
            output,
            follower,
            checkpoints,
        }
    }

    /// Processes the file to its end, or for one turn. A rotated file is given up after `rest`.
    pub(super) fn take_turn(
        &mut self,
        rest: Duration,
        is_over: &AtomicBool,
    ) -> Result<Turn, Error> {
        for _ in 0..TURN {
            if is_over.load(Ordering::Relaxed) {
                return Ok(Turn::Unfinished);
            }
            let before = self.file.progress();
            match self.file.next_piece(self.pipeline.limits.record) {
                Ok(Some(piece)) => {
                    if let Some(unwritten) = self.take(piece, before)? {
                        return Ok(Turn::Renamed(unwritten));
                    }
                }
                Ok(None) if self.file.is_given_up(rest) => {
                    if let Some(unwritten) = self.take_unfinished_line()? {
                        return Ok(Turn::Renamed(unwritten));
                    }
                    // The file was not open any more, and does not exist under its name.
                    let progress = self.file.progress();
                    if progress.is_some_and(|progress| progress.has_more()) {
                        self.follower.event(self.file.path(), Event::Lost);
                    }
                    return Ok(Turn::GivenUp);
                }
                Ok(None) => return Ok(Turn::Finished),
                Err(problem) => {
                    self.follower.event(self.file.path(), problem);
                    return Ok(Turn::Finished);
                }
            }
        }
        Ok(Turn::Unfinished)
    }

    /// Processes the unfinished last line at the end.
    pub(super) fn take_unfinished_line(&mut self) -> Result<Option<UnwrittenLines>, Error> {
        let before = self.file.progress();
        match self.file.unfinished_line(self.pipeline.limits.record) {
            Some(piece) => self.take(piece, before),
            None => Ok(None),
        }
    }

    /// Processes a piece. Returns its output if the name of the output belongs to another file.
    fn take(
        &mut self,
        piece: Piece,
        before: Option<FileProgress>,
    ) -> Result<Option<UnwrittenLines>, Error> {
        let Piece {
            bytes,
            number,
            continues_line,
        } = piece;
        let (pipeline, file) = (self.pipeline, &mut *self.file);
        let source = file.path().to_string_lossy().into_owned();
        let mut observer = PieceObserver {
            follower: &mut *self.follower,
            is_first: number == 1 && !continues_line,
        };
        let mut lines = Vec::new();
        let ran = if !continues_line {
            let doubt = &mut file.doubt;
            let ran =
                pipeline.process_lines(&bytes, number, doubt, &mut lines, &source, &mut observer);
            ran.map(drop)
        } else if pipeline.transform().seals() {
            // Plaintext must not pass through.
            file.doubt = Doubt::raised();
            pipeline.process_part(&bytes, number, &mut lines, &source, &mut observer)
        } else {
            lines = bytes;
            Ok(())
        };
        if let (Some(checkpoints), Some(_)) = (&mut self.checkpoints, self.output.file()) {
            let noted = checkpoints.note_read(&file.position());
            noted.map_err(Error::Create)?;
        }
        let unwritten = UnwrittenLines {
            before,
            lines,
            starts_line: !continues_line,
        };
        // Records before the one that ends the run are written too.
        let unwritten = unwritten.write(self.output).map_err(written)?;
        ran.map_err(|error| match error {
            crate::Error::Record { .. } => Error::Record {
                path: file.path().to_owned(),
                error,
            },
            error => Error::Run(error),
        })?;
        Ok(unwritten)
    }
}

/// An observer of a piece. Warnings that concern a whole input are passed on only for the first
/// piece.
struct PieceObserver<'f, F> {
    follower: &'f mut F,
    is_first: bool,
}

impl<F: Follower> Observer for PieceObserver<'_, F> {
    fn batch(&mut self, stats: &Stats) {
        self.follower.batch(stats);
    }

    fn warning(&mut self, source: &str, warning: &Warning) {
        if self.is_first {
            self.follower.warning(source, warning);
        }
    }

    fn dead_letter(&mut self, letter: &[u8]) -> io::Result<()> {
        self.follower.dead_letter(letter)
    }

    fn letters_done(&mut self) -> io::Result<()> {
        self.follower.letters_done()
    }

    fn wants_letters(&self) -> bool {
        self.follower.wants_letters()
    }
}

/// The unit in which a file is processed: whole lines, except that the last line of a file may have
/// no end.
#[derive(Debug, PartialEq, Eq)]
struct Piece {
    bytes: Vec<u8>,
    /// The number of the first line, counted from 1.
    number: u64,
    /// Set if this is a further part of a line that exceeds the maximum size of a record. It is
    /// passed through unchanged.
    continues_line: bool,
}

impl FollowedFile {
    /// Returns the next complete lines, or `None` if there are none yet.
    ///
    /// # Errors
    /// The event to report instead.
    fn next_piece(&mut self, limit: usize) -> Result<Option<Piece>, Event> {
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
    fn unfinished_line(&mut self, limit: usize) -> Option<Piece> {
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
        // A file that was truncated may have been rewritten.
        let is_other = found.len() < self.offset
            || match &self.file {
                Some(file) => !self.mark.is_before(file, self.offset)?,
                None => false,
            };
        if is_other {
            (self.offset, self.number, self.in_line) = (0, 1, false);
            (self.mark, self.stamp) = (Mark::default(), None);
            self.doubt = Doubt::default();
            return Ok(Err(Event::Truncated));
        }
        let stamp = Stamp::from(&found);
        if self.offset == 0
            && let (start, _) = self.bytes(EVIDENCE)?
            && let Some(error) = InputError::of_lines(&start)
        {
            let (end, _) = self.bytes_at(self.size.saturating_sub(EVIDENCE), EVIDENCE)?;
            if !detect::has_record(&start) && !detect::has_record(&end) {
                // The file is looked at again when it has changed.
                self.stamp = Some(stamp);
                let is_reported = std::mem::replace(&mut self.is_refused, true);
                return Ok(match is_reported {
                    true => Ok(None),
                    false => Err(Event::Refused(error)),
                });
            }
        }
        self.is_refused = false;
        let piece = self.next_lines(limit as u64)?;
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

    fn next_lines(&mut self, limit: u64) -> io::Result<Option<Piece>> {
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
        let (number, continues_line) = (self.number, self.in_line);
        self.number += memchr::memchr_iter(b'\n', &bytes).count() as u64;
        self.in_line = !is_last && !bytes.ends_with(b"\n");
        Ok(Piece {
            bytes,
            number,
            continues_line,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, io::Write};

    use super::*;
    use crate::files::follow::ListedFile;

    /// On the first open, the name does not exist, as if too many files were open.
    #[test]
    fn what_cannot_be_opened_is_skipped_later() {
        let dir = tempfile::tempdir().unwrap();
        let (path, away) = (dir.path().join("a.log"), dir.path().join("away"));
        fs::write(&path, "1\n2\nhalf").unwrap();
        let seen = ListedFile::at(&path).unwrap();
        fs::rename(&path, &away).unwrap();
        let mut followed = FollowedFile::at_end(seen);
        assert!(followed.file.is_none() && followed.next_piece(99).unwrap().is_none());
        assert_eq!(followed.progress(), None);
        fs::rename(&away, &path).unwrap();
        let mut file = File::options().append(true).open(&path).unwrap();
        file.write_all(b"\n4\n").unwrap();
        let piece = followed.next_piece(99).unwrap();
        let bytes = b"half\n4\n".to_vec();
        let expected = Piece {
            bytes,
            number: 3,
            continues_line: false,
        };
        assert_eq!(piece, Some(expected));
        assert_eq!(followed.progress().unwrap().position.offset, 11);
    }
}
