//! Files that grow: each line passes through a pipeline as soon as it is complete, as with
//! `tail -F`. A state file records how far each file was read.
//!
//! Files are polled, and identified by their inode numbers instead of their names. So this works on
//! every file system, including network ones. It does not depend on change notifications, and it
//! recognises rotation by any program:
//!
//! - **Rename and create.** The old file is read until nothing was added to it for
//!   [`Follow::rest`]. The new one is read from its start. A file that was renamed between two runs
//!   is looked up in its folder.
//! - **A folder or a file that cannot be accessed**, for example because a server does not answer,
//!   does not count as removed. A file counts as removed only once its folder was listed without
//!   it. If it comes back, reading continues where it stopped.
//! - **Copy and truncate.** A file that is shorter than the part that was read, or whose bytes
//!   before that position changed, is read from its start. Data written between the last poll and
//!   the truncation is lost, as with `tail -F`. The copy is a new file: in a followed folder it is
//!   read from its start, so its lines are written twice. Copies must lie outside the folder, or
//!   have names that begin with a dot.
//! - **An unfinished last line** is held until its end is written. In a rotated file it is
//!   processed as it is when the file is given up, and also at the end of a run without a state.
//!   With a state, the next run continues it.
//!
//! Output is written before the state ([`Sink::settle`]). After a crash no line is missing from the
//! output. Lines since the last entry in the state are written again, unless the output is a file
//! that can be truncated to the recorded size. Only the file that the state describes is truncated,
//! and only if all input for the truncated part still exists. A state and an output are locked
//! while a run uses them.
//!
//! The output may be renamed at any time, too. Its name is checked before and after each write
//! ([`Sink::add`]). If another file has the name, the old file is settled and recorded first.

mod absent;
mod checkpoint;
mod run;
mod sink;
mod tail;

