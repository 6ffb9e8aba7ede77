//! The file of events.

use std::{io, path::Path, sync::Arc, time::Duration};

use super::counters::Counters;
use crate::{
    error::Error,
    escape,
    server::{commit::Place, rotated::Rotated, spool::Lines},
};

/// The events of one request.
pub(super) struct Events {
    pub(super) lines: Vec<u8>,
    pub(super) count: u64,
}

/// The file, and how many events in it are not on the disk yet.
pub(super) struct EventLog {
    file: Rotated,
    waiting: u64,
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
        let file = Rotated::open(path).map_err(|error| unwritable(path, &error))?;
        Ok(Self {
            file,
            waiting: 0,
            delay,
            counters,
        })
    }
}

/// That the file cannot be written.
pub(super) fn unwritable(path: &Path, error: &io::Error) -> Error {
    Error::io(format_args!("write {}", escape::path(path)), error)
}

/// Counts events that waited for the disk.
fn settle(waiting: &mut u64, counters: &Counters, is_synced: bool) {
    let counter = match is_synced {
        true => &counters.written,
        false => &counters.lost,
    };
    counter.add(std::mem::take(waiting));
}

impl Place for EventLog {
    type Item = Events;

    fn add(&mut self, events: Events) -> io::Result<()> {
        let mut lines = Lines::from(events.lines);
        let settled = |is_synced| settle(&mut self.waiting, &self.counters, is_synced);
        let added = self.file.add(&mut lines, settled);
        match added {
            Ok(()) => self.waiting += events.count,
            Err(_) => self.counters.lost.add(events.count),
        }
        added
    }

    fn sync(&mut self) -> io::Result<()> {
        let (is_synced, result) = self.file.sync();
        settle(&mut self.waiting, &self.counters, is_synced);
        result
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
