//! Files that grow: each line goes through a pipeline as soon as it is complete, as `tail -F` shows
//! it, and a state says how far each file was read.
//!
//! Files are polled, and identified by the numbers that the system gives them, not by their names.
//! So this works on every file system, including network ones. Nothing depends on notifications of
//! changes, and rotation is recognised whichever program does it:
//!
//! - **Rename and create.** The old file is read on until nothing was added to it for
//!   [`Follow::rest`]; the new one is read from its start. What was renamed while nothing followed it is
//!   looked for in its folder.
//! - **A folder or a file that cannot be looked at**, for example since a server does not answer,
//!   says nothing of what is there. Files count as removed only once their folder was listed without
//!   them. One that comes back is read on from where it was read to.
//! - **Copy and truncate.** A file that is shorter than what was read of it, or in which the bytes
//!   before that place are others, is read from its start. What was written after the last look and
//!   before the truncation is lost, as it is with `tail -F`. The copy is a new file: in a folder that
//!   is followed it is read from its start, so its lines come twice. Copies must lie outside the
//!   folder, or have names that begin with a dot.
//! - **An unfinished last line** is held until its end is written. In a file that was rotated it is
//!   taken as it is when the file is given up; at the end of a run without a state, too. With a
//!   state the next run takes it.
//!
//! Output comes first, then the state ([`Sink::settle`]). After a crash no line is missing from the
//! output. Lines since the last note in the state come again, unless the output is a file that can
//! be cut back to what the state says. Only the file that the state describes is cut, and only if all
//! that was read for what is cut is still there. A state and an output are locked while a run uses them.
//!
//! The output may be renamed at any time too. Lines are written to the file that has the name, before
//! and after that ([`Sink::add`]). If another has it, the old file is settled and noted first.

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

use super::{Error, is_file_at, lock};
use crate::{Pipeline, batch::Transform, input::InputError, pipeline::Observer};

/// What is followed, and how.
#[derive(Clone, Debug)]
pub struct Follow {
    /// Files, which need not be there yet, or folders.
    pub inputs: Vec<PathBuf>,
    /// Whether they are folders: all files in them are followed, also those that appear later.
    pub folders: bool,
    /// Whether files that are there already, and that the state does not know, are read only from
    /// their ends on.
    pub from_end: bool,
    /// Where is noted how far each file was read.
    pub state: Option<PathBuf>,
    /// How many files stay open between two looks at most. One that stays open is read to its end
    /// even if it is removed. The others are opened by their names each time they grow.
    pub keep_open: usize,
    /// The time for which nothing must be added to a rotated file before it is given up, such as
    /// [`REST`]: longer than its writers take to go on with the new one.
    pub rest: Duration,
}

/// Where records go.
pub trait Sink: Write {
    /// Makes what was written as durable as it can be.
    ///
    /// # Errors
    /// If that fails: then the state does not say that those records are done.
    fn settle(&mut self) -> io::Result<()>;

    /// The file that is added to and its path, if the output is one. It is open for reading too: the
    /// state says by its last bytes which file it is.
    fn file(&mut self) -> Option<(&Path, &File)>;

    /// Whether [`settle`](Self::settle) covers all that was written. Until then nothing is noted: an
    /// output of whole lines keeps the beginning of one back.
    fn is_whole(&self) -> bool {
        true
    }

    /// Ends the line that was written last, if it has no end.
    ///
    /// # Errors
    /// If that fails.
    fn end_line(&mut self) -> io::Result<()>;

    /// Cuts the [`file`](Self::file) back to this size, which an earlier run has noted in the state:
    /// what follows comes again.
    ///
    /// # Errors
    /// If that fails.
    fn cut(&mut self, size: u64) -> io::Result<()>;

    /// Locks the [`file`](Self::file) until it is dropped.
    ///
    /// # Errors
    /// If another process writes to it.
    fn lock(&mut self) -> io::Result<()> {
        // On Windows a lock would keep others from reading the file too.
        match self.file() {
            Some((_, file)) if cfg!(unix) => lock(file),
            _ => Ok(()),
        }
    }

    /// Opens the [`file`](Self::file) again by its name, makes it if it is not there, and locks it.
    ///
    /// # Errors
    /// If that fails.
    fn reopen(&mut self) -> io::Result<()>;

    /// Returns whether someone asked to [`reopen`](Self::reopen) the file, since the last call.
    fn is_asked_to_reopen(&mut self) -> bool {
        false
    }

    /// Returns whether the file is to be opened again.
    fn is_renamed(&mut self) -> bool {
        self.is_asked_to_reopen() || !has_its_name(self)
    }

    /// Adds lines, or more of one. The result is false, and they are not in the file, if its name
    /// belongs to another one before or after that: the old one may have been compressed already.
    ///
    /// # Errors
    /// If that fails.
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
        // With a line break before. If it has another size, someone else writes to it.
        let grown = size(self)?.saturating_sub(before);
        if (1..=lines.len() as u64 + 1).contains(&grown) {
            self.cut(before)?;
        }
        Ok(false)
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

/// Receives what happens to the files that are followed, besides the counts and warnings of their
/// records.
pub trait Follower: Observer {
    /// Something happened to this file. Called as soon as it is noticed.
    fn event(&mut self, path: &Path, event: Event);

    /// Called after each look at the files, ten times per second or less often.
    fn tick(&mut self) {}
}

/// What can happen to a file that is followed.
#[derive(Debug)]
#[non_exhaustive]
pub enum Event {
    /// A file or folder that was named is not there, and is waited for.
    Missing,
    /// It was truncated or written again, and is read from its start.
    Truncated,
    /// It was removed, replaced or truncated, and the rest of it was not found. Of a file in a folder
    /// this is told only if it is known to have had more.
    Lost,
    /// The state was written by an earlier version, which did not say which file the output is. So
    /// the output was not cut back, and what is in its last bytes comes again.
    NotCut {
        /// The number of bytes.
        bytes: u64,
    },
    /// A file of the state was not found, or not as long as it was read. So the output was not cut back,
    /// and what is in its last bytes may come again.
    Kept {
        /// The number of bytes.
        bytes: u64,
    },
    /// It cannot be read, and is tried again when it changes.
    Failed(Error),
    /// It does not hold lines of text, and is not followed, unless a record is added to it.
    Refused(InputError),
}

/// The most time that writers take to go on with a new file, for [`Follow::rest`].
pub const REST: Duration = Duration::from_secs(5);
/// How often files are looked at.
pub const INTERVAL: Duration = Duration::from_millis(100);
/// How often the state is written at most.
const NOTE: Duration = Duration::from_secs(1);
/// Of the time, this part at most is spent with looking into folders.
const LOOKING: u32 = 20;

/// Follows files until `is_over`.
///
/// # Errors
/// [`Error::Create`] if the state cannot be read or written, or another run uses it,
/// [`Error::OtherOutput`] if it belongs to another output, also to one that was renamed, [`Error::Run`] if the output or a dead
/// letter cannot be written, [`Error::Record`] if a record cannot be sealed.
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

/// Waits, but not after the end.
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
