//! One run: which files there are, what is taken of them, and what the state says.

use std::{
    collections::HashMap,
    fs,
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, Ordering},
    time::{Duration, Instant},
};

use super::{
    Event, Follow, Follower, NOTE, Sink,
    checkpoint::{Checkpoints, Earlier},
    known::{Entry, Known},
    listing::{self, Listed, Listing},
    output::{self, Noted},
    place::Seen,
    tail::Tail,
    take::{Taker, Turn},
    written,
};
use crate::{
    Pipeline,
    batch::Transform,
    files::{Error, Identity},
};

pub(super) struct Run<'f, T> {
    pipeline: &'f Pipeline<T>,
    what: &'f Follow,
    listing: Listing<'f>,
    checkpoints: Option<Checkpoints>,
    /// What an earlier run says of the output.
    earlier: Noted,
    known: Known,
    tails: HashMap<Identity, Tail>,
    noted: Instant,
    /// Whether the state says all.
    is_noted: bool,
    /// Whether files have appeared that it does not know.
    is_begun: bool,
    is_first: bool,
    /// What could not be looked at yet. Files in there may be as old as the run.
    unseen: Vec<PathBuf>,
}

impl<'f, T: Transform> Run<'f, T> {
    /// # Errors
    /// [`Error::Create`] if the state cannot be used.
    pub(super) fn new(pipeline: &'f Pipeline<T>, what: &'f Follow) -> Result<Self, Error> {
        let (checkpoints, earlier) = match &what.state {
            Some(path) => {
                let (checkpoints, earlier) = Checkpoints::load(path).map_err(Error::Create)?;
                (Some(checkpoints), earlier)
            }
            None => (None, Earlier::default()),
        };
        Ok(Self {
            pipeline,
            what,
            listing: Listing::new(what),
            checkpoints,
            earlier: earlier.output,
            known: Known::new(earlier.entries),
            tails: HashMap::new(),
            noted: Instant::now(),
            is_noted: true,
            is_begun: false,
            is_first: true,
            unseen: Vec::new(),
        })
    }

    /// What came after the last note comes again: it is cut off if the output is a file.
    pub(super) fn resume(
        &self,
        output: &mut impl Sink,
        follower: &mut impl Follower,
    ) -> Result<(), Error> {
        self.earlier.resume(output, follower)
    }

    /// Looks which files there are. How long that took.
    pub(super) fn look(&mut self, follower: &mut impl Follower) -> Duration {
        let started = Instant::now();
        let mut listed = self.listing.list(follower);
        // What could not be looked at is where it was.
        let known = |tail: &&mut Tail| !listed.is_unknown(tail.path());
        self.tails.values_mut().filter(known).for_each(Tail::unlist);
        let mut open = self.open_files();
        for file in std::mem::take(&mut listed.seen) {
            match self.tails.get_mut(&file.identity) {
                Some(tail) => tail.list(file),
                None => open += usize::from(self.begin(file, open)),
            }
        }
        self.listed();
        if self.is_first {
            self.find_rotated(&listed, follower);
            self.unseen.clone_from(&listed.failed);
        }
        self.is_first = false;
        self.unseen.retain(|path| listed.failed.contains(path));
        started.elapsed()
    }

    fn open_files(&self) -> usize {
        self.tails.values().filter(|tail| tail.is_open()).count()
    }

    /// A file that appeared. Whether it stays open, with `open` others.
    fn begin(&mut self, file: Seen, open: usize) -> bool {
        let is_old = self.is_first || self.unseen.iter().any(|path| file.path.starts_with(path));
        let identity = file.identity.to_owned();
        let tail = match self.known.take(&file) {
            Some(entry) => Tail::at(file, entry),
            None if is_old && self.what.from_end => Tail::at_end(file),
            None => Tail::at_start(file),
        };
        self.insert(identity, tail, open)
    }

    fn insert(&mut self, identity: Identity, mut tail: Tail, open: usize) -> bool {
        if open < self.what.keep_open {
            // A failure is told when it is read.
            let _ = tail.open();
        } else {
            tail.close();
        }
        let is_open = tail.is_open();
        self.tails.insert(identity, tail);
        (self.is_noted, self.is_begun) = (false, true);
        is_open
    }

    /// All files that are there are known by now.
    fn listed(&mut self) {
        let closed_after = self.what.folders.then_some(self.what.rest);
        for tail in self.tails.values_mut() {
            tail.listed(closed_after);
            // In a folder that is followed it would be listed by its new name.
            let is_sought = tail.is_rotated() && !tail.is_open() && !self.what.folders;
            if is_sought && let Ok(Some(file)) = listing::find(&tail.place()) {
                tail.rename(file);
            }
        }
    }

