//! A folder of segments: lines are added to the newest file, `NAME.ndjson.part`, which is renamed to
//! `NAME.ndjson` once it is large or old enough, and never changed again.

use std::{
    fs::{self, File, TryLockError},
    io,
    path::{Path, PathBuf},
    time::Instant,
};

use super::config;
use crate::{
    date,
    error::Error,
    escape,
    server::{
        append::{Appended, sync_folder},
        spool::Lines,
    },
};

/// How the name of a file ends that is still written to.
const PART: &str = ".part";
/// What shows that another receiver has the folder.
const LOCK: &str = ".pqseal-serve.lock";

/// The folder, and its newest segment.
pub(super) struct Folder {
    config: config::Output,
    segment: Option<Segment>,
    /// Held as long as this lives.
    _lock: File,
}

struct Segment {
    file: Appended,
    since: Instant,
    /// Whether its name may not be on the disk yet.
    is_new: bool,
    /// Whether something could not be written to it: the next one may have room, where it has not.
    is_full: bool,
}

impl Folder {
    /// Opens the folder, and completes what a killed run left in it. The names of those segments.
    ///
    /// # Errors
    /// If it cannot be used, or another receiver uses it.
    pub(super) fn open(config: config::Output) -> Result<(Self, Vec<PathBuf>), Error> {
        let name = escape::path(&config.folder);
        let failed = |error| Error::io(format_args!("use the folder {name}"), &error);
        let lock = File::create(config.folder.join(LOCK)).map_err(failed)?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(Error::refused(format!(
                    "another receiver writes to {name}; give each a folder of its own"
                )));
            }
            // Where there are no locks, the documentation asks for one receiver per folder.
            Err(TryLockError::Error(_)) => {}
        }
        let mut folder = Self {
            config,
            segment: None,
            _lock: lock,
        };
        let completed = folder.complete().map_err(failed)?;
        Ok((folder, completed))
    }

    /// Adds all of `lines`, or none of them.
    ///
    /// # Errors
    /// If they cannot be written.
    pub(super) fn add(&mut self, lines: &mut Lines) -> io::Result<()> {
        if lines.len == 0 {
            return Ok(());
        }
        let segment = match &mut self.segment {
            Some(segment) => segment,
            empty => empty.insert(Segment::create(&self.config, &date::now())?),
        };
        let added = segment.file.add(lines);
        segment.is_full |= added.is_err();
        added
    }

    /// Waits until all that was added is on the disk.
    ///
    /// # Errors
    /// If that is not certain: then it counts as not added.
    pub(super) fn sync(&mut self) -> io::Result<()> {
        let Some(segment) = &mut self.segment else {
            return Ok(());
        };
        let synced = segment.file.sync().and_then(|()| match segment.is_new {
            true => sync_folder(&self.config.folder),
            false => Ok(()),
        });
        segment.is_new &= synced.is_err();
        segment.is_full |= synced.is_err();
        synced
    }

    /// Completes the segment if it is large or old enough, or has no room. After [`Folder::sync`].
    ///
    /// # Errors
    /// Those of the system.
    pub(super) fn rotate_if_due(&mut self) -> io::Result<()> {
        let is_due = |segment: &Segment| {
            segment.is_full
                || segment.file.len >= self.config.rotate_size
                || segment.since.elapsed() >= self.config.rotate_age
        };
        match self.segment.as_ref().is_some_and(is_due) {
            true => self.rotate(),
            false => Ok(()),
        }
    }

    /// When the segment will be old enough.
    pub(super) fn due(&self) -> Option<Instant> {
        Some(self.segment.as_ref()?.since + self.config.rotate_age)
    }

    /// Completes the segment, if there is one. If that fails, the next start does it.
    ///
    /// # Errors
    /// Those of the system.
    pub(super) fn rotate(&mut self) -> io::Result<()> {
        let Some(mut segment) = self.segment.take() else {
            return Ok(());
        };
        segment.file.mend()?;
        complete(&segment.file.path).map(drop)
    }

    fn complete(&mut self) -> io::Result<Vec<PathBuf>> {
        let mut completed = Vec::new();
        for entry in fs::read_dir(&self.config.folder)? {
            let path = entry?.path();
            let name = path
                .file_name()
                .and_then(|name| name.to_str())
                .unwrap_or_default();
            if name.starts_with(&self.config.prefix) && name.ends_with(&format!(".ndjson{PART}")) {
                // Opening it cuts off an unfinished line.
                Appended::open(&path, false)?.sync()?;
                completed.extend(complete(&path)?);
            }
        }
        Ok(completed)
    }
}

