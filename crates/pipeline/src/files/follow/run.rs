//! A run, which lists files, processes them and updates the state.

use std::{
    collections::{HashMap, HashSet},
    fs, io,
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::{Duration, Instant},
};

use pqseal_atomic_file::{Identity, folder_of};

use super::{
    EarlierRuns, Event, FilePosition, Follow, FollowedFile, Follower, INTERVAL, ListedFile,
    RecordedOutput, Sink,
    absent::AbsentFiles,
    checkpoint::Checkpoints,
    tail::{Tail, Turn, UnwrittenLines},
    written,
};
use crate::{
    Pipeline,
    files::{Error, Selection, plan},
    opener::Transform,
};

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
    let mut run = FollowRun::resume(pipeline, what, output, follower)?;
    while !is_over.load(Ordering::Relaxed) {
        let looked = run.look(follower);
        run.renew(output)?;
        run.note(output, false)?;
        let has_more = run.take_all(output, follower, is_over)?;
        run.note(output, false)?;
        follower.tick();
        let end = Instant::now() + INTERVAL.max(looked * LOOKING);
        while !has_more
            && !is_over.load(Ordering::Relaxed)
            && let Some(left) = end.checked_duration_since(Instant::now())
            && !left.is_zero()
        {
            thread::sleep(left.min(INTERVAL));
        }
    }
    if what.state.is_none() {
        run.take_unfinished_lines(output, follower)?;
    }
    run.note(output, true)
}

struct FollowRun<'f, T> {
    pipeline: &'f Pipeline<T>,
    what: &'f Follow,
    checkpoints: Option<Checkpoints>,
    /// The output that must be written first, and the file that it came from.
    unwritten: Option<(Identity, UnwrittenLines)>,
    files: HashMap<Identity, FollowedFile>,
    absent: AbsentFiles,
    /// The paths whose failures were already reported.
    reported: HashSet<PathBuf>,
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

impl<'f, T: Transform> FollowRun<'f, T> {
    /// Loads the state, and settles the output beyond the size in it. It is truncated if the output
    /// is a file and all files of the state still exist, since that output is then written again.
    fn resume(
        pipeline: &'f Pipeline<T>,
        what: &'f Follow,
        output: &mut impl Sink,
        follower: &mut impl Follower,
    ) -> Result<Self, Error> {
        let (checkpoints, earlier) = match &what.state {
            Some(path) => {
                let (checkpoints, earlier) = Checkpoints::load(path).map_err(Error::Create)?;
                (Some(checkpoints), earlier)
            }
            None => (None, EarlierRuns::default()),
        };
        let mut run = Self {
            pipeline,
            what,
            checkpoints,
            unwritten: None,
            files: HashMap::new(),
            absent: AbsentFiles::new(earlier.files),
            reported: HashSet::new(),
            noted: Instant::now(),
            is_noted: true,
            is_begun: false,
            is_first: true,
            is_found: true,
            unseen: Vec::new(),
        };
        output.lock().map_err(written)?;
        let beyond = earlier.output.beyond(output)?;
        run.look(follower);
        if let Some(beyond) = beyond {
            let mut read = earlier.read.iter();
            let all_comes_again = run.is_found
                && read.all(|position| {
                    run.files.values().any(|file| {
                        position.has_number_of(&file.listed) || position.has_name_of(&file.listed)
                    })
                });
            let settled = beyond.settle(all_comes_again, output, follower);
            settled.map_err(written)?;
        }
        Ok(run)
    }

    /// Reopens the output if its name now belongs to another file, or if that was requested. By
    /// then all data written to the old file is on the disk and recorded.
    fn renew(&mut self, output: &mut impl Sink) -> Result<(), Error> {
        while output.is_renamed() || self.unwritten.is_some() {
            self.note_now(output)?;
            let end = FilePosition::end_of(output).map_err(written)?;
            output.reopen().map_err(written)?;
            if let (Some(end), true) = (end, self.checkpoints.is_some()) {
                RecordedOutput::End(end).beyond(output)?;
            }
            // Without this entry the next run would refuse the output.
            self.note_now(output)?;
            if let Some((identity, unwritten)) = self.unwritten.take() {
                let file = self.files.get(&identity);
                if let (Some(file), Some(checkpoints)) = (file, &mut self.checkpoints) {
                    let noted = checkpoints.note_read(&file.position());
                    noted.map_err(Error::Create)?;
                }
                let unwritten = unwritten.write(output).map_err(written)?;
                self.unwritten = unwritten.map(|unwritten| (identity, unwritten));
                self.is_noted = false;
            }
        }
        Ok(())
    }

