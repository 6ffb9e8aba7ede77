//! One file that grows.

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

/// A file, and how far it was read.
pub(super) struct Tail {
    /// The file, by its last name.
    seen: Seen,
    /// Kept open, as long as there are not too many, while it may be renamed or removed before its
    /// last lines are read.
    file: Option<File>,
    /// What was taken.
    offset: u64,
    /// The number of the line that begins there.
    number: u64,
    /// What the bytes before that are.
    mark: Mark,
    /// Whether a line that is too large for a record goes on there.
    in_line: bool,
    /// How many bytes it had when it was last looked at.
    size: u64,
    /// Of this many bytes the lines are still to be skipped.
    to_skip: Option<u64>,
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
    /// The doubt after the lines that were taken.
    doubt: Doubt,
}

impl Tail {
    /// A file that is read from its start.
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

    /// A file that is read on from where an earlier run ended.
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

    /// A file of which only what is added is read. A line that has no end yet is read whole. Nothing
    /// is read before it could be opened, and its lines counted.
    pub(super) fn at_end(file: Seen) -> Self {
        let to_skip = Some(file.size);
        let mut tail = Self {
            to_skip,
            ..Self::at_start(file)
        };
        // A failure is told when it is read.
        let _ = tail.open();
        tail
    }

    /// Whether it is open, which it is unless another has its name by now.
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

    /// It is opened again by its name when it changes.
    pub(super) fn close(&mut self) {
        self.file = None;
    }

    /// It is not known to be there by any name.
    pub(super) const fn unlist(&mut self) {
        self.is_listed = false;
    }

    /// It is there, by this name.
    pub(super) fn list(&mut self, file: Seen) {
        (self.seen, self.is_listed) = (file, true);
    }

    /// It has this name, which was looked for.
    pub(super) fn rename(&mut self, file: Seen) {
        self.seen = file;
    }

    /// All that are there are known by now. A file that rests this long is closed, if it is found by
    /// its name again: in a folder.
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

    /// Whether it has another name or none.
    pub(super) const fn is_rotated(&self) -> bool {
        self.rotated.is_some()
    }

    /// Returns whether it has another name or none, and nothing was added for this long.
    pub(super) fn is_given_up(&self, rest: Duration) -> bool {
        let is_old = self.rotated.is_some_and(|since| since.elapsed() >= rest);
        is_old && self.changed.elapsed() >= rest
    }

    /// The doubt after the lines that were taken.
    pub(super) const fn doubt(&mut self) -> &mut Doubt {
        &mut self.doubt
    }

    /// How much of it is taken, and how much there is.
    pub(super) const fn progress(&self) -> (u64, u64) {
        (self.offset, self.size)
    }

    /// How far it was read.
    pub(super) fn place(&self) -> Place {
        Place {
            path: self.seen.path.clone(),
            inode: self.seen.inode,
            offset: self.offset,
            mark: self.mark.clone(),
        }
    }

    /// Returns whether it is the file of this place, and still has what is before it.
    pub(super) fn has(&self, place: &Place) -> bool {
        let path = self.path();
        place.has_number(self.seen.inode, path) || (place.has_name(path) && place.is_at(path))
    }

    /// What the state says of it. Of a file that is not followed nothing is said, nor of one whose
    /// lines are still to be skipped: it would be read from its start.
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

    /// It is not there by its name when it is first opened, as if there were too many open files.
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
