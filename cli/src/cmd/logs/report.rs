//! Reports of a run while it goes on: dead letters, files that fail, progress.

use std::{
    collections::{BTreeMap, BTreeSet},
    io::{self, Seek},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use clap::Args;
use pqseal_matched_data::KeyName;
use pqseal_pipeline::{
    Observer, Opener, Stats, Warning,
    files::{Done, Job, LeftOut, Live, Outcome},
};

use super::{
    file_counts::{FileCounts, count},
    letters::{self, Letters},
    meter::Meter,
    summary::{Action, Asked, Form, Summary},
    unwritable,
};
use crate::{
    error::{Error, Exit, warn},
    escape,
    output::{Destination, Target},
    signals,
};

/// The options for counters and for failing.
#[derive(Args)]
pub(super) struct Counting {
    /// Write the counters to standard error at the end
    #[arg(long, value_enum, value_name = "FORM")]
    stats: Option<Form>,
    /// Exit with 1 if a record failed, if a field of --field is in no record, or if a table that is
    /// sealed has no rows
    #[arg(long)]
    strict: bool,
}

/// The options for records that do not open.
#[derive(Args)]
pub(super) struct Monitoring {
    /// Add a line of JSON for each record that failed: source, line, code, key_ids_tried,
    /// key_labels_tried if a key has a label, and the record; never plaintext
    #[arg(long, value_name = "FILE")]
    pub(super) dead_letter: Option<Target>,
    /// Write the counters to this file, for Prometheus' text file collector
    #[arg(long, value_name = "FILE")]
    pub(super) prometheus: Option<Target>,
    /// Exit with 1 if more than N records failed
    #[arg(long, value_name = "N", conflicts_with = "strict")]
    max_errors: Option<u64>,
    /// Count opened fields by period of a calendar; if not given, all periods are one key
    #[arg(long)]
    by_period: bool,
}

impl Monitoring {
    /// Returns the names of the keys in counters.
    pub(super) fn key_names(&self, opener: &Opener) -> Vec<KeyName> {
        match self.by_period {
            true => opener.names().cloned().collect(),
            false => opener.report_names(),
        }
    }
}

/// The parameters of a run.
pub(super) struct Run {
    pub(super) action: Action,
    pub(super) keys: Vec<KeyName>,
    pub(super) asked: Asked,
    /// The file in which failed files are listed.
    pub(super) failed_list: Option<Target>,
    /// `true` if records go to a screen as they come.
    pub(super) to_screen: bool,
    /// `true` if failures are reported as JSON.
    pub(super) json: bool,
}

/// The counters and reports of a run.
pub(super) struct Report {
    summary: Arc<Mutex<Summary>>,
    meter: Arc<Meter>,
    letters: Option<Letters>,
    json: bool,
    /// The time at which the counters for Prometheus were last written.
    refreshed: Instant,
    /// `true` if a warning is due when the first records do not open.
    warns_early: bool,
    /// `true` for a run without an end.
    is_endless: bool,
}

/// The time between two updates of the Prometheus counters.
const REFRESH: Duration = Duration::from_secs(5);
/// The number of failures after which a run that opened nothing warns of it.
const FIRST: u64 = 10;
/// The time that a reader of the output has to take the rest after a signal.
const PATIENCE: Duration = Duration::from_secs(2);

impl Report {
    /// Creates a report, also of a run that a signal ends.
    ///
    /// # Errors
    /// If its files cannot be written, or signals cannot be waited for.
    pub(super) fn start(options: &Counting, run: Run) -> Result<Self, Error> {
        let report = Self::new(options, run)?;
        let last_words = Arc::clone(&report.summary);
        signals::before_the_end(move || lock(&last_words).interrupted())
            .map_err(|error| Error::io("wait for signals", &error))?;
        Ok(report)
    }

    /// Creates the report of a run that ends normally when a signal asks for it.
    ///
    /// # Errors
    /// If its files cannot be written.
    pub(super) fn new(options: &Counting, run: Run) -> Result<Self, Error> {
        run.failed_list.iter().try_for_each(check_writable)?;
        let meter = Arc::new(Meter::new(run.to_screen));
        let json = run.json;
        let summary = Arc::new(Mutex::new(Summary {
            action: run.action,
            stats: options.stats,
            prometheus: None,
            failed_list: run.failed_list,
            strict: options.strict,
            allowed: options.strict.then_some(0),
            json,
            keys: run.keys,
            asked: run.asked,
            missing: BTreeSet::new(),
            has_no_rows: false,
            meter: Arc::clone(&meter),
            total: Stats::default(),
            files: FileCounts::default(),
            is_told: false,
        }));
        Ok(Self {
            summary,
            meter,
            letters: None,
            json,
            refreshed: Instant::now(),
            warns_early: false,
            is_endless: false,
        })
    }

    /// Lets a run without an end warn when nothing opens. Other runs say so at their end.
    pub(super) fn warn_early(&mut self) {
        let action = self.summary().action;
        self.warns_early = action == Action::Open;
        self.is_endless = true;
    }

    /// Reports and ends the process if the reader of the output stalls after a signal.
    ///
    /// # Errors
    /// If signals cannot be waited for.
    pub(super) fn end_if_stalled(&self) -> io::Result<()> {
        let last_words = Arc::clone(&self.summary);
        signals::end_after(PATIENCE, move || lock(&last_words).interrupted())
    }

    /// Warns if the first records do not open.
    fn warn_if_nothing_opens(&mut self) {
        let summary = self.summary();
        let has_opened = summary.total.opened > 0;
        let failed = summary.total.failures();
        let codes = summary.failures();
        drop(summary);
        if has_opened || failed >= FIRST {
            self.warns_early = false;
        }
        if !has_opened && failed >= FIRST {
            let message = format!(
                "the first {failed} records failed, and none opened ({codes}); is it the right key?"
            );
            self.meter.suspend(|| warn("nothing_opens", message));
        }
    }

    /// Writes the counters for Prometheus, if it is time. A failure is reported at the end.
    pub(super) fn refresh(&mut self) {
        if self.refreshed.elapsed() >= REFRESH {
            self.refreshed = Instant::now();
            let _ = self.summary().write_metrics(false);
        }
    }

    /// Adds the outputs that `options` ask for.
    pub(super) fn monitored(mut self, options: &Monitoring) -> Result<Self, Error> {
        let letters = options.dead_letter.as_ref();
        self.letters = letters
            .map(|to| Letters::new(to, Action::Open))
            .transpose()?;
        options.prometheus.iter().try_for_each(check_writable)?;
        let mut summary = self.summary();
        summary.allowed = summary.allowed.or(options.max_errors);
        summary.prometheus.clone_from(&options.prometheus);
        drop(summary);
        Ok(self)
    }

    /// Adds a file for records that cannot be sealed, if there is one.
    pub(super) fn refused_to(mut self, file: Option<&Target>) -> Result<Self, Error> {
        self.letters = file.map(|to| Letters::new(to, Action::Seal)).transpose()?;
        Ok(self)
    }

    /// Returns the meter, which takes progress from any thread.
    pub(super) fn meter(&self) -> Arc<Meter> {
        Arc::clone(&self.meter)
    }

    pub(super) const fn has_letters(&self) -> bool {
        self.letters.is_some()
    }

    pub(super) fn has_failed_files(&self) -> bool {
        !self.summary().files.failed.is_empty()
    }

    /// Sets the number of files, in a folder or for one stream.
    pub(super) fn planned(&self, files: usize, in_folder: bool) {
        let of = &mut self.summary().files;
        (of.planned, of.in_folder) = (files, in_folder);
    }

    /// Counts a file that is done since an earlier run, with this outcome.
    pub(super) fn done_before(&self, outcome: &Outcome) {
        self.summary().files.done_before(outcome);
    }

    /// Counts a file that has its output. A damaged one is not counted as done.
    ///
    /// # Errors
    /// If its dead letters cannot be written.
    pub(super) fn file_done(&mut self, job: &Job, done: &mut Done) -> Result<(), Error> {
        let source = job.input.to_string_lossy();
        for warning in &done.warnings {
            self.warning(&source, warning);
        }
        let mut summary = self.summary();
        summary.total.add(&done.stats);
        summary.files.done += usize::from(done.damage.is_none());
        drop(summary);
        let (Some(mut held), Some(letters)) = (done.letters.take(), &mut self.letters) else {
            return Ok(());
        };
        let copied = held.rewind().and_then(|()| letters.copy(held));
        copied.map_err(|error| self.undelivered(&error))
    }

    /// Reports and lists a file that failed while the others go on.
    pub(super) fn file_failed(&mut self, path: PathBuf, error: Error) {
        self.meter.suspend(|| error.report(self.json));
        self.file_listed(path, error);
    }

    /// Lists a file whose failure is reported elsewhere.
    pub(super) fn file_listed(&mut self, path: PathBuf, error: Error) {
        self.summary().files.failed.push((path, error));
    }

    /// Reports the skipped entries of folders, except hidden files, which help documents.
    pub(super) fn left_out(&self, left_out: &[(PathBuf, LeftOut)]) {
        let mut groups: BTreeMap<LeftOut, Vec<&Path>> = BTreeMap::new();
        for (path, why) in left_out {
            groups.entry(*why).or_default().push(path);
        }
        for (why, paths) in groups {
            let Some(why) = reason(why) else { continue };
            let more = match paths.len() - 1 {
                0 => String::new(),
                more => format!(" and {}", count(more, "other")),
            };
            let first = escape::path(paths[0]);
            warn("left_out", format_args!("left out {first}{more}: {why}"));
        }
    }

    /// Makes the error for letters that cannot be written.
    pub(super) fn undelivered(&self, error: &io::Error) -> Error {
        letters::undelivered(self.summary().action, error)
    }

    /// Ends the run: writes the counters, and returns the exit code.
    pub(super) fn finish(mut self, ran: Result<(), Error>) -> Result<Exit, Error> {
        let settled = self.letters_done();
        let letters = settled.map_err(|error| self.undelivered(&error));
        let told = lock(&self.summary).tell(ran.is_ok());
        ran.and(told).and_then(|exit| letters.map(|()| exit))
    }

    fn summary(&self) -> MutexGuard<'_, Summary> {
        lock(&self.summary)
    }
}

