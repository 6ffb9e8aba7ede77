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

mod checkpoint;
mod known;
mod lines;
mod listing;
mod mark;
mod output;
mod piece;
mod place;
mod run;
mod tail;
mod take;

use std::{
    fs::File,
    io::{self, Write},
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::{Duration, Instant},
};

use run::Run;

use pqseal_atomic_file::{is_file_at, lock};

use super::Error;
use crate::{Pipeline, batch::Transform, input::InputError, pipeline::Observer};

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

/// The destination of records.
pub trait Sink: Write {
    /// Makes the written data as durable as possible.
    ///
    /// # Errors
    /// An error if that fails. The state then does not record those records as done.
    fn settle(&mut self) -> io::Result<()>;

    /// Returns the output file and its path, if the output is a file. It is open for reading too,
    /// since the state identifies the file by its last bytes.
    fn file(&mut self) -> Option<(&Path, &File)>;

    /// Reports whether [`settle`](Self::settle) covers all written data. The state is not updated
    /// before that. An output of whole lines holds back the beginning of a line.
    fn is_whole(&self) -> bool {
        true
    }

    /// Ends the last line, if it has no end.
    ///
    /// # Errors
    /// An error if that fails.
    fn end_line(&mut self) -> io::Result<()>;

    /// Truncates the [`file`](Self::file) to this size, which an earlier run recorded in the state.
    /// The rest is written again.
    ///
    /// # Errors
    /// An error if that fails.
    fn cut(&mut self, size: u64) -> io::Result<()>;

    /// Locks the [`file`](Self::file) until it is dropped.
    ///
    /// # Errors
    /// An error if another process writes to it.
    fn lock(&mut self) -> io::Result<()> {
        // On Windows a lock would also prevent others from reading the file.
        match self.file() {
            Some((_, file)) if cfg!(unix) => lock(file),
            _ => Ok(()),
        }
    }

    /// Opens the [`file`](Self::file) again by its name, creates it if necessary, and locks it.
    ///
    /// # Errors
    /// An error if that fails.
    fn reopen(&mut self) -> io::Result<()>;

    /// Reports whether a [`reopen`](Self::reopen) of the file was requested since the last call.
    fn is_asked_to_reopen(&mut self) -> bool {
        false
    }

    /// Reports whether the file must be reopened.
    fn is_renamed(&mut self) -> bool {
        self.is_asked_to_reopen() || !has_its_name(self)
    }

    /// Appends lines, or a part of one. Returns `false`, with nothing added to the file, if its
    /// name belonged to another file before or after the write, since the old file may already have
    /// been compressed.
    ///
    /// # Errors
    /// An error if that fails.
    fn add(&mut self, lines: &[u8], starts_line: bool) -> io::Result<bool> {
        if !has_its_name(self) {
            return Ok(false);
        }
        let before = size(self)?;
        if starts_line {
            self.end_line()?;
        }
        self.write_all(lines)?;
        self.flush()?;
        if has_its_name(self) {
            return Ok(true);
        }
        // The size may include a line break before the lines. Any other size means that another
        // process writes to the file.
        let grown = size(self)?.saturating_sub(before);
        if (1..=lines.len() as u64 + 1).contains(&grown) {
            self.cut(before)?;
        }
        Ok(false)
    }

    /// Appends whole lines to the file at the output's path, if the output is a file.
    ///
    /// # Errors
    /// An error if that fails.
    fn add_lines(&mut self, lines: &[u8]) -> io::Result<()> {
        while self.is_renamed() || !self.add(lines, true)? {
            self.settle()?;
            self.reopen()?;
        }
        Ok(())
    }
}

fn has_its_name(sink: &mut (impl Sink + ?Sized)) -> bool {
    let file = sink.file();
    file.is_none_or(|(path, file)| is_file_at(path, file))
}

fn size(sink: &mut (impl Sink + ?Sized)) -> io::Result<u64> {
    let file = sink.file();
    file.map_or(Ok(0), |(_, file)| Ok(file.metadata()?.len()))
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
/// The minimum interval between two writes of the state.
const NOTE: Duration = Duration::from_secs(1);
/// The inverse of the maximum share of time that is spent listing folders.
const LOOKING: u32 = 20;

/// Follows files until `is_over`.
///
/// # Errors
/// [`Error::Create`] if the state cannot be read or written, or another run uses it,
/// [`Error::OtherOutput`] if it belongs to another output, including one that was renamed,
/// [`Error::Run`] if the output or a dead letter cannot be written, and [`Error::Record`] if a
/// record cannot be sealed.
pub fn follow<T: Transform>(
    pipeline: &Pipeline<T>,
    what: &Follow,
    output: &mut impl Sink,
    follower: &mut impl Follower,
    is_over: &AtomicBool,
) -> Result<(), Error> {
    let mut run = Run::new(pipeline, what)?;
    run.resume(output, follower)?;
    while !is_over.load(Ordering::Relaxed) {
        let looked = run.look(follower);
        run.renew(output)?;
        run.note(output, false)?;
        let has_more = run.take_all(output, follower, is_over)?;
        run.note(output, false)?;
        follower.tick();
        if !has_more {
            rest(INTERVAL.max(looked * LOOKING), is_over);
        }
    }
    run.take_rests(output, follower)?;
    run.note(output, true)
}

/// Waits for this time, or until the end of the run.
fn rest(time: Duration, is_over: &AtomicBool) {
    let end = Instant::now() + time;
    while !is_over.load(Ordering::Relaxed) {
        match end.checked_duration_since(Instant::now()) {
            Some(left) if !left.is_zero() => thread::sleep(left.min(INTERVAL)),
            _ => return,
        }
    }
}

fn written(error: io::Error) -> Error {
    Error::Run(crate::Error::Write(error))
}
