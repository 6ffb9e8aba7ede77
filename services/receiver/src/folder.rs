//! A folder of segments. Lines are appended to the newest file, `NAME.ndjson.part`. Once it is
//! large or old enough it is renamed to `NAME.ndjson`, and never changed again.

use std::{
    fmt,
    fs::{self, File},
    io,
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant},
};

use pqseal_atomic_file::{folder_of, is_file_at, lock, sync_folder};
use pqseal_server::{
    append::Appended,
    log::{Level, log},
    spool::Lines,
};
use pqseal_text::{date, escape, reason};
use serde_json::json;

use crate::{Error, config, metrics::Metrics};

/// The time until the completion of a segment is retried, and until an idle segment is checked.
const AGAIN: Duration = Duration::from_secs(10);
/// The end of the name of a file that is still written to.
const PART: &str = ".part";
/// The file whose lock shows that another receiver uses the folder.
const LOCK: &str = ".pqseal-serve.lock";

/// The folder, and its newest segment.
pub(crate) struct Folder {
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

/// The newest file of a folder.
struct Segment {
    file: Appended,
    since: Instant,
    /// `true` if its name may not be on the disk yet. Then nothing in it was acknowledged.
    is_new: bool,
    /// `true` after a failed write. The next segment may have room where this one has not.
    is_full: bool,
}

impl Folder {
    /// Opens the folder, and completes the segments that a killed run left in it, which is logged.
    ///
    /// # Errors
    /// If it cannot be used, or another receiver uses it.
    pub(crate) fn open(config: config::Output, metrics: Arc<Metrics>) -> Result<Self, Error> {
        let name = escape::path(&config.folder);
        let lock_file = File::create(config.folder.join(LOCK));
        let lock_file = lock_file.map_err(|error| unusable(&name, error))?;
        // Where the system has no locks, the documentation asks for one receiver per folder.
        lock(&lock_file).map_err(|_| {
            Error::Refused(format!(
                "another receiver writes to {name}; give each a separate folder"
            ))
        })?;
        complete_all(&config).map_err(|error| unusable(&name, error))?;
        Ok(Self {
            config,
            segment: None,
            late: Vec::new(),
            again: None,
            lost: None,
            lock: lock_file,
            metrics,
        })
    }