    /// Files that were rotated while nothing followed them, or shortly before.
    fn find_rotated(&mut self, listed: &Listed, follower: &mut impl Follower) {
        for entry in self.known.take_waiting() {
            match listed.is_unknown(&entry.place.path) {
                true => self.known.wait_for(entry),
                false if self.what.folders => self.not_in_folder(entry, follower),
                false => self.not_by_name(entry, follower),
            }
        }
    }

    /// All that is in the folders is listed by its new name. A file that was read as far as is known
    /// may be removed.
    fn not_in_folder(&mut self, entry: Entry, follower: &mut impl Follower) {
        let path = &entry.place.path;
        let is_within = self.what.inputs.iter().any(|input| path.starts_with(input));
        if !is_within && !is_removed(path) {
            return self.known.wait_for(entry);
        }
        if entry.has_more() {
            follower.event(path, Event::Lost);
        }
        self.known.give_up(entry);
    }

    fn not_by_name(&mut self, entry: Entry, follower: &mut impl Follower) {
        match listing::find(&entry.place) {
            Ok(Some(file)) if !self.tails.contains_key(&file.identity) => {
                let identity = file.identity.to_owned();
                let mut tail = Tail::at(file, entry);
                tail.unlist();
                self.insert(identity, tail, self.open_files());
            }
            Ok(Some(_)) => {}
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                self.known.wait_for(entry);
            }
            _ => {
                follower.event(&entry.place.path, Event::Lost);
                self.known.give_up(entry);
            }
        }
    }

    /// Takes what is there of each file, or a turn of it. Whether there is more.
    pub(super) fn take_all(
        &mut self,
        output: &mut impl Sink,
        follower: &mut impl Follower,
        is_over: &AtomicBool,
    ) -> Result<bool, Error> {
        let (mut has_more, mut given_up) = (false, Vec::new());
        let mut open = self.open_files();
        let mut taker = Taker::new(self.pipeline, output, follower);
        for (identity, tail) in &mut self.tails {
            if is_over.load(Ordering::Relaxed) {
                return Ok(true);
            }
            let (before, was_open) = (tail.progress(), tail.is_open());
            let turn = taker.turn(tail, self.what.rest, is_over)?;
            has_more |= turn == Turn::Unfinished;
            given_up.extend((turn == Turn::GivenUp).then(|| identity.to_owned()));
            self.is_noted &= tail.progress() == before;
            if tail.is_open() && !was_open {
                match open < self.what.keep_open {
                    true => open += 1,
                    false => tail.close(),
                }
            }
        }
        given_up.iter().for_each(|identity| self.give_up(identity));
        Ok(has_more)
    }

    fn give_up(&mut self, identity: &Identity) {
        let entry = self.tails.remove(identity).and_then(|tail| tail.entry());
        if let Some(entry) = entry {
            self.known.give_up(entry);
        }
        self.is_noted = false;
    }

    /// The unfinished last lines, at the end of a run without a state: with one the next run takes
    /// them.
    pub(super) fn take_rests(
        &mut self,
        output: &mut impl Sink,
        follower: &mut impl Follower,
    ) -> Result<(), Error> {
        if self.checkpoints.is_some() {
            return Ok(());
        }
        let mut taker = Taker::new(self.pipeline, output, follower);
        for tail in self.tails.values_mut() {
            taker.rest(tail)?;
            tail.close();
        }
        Ok(())
    }

    /// Notes how far files were read, if that has changed and it is time, or if files have appeared:
    /// one that is rotated before it is noted could not be found again.
    pub(super) fn note(&mut self, output: &mut impl Sink, is_last: bool) -> Result<(), Error> {
        let is_time = is_last || self.is_begun || self.noted.elapsed() >= NOTE;
        if self.is_noted || !is_time || !output.is_whole() {
            return Ok(());
        }
        output.settle().map_err(written)?;
        if let Some(checkpoints) = &mut self.checkpoints {
            let end = output::end(output).map_err(written)?;
            let tails: Vec<_> = self.tails.values().filter_map(Tail::entry).collect();
            let entries = tails.iter().chain(self.known.entries());
            checkpoints
                .note(end.as_ref(), entries)
                .map_err(Error::Create)?;
        }
        (self.noted, self.is_noted, self.is_begun) = (Instant::now(), true, false);
        Ok(())
    }
}

/// Whether nothing is at `path`, but its folder is there.
fn is_removed(path: &Path) -> bool {
    matches!(fs::exists(path), Ok(false)) && path.parent().is_some_and(Path::exists)
}
