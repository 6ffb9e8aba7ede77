//! A run, which lists files, processes them and updates the state.

use std::{
    collections::HashMap,
    fs,
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, Ordering},
    time::{Duration, Instant},
};

use pqseal_atomic_file::Identity;

use super::{
    Event, Follow, Follower, NOTE, Sink,
    checkpoint::{Checkpoints, Earlier},
    known::{Entry, Known},
    listing::{self, Listed, Listing},
    output::{self, Noted},
    place::{Place, Seen},
    tail::Tail,
    take::{Taker, Turn, Unwritten},
    written,
};
use crate::{Pipeline, batch::Transform, files::Error};

pub(super) struct Run<'f, T> {
    pipeline: &'f Pipeline<T>,
    what: &'f Follow,
    listing: Listing<'f>,
    checkpoints: Option<Checkpoints>,
    /// The output of an earlier run, as the state describes it.
    earlier: Noted,
    /// The positions up to which that run had read files for output that it wrote later.
    read: Vec<Place>,
    /// The output that must be written first, and the file that it came from.
    unwritten: Option<(Identity, Unwritten)>,
    known: Known,
    tails: HashMap<Identity, Tail>,
    noted: Instant,
    /// Set if the state is up to date.
    is_noted: bool,
    /// Set if files have appeared that the state does not contain.
    is_begun: bool,
    is_first: bool,
    /// Set if each file of the state was found, and is at least as long as the part that was read.
    is_found: bool,
    /// The paths that could not be accessed yet. Files below them may be as old as the run.
    unseen: Vec<PathBuf>,
}