    /// Adds all of `lines`, or none of them.
    ///
    /// # Errors
    /// If they cannot be written.
    pub(crate) fn add(&mut self, lines: &mut Lines) -> io::Result<()> {
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
    pub(crate) fn sync(&mut self) -> io::Result<()> {
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
        let synced = synced.and_then(|()| match is_intact(&segment.file) {
            true => Ok(()),
            false => Err(moved(&segment.file.path)),
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
    pub(crate) fn rotate_if_due(&mut self) -> io::Result<()> {
        self.leave_lost();
        let is_due = self.segment.as_ref().is_some_and(|segment| {
            segment.is_full
                || segment.file.len >= self.config.rotate_size
                || segment.since.elapsed() >= self.config.rotate_age
        });
        let is_again = self.again.is_some_and(|at| at <= Instant::now());
        match is_due {
            true => self.rotate(),
            false if is_again => self.finish_late(),
            false => Ok(()),
        }
    }

    /// Returns the time of the next action: the segment is old enough or checked, or a completion
    /// is retried.
    pub(crate) fn due(&self) -> Option<Instant> {
        let since = self.segment.as_ref().map(|segment| segment.since);
        let due = since.map(|since| (since + self.config.rotate_age).min(Instant::now() + AGAIN));
        due.into_iter().chain(self.again).min()
    }

    /// Completes the segment, if there is one, and retries earlier failures. Failures are retried
    /// later, and by the next start.
    ///
    /// # Errors
    /// Those of the system.
    fn rotate(&mut self) -> io::Result<()> {
        self.leave_lost();
        self.late
            .extend(self.segment.take().map(|segment| segment.file));
        self.finish_late()
    }

    /// Completes all segments at the end. Those that fail are left to the next start.
    ///
    /// # Errors
    /// Those of the system.
    pub(crate) fn close(&mut self) -> io::Result<()> {
        let rotated = self.rotate();
        if rotated.is_err() {
            self.metrics.not_completed();
        }
        rotated
    }

    fn finish_late(&mut self) -> io::Result<()> {
        let mut failure = Ok(());
        self.late.retain_mut(|file| match complete(file) {
            Ok(_) => false,
            Err(_) if is_lost(file) => {
                report_lost(file, &self.metrics);
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
        let segment = self.segment.take_if(|segment| !is_intact(&segment.file));
        let Some(segment) = segment else { return };
        if segment.file.is_dirty() {
            self.lost = Some(segment.file.path.clone());
        }
        if !segment.is_new {
            report_lost(&segment.file, &self.metrics);
        }
        if !is_lost(&segment.file) {
            self.late.push(segment.file);
            self.again = Some(Instant::now());
        }
    }
}

/// Makes the error for a folder of this name.
fn unusable(name: impl fmt::Display, error: io::Error) -> Error {
    Error::system(format_args!("use the folder {name}"), error)
}

impl Segment {
    /// Creates a file, named by the time and a number. If the clock was set back, or several are
    /// created in a second, it takes the next free number.
    ///
    /// # Errors
    /// Those of the system.
    fn create(config: &config::Output, time: &str) -> io::Result<Self> {
        let time = time.replace(['-', ':'], "");
        for number in 1_u32.. {
            let name = format!("{}-{time}-{number:04}.ndjson", config.prefix);
            let path = config.folder.join(name);
            if path.exists() {
                continue;
            }
            let mut part = path.into_os_string();
            part.push(PART);
            match Appended::open(Path::new(&part), true) {
                Ok(file) => {
                    return Ok(Self {
                        file,
                        since: Instant::now(),
                        is_new: true,
                        is_full: false,
                    });
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }
}

/// Completes a segment that is no longer written to: cuts off an unfinished line, waits for the
/// disk, and gives it its final name, or removes it if it is empty. Returns the final name.
///
/// # Errors
/// Those of the system.
fn complete(file: &mut Appended) -> io::Result<Option<PathBuf>> {
    file.mend()?;
    file.sync()?;
    let path = final_name(&file.path);
    if !file.has_name(&path) {
        if !file.has_its_name() {
            return Err(io::ErrorKind::NotFound.into());
        }
        if fs::metadata(&file.path)?.len() == 0 {
            return fs::remove_file(&file.path).map(|()| None);
        }
        fs::rename(&file.path, &path)?;
    }
    sync_folder(folder_of(&path))?;
    Ok(Some(path))
}

/// Returns whether a segment has neither of its names: it was moved or removed, or its folder was.
fn is_lost(file: &Appended) -> bool {
    !file.has_its_name() && !file.has_name(&final_name(&file.path))
}

/// Returns the final name of a segment.
fn final_name(part: &Path) -> PathBuf {
    part.with_extension("")
}

/// Returns whether a segment has one of its names, and all of its contents.
fn is_intact(file: &Appended) -> bool {
    !is_lost(file) && file.is_whole()
}

fn moved(segment: &Path) -> io::Error {
    io::Error::other(format!(
        "{} was moved, removed or truncated while it was written to",
        escape::path(segment)
    ))
}

/// Logs and counts that acknowledged events are no longer in the folder.
fn report_lost(file: &Appended, metrics: &Metrics) {
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

/// Completes the segments that a killed run left, except for those of another prefix, and logs both.
fn complete_all(config: &config::Output) -> io::Result<()> {
    let (mut completed, mut others) = (Vec::new(), Vec::new());
    for entry in fs::read_dir(&config.folder)? {
        let path = entry?.path();
        let name = path.file_name().and_then(|name| name.to_str());
        let name = name.unwrap_or_default();
        match name.ends_with(&format!(".ndjson{PART}")) {
            true if name.starts_with(&config.prefix) => {
                completed.extend(complete(&mut Appended::open(&path, false)?)?);
            }
            true => others.push(path),
            false => {}
        }
    }
    for path in completed {
        let more = json!({ "file": escape::path(&path) });
        log(Level::Info, "completed", more);
    }
    for path in others {
        let reason = "its name does not begin with prefix, so nothing completes it";
        let more = json!({ "file": escape::path(&path), "reason": reason });
        log(Level::Warning, "left", more);
    }
    Ok(())
}

#[cfg(test)]
mod tests;