impl Segment {
    /// A new file, named by the time and a number. The clock may have been set back, or several may
    /// be made in a second: then the next free number is taken.
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

/// Gives a segment its final name, or removes it if it is empty.
fn complete(part: &Path) -> io::Result<Option<PathBuf>> {
    if fs::metadata(part)?.len() == 0 {
        return fs::remove_file(part).map(|()| None);
    }
    let path = part.with_extension("");
    fs::rename(part, &path)?;
    if let Some(folder) = path.parent() {
        sync_folder(folder)?;
    }
    Ok(Some(path))
}

#[cfg(test)]
mod tests {
    use std::{io::Write, time::Duration};

    use super::*;
    use crate::server::spool::Spool;

    fn config(folder: &Path, rotate_size: u64) -> config::Output {
        config::Output {
            folder: folder.to_owned(),
            prefix: "e".to_owned(),
            rotate_size,
            rotate_age: Duration::from_secs(3600),
        }
    }

    fn lines(text: &str) -> Lines {
        let mut spool = Spool::new(Path::new("."));
        spool.write_all(text.as_bytes()).unwrap();
        spool.finish().unwrap()
    }

    /// Text of all files whose names end so, in the order of their names.
    fn all(folder: &Path, ending: &str) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
        paths.retain(|path| path.to_str().unwrap().ends_with(ending));
        paths.sort();
        paths
            .iter()
            .map(|path| fs::read_to_string(path).unwrap())
            .collect()
    }

    #[test]
    fn a_segment_is_complete_once_it_is_large_enough() {
        let dir = tempfile::tempdir().unwrap();
        let (mut folder, _) = Folder::open(config(dir.path(), 6)).unwrap();
        for (line, parts, segments) in [
            ("11\n", vec!["11\n"], vec![]),
            ("22\n", vec![], vec!["11\n22\n"]),
            ("33\n", vec!["33\n"], vec!["11\n22\n"]),
        ] {
            folder.add(&mut lines(line)).unwrap();
            folder.sync().unwrap();
            folder.rotate_if_due().unwrap();
            assert_eq!(all(dir.path(), ".part"), parts);
            assert_eq!(all(dir.path(), ".ndjson"), segments);
        }
    }

    #[test]
    fn a_killed_run_is_completed_and_names_are_not_used_twice() {
        let dir = tempfile::tempdir().unwrap();
        for name in ["e-1.ndjson.part", "e-2.ndjson.part", "other.ndjson.part"] {
            fs::write(dir.path().join(name), "1\n{").unwrap();
        }
        fs::write(dir.path().join("e-2.ndjson.part"), "{").unwrap();
        let (mut folder, completed) = Folder::open(config(dir.path(), 1)).unwrap();
        assert_eq!(completed, [dir.path().join("e-1.ndjson")]);
        assert_eq!(all(dir.path(), ".part"), ["1\n{"]);
        for _ in 0..3 {
            folder.add(&mut lines("2\n")).unwrap();
            folder.rotate_if_due().unwrap();
        }
        assert_eq!(all(dir.path(), ".ndjson"), ["1\n", "2\n", "2\n", "2\n"]);
    }

    #[test]
    fn a_clock_that_is_set_back_replaces_no_segment() {
        let dir = tempfile::tempdir().unwrap();
        let settings = config(dir.path(), 1);
        let (late, early) = ("2026-11-24T15:00:00Z", "2026-11-24T14:00:00Z");
        let mut parts = Vec::new();
        for (time, text) in [(late, "1\n"), (early, "2\n"), (late, "3\n"), (late, "4\n")] {
            let mut segment = Segment::create(&settings, time).unwrap();
            segment.file.add(&mut lines(text)).unwrap();
            match text {
                "1\n" => _ = complete(&segment.file.path).unwrap(),
                _ => parts.push(segment.file.path),
            }
        }
        // Neither a complete segment nor one that is written to.
        for part in parts {
            complete(&part).unwrap();
        }
        assert_eq!(all(dir.path(), ".ndjson"), ["2\n", "1\n", "3\n", "4\n"]);
    }

    #[test]
    fn one_receiver_has_the_folder() {
        let dir = tempfile::tempdir().unwrap();
        let _first = Folder::open(config(dir.path(), 1)).unwrap();
        let second = Folder::open(config(dir.path(), 1)).err().unwrap();
        assert!(
            second.message.contains("another receiver"),
            "{}",
            second.message
        );
    }
}