    /// Lists the files, and returns the time that this took.
    fn look(&mut self, follower: &mut impl Follower) -> Duration {
        let started = Instant::now();
        let mut list = FileList::new(self.what, &mut self.reported, follower);
        for file in self.files.values_mut() {
            // A path that could not be accessed counts as unchanged.
            file.is_listed &= list.is_unknown(file.path());
        }
        let mut open = self.open_files();
        for file in std::mem::take(&mut list.files) {
            if let Some(followed) = self.files.get_mut(&file.identity) {
                (followed.listed, followed.is_listed) = (file, true);
                continue;
            }
            let mut unseen = self.unseen.iter();
            let is_old = self.is_first || unseen.any(|path| file.path.starts_with(path));
            let identity = file.identity.to_owned();
            let file = match self.absent.take(&file) {
                Some(progress) => FollowedFile::resumed(file, progress),
                None if is_old && self.what.from_end => FollowedFile::at_end(file),
                None => FollowedFile::at_start(file),
            };
            open += usize::from(self.insert(identity, file, open));
        }
        for file in self.files.values_mut() {
            file.rotated = match file.is_listed {
                true => None,
                false => file.rotated.or_else(|| Some(Instant::now())),
            };
            if self.what.folders {
                // It is listed under a new name too, so it can be found again.
                if file.is_listed && file.changed.elapsed() >= self.what.rest {
                    file.file = None;
                }
            } else if file.rotated.is_some()
                && file.file.is_none()
                && let Ok(Some(renamed)) = find_renamed(&file.position())
            {
                file.listed = renamed;
            }
        }
        if self.is_first {
            self.find_rotated(&list, follower);
            self.unseen.clone_from(&list.failed);
        }
        self.is_first = false;
        self.unseen.retain(|path| list.failed.contains(path));
        started.elapsed()
    }

    fn open_files(&self) -> usize {
        let files = self.files.values();
        files.filter(|file| file.file.is_some()).count()
    }

    /// Returns whether the file stays open beside `open` others.
    fn insert(&mut self, identity: Identity, mut file: FollowedFile, open: usize) -> bool {
        if open < self.what.keep_open {
            // An error is reported when the file is read.
            let _ = file.open();
        } else {
            file.file = None;
        }
        let is_open = file.file.is_some();
        self.files.insert(identity, file);
        (self.is_noted, self.is_begun) = (false, true);
        is_open
    }

    /// Finds files that were rotated before the run, or shortly before they were listed.
    fn find_rotated(&mut self, list: &FileList, follower: &mut impl Follower) {
        for progress in self.absent.take_waiting() {
            let path = &progress.position.path;
            let (is_gone, is_lost) = if list.is_unknown(path) {
                (false, false)
            } else if self.what.folders {
                // Followed folders list the file under its new name, if it has one. A file that was
                // read completely, as far as is known, may be removed.
                let is_within = self.what.inputs.iter().any(|input| path.starts_with(input));
                // It does not exist, but its folder does.
                let is_removed = is_within
                    || (matches!(fs::exists(path), Ok(false))
                        && path.parent().is_some_and(Path::exists));
                (is_removed, progress.has_more())
            } else {
                match find_renamed(&progress.position) {
                    Ok(Some(file)) => {
                        if !self.files.contains_key(&file.identity) {
                            let identity = file.identity.to_owned();
                            let mut file = FollowedFile::resumed(file, progress);
                            file.is_listed = false;
                            self.insert(identity, file, self.open_files());
                        }
                        continue;
                    }
                    Err(error) if error.kind() != io::ErrorKind::NotFound => (false, false),
                    _ => (true, true),
                }
            };
            self.is_found = false;
            if !is_gone {
                self.absent.wait_for(progress);
                continue;
            }
            if is_lost {
                follower.event(path, Event::Lost);
            }
            self.absent.give_up(progress);
        }
    }

    /// Processes each file to its end, or for one turn. Returns whether there is more.
    fn take_all(
        &mut self,
        output: &mut impl Sink,
        follower: &mut impl Follower,
        is_over: &AtomicBool,
    ) -> Result<bool, Error> {
        let mut has_more = false;
        let mut open = self.open_files();
        for identity in self.identities() {
            let Some(file) = self.files.get_mut(&identity) else {
                continue;
            };
            if is_over.load(Ordering::Relaxed) {
                return Ok(true);
            }
            let (before, was_open) = ((file.offset, file.size), file.file.is_some());
            let checkpoints = self.checkpoints.as_mut();
            let mut tail = Tail::new(self.pipeline, file, output, follower, checkpoints);
            let turn = tail.take_turn(self.what.rest, is_over)?;
            self.is_noted &= (file.offset, file.size) == before;
            if file.file.is_some() && !was_open {
                match open < self.what.keep_open {
                    true => open += 1,
                    false => file.file = None,
                }
            }
            match turn {
                Turn::Finished => {}
                Turn::Unfinished => has_more = true,
                Turn::GivenUp => {
                    let file = self.files.remove(&identity);
                    if let Some(progress) = file.and_then(|file| file.progress()) {
                        self.absent.give_up(progress);
                    }
                    self.is_noted = false;
                }
                Turn::Renamed(unwritten) => {
                    has_more = true;
                    self.unwritten = Some((identity, unwritten));
                    self.renew(output)?;
                }
            }
        }
        Ok(has_more)
    }

