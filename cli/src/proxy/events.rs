//! The file of events.

use std::{io, path::Path, sync::Arc, time::Duration};

use super::counters::Counters;
use crate::{
    error::Error,
    escape,
    server::{
        append::{Appended, sync_folder},
        commit::Place,
        spool::Lines,
    },
};

/// The events of one request.
pub(super) struct Events {
    pub(super) lines: Vec<u8>,
    pub(super) count: u64,
}

/// The file, and how many events in it are not on the disk yet.
pub(super) struct EventLog {
    file: Appended,
    waiting: u64,
    /// Why events that still wait for [`Place::sync`] are lost.
    failed: Option<io::Error>,
    delay: Duration,
    counters: Arc<Counters>,
}

impl EventLog {
    /// Opens the file, or makes it. Events may wait this long for the disk.
    ///
    /// # Errors
    /// If the system refuses.
    pub(super) fn open(
        path: &Path,
        delay: Duration,
        counters: Arc<Counters>,
    ) -> Result<Self, Error> {
        let file = opened(path)
            .map_err(|error| Error::io(format_args!("write {}", escape::path(path)), &error))?;
        Ok(Self {
            file,
            waiting: 0,
            failed: None,
            delay,
            counters,
        })
    }

    fn append(&mut self, lines: Vec<u8>) -> io::Result<()> {
        if !self.file.has_its_name() {
            if let Err(error) = self.sync_file() {
                self.failed = Some(io::Error::new(error.kind(), error.to_string()));
                return Err(error);
            }
            self.file = opened(&self.file.path)?;
        }
        self.file.add(&mut Lines::from(lines))
    }

    /// Syncs the file. Events that wait for it are on the disk then, or lost.
    fn sync_file(&mut self) -> io::Result<()> {
        let synced = self.file.sync();
        let counter = match synced {
            Ok(()) => &self.counters.written,
            Err(_) => &self.counters.lost,
        };
        counter.add(std::mem::take(&mut self.waiting));
        synced
    }
}

/// The file, whose name is on the disk too.
fn opened(path: &Path) -> io::Result<Appended> {
    let is_new = !path.exists();
    let file = Appended::open(path, false)?;
    if is_new {
        let folder = path.parent().filter(|folder| *folder != Path::new(""));
        sync_folder(folder.unwrap_or(Path::new(".")))?;
    }
    Ok(file)
}

impl Place for EventLog {
    type Item = Events;

    fn add(&mut self, events: Events) -> io::Result<()> {
        let added = self.append(events.lines);
        match added {
            Ok(()) => self.waiting += events.count,
            Err(_) => self.counters.lost.add(events.count),
        }
        added
    }

    fn sync(&mut self) -> io::Result<()> {
        let synced = self.sync_file();
        // What was added after a file was lost is not told apart from what was lost with it.
        match self.failed.take() {
            Some(error) => Err(error),
            None => synced,
        }
    }

    fn delay(&self) -> Duration {
        self.delay
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn events(text: &str) -> Events {
        Events {
            lines: format!("{text}\n").into_bytes(),
            count: 1,
        }
    }

    #[test]
    fn an_event_that_was_lost_before_a_rename_is_not_reported_as_written() {
        let folder = tempfile::tempdir().unwrap();
        let (path, renamed) = (folder.path().join("log"), folder.path().join("log.1"));
        let counters = Arc::new(Counters::default());
        let mut log = EventLog::open(&path, Duration::ZERO, Arc::clone(&counters)).unwrap();
        log.add(events("a")).unwrap();
        fs::rename(&path, &renamed).unwrap();
        log.file.fail_next_sync();
        assert!(log.add(events("b")).is_err());
        log.add(events("c")).unwrap();
        assert!(log.sync().is_err(), "it would say that `a` is on the disk");
        assert_eq!(fs::read_to_string(&renamed).unwrap(), "");
        assert_eq!(fs::read_to_string(&path).unwrap(), "c\n");
        assert_eq!((counters.lost.get(), counters.written.get()), (2, 1));
        log.add(events("d")).unwrap();
        log.sync().unwrap();
        assert_eq!((counters.lost.get(), counters.written.get()), (2, 2));
    }
}
