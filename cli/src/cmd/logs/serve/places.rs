//! The outputs of opened events and dead letters.

use std::{
    io,
    sync::Arc,
    time::{Duration, Instant},
};

use serde_json::json;

use super::super::unwritable;
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

/// The folder of segments, and the file of dead letters, if they are configured.
pub(super) struct Places {
    pub(super) folder: Option<Folder>,
    pub(super) letters: Option<Rotated>,
}

/// The output of one request.
pub(super) struct Written {
    pub(super) events: Option<Lines>,
    pub(super) letters: Option<Lines>,
    /// Keeps the request in work as long as this is in memory.
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

    /// Returns the time until the segment is old enough.
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
    /// Checks that a start could write, as far as possible without creating any file.
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

    /// Runs `act` on the folder, and logs a failure. Files stay in the folder.
    fn told(&mut self, act: impl FnOnce(&mut Folder) -> io::Result<()>) {
        if let Some(Err(error)) = self.folder.as_mut().map(act) {
            let reason = error.to_string();
            log(Level::Error, "rotate", json!({ "reason": reason }));
        }
    }
}