    fn identities(&self) -> Vec<Identity> {
        self.files.keys().cloned().collect()
    }

    /// Processes unfinished last lines at the end of a run without a state. With a state, the next
    /// run continues them.
    fn take_unfinished_lines(
        &mut self,
        output: &mut impl Sink,
        follower: &mut impl Follower,
    ) -> Result<(), Error> {
        for identity in self.identities() {
            let Some(file) = self.files.get_mut(&identity) else {
                continue;
            };
            let mut tail = Tail::new(self.pipeline, file, output, follower, None);
            let unwritten = tail.take_unfinished_line()?;
            file.file = None;
            if let Some(unwritten) = unwritten {
                self.unwritten = Some((identity, unwritten));
                self.renew(output)?;
            }
        }
        Ok(())
    }

    /// Writes the state if it has changed and is due, or if files have appeared, since a file that
    /// is rotated before it is recorded could not be found again.
    fn note(&mut self, output: &mut impl Sink, is_last: bool) -> Result<(), Error> {
        let is_time = is_last || self.is_begun || self.noted.elapsed() >= NOTE;
        match self.is_noted || !is_time || !output.is_whole() {
            true => Ok(()),
            false => self.note_now(output),
        }
    }

    fn note_now(&mut self, output: &mut impl Sink) -> Result<(), Error> {
        output.settle().map_err(written)?;
        if let Some(checkpoints) = &mut self.checkpoints {
            let end = FilePosition::end_of(output).map_err(written)?;
            let files = self.files.iter();
            let files = files.filter_map(|(identity, file)| match &self.unwritten {
                Some((of, unwritten)) if of == identity => unwritten.before.clone(),
                _ => file.progress(),
            });
            let files: Vec<_> = files.collect();
            let noted = checkpoints.note(end.as_ref(), files.iter().chain(self.absent.all()));
            noted.map_err(Error::Create)?;
        }
        (self.noted, self.is_noted, self.is_begun) = (Instant::now(), true, false);
        Ok(())
    }
}

/// The files that exist and are to be followed.
#[derive(Default)]
struct FileList {
    /// All files, without duplicates.
    files: Vec<ListedFile>,
    /// The files and folders that could not be accessed.
    failed: Vec<PathBuf>,
    /// The named folders that do not exist.
    missing: Vec<PathBuf>,
}

impl FileList {
    /// Lists all files. A failed access is reported once, until it succeeds again. Only a file that
    /// the system reports as missing counts as removed.
    fn new(what: &Follow, reported: &mut HashSet<PathBuf>, follower: &mut impl Follower) -> Self {
        let mut list = Self::default();
        let (mut paths, mut failed) = (what.inputs.clone(), Vec::new());
        if what.folders {
            let plan = plan(&what.inputs, &Selection::default());
            paths = plan.jobs.into_iter().map(|job| job.input).collect();
            failed = plan.failed;
        }
        for path in paths {
            match ListedFile::at(&path) {
                Ok(file) => list.files.push(file),
                Err(error) => failed.push((path, Error::Open(error))),
            }
        }
        let before = std::mem::take(reported);
        for (path, error) in failed {
            let event = match error {
                Error::Open(error) | Error::List(error)
                    if error.kind() == io::ErrorKind::NotFound =>
                {
                    // Other files were removed after their folder was listed.
                    if !what.inputs.contains(&path) {
                        continue;
                    }
                    if what.folders {
                        list.missing.push(path.clone());
                    }
                    Event::Missing
                }
                error => {
                    list.failed.push(path.clone());
                    Event::Failed(error)
                }
            };
            if !before.contains(&path) {
                follower.event(&path, event);
            }
            reported.insert(path);
        }
        list
    }

    /// Reports whether the state of `path` is unknown, because it or a folder above it could not be
    /// accessed.
    fn is_unknown(&self, path: &Path) -> bool {
        let mut folders = self.failed.iter().chain(&self.missing);
        folders.any(|folder| path.starts_with(folder))
    }
}

/// Finds a file under its current name in its folder.
///
/// # Errors
/// An error if the folder cannot be listed.
fn find_renamed(position: &FilePosition) -> io::Result<Option<ListedFile>> {
    let files = fs::read_dir(folder_of(&position.path))?.flatten();
    let mut found = files.filter_map(|file| ListedFile::at(&file.path()).ok());
    Ok(found.find(|file| position.has_number_of(file)))
}
