//! Where opened events and dead letters are written.

use std::{
    io,
    sync::Arc,
    time::{Duration, Instant},
};

use serde_json::json;

use super::super::file_error::unwritable;
use super::{config::Config, folder::Folder, in_work::InWork};
use crate::{
    error::Error,
    server::{
        append::{can_append, is_writable},
        commit::Place,
        log::{Level, log},
        rotated::Rotated,
        spool::Lines,
    },
};

/// The folder of segments, and the file of dead letters, if they are wanted.
pub(super) struct Places {
    pub(super) folder: Option<Folder>,
    pub(super) letters: Option<Rotated>,
}

/// What one request writes.
pub(super) struct Written {
    pub(super) events: Option<Lines>,
    pub(super) letters: Option<Lines>,
    /// It is in work as long as this is in memory.
    pub(super) _place: Arc<InWork>,
}

impl Place for Places {
    type Item = Written;

    fn add(&mut self, items: Vec<Written>) -> Vec<io::Result<()>> {
        items.into_iter().map(|item| self.add_one(item)).collect()
    }

    fn sync(&mut self) -> io::Result<()> {
        self.letters.as_mut().map_or(Ok(()), |file| file.sync().1)?;
        self.folder.as_mut().map_or(Ok(()), Folder::sync)
    }

    /// Until the segment is old enough.
    fn pause(&self) -> Duration {
        let due = self.folder.as_ref().and_then(Folder::due);
        let pause = due.map(|due| due.saturating_duration_since(Instant::now()));
        pause.unwrap_or(Duration::from_secs(3600))
    }

    fn tidy(&mut self) {
        self.told(Folder::rotate_if_due);
    }

    fn end(&mut self) {
        self.told(Folder::close);
    }
}

impl Places {
    /// Whether a start could write, as far as that can be told without leaving anything there.
    ///
    /// # Errors
    /// If it could not.
    pub(super) fn check(config: &Config) -> Result<(), Error> {
        if let Some(output) = &config.output {
            is_writable(&output.folder).map_err(|error| unwritable(&output.folder, &error))?;
        }
        let Some(path) = &config.dead_letter else {
            return Ok(());
        };
        can_append(path).map_err(|error| unwritable(path, &error))
    }

    fn add_one(&mut self, item: Written) -> io::Result<()> {
        let letters = match (&mut self.letters, item.letters) {
            (Some(file), Some(mut letters)) => file.add(&mut letters, |_| ()),
            _ => Ok(()),
        };
        letters.and_then(|()| match (&mut self.folder, item.events) {
            (Some(folder), Some(mut events)) => folder.add(&mut events),
            _ => Ok(()),
        })
    }

    /// Does something to the folder. A failure is told; what is in the folder stays there.
    fn told(&mut self, act: impl FnOnce(&mut Folder) -> io::Result<()>) {
        if let Some(Err(error)) = self.folder.as_mut().map(act) {
            let reason = error.to_string();
            log(Level::Error, "rotate", json!({ "reason": reason }));
        }
    }
}