use std::{
    fs::{self, File, Metadata},
    io::{self, Read, Seek, SeekFrom},
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use pqseal_atomic_file::{Identity, identity};
use sha2::{Digest, Sha256};

use super::{Error, Stamp};
use crate::{
    input::InputError,
    pipeline::{Doubt, DoubtLevel, Observer},
};

use sink::RecordedOutput;

pub use run::follow;
pub use sink::Sink;

/// The files to follow, and the options.
#[derive(Clone, Debug)]
pub struct Follow {
    /// The files, which need not exist yet, or the folders.
    pub inputs: Vec<PathBuf>,
    /// Set if the inputs are folders. All files in them are followed, including those that appear
    /// later.
    pub folders: bool,
    /// Set if existing files that the state does not know are read only from their current ends.
    pub from_end: bool,
    /// The state file, which records how far each file was read.
    pub state: Option<PathBuf>,
    /// The maximum number of files that stay open between two polls. An open file is read to its
    /// end even if it is removed. The others are opened by their names each time they grow.
    pub keep_open: usize,
    /// The time without new data after which a rotated file is given up, such as [`REST`]. It must
    /// be longer than its writers take to switch to the new file.
    pub rest: Duration,
}

/// A receiver of events of followed files, besides the counts and warnings of their records.
pub trait Follower: Observer {
    /// Reports an event of this file, as soon as it is noticed.
    fn event(&mut self, path: &Path, event: Event);

    /// Reports that the files were polled, at most ten times per second.
    fn tick(&mut self) {}
}

/// An event of a followed file.
#[derive(Debug)]
#[non_exhaustive]
pub enum Event {
    /// A named file or folder does not exist. The run waits for it.
    Missing,
    /// The file was truncated or rewritten, and is read from its start.
    Truncated,
    /// The file was removed, replaced or truncated, and the rest of it was not found. For a file in
    /// a folder, this is reported only if it is known to have had more data.
    Lost,
    /// The state was written by an earlier version, which did not identify the output file. So the
    /// output was not truncated, and its last bytes are written again.
    NotCut {
        /// The number of bytes.
        bytes: u64,
    },
    /// A file of the state was not found, or is shorter than the part that was read. So the output
    /// was not truncated, and its last bytes may be written again.
    Kept {
        /// The number of bytes.
        bytes: u64,
    },
    /// The file cannot be read. It is tried again when it changes.
    Failed(Error),
    /// The file is not lines of text. It is not followed, unless a record is added to it.
    Refused(InputError),
}

/// The maximum time that writers take to switch to a new file, for [`Follow::rest`].
pub const REST: Duration = Duration::from_secs(5);
/// The interval between two polls of the files.
pub const INTERVAL: Duration = Duration::from_millis(100);

/// A file that grows, and the position that it was read to.
struct FollowedFile {
    /// The file under its latest name.
    listed: ListedFile,
    /// The open file. It is kept open, within the limit on open files, since it may be renamed or
    /// removed before its last lines are read. A closed one is opened again by its name when it
    /// changes.
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

impl FollowedFile {
    /// Follows a file from its start.
    fn at_start(file: ListedFile) -> Self {
        Self {
            listed: file,
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

    /// Follows a file from where an earlier run ended.
    fn resumed(file: ListedFile, progress: FileProgress) -> Self {
        Self {
            offset: progress.position.offset,
            number: progress.number,
            mark: progress.position.mark,
            in_line: progress.in_line,
            size: progress.size,
            doubt: match progress.position.offset {
                0 => Doubt::default(),
                _ => Doubt::after(progress.doubt),
            },
            ..Self::at_start(file)
        }
    }

    /// Follows only data that is added later. A last line that has no end yet is read completely.
    /// Nothing is read before the file could be opened and its lines counted.
    fn at_end(file: ListedFile) -> Self {
        let to_skip = Some(file.size);
        let mut file = Self {
            to_skip,
            ..Self::at_start(file)
        };
        // An error is reported when the file is read.
        let _ = file.open();
        file
    }

    /// Opens the file. Returns `false` if its name now belongs to another file.
    fn open(&mut self) -> io::Result<bool> {
        if self.file.is_none() {
            self.file = self.listed.open()?;
        }
        if self.file.is_some() {
            self.skip()?;
        }
        Ok(self.file.is_some())
    }

    fn path(&self) -> &Path {
        &self.listed.path
    }

    /// Reports whether the file has another name or none, and nothing was added for this time.
    fn is_given_up(&self, rest: Duration) -> bool {
        let is_old = self.rotated.is_some_and(|since| since.elapsed() >= rest);
        is_old && self.changed.elapsed() >= rest
    }

    /// Returns the position that was read to.
    fn position(&self) -> FilePosition {
        FilePosition {
            path: self.listed.path.clone(),
            inode: self.listed.inode,
            offset: self.offset,
            mark: self.mark.clone(),
        }
    }

    /// Returns the progress for the state, or `None` for a file that is not followed and for one
    /// whose lines are still to be skipped, which the next run would read from its start.
    fn progress(&self) -> Option<FileProgress> {
        let is_read = !self.is_refused && self.to_skip.is_none();
        is_read.then(|| FileProgress {
            position: self.position(),
            number: self.number,
            in_line: self.in_line,
            doubt: self.doubt.level(),
            size: self.size.max(self.offset),
            is_gone: false,
        })
    }
}

/// The progress of earlier runs.
#[derive(Default)]
struct EarlierRuns {
    files: Vec<FileProgress>,
    output: RecordedOutput,
    /// The positions up to which files were read for data that was written after `output`.
    read: Vec<FilePosition>,
}

/// The position that one file was read to.
#[derive(Clone, Debug, PartialEq, Eq)]
struct FileProgress {
    /// The end of the part that was processed.
    position: FilePosition,
    /// The number of the line that begins there.
    number: u64,
    /// Set if the position is inside a line that is too large for a record.
    in_line: bool,
    /// The damage of the line before the position.
    doubt: DoubtLevel,
    /// The size of the file in bytes when it was last looked at.
    size: u64,
    /// Set if the file was removed or renamed, and given up.
    is_gone: bool,
}

impl FileProgress {
    /// Reports whether the file had more data than was processed.
    const fn has_more(&self) -> bool {
        self.size > self.position.offset
    }
}

/// A file, and a position in it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct FilePosition {
    path: PathBuf,
    /// The inode number, or 0 on systems that have none.
    inode: u64,
    /// The position, in bytes from the start.
    offset: u64,
    mark: Mark,
}

impl FilePosition {
    /// Returns the end of the output, if it is a file.
    fn end_of(output: &mut impl Sink) -> io::Result<Option<Self>> {
        let Some((path, file)) = output.file() else {
            return Ok(None);
        };
        let found = file.metadata()?;
        Ok(Some(Self {
            path: path.to_owned(),
            inode: inode(&found),
            offset: found.len(),
            mark: Mark::before(file, found.len())?,
        }))
    }

    /// Reports whether `file`, which is at `path`, is this file, by its inode number or else its
    /// name, and by its contents.
    fn is_in(&self, path: &Path, file: &File) -> io::Result<bool> {
        let has_number = self.inode != 0 && self.inode == inode(&file.metadata()?);
        Ok((has_number || self.has_name(path)) && self.has_contents_of(file)?)
    }

    /// Reports whether this file has the inode number and the contents of the listed one.
    fn has_number_of(&self, file: &ListedFile) -> bool {
        file.inode != 0 && self.inode == file.inode && self.has_contents_at(&file.path)
    }

    /// Reports whether this file has the name and the contents of the listed one.
    fn has_name_of(&self, file: &ListedFile) -> bool {
        self.has_name(&file.path) && self.has_contents_at(&file.path)
    }

    /// Reports whether this file has the name. At position 0 it could not be distinguished from
    /// another file of that name.
    fn has_name(&self, path: &Path) -> bool {
        self.path == path && (self.inode == 0 || self.mark.size > 0)
    }

    fn has_contents_at(&self, path: &Path) -> bool {
        let has_them = File::open(path).and_then(|file| self.has_contents_of(&file));
        has_them.unwrap_or(false)
    }

    fn has_contents_of(&self, file: &File) -> io::Result<bool> {
        let is_long = file.metadata()?.len() >= self.offset;
        Ok(is_long && self.mark.is_before(file, self.offset)?)
    }
}

/// The maximum number of bytes of which a mark is a hash.
const MARKED: u64 = 256;

/// A hash of the bytes before a position, which distinguishes a file from one that was rewritten in
/// its place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Mark {
    /// The number of bytes.
    size: u64,
    /// The first 8 bytes of their SHA-256.
    hash: u64,
}

impl Mark {
    /// Returns the mark of the bytes before `offset`.
    fn before(file: &File, offset: u64) -> io::Result<Self> {
        Self::of(file, offset, offset.min(MARKED))
    }

    /// Reports whether the bytes before `offset` have this mark.
    fn is_before(&self, file: &File, offset: u64) -> io::Result<bool> {
        let is_empty = self.size == 0;
        Ok(is_empty || *self == Self::of(file, offset, self.size.min(MARKED))?)
    }

    fn of(mut file: &File, offset: u64, size: u64) -> io::Result<Self> {
        file.seek(SeekFrom::Start(offset.saturating_sub(size)))?;
        let mut bytes = Vec::new();
        file.take(size).read_to_end(&mut bytes)?;
        let hash = Sha256::digest(&bytes);
        Ok(Self {
            size: bytes.len() as u64,
            hash: u64::from_be_bytes(*hash.first_chunk().expect("32 bytes are more than 8")),
        })
    }
}

/// An existing file.
#[derive(Clone, Debug)]
struct ListedFile {
    path: PathBuf,
    identity: Identity,
    /// The inode number, as in [`FilePosition::inode`].
    inode: u64,
    /// The size in bytes.
    size: u64,
}

impl ListedFile {
    /// Looks up the file at `path`.
    fn at(path: &Path) -> io::Result<Self> {
        let found = fs::metadata(path)?;
        if !found.is_file() {
            return Err(io::Error::other("it is not a regular file"));
        }
        Ok(Self {
            identity: identity(path, &found)?,
            inode: inode(&found),
            size: found.len(),
            path: path.to_owned(),
        })
    }

    /// Opens the file, unless it was removed or its name now belongs to another file.
    fn open(&self) -> io::Result<Option<File>> {
        let file = match File::open(&self.path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        let is_same = identity(&self.path, &file.metadata()?)? == self.identity;
        Ok(is_same.then_some(file))
    }
}

#[cfg(unix)]
fn inode(found: &Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::ino(found)
}

#[cfg(not(unix))]
const fn inode(_found: &Metadata) -> u64 {
    0
}

fn written(error: io::Error) -> Error {
    Error::Run(crate::Error::Write(error))
}
