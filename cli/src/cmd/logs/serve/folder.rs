//! A folder of segments: lines are added to the newest file, `NAME.ndjson.part`, which is renamed to
//! `NAME.ndjson` once it is large or old enough, and never changed again.

use std::{
    fs::{self, File, TryLockError},
    io,
    path::PathBuf,
    time::{Duration, Instant},
};

use super::{
    config,
    segment::{PART, Segment, complete, finish},
};
use crate::{date, disk::sync_folder, error::Error, escape, server::spool::Lines};

/// How long until a segment that could not be completed is tried again.
const AGAIN: Duration = Duration::from_secs(10);
/// What shows that another receiver has the folder.
const LOCK: &str = ".pqseal-serve.lock";

/// The folder, and its newest segment.
pub(super) struct Folder {
    config: config::Output,
    segment: Option<Segment>,
    /// Segments that could not be completed yet, and when that is tried again.
    late: Vec<PathBuf>,
    again: Option<Instant>,
    /// Held as long as this lives.
    _lock: File,
}

/// What a killed run left.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Left {
    /// Segments that are complete now.
    pub(super) completed: Vec<PathBuf>,
    /// Those of another prefix: nothing completes them.
    pub(super) others: Vec<PathBuf>,
}

impl Folder {
    /// Opens the folder, and completes what a killed run left in it.
    ///
    /// # Errors
    /// If it cannot be used, or another receiver uses it.
    pub(super) fn open(config: config::Output) -> Result<(Self, Left), Error> {
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
        let left = complete_all(&config).map_err(failed)?;
        let folder = Self {
            config,
            segment: None,
            late: Vec::new(),
            again: None,
            _lock: lock,
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

    /// Completes the segment if it is large or old enough, or has no room, and what could not be
    /// completed before. After [`Folder::sync`].
    ///
    /// # Errors
    /// Those of the system.
    pub(super) fn rotate_if_due(&mut self) -> io::Result<()> {
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

    /// When there is something to do next: the segment is old enough, or one is tried again.
    pub(super) fn due(&self) -> Option<Instant> {
        let since = self.segment.as_ref().map(|segment| segment.since);
        let aged = since.map(|since| since + self.config.rotate_age);
        aged.into_iter().chain(self.again).min()
    }

    /// Completes the segment, if there is one, and what could not be completed before. What fails is
    /// tried again later, and by the next start.
    ///
    /// # Errors
    /// Those of the system.
    pub(super) fn rotate(&mut self) -> io::Result<()> {
        if let Some(mut segment) = self.segment.take() {
            let mended = segment.file.mend();
            if mended.and_then(|()| complete(&segment.file.path)).is_err() {
                self.late.push(segment.file.path);
            }
        }
        self.finish_late()
    }

    fn finish_late(&mut self) -> io::Result<()> {
        let mut failure = Ok(());
        self.late.retain(|part| match finish(part) {
            Ok(_) => false,
            Err(error) => {
                failure = Err(error);
                true
            }
        });
        self.again = failure.is_err().then(|| Instant::now() + AGAIN);
        failure
    }
}

fn complete_all(config: &config::Output) -> io::Result<Left> {
    let mut left = Left::default();
    for entry in fs::read_dir(&config.folder)? {
        let path = entry?.path();
        let name = path.file_name().and_then(|name| name.to_str());
        let name = name.unwrap_or_default();
        match name.ends_with(&format!(".ndjson{PART}")) {
            true if name.starts_with(&config.prefix) => left.completed.extend(finish(&path)?),
            true => left.others.push(path),
            false => {}
        }
    }
    Ok(left)
}

#[cfg(test)]
mod tests {
    use std::{io::Write, path::Path};

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
        let (mut folder, left) = Folder::open(config(dir.path(), 1)).unwrap();
        assert_eq!(left.completed, [dir.path().join("e-1.ndjson")]);
        assert_eq!(left.others, [dir.path().join("other.ndjson.part")]);
        assert_eq!(all(dir.path(), ".part"), ["1\n{"]);
        for _ in 0..3 {
            folder.add(&mut lines("2\n")).unwrap();
            folder.rotate_if_due().unwrap();
        }
        assert_eq!(all(dir.path(), ".ndjson"), ["1\n", "2\n", "2\n", "2\n"]);
    }

    /// A folder that stands where the name of a segment should be keeps it from being renamed.
    #[test]
    fn a_segment_that_cannot_be_renamed_is_tried_again() {
        let dir = tempfile::tempdir().unwrap();
        let (mut folder, _) = Folder::open(config(dir.path(), 1)).unwrap();
        folder.add(&mut lines("1\n")).unwrap();
        let part = folder.segment.as_ref().unwrap().file.path.clone();
        let in_its_way = part.with_extension("");
        fs::create_dir(&in_its_way).unwrap();
        assert!(folder.rotate_if_due().is_err());
        assert!(folder.due().is_some_and(|due| due > Instant::now()));
        // Others do not wait for it.
        folder.add(&mut lines("2\n")).unwrap();
        assert!(folder.rotate_if_due().is_err());
        fs::remove_dir(&in_its_way).unwrap();
        folder.again = Some(Instant::now());
        folder.rotate_if_due().unwrap();
        assert_eq!(folder.due(), None);
        assert_eq!(all(dir.path(), ".part"), Vec::<String>::new());
        assert_eq!(all(dir.path(), ".ndjson"), ["1\n", "2\n"]);
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
