//! Files that grow: each line goes through a pipeline as soon as it is complete, as `tail -F` shows
//! it, and a state says how far each file was read.
//!
//! Files are polled, and identified by the numbers that the system gives them, not by their names.
//! So this works on every file system, including network ones. Nothing depends on notifications of
//! changes, and rotation is recognised whichever program does it:
//!
//! - **Rename and create.** The old file is read on until nothing was added to it for
//!   [`REST`]; the new one is read from its start. What was renamed while nothing followed it is
//!   looked for in its folder.
//! - **Copy and truncate.** A file that is shorter than what was read of it, or in which the bytes
//!   before that place are others, is read from its start. What was written after the last look and
//!   before the truncation is lost, as it is with `tail -F`.
//! - **An unfinished last line** is held until its end is written. In a file that was rotated it is
//!   taken as it is when the file is given up; at the end of a run without a state, too. With a
//!   state the next run takes it.
//!
//! Output comes first, then the state ([`Sink::settle`]). After a crash no line is missing from the
//! output. Lines since the last note in the state come again, unless the output is a file that can
//! be cut back to what the state says.

mod checkpoint;
mod entry;
mod listing;
mod mark;
mod piece;
mod tail;

use std::{
    collections::HashMap,
    io::{self, Write},
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::{Duration, Instant},
};

use checkpoint::Checkpoints;
use entry::Seen;
use listing::Listing;
use piece::Piece;
use tail::Tail;

use super::{Error, Identity};
use crate::{Pipeline, Reason, Warning, batch::Transform, input::InputError, pipeline::Observer};

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
}

/// Where records go.
pub trait Sink: Write {
    /// Makes what was written as durable as it can be. The size of the output, if it is a file.
    ///
    /// # Errors
    /// If that fails: then the state does not say that those records are done.
    fn settle(&mut self) -> io::Result<Option<u64>>;

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

    /// Cuts the output back to this size, which an earlier run has noted in the state: what follows
    /// comes again.
    ///
    /// # Errors
    /// If that fails.
    fn cut(&mut self, size: u64) -> io::Result<()>;
}

/// Who hears of a run that may never end.
pub trait Follower: Observer {
    /// Something happened to this file.
    fn event(&mut self, path: &Path, event: Event);

    /// Called now and then.
    fn tick(&mut self) {}
}

/// What can happen to a file that is followed.
#[derive(Debug)]
#[non_exhaustive]
pub enum Event {
    /// It is not there yet.
    Missing,
    /// It was truncated or written again, and is read from its start.
    Truncated,
    /// It was replaced while nothing followed it, and the rest of it was not found.
    Lost,
    /// It cannot be read, and is tried again when it changes.
    Failed(Error),
    /// It does not hold lines of text, and is not followed.
    Refused(InputError),
}

/// How long nothing must be added to a file that was rotated before it is given up.
pub const REST: Duration = Duration::from_secs(5);
/// How often files are looked at.
pub const INTERVAL: Duration = Duration::from_millis(100);
/// How often the state is written at most.
const NOTE: Duration = Duration::from_secs(1);
/// Of the time, this part at most is spent with looking into folders.
const LOOKING: u32 = 20;
/// How many pieces of a file are taken before others are looked at.
const TURN: usize = 8;

/// Follows files until `is_over`.
///
/// # Errors
/// [`Error::Create`] if the state cannot be read or written, [`Error::Run`] if the output or a dead
/// letter cannot be written, [`Error::Record`] if a record cannot be sealed.
pub fn follow<T: Transform>(
    pipeline: &Pipeline<T>,
    what: &Follow,
    output: &mut impl Sink,
    follower: &mut impl Follower,
    is_over: &AtomicBool,
) -> Result<(), Error> {
    let checkpoints = what.state.as_deref().map(Checkpoints::load).transpose();
    let mut run = Run {
        pipeline,
        what,
        listing: Listing::new(what),
        checkpoints: checkpoints.map_err(Error::Create)?,
        tails: HashMap::new(),
        noted: Instant::now(),
        is_noted: true,
        is_begun: false,
        is_first: true,
    };
    run.resume(output)?;
    while !is_over.load(Ordering::Relaxed) {
        let looked = run.look(follower);
        // A file that is rotated before it is noted could not be found again.
        run.note(output, run.is_begun)?;
        let has_more = run.take_all(output, follower, is_over)?;
        run.note(output, false)?;
        follower.tick();
        if !has_more {
            rest(INTERVAL.max(looked * LOOKING), is_over);
        }
    }
    if run.checkpoints.is_none() {
        run.take_rests(output, follower)?;
    }
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

struct Run<'f, T> {
    pipeline: &'f Pipeline<T>,
    what: &'f Follow,
    listing: Listing<'f>,
    checkpoints: Option<Checkpoints>,
    tails: HashMap<Identity, Tail>,
    noted: Instant,
    /// Whether the state says all.
    is_noted: bool,
    /// Whether files have appeared that it does not know.
    is_begun: bool,
    is_first: bool,
}

