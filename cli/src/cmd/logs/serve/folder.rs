//! A folder of segments. Lines are appended to the newest file, `NAME.ndjson.part`. Once it is
//! large or old enough it is renamed to `NAME.ndjson`, and never changed again.

use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant},
};

use pqseal_atomic_file::{is_file_at, lock, sync_folder};
use serde_json::json;

use super::{
    config,
    metrics::Metrics,
    segment::{PART, Segment, finish, is_lost},
};
use crate::{
    date,
    error::{Error, reason},
    escape,
    server::{
        append::Appended,
        log::{Level, log},
        spool::Lines,
    },
};

/// The time until the completion of a segment is retried, and until an idle segment is checked.
const AGAIN: Duration = Duration::from_secs(10);
/// The file whose lock shows that another receiver uses the folder.
const LOCK: &str = ".pqseal-serve.lock";

/// The folder, and its newest segment.
pub(super) struct Folder {
    config: config::Output,
    segment: Option<Segment>,
    /// Segments whose completion failed, to be retried.
    late: Vec<Appended>,
    again: Option<Instant>,
    /// A lost segment with lines that wait for [`Folder::sync`].
    lost: Option<PathBuf>,
    /// Held as long as this lives.
    lock: File,
    metrics: Arc<Metrics>,
}

/// Segments that a killed run left.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Left {
    /// Segments that are complete now.
    pub(super) completed: Vec<PathBuf>,
    /// Segments of another prefix, which nothing completes.
    pub(super) others: Vec<PathBuf>,
}

impl Folder {
    /// Opens the folder, and completes the segments that a killed run left in it.
    ///
    /// # Errors
    /// If it cannot be used, or another receiver uses it.
    pub(super) fn open(
        config: config::Output,
        metrics: Arc<Metrics>,
    ) -> Result<(Self, Left), Error> {
        let name = escape::path(&config.folder);
        let failed = |error| Error::io(format_args!("use the folder {name}"), &error);
        let lock_file = File::create(config.folder.join(LOCK)).map_err(failed)?;
        // Where the system has no locks, the documentation asks for one receiver per folder.
        lock(&lock_file).map_err(|_| {
            Error::refused(format!(
                "another receiver writes to {name}; give each a separate folder"
            ))
        })?;
        let left = complete_all(&config).map_err(failed)?;
        let folder = Self {
            config,
            segment: None,
            late: Vec::new(),
            again: None,
            lost: None,
            lock: lock_file,
            metrics,
        };
        Ok((folder, left))
    }

    /// Adds all of `lines`, or none of them.
    ///
    /// # Errors
    /// If they cannot be written.
    pub(super) fn add(&mut self, lines: &mut Lines) -> io::Result<()> {
        if lines.len == 0 {
            return Ok(());
        }
        self.leave_lost();
        let segment = match &mut self.segment {
            Some(segment) => segment,
            empty => empty.insert(new_segment(&mut self.lock, &self.config)?),
        };
        let added = segment.file.add(lines);
        segment.is_full |= added.is_err();
        added
    }

    /// Waits until all added lines are on the disk, in a file that has its name.
    ///
    /// # Errors
    /// If that is not certain. The lines then count as not added.
    pub(super) fn sync(&mut self) -> io::Result<()> {
        let lost = self.lost.take();
        let synced = self.sync_segment();
        // All waiting requests get the same result.
        lost.map_or(synced, |path| Err(moved(&path)))
    }

    fn sync_segment(&mut self) -> io::Result<()> {
        let Some(segment) = &mut self.segment else {
            return Ok(());
        };
        let synced = segment.file.sync().and_then(|()| match segment.is_new {
            true => sync_folder(&self.config.folder),
            false => Ok(()),
        });
        let synced = synced.and_then(|()| match is_left(&segment.file) {
            false => Ok(()),
            true => Err(moved(&segment.file.path)),
        });
        segment.is_new &= synced.is_err();
        segment.is_full |= synced.is_err();
        synced
    }

    /// Completes the segment if it is large or old enough, or has no room, and retries earlier
    /// failures. A segment that no longer exists is abandoned. Call it after [`Folder::sync`].
    ///
    /// # Errors
    /// Those of the system.
    pub(super) fn rotate_if_due(&mut self) -> io::Result<()> {
        self.leave_lost();
        let is_due = |segment: &Segment| {
            segment.is_full
                || segment.file.len >= self.config.rotate_size
                || segment.since.elapsed() >= self.config.rotate_age
        };
        let is_again = self.again.is_some_and(|at| at <= Instant::now());
        match self.segment.as_ref().is_some_and(is_due) {
            true => self.rotate(),
            false if is_again => self.finish_late(),
            false => Ok(()),
        }
    }

