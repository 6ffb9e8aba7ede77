//! The file of events.

use std::{io, path::Path, sync::Arc};

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
    counters: Arc<Counters>,
}

impl EventLog {
    /// Opens the file, or makes it.
    ///
    /// # Errors
    /// If the system refuses.
    pub(super) fn open(path: &Path, counters: Arc<Counters>) -> Result<Self, Error> {
        let file = opened(path)
            .map_err(|error| Error::io(format_args!("write {}", escape::path(path)), &error))?;
        Ok(Self {
            file,
            waiting: 0,
            counters,
        })
    }

    fn append(&mut self, lines: Vec<u8>) -> io::Result<()> {
        if !self.file.has_its_name() {
            self.file.sync()?;
            self.file = opened(&self.file.path)?;
        }
        self.file.add(&mut Lines::from(lines))
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
        let synced = self.file.sync();
        let counter = match synced {
            Ok(()) => &self.counters.written,
            Err(_) => &self.counters.lost,
        };
        counter.add(std::mem::take(&mut self.waiting));
        synced
    }
}