impl<T: Transform> Run<'_, T> {
    /// What came after the last note comes again: it is cut off if the output is a file.
    fn resume(&mut self, output: &mut impl Sink) -> Result<(), Error> {
        let Some(noted) = self.checkpoints.as_ref().and_then(Checkpoints::output) else {
            return Ok(());
        };
        let size = output.settle().map_err(written)?;
        if size.is_some_and(|size| size > noted) {
            output.cut(noted).map_err(written)?;
        }
        Ok(())
    }

    /// Looks which files there are. How long that took.
    fn look(&mut self, follower: &mut impl Follower) -> Duration {
        let started = Instant::now();
        let seen = self.listing.list(follower);
        self.tails.values_mut().for_each(Tail::unlist);
        for file in seen {
            match self.tails.get_mut(&file.identity) {
                Some(tail) => tail.list(file),
                None => self.begin(file),
            }
        }
        for tail in self.tails.values_mut() {
            tail.listed(self.what.folders);
        }
        if self.is_first {
            self.find_rotated(follower);
        }
        self.is_first = false;
        started.elapsed()
    }

    fn begin(&mut self, file: Seen) {
        let known = self.checkpoints.as_mut();
        let tail = match known.and_then(|known| known.take(&file)) {
            Some(entry) => Tail::at(&file, &entry),
            None if self.is_first && self.what.from_end => Tail::at_end(&file),
            None => Tail::at_start(&file),
        };
        self.tails.insert(file.identity, tail);
        (self.is_noted, self.is_begun) = (false, true);
    }

    /// Files that were rotated while nothing followed them, or shortly before.
    fn find_rotated(&mut self, follower: &mut impl Follower) {
        let Some(checkpoints) = &mut self.checkpoints else {
            return;
        };
        // In a folder that is followed they are listed by their new names.
        if self.what.folders {
            return checkpoints.forget_removed();
        }
        for entry in checkpoints.take_rest() {
            match listing::find(&entry) {
                Some(file) if !self.tails.contains_key(&file.identity) => {
                    let mut tail = Tail::at(&file, &entry);
                    tail.unlist();
                    self.tails.insert(file.identity, tail);
                }
                Some(_) => {}
                None => follower.event(&entry.path, Event::Lost),
            }
        }
    }

    /// Takes what is there of each file, or a turn of it. Whether there is more.
    fn take_all(
        &mut self,
        output: &mut impl Sink,
        follower: &mut impl Follower,
        is_over: &AtomicBool,
    ) -> Result<bool, Error> {
        let mut has_more = false;
        let mut given_up = Vec::new();
        for (identity, tail) in &mut self.tails {
            let limit = self.pipeline.limits.record;
            for turn in 0..TURN {
                if is_over.load(Ordering::Relaxed) {
                    return Ok(true);
                }
                match tail.next(limit) {
                    Ok(Some(piece)) => {
                        take(self.pipeline, piece, tail.path(), output, follower)?;
                        self.is_noted = false;
                        has_more |= turn + 1 == TURN;
                    }
                    Ok(None) => break,
                    Err(problem) => {
                        follower.event(tail.path(), problem);
                        break;
                    }
                }
            }
            if tail.is_given_up() {
                if let Some(piece) = tail.rest(limit) {
                    take(self.pipeline, piece, tail.path(), output, follower)?;
                }
                given_up.push(identity.to_owned());
            }
        }
        for identity in given_up {
            self.tails.remove(&identity);
            self.is_noted = false;
        }
        Ok(has_more)
    }

    /// The unfinished last lines, at the end.
    fn take_rests(
        &mut self,
        output: &mut impl Sink,
        follower: &mut impl Follower,
    ) -> Result<(), Error> {
        for tail in self.tails.values_mut() {
            if let Some(piece) = tail.rest(self.pipeline.limits.record) {
                take(self.pipeline, piece, tail.path(), output, follower)?;
            }
        }
        Ok(())
    }

    /// Notes how far files were read, if that has changed and it is time.
    fn note(&mut self, output: &mut impl Sink, is_urgent: bool) -> Result<(), Error> {
        let is_time = is_urgent || self.noted.elapsed() >= NOTE;
        if self.is_noted || !is_time || !output.is_whole() {
            return Ok(());
        }
        let size = output.settle().map_err(written)?;
        if let Some(checkpoints) = &mut self.checkpoints {
            let tails = self.tails.values().filter_map(Tail::entry);
            checkpoints.note(size, tails).map_err(Error::Create)?;
        }
        (self.noted, self.is_noted, self.is_begun) = (Instant::now(), true, false);
        Ok(())
    }
}

fn take<T: Transform>(
    pipeline: &Pipeline<T>,
    piece: Piece,
    path: &Path,
    output: &mut impl Sink,
    follower: &mut impl Follower,
) -> Result<(), Error> {
    let source = path.to_string_lossy();
    let ran = match piece {
        Piece::Lines { bytes, number } => {
            output.end_line().map_err(written)?;
            let mut follower = OfPiece {
                follower,
                is_first: number == 1,
            };
            let ran = pipeline.run_lines(&bytes, number, output, &source, &mut follower);
            ran.map(drop)
        }
        // What an earlier run has begun to copy must not pass in the clear.
        Piece::Middle { number, .. } if pipeline.transform().seals() => {
            let reason = Reason::TooLarge;
            Err(crate::Error::Record { number, reason })
        }
        Piece::Middle { bytes, .. } => output.write_all(&bytes).map_err(crate::Error::Write),
    };
    ran.map_err(|error| match error {
        crate::Error::Record { .. } => Error::Record {
            path: path.to_owned(),
            error,
        },
        error => Error::Run(error),
    })?;
    output.flush().map_err(written)
}

fn written(error: io::Error) -> Error {
    Error::Run(crate::Error::Write(error))
}

/// Hears of a piece of a file. What is said of a whole input is said once.
struct OfPiece<'f, F> {
    follower: &'f mut F,
    is_first: bool,
}

impl<F: Follower> Observer for OfPiece<'_, F> {
    fn batch(&mut self, stats: &crate::Stats) {
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

    fn wants_letters(&self) -> bool {
        self.follower.wants_letters()
    }
}
