//! A file that grows.

mod read;

use std::{
    fs::File,
    io,
    path::Path,
    time::{Duration, Instant},
};

use super::{
    known::Entry,
    mark::Mark,
    place::{Place, Seen},
};
use crate::{files::Stamp, pipeline::Doubt};

/// A file, and the position that it was read to.
pub(super) struct Tail {
    /// The file under its latest name.
    seen: Seen,
    /// The open file. It is kept open, within the limit on open files, since it may be renamed or
    /// removed before its last lines are read.
    file: Option<File>,
    /// The position that was read to.
    offset: u64,
    /// The number of the line that begins there.
    number: u64,
    /// The mark of the bytes before that.
    mark: Mark,
    /// Set if the position is inside a line that is too large for a record.
    in_line: bool,
    /// The size in bytes when the file was last looked at.
    size: u64,
    /// The length of the beginning of the file whose lines are still to be skipped.
    to_skip: Option<u64>,
    /// The state of the file when it was last read.
    stamp: Option<Stamp>,
    /// The time of the last change.
    changed: Instant,
    is_listed: bool,
    /// The time since which the file has had another name, or none.
    rotated: Option<Instant>,
    is_refused: bool,
    /// Set if its failure was reported.
    is_failed: bool,
    /// The doubt after the processed lines.
    doubt: Doubt,
}

impl Tail {
    /// Creates a tail that reads a file from its start.
    pub(super) fn at_start(file: Seen) -> Self {
        Self {
            seen: file,
            file: None,
            offset: 0,
            number: 1,
            mark: Mark::default(),
            in_line: false,
            size: 0,
            to_skip: None,
            stamp: None,
            changed: Instant::now(),
            is_listed: true,
            rotated: None,
            is_refused: false,
            is_failed: false,
            doubt: Doubt::default(),
        }
    }

    /// Creates a tail that continues where an earlier run ended.
    pub(super) fn at(file: Seen, entry: Entry) -> Self {
        Self {
            offset: entry.place.offset,
            number: entry.number,
            mark: entry.place.mark,
            in_line: entry.in_line,
            size: entry.size,
            doubt: match entry.place.offset {
                0 => Doubt::default(),
                _ => Doubt::after(entry.doubt),
            },
            ..Self::at_start(file)
        }
    }

    /// Creates a tail that reads only data that is added later. A last line that has no end yet is
    /// read completely. Nothing is read before the file could be opened and its lines counted.
    pub(super) fn at_end(file: Seen) -> Self {
        let to_skip = Some(file.size);
        let mut tail = Self {
            to_skip,
            ..Self::at_start(file)
        };
        // An error is reported when the file is read.
        let _ = tail.open();
        tail
    }

    /// Opens the file. Returns `false` if its name now belongs to another file.
    pub(super) fn open(&mut self) -> io::Result<bool> {
        if self.file.is_none() {
            self.file = self.seen.open()?;
        }
        if self.file.is_some() {
            self.skip()?;
        }
        Ok(self.file.is_some())
    }

    pub(super) const fn is_open(&self) -> bool {
        self.file.is_some()
    }

    /// Closes the file, which is opened again by its name when it changes.
    pub(super) fn close(&mut self) {
        self.file = None;
    }

    /// Marks the file as not listed under any name.
    pub(super) const fn unlist(&mut self) {
        self.is_listed = false;
    }

    /// Marks the file as listed, under this name.
    pub(super) fn list(&mut self, file: Seen) {
        (self.seen, self.is_listed) = (file, true);
    }

    /// Changes the name to the one that was found.
    pub(super) fn rename(&mut self, file: Seen) {
        self.seen = file;
    }

    /// Updates the file after all files were listed. A listed file that did not change for this
    /// time is closed, if files in a folder are followed, since it can be found again by its name.
    pub(super) fn listed(&mut self, closed_after: Option<Duration>) {
        self.rotated = match self.is_listed {
            true => None,
            false => self.rotated.or_else(|| Some(Instant::now())),
        };
        let rests = closed_after.is_some_and(|rest| self.changed.elapsed() >= rest);
        if rests && self.is_listed {
            self.close();
        }
    }

    pub(super) fn path(&self) -> &Path {
        &self.seen.path
    }

    /// Reports whether the file has another name, or none.
    pub(super) const fn is_rotated(&self) -> bool {
        self.rotated.is_some()
    }

    /// Reports whether the file has another name or none, and nothing was added for this time.
    pub(super) fn is_given_up(&self, rest: Duration) -> bool {
        let is_old = self.rotated.is_some_and(|since| since.elapsed() >= rest);
        is_old && self.changed.elapsed() >= rest
    }

    /// Returns the doubt after the processed lines.
    pub(super) const fn doubt(&mut self) -> &mut Doubt {
        &mut self.doubt
    }

    /// Returns the position that was read to and the size.
    pub(super) const fn progress(&self) -> (u64, u64) {
        (self.offset, self.size)
    }

    /// Returns the position that was read to.
    pub(super) fn place(&self) -> Place {
        Place {
            path: self.seen.path.clone(),
            inode: self.seen.inode,
            offset: self.offset,
            mark: self.mark.clone(),
        }
    }

    /// Reports whether this is the file of the place, and its bytes before the place are unchanged.
    pub(super) fn has(&self, place: &Place) -> bool {
        let path = self.path();
        place.has_number(self.seen.inode, path) || (place.has_name(path) && place.is_at(path))
    }

    /// Returns the entry for the state, or `None` for a file that is not followed and for one whose
    /// lines are still to be skipped, which the next run would read from its start.
    pub(super) fn entry(&self) -> Option<Entry> {
        let is_read = !self.is_refused && self.to_skip.is_none();
        is_read.then(|| Entry {
            place: self.place(),
            number: self.number,
            in_line: self.in_line,
            doubt: self.doubt.level(),
            size: self.size.max(self.offset),
            is_gone: false,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, io::Write};

    use super::*;
    use crate::files::follow::piece::Piece;

    /// On the first open, the name does not exist, as if too many files were open.
    #[test]
    fn what_cannot_be_opened_is_skipped_later() {
        let dir = tempfile::tempdir().unwrap();
        let (path, away) = (dir.path().join("a.log"), dir.path().join("away"));
        fs::write(&path, "1\n2\nhalf").unwrap();
        let seen = Seen::at(&path).unwrap();
        fs::rename(&path, &away).unwrap();
        let mut tail = Tail::at_end(seen);
        assert!(!tail.is_open() && tail.next(99).unwrap().is_none());
        assert_eq!(tail.entry(), None);
        fs::rename(&away, &path).unwrap();
        let mut file = File::options().append(true).open(&path).unwrap();
        file.write_all(b"\n4\n").unwrap();
        let piece = tail.next(99).unwrap();
        let bytes = b"half\n4\n".to_vec();
        assert_eq!(piece, Some(Piece::Lines { bytes, number: 3 }));
        assert_eq!(tail.entry().unwrap().place.offset, 11);
    }
}
