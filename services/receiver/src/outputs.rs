//! The outputs of opened events and dead letters.

use std::{
    io,
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

use pqseal_server::{
    Error,
    append::{can_append, is_writable},
    commit::Place,
    gauge::Counting,
    log::{Level, log},
    rotated::Rotated,
    spool::Lines,
};
use pqseal_text::escape;
use serde_json::json;
use tokio::sync::OwnedSemaphorePermit;

use crate::{config::Config, folder::Folder, metrics::Metrics};

/// The folder of segments, and the file of dead letters, if they are configured.
pub(crate) struct Outputs {
    folder: Option<Folder>,
    letters: Option<Rotated>,
    metrics: Arc<Metrics>,
}

/// The lines of one request.
pub(crate) struct RequestLines {
    pub(crate) events: Option<Lines>,
    pub(crate) letters: Option<Lines>,
    /// Keeps the request in work as long as this is in memory.
    pub(crate) _slot: Slot,
}

/// A slot among the requests in work. The thread of a request and its lines share it, since they
/// may outlast a client that gives up.
pub(crate) type Slot = Arc<(OwnedSemaphorePermit, Counting)>;

impl Place for Outputs {
    type Item = RequestLines;

    fn add(&mut self, items: Vec<RequestLines>) -> Vec<io::Result<()>> {
        items.into_iter().map(|item| self.add_one(item)).collect()
    }

    fn sync(&mut self) -> io::Result<()> {
        self.metrics.write_begins();
        let synced = match &mut self.letters {
            Some(file) => file.sync().1,
            None => Ok(()),
        };
        let synced = synced.and_then(|()| match &mut self.folder {
            Some(folder) => folder.sync(),
            None => Ok(()),
        });
        self.metrics.write_ended();
        synced
    }

    /// Returns the time until the segment is old enough.
    fn pause(&self) -> Duration {
        let due = self.folder.as_ref().and_then(Folder::due);
        let pause = due.map(|due| due.saturating_duration_since(Instant::now()));
        pause.unwrap_or(Duration::from_secs(3600))
    }

    fn tidy(&mut self) {
        self.log_failure(Folder::rotate_if_due);
    }

    fn end(&mut self) {
        self.log_failure(Folder::close);
    }
}

impl Outputs {
    /// Opens what the configuration names, or creates it.
    ///
    /// # Errors
    /// If it cannot be used.
    pub(crate) fn open(config: &Config, metrics: &Arc<Metrics>) -> Result<Self, Error> {
        let output = config.output.clone();
        let folder = output.map(|output| Folder::open(output, Arc::clone(metrics)));
        let letters = config.dead_letter.as_ref();
        let letters =
            letters.map(|path| Rotated::open(path).map_err(|error| unwritable(path, error)));
        Ok(Self {
            folder: folder.transpose()?,
            letters: letters.transpose()?,
            metrics: Arc::clone(metrics),
        })
    }

    /// Checks that a start could write, as far as possible without creating any file.
    ///
    /// # Errors
    /// If it could not.
    pub(crate) fn check(config: &Config) -> Result<(), Error> {
        if let Some(output) = &config.output {
            is_writable(&output.folder).map_err(|error| unwritable(&output.folder, error))?;
        }
        let Some(path) = &config.dead_letter else {
            return Ok(());
        };
        can_append(path).map_err(|error| unwritable(path, error))
    }

    fn add_one(&mut self, item: RequestLines) -> io::Result<()> {
        self.metrics.write_begins();
        let letters = match (&mut self.letters, item.letters) {
            (Some(file), Some(mut letters)) => file.add(&mut letters, |_| ()),
            _ => Ok(()),
        };
        let added = letters.and_then(|()| match (&mut self.folder, item.events) {
            (Some(folder), Some(mut events)) => folder.add(&mut events),
            _ => Ok(()),
        });
        self.metrics.write_ended();
        added
    }

    /// Runs `act` on the folder, and logs a failure. Files stay in the folder.
    fn log_failure(&mut self, act: impl FnOnce(&mut Folder) -> io::Result<()>) {
        self.metrics.write_begins();
        let done = self.folder.as_mut().map(act);
        self.metrics.write_ended();
        if let Some(Err(error)) = done {
            let reason = error.to_string();
            log(Level::Error, "rotate", json!({ "reason": reason }));
        }
    }
}

/// Makes the error for a file or a folder that cannot be written.
fn unwritable(path: &Path, error: io::Error) -> Error {
    Error::system(format_args!("write {}", escape::path(path)), error)
}