    /// Returns the time of the next action: the segment is old enough or checked, or a completion
    /// is retried.
    pub(super) fn due(&self) -> Option<Instant> {
        let since = self.segment.as_ref().map(|segment| segment.since);
        let due = since.map(|since| (since + self.config.rotate_age).min(Instant::now() + AGAIN));
        due.into_iter().chain(self.again).min()
    }

    /// Completes the segment, if there is one, and retries earlier failures. Failures are retried
    /// later, and by the next start.
    ///
    /// # Errors
    /// Those of the system.
    pub(super) fn rotate(&mut self) -> io::Result<()> {
        self.leave_lost();
        self.late
            .extend(self.segment.take().map(|segment| segment.file));
        self.finish_late()
    }

    /// Completes all segments at the end. Those that fail are left to the next start.
    ///
    /// # Errors
    /// Those of the system.
    pub(super) fn close(&mut self) -> io::Result<()> {
        let rotated = self.rotate();
        if rotated.is_err() {
            self.metrics.not_completed();
        }
        rotated
    }

    fn finish_late(&mut self) -> io::Result<()> {
        let mut failure = Ok(());
        self.late.retain_mut(|file| match finish(file) {
            Ok(_) => false,
            Err(_) if is_lost(file) => {
                lost(file, &self.metrics);
                false
            }
            Err(error) => {
                failure = Err(error);
                true
            }
        });
        self.again = failure.is_err().then(|| Instant::now() + AGAIN);
        failure
    }

    /// Stops writing to a segment that was moved, removed or truncated, or whose folder was moved
    /// or removed.
    fn leave_lost(&mut self) {
        let segment = self.segment.take_if(|segment| is_left(&segment.file));
        let Some(segment) = segment else { return };
        if segment.file.is_dirty() {
            self.lost = Some(segment.file.path.clone());
        }
        if !segment.is_new {
            lost(&segment.file, &self.metrics);
        }
        if !is_lost(&segment.file) {
            self.late.push(segment.file);
            self.again = Some(Instant::now());
        }
    }
}

/// Returns whether the file has lost its name, or some of its contents.
fn is_left(file: &Appended) -> bool {
    is_lost(file) || !file.is_whole()
}

fn moved(segment: &Path) -> io::Error {
    io::Error::other(format!(
        "{} was moved, removed or truncated while it was written to",
        escape::path(segment)
    ))
}

/// Logs and counts that acknowledged events are no longer in the folder.
fn lost(file: &Appended, metrics: &Metrics) {
    metrics.lost_file();
    let reason = "it was moved, removed or truncated while it was written to, with events that were acknowledged; take only files that do not end in .part";
    let more = json!({ "file": escape::path(&file.path), "reason": reason });
    log(Level::Error, "lost", more);
}

/// Creates a segment, in a folder that is locked.
fn new_segment(held: &mut File, config: &config::Output) -> io::Result<Segment> {
    let created = lock_again(held, config).and_then(|()| Segment::create(config, &date::now()));
    created.map_err(|error| {
        let folder = escape::path(&config.folder);
        io::Error::new(
            error.kind(),
            format!("cannot write to the folder {folder}: {}", reason(&error)),
        )
    })
}

/// Locks the folder again if its name refers to another folder by now.
fn lock_again(held: &mut File, config: &config::Output) -> io::Result<()> {
    let path = config.folder.join(LOCK);
    if !is_file_at(&path, held) {
        let file = File::create(path)?;
        lock(&file)?;
        *held = file;
    }
    Ok(())
}

fn complete_all(config: &config::Output) -> io::Result<Left> {
    let mut left = Left::default();
    for entry in fs::read_dir(&config.folder)? {
        let path = entry?.path();
        let name = path.file_name().and_then(|name| name.to_str());
        let name = name.unwrap_or_default();
        match name.ends_with(&format!(".ndjson{PART}")) {
            true if name.starts_with(&config.prefix) => {
                let mut file = Appended::open(&path, false)?;
                left.completed.extend(finish(&mut file)?);
            }
            true => left.others.push(path),
            false => {}
        }
    }
    Ok(left)
}

#[cfg(test)]
mod tests;