impl<'f, T: Transform> Run<'f, T> {
    /// Loads the state and creates a run.
    ///
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
            read: earlier.read,
            unwritten: None,
            known: Known::new(earlier.entries),
            tails: HashMap::new(),
            noted: Instant::now(),
            is_noted: true,
            is_begun: false,
            is_first: true,
            is_found: true,
            unseen: Vec::new(),
        })
    }

    /// Settles the output beyond the size in the state. It is truncated if the output is a file and
    /// all files of the state still exist, since that output is then written again.
    pub(super) fn resume(
        &mut self,
        output: &mut impl Sink,
        follower: &mut impl Follower,
    ) -> Result<(), Error> {
        output.lock().map_err(written)?;
        let beyond = self.earlier.beyond(output)?;
        self.look(follower);
        let Some(beyond) = beyond else { return Ok(()) };
        let is_there = |place: &Place| self.tails.values().any(|tail| tail.has(place));
        let all_comes_again = self.is_found && self.read.iter().all(is_there);
        beyond
            .settle(all_comes_again, output, follower)
            .map_err(written)
    }

    /// Reopens the output if its name now belongs to another file, or if that was requested. By
    /// then all data written to the old file is on the disk and recorded.
    pub(super) fn renew(&mut self, output: &mut impl Sink) -> Result<(), Error> {
        while output.is_renamed() || self.unwritten.is_some() {
            self.note_now(output)?;
            let end = output::end(output).map_err(written)?;
            output.reopen().map_err(written)?;
            if let (Some(end), true) = (end, self.checkpoints.is_some()) {
                Noted::End(end).beyond(output)?;
            }
            // Without this entry the next run would refuse the output.
            self.note_now(output)?;
            if let Some((identity, unwritten)) = self.unwritten.take() {
                let tail = self.tails.get(&identity);
                if let (Some(tail), Some(checkpoints)) = (tail, &mut self.checkpoints) {
                    checkpoints
                        .note_read(&tail.place())
                        .map_err(Error::Create)?;
                }
                let unwritten = unwritten.write(output).map_err(written)?;
                self.unwritten = unwritten.map(|unwritten| (identity, unwritten));
                self.is_noted = false;
            }
        }
        Ok(())
    }

    /// Lists the files, and returns the time that this took.
    pub(super) fn look(&mut self, follower: &mut impl Follower) -> Duration {
        let started = Instant::now();
        let mut listed = self.listing.list(follower);
        // A path that could not be accessed counts as unchanged.
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

    /// Adds a file that has appeared. Returns whether it stays open beside `open` others.
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
            // An error is reported when the file is read.
            let _ = tail.open();
        } else {
            tail.close();
        }
        let is_open = tail.is_open();
        self.tails.insert(identity, tail);
        (self.is_noted, self.is_begun) = (false, true);
        is_open
    }

    /// Updates all files after they were listed.
    fn listed(&mut self) {
        let closed_after = self.what.folders.then_some(self.what.rest);
        for tail in self.tails.values_mut() {
            tail.listed(closed_after);
            // In a followed folder it would be listed under its new name.
            let is_sought = tail.is_rotated() && !tail.is_open() && !self.what.folders;
            if is_sought && let Ok(Some(file)) = listing::find(&tail.place()) {
                tail.rename(file);
            }
        }
    }

    /// Finds files that were rotated before the run, or shortly before they were listed.
    fn find_rotated(&mut self, listed: &Listed, follower: &mut impl Follower) {
        for entry in self.known.take_waiting() {
            let is_found = match listed.is_unknown(&entry.place.path) {
                true => {
                    self.known.wait_for(entry);
                    false
                }
                false if self.what.folders => {
                    self.not_in_folder(entry, follower);
                    false
                }
                false => self.not_by_name(entry, follower),
            };
            self.is_found &= is_found;
        }
    }

    /// Handles a file that is missing from the followed folders, which list it under its new name
    /// if it has one. A file that was read completely, as far as is known, may be removed.
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

    /// Looks for the file under another name in its folder. Returns whether it was found.
    fn not_by_name(&mut self, entry: Entry, follower: &mut impl Follower) -> bool {
        match listing::find(&entry.place) {
            Ok(Some(file)) if !self.tails.contains_key(&file.identity) => {
                let identity = file.identity.to_owned();
                let mut tail = Tail::at(file, entry);
                tail.unlist();
                self.insert(identity, tail, self.open_files());
                true
            }
            Ok(Some(_)) => true,
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                self.known.wait_for(entry);
                false
            }
            _ => {
                follower.event(&entry.place.path, Event::Lost);
                self.known.give_up(entry);
                false
            }
        }
    }

    /// Processes each file to its end, or for one turn. Returns whether there is more.
    pub(super) fn take_all(
        &mut self,
        output: &mut impl Sink,
        follower: &mut impl Follower,
        is_over: &AtomicBool,
    ) -> Result<bool, Error> {
        let mut has_more = false;
        let mut open = self.open_files();
        for identity in self.identities() {
            let Some(tail) = self.tails.get_mut(&identity) else {
                continue;
            };
            if is_over.load(Ordering::Relaxed) {
                return Ok(true);
            }
            let (before, was_open) = (tail.progress(), tail.is_open());
            let checkpoints = self.checkpoints.as_mut();
            let mut taker = Taker::new(self.pipeline, output, follower, checkpoints);
            let turn = taker.turn(tail, self.what.rest, is_over)?;
            self.is_noted &= tail.progress() == before;
            if tail.is_open() && !was_open {
                match open < self.what.keep_open {
                    true => open += 1,
                    false => tail.close(),
                }
            }
            has_more |= matches!(turn, Turn::Unfinished | Turn::Renamed(_));
            match turn {
                Turn::GivenUp => self.give_up(&identity),
                Turn::Renamed(unwritten) => self.write_to_another(identity, unwritten, output)?,
                Turn::Unfinished | Turn::Finished => {}
            }
        }
        Ok(has_more)
    }

    fn identities(&self) -> Vec<Identity> {
        self.tails.keys().cloned().collect()
    }

    /// Reopens the output and writes the pending lines to it.
    fn write_to_another(
        &mut self,
        identity: Identity,
        unwritten: Unwritten,
        output: &mut impl Sink,
    ) -> Result<(), Error> {
        self.unwritten = Some((identity, unwritten));
        self.renew(output)
    }

    fn give_up(&mut self, identity: &Identity) {
        let entry = self.tails.remove(identity).and_then(|tail| tail.entry());
        if let Some(entry) = entry {
            self.known.give_up(entry);
        }
        self.is_noted = false;
    }

    /// Processes unfinished last lines at the end of a run without a state. With a state, the next
    /// run continues them.
    pub(super) fn take_rests(
        &mut self,
        output: &mut impl Sink,
        follower: &mut impl Follower,
    ) -> Result<(), Error> {
        if self.checkpoints.is_some() {
            return Ok(());
        }
        for identity in self.identities() {
            let Some(tail) = self.tails.get_mut(&identity) else {
                continue;
            };
            let mut taker = Taker::new(self.pipeline, output, follower, None);
            let unwritten = taker.rest(tail)?;
            tail.close();
            if let Some(unwritten) = unwritten {
                self.write_to_another(identity, unwritten, output)?;
            }
        }
        Ok(())
    }

    /// Writes the state if it has changed and is due, or if files have appeared, since a file that
    /// is rotated before it is recorded could not be found again.
    pub(super) fn note(&mut self, output: &mut impl Sink, is_last: bool) -> Result<(), Error> {
        let is_time = is_last || self.is_begun || self.noted.elapsed() >= NOTE;
        match self.is_noted || !is_time || !output.is_whole() {
            true => Ok(()),
            false => self.note_now(output),
        }
    }

    fn note_now(&mut self, output: &mut impl Sink) -> Result<(), Error> {
        output.settle().map_err(written)?;
        if let Some(checkpoints) = &mut self.checkpoints {
            let end = output::end(output).map_err(written)?;
            let entry = |(identity, tail): (&Identity, &Tail)| match &self.unwritten {
                Some((of, unwritten)) if of == identity => unwritten.before.clone(),
                _ => tail.entry(),
            };
            let tails: Vec<_> = self.tails.iter().filter_map(entry).collect();
            let entries = tails.iter().chain(self.known.entries());
            checkpoints
                .note(end.as_ref(), entries)
                .map_err(Error::Create)?;
        }
        (self.noted, self.is_noted, self.is_begun) = (Instant::now(), true, false);
        Ok(())
    }
}

/// Reports whether `path` does not exist, but its folder does.
fn is_removed(path: &Path) -> bool {
    matches!(fs::exists(path), Ok(false)) && path.parent().is_some_and(Path::exists)
}
