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
    place::{Place, Seen},
    tail::Tail,
    take::{Taker, Turn, Unwritten},
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
    /// The places to which it had read files for what it wrote after that.
    read: Vec<Place>,
    /// The output to write before all else, and the file that it is of.
    unwritten: Option<(Identity, Unwritten)>,
    known: Known,
    tails: HashMap<Identity, Tail>,
    noted: Instant,
    /// Whether the state says all.
    is_noted: bool,
    /// Whether files have appeared that it does not know.
    is_begun: bool,
    is_first: bool,
    /// True if each file of the state was found, and as long as it was read.
    is_found: bool,
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

    /// What came after the last note comes again if the files of the state are there: then it is cut off
    /// if the output is a file.
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

    /// Opens the output again if its name belongs to another file by now, or if that was asked for. All
    /// that was written to the old one is on the disk then, and noted.
    pub(super) fn renew(&mut self, output: &mut impl Sink) -> Result<(), Error> {
        while output.is_renamed() || self.unwritten.is_some() {
            self.note_now(output)?;
            let end = output::end(output).map_err(written)?;
            output.reopen().map_err(written)?;
            if let (Some(end), true) = (end, self.checkpoints.is_some()) {
                Noted::End(end).beyond(output)?;
            }
            // Otherwise the next run would refuse what is written to it.
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

    /// Whether it has another name in its folder.
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

    /// Takes what is there of each file, or a turn of it. Whether there is more.
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

    /// Opens the output again, and writes this to it.
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

    /// Notes how far files were read, if that has changed and it is time, or if files have appeared:
    /// one that is rotated before it is noted could not be found again.
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

/// Whether nothing is at `path`, but its folder is there.
fn is_removed(path: &Path) -> bool {
    matches!(fs::exists(path), Ok(false)) && path.parent().is_some_and(Path::exists)
}