/// Checks before the run that a file which is written at its end can be created or replaced.
fn check_writable(target: &Target) -> Result<(), Error> {
    let Target::File(path) = target else {
        return Ok(());
    };
    let checked = match Destination::of(path) {
        Destination::File(_, Some(found)) if found.is_dir() => {
            Err(io::ErrorKind::IsADirectory.into())
        }
        Destination::File(file, _) => pqseal_atomic_file::beside(&file, 0o600).map(drop),
        Destination::Device(_) | Destination::Open(_) => Ok(()),
    };
    checked.map_err(|error| unwritable(path, &error))
}

fn lock(summary: &Mutex<Summary>) -> MutexGuard<'_, Summary> {
    summary.lock().unwrap_or_else(PoisonError::into_inner)
}

const fn reason(why: LeftOut) -> Option<&'static str> {
    match why {
        LeftOut::Hidden => None,
        LeftOut::NotAFile => Some("not a regular file; name it to read it"),
        LeftOut::Link => Some("a link to a folder; add --follow-links to read it"),
        LeftOut::Visited => Some("a folder that is read already, by another path"),
        LeftOut::OtherTime => Some("modified outside the time between --since and --until"),
        LeftOut::FolderMarker => None,
        LeftOut::Young => Some("modified less than --min-age ago; a later run takes it"),
        _ => Some("not a file of records"),
    }
}

impl Observer for Report {
    fn batch(&mut self, stats: &Stats) {
        self.summary().total.add(stats);
        self.meter.batch(stats);
        if self.warns_early {
            self.warn_if_nothing_opens();
        }
    }

    fn progress(&mut self, bytes: u64) {
        self.meter.progress(bytes);
    }

    fn warning(&mut self, source: &str, warning: &Warning) {
        let mut summary = self.summary();
        summary.missing.extend(warning.rule());
        summary.has_no_rows |= *warning == Warning::NoRows;
        drop(summary);
        let mut message = format!("{source}: {warning}");
        if self.is_endless && matches!(warning, Warning::NotJson { .. }) {
            message += "; only NDJSON is followed as it grows";
        }
        let message = escape::bytes(message.as_bytes());
        self.meter.suspend(|| warn(warning.code(), message));
    }

    fn dead_letter(&mut self, letter: &[u8]) -> io::Result<()> {
        match &mut self.letters {
            Some(letters) => letters.add(letter),
            None => Ok(()),
        }
    }

    fn letters_done(&mut self) -> io::Result<()> {
        self.letters.as_mut().map_or(Ok(()), Letters::settle)
    }

    fn wants_letters(&self) -> bool {
        self.letters.is_some()
    }
}
