//! The progress bar on a terminal.

use std::{
    io::{self, IsTerminal},
    sync::{Mutex, PoisonError},
    time::Instant,
};

use indicatif::{ProgressBar, ProgressStyle};
use pqseal_pipeline::{Stats, files::Live};

/// The progress bar of a run, if it is shown.
pub(super) struct Meter {
    bar: Option<ProgressBar>,
    seen: Mutex<Stats>,
    started: Instant,
}

impl Meter {
    /// Creates a bar if standard error is a terminal, and records do not go to the same
    /// screen.
    pub(super) fn new(to_screen: bool) -> Self {
        let bar = || ProgressBar::no_length().with_style(style("{elapsed} {msg}"));
        Self {
            bar: (io::stderr().is_terminal() && !to_screen).then(bar),
            seen: Mutex::default(),
            started: Instant::now(),
        }
    }

    /// Sets the size of the work, in bytes of files.
    pub(super) fn expect(&self, bytes: u64) {
        if let Some(bar) = &self.bar {
            bar.set_length(bytes);
            bar.set_style(style("{bar:30} {bytes}/{total_bytes} {eta} {msg}"));
        }
    }

    /// Hides the bar while `write` writes to the terminal.
    pub(super) fn suspend(&self, write: impl FnOnce()) {
        match &self.bar {
            Some(bar) => bar.suspend(write),
            None => write(),
        }
    }

    pub(super) fn clear(&self) {
        self.bar.iter().for_each(ProgressBar::finish_and_clear);
    }

    pub(super) fn seconds(&self) -> f64 {
        self.started.elapsed().as_secs_f64()
    }
}

impl Live for Meter {
    fn batch(&self, stats: &Stats) {
        let Some(bar) = &self.bar else { return };
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.add(stats);
        let rate = seen.records as f64 / self.seconds().max(0.001);
        let (records, failed) = (seen.records, seen.failures());
        bar.set_message(format!("{records} records, {rate:.0}/s, {failed} failed"));
        bar.tick();
    }

    fn progress(&self, bytes: u64) {
        self.bar.iter().for_each(|bar| bar.inc(bytes));
    }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).expect("our templates are templates")
}
