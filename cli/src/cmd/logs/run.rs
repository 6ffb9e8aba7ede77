//! A run of `pqseal logs open` or `pqseal logs seal`, and its reports while it goes on: files that
//! fail, progress, and records that did not open or could not be sealed.

mod counts;
mod failure;
mod files;
mod follow;
#[cfg(feature = "kafka")]
mod kafka;
mod stream;

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    io::{self, BufRead, BufReader, Read, Seek},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError, atomic::AtomicBool},
    time::{Duration, Instant},
};

use pqseal_pipeline::{
    Compression, Observer, Stats, Transform, Warning,
    files::{FileOutcome, FinishedFile, Job, LeftOut, Live, follow::Sink},
};

use super::{
    Action, Meter, OutputStream, Plan, ReportSettings, Run, not_started, output::Output, unwritable,
};
use crate::{
    error::{Error, Exit, warn},
    escape,
    output::{Destination, Target, is_open},
    signals,
};
use counts::count;

impl<T: Transform> Run<'_, T> {
    /// Processes the inputs of `plan`, and reports what happens. `last_step` gets the result, and
    /// returns the one that is reported.
    ///
    /// # Errors
    /// Those that end the run.
    pub(super) fn run(
        &self,
        plan: &Plan,
        settings: ReportSettings,
        last_step: impl FnOnce(Result<(), Error>) -> Result<(), Error>,
    ) -> Result<Exit, Error> {
        let mut report = Report::start(settings, plan.is_endless())?;
        let ran = match plan {
            Plan::Folder { inputs, folder } => self.folder(inputs, folder, &mut report),
            Plan::File { input, file } => self.file(input, file, &mut report),
            Plan::Stream { inputs, output } => self.stream(inputs, output, &mut report),
            Plan::Follow {
                inputs,
                in_folders,
                output,
            } => self.follow(inputs, *in_folders, output, &mut report),
            #[cfg(feature = "kafka")]
            Plan::Consume { topic, output } => self.consume(topic, output, &mut report),
        };
        let ran = last_step(ran);
        let settled = report.letters_done();
        let letters = settled.map_err(|error| report.undelivered(&error));
        let told = report.counts().end(ran.is_ok());
        ran.and(told).and_then(|exit| letters.map(|()| exit))
    }

    /// Opens a stream. Once `is_over` is true, a topic is waited for only a little longer.
    ///
    /// # Errors
    /// If it cannot be written.
    fn open_output(&self, to: &OutputStream, is_over: Arc<AtomicBool>) -> Result<Output, Error> {
        let compression = self.io.output.of_stream();
        let opened = match to {
            OutputStream::Stdout => Output::stdout(compression),
            OutputStream::Device(path) => Output::device(path, compression),
            OutputStream::AppendedFile(path) => {
                let (mode, is_exact) = self.io.output.mode(self.mode);
                Output::appended(path, mode, is_exact)
            }
            #[cfg(feature = "kafka")]
            OutputStream::Topic(path) => Output::topic(self.io.topic_writer(path, is_over)?),
            #[cfg(not(feature = "kafka"))]
            OutputStream::Topic(_) => {
                drop(is_over);
                Err(io::ErrorKind::Unsupported.into())
            }
        };
        opened.map_err(|error| to.unwritable(&error))
    }
}

/// The counters and reports of a run.
struct Report {
    counts: Arc<Mutex<RunCounts>>,
    meter: Arc<Meter>,
    letters: Option<Letters>,
    /// The time at which the counters for Prometheus were last written.
    refreshed: Instant,
    /// `true` if a warning is due when the first records do not open.
    warns_early: bool,
    /// `true` if files are followed as they grow.
    follows_files: bool,
}

/// The counts of a run.
struct RunCounts {
    settings: ReportSettings,
    stats: Stats,
    /// The rules for which nothing was found.
    missing: BTreeSet<usize>,
    /// `true` if a table that was to be sealed has no rows.
    has_no_rows: bool,
    files: FileCounts,
    meter: Arc<Meter>,
    /// `true` once everything was reported.
    is_reported: bool,
}

/// The counts and failures of the files of a run.
#[derive(Default)]
struct FileCounts {
    /// The number of files.
    planned: usize,
    /// `true` if each file has an output in a folder.
    in_folder: bool,
    done: usize,
    failed: Vec<(PathBuf, Error)>,
    /// The number of files that an earlier run has done.
    done_before: usize,
    failed_before: u64,
    /// The fields that were found then, by the places of their rules; `None` if no record could be
    /// searched.
    found_before: Option<BTreeSet<usize>>,
    no_column_before: BTreeSet<usize>,
    /// `true` if one of them was a table without rows.
    had_no_rows: bool,
}

/// The time between two updates of the Prometheus counters.
const REFRESH: Duration = Duration::from_secs(5);
/// The number of failures after which a run that opened nothing warns of it.
const FIRST: u64 = 10;
/// The time that a reader of the output has to take the rest after a signal.
const PATIENCE: Duration = Duration::from_secs(2);

impl Report {
    /// Starts the report of a run. If the run is not endless, a signal ends it, and is reported.
    ///
    /// # Errors
    /// If its files cannot be written, or signals cannot be waited for.
    fn start(settings: ReportSettings, is_endless: bool) -> Result<Self, Error> {
        settings.failed_list.iter().try_for_each(check_writable)?;
        let meter = Arc::new(Meter::new(settings.to_screen));
        let (action, letters) = (settings.action, settings.letters.clone());
        let prometheus = settings.prometheus.clone();
        let counts = Arc::new(Mutex::new(RunCounts {
            settings,
            stats: Stats::default(),
            missing: BTreeSet::new(),
            has_no_rows: false,
            files: FileCounts::default(),
            meter: Arc::clone(&meter),
            is_reported: false,
        }));
        if !is_endless {
            let last_words = Arc::clone(&counts);
            signals::before_the_end(move || lock(&last_words).interrupted())
                .map_err(|error| Error::io("wait for signals", &error))?;
        }
        let letters = letters.map(|to| Letters::open(&to, action)).transpose()?;
        prometheus.iter().try_for_each(check_writable)?;
        Ok(Self {
            counts,
            meter,
            letters,
            refreshed: Instant::now(),
            warns_early: false,
            follows_files: false,
        })
    }

    /// Lets a run that follows files warn early if nothing opens. Other runs say so at their end.
    fn follow_files(&mut self) {
        let action = self.counts().settings.action;
        self.warns_early = action == Action::Open;
        self.follows_files = true;
    }

    /// Reports and ends the process if the reader of the output stalls after a signal.
    ///
    /// # Errors
    /// If signals cannot be waited for.
    fn end_if_stalled(&self) -> io::Result<()> {
        let last_words = Arc::clone(&self.counts);
        signals::end_after(PATIENCE, move || lock(&last_words).interrupted())
    }

    /// Writes the counters for Prometheus, if it is time. A failure is reported at the end.
    fn refresh(&mut self) {
        if self.refreshed.elapsed() >= REFRESH {
            self.refreshed = Instant::now();
            let _ = self.counts().write_prometheus(false);
        }
    }

    /// Returns the meter, which takes progress from any thread.
    fn meter(&self) -> Arc<Meter> {
        Arc::clone(&self.meter)
    }

    const fn has_letters(&self) -> bool {
        self.letters.is_some()
    }

    fn has_failed_files(&self) -> bool {
        !self.counts().files.failed.is_empty()
    }

    /// Sets the number of files, in a folder or for one stream.
    fn planned(&self, files: usize, in_folder: bool) {
        let counts = &mut self.counts().files;
        (counts.planned, counts.in_folder) = (files, in_folder);
    }

    /// Counts a file that is done since an earlier run, with this outcome.
    fn done_before(&self, outcome: &FileOutcome) {
        let files = &mut self.counts().files;
        files.done_before += 1;
        files.failed_before += outcome.failed;
        files.no_column_before.extend(&outcome.no_column);
        files.had_no_rows |= outcome.no_rows;
        if let Some(found) = &outcome.found {
            files.found_before.get_or_insert_default().extend(found);
        }
    }

    /// Counts a file that has its output. A damaged one is not counted as done.
    ///
    /// # Errors
    /// If its dead letters cannot be written.
    fn file_done(&mut self, job: &Job, done: &mut FinishedFile) -> Result<(), Error> {
        let source = job.input.to_string_lossy();
        for warning in &done.warnings {
            self.warning(&source, warning);
        }
        let mut counts = self.counts();
        counts.stats.add(&done.stats);
        counts.files.done += usize::from(done.damage.is_none());
        drop(counts);
        let (Some(mut held), Some(letters)) = (done.letters.take(), &mut self.letters) else {
            return Ok(());
        };
        let copied = held.rewind().and_then(|()| letters.copy(held));
        copied.map_err(|error| self.undelivered(&error))
    }

    /// Reports and lists a file that failed while the others go on.
    fn file_failed(&mut self, path: PathBuf, error: Error) {
        let json = self.counts().settings.json;
        self.meter.suspend(|| error.report(json));
        self.file_listed(path, error);
    }

    /// Lists a file whose failure is reported elsewhere.
    fn file_listed(&mut self, path: PathBuf, error: Error) {
        self.counts().files.failed.push((path, error));
    }

    /// Reports the skipped entries of folders, except hidden files, which help documents.
    fn left_out(&self, left_out: &[(PathBuf, LeftOut)]) {
        let mut groups: BTreeMap<LeftOut, Vec<&Path>> = BTreeMap::new();
        for (path, why) in left_out {
            groups.entry(*why).or_default().push(path);
        }
        for (why, paths) in groups {
            let why = match why {
                LeftOut::Hidden | LeftOut::FolderMarker => continue,
                LeftOut::NotAFile => "not a regular file; name it to read it",
                LeftOut::Link => "a link to a folder; add --follow-links to read it",
                LeftOut::Visited => "a folder that is read already, by another path",
                LeftOut::OtherTime => "modified outside the time between --since and --until",
                LeftOut::Young => "modified less than --min-age ago; a later run takes it",
                _ => "not a file of records",
            };
            let more = match paths.len() - 1 {
                0 => String::new(),
                more => format!(" and {}", count(more, "other")),
            };
            let first = escape::path(paths[0]);
            warn("left_out", format_args!("left out {first}{more}: {why}"));
        }
    }

    /// Makes the error for letters that cannot be written.
    fn undelivered(&self, error: &io::Error) -> Error {
        undelivered(self.counts().settings.action, error)
    }

    fn counts(&self) -> MutexGuard<'_, RunCounts> {
        lock(&self.counts)
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

fn lock(counts: &Mutex<RunCounts>) -> MutexGuard<'_, RunCounts> {
    counts.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Observer for Report {
    fn batch(&mut self, stats: &Stats) {
        self.counts().stats.add(stats);
        self.meter.batch(stats);
        if !self.warns_early {
            return;
        }
        let counts = self.counts();
        let has_opened = counts.stats.opened > 0;
        let failed = counts.stats.failures();
        let codes = counts.failures();
        drop(counts);
        self.warns_early = !has_opened && failed < FIRST;
        if !has_opened && failed >= FIRST {
            let message = format!(
                "the first {failed} records failed, and none opened ({codes}); is it the right key?"
            );
            self.meter.suspend(|| warn("nothing_opens", message));
        }
    }

    fn progress(&mut self, bytes: u64) {
        self.meter.progress(bytes);
    }

    fn warning(&mut self, source: &str, warning: &Warning) {
        let mut counts = self.counts();
        counts.missing.extend(warning.rule());
        counts.has_no_rows |= *warning == Warning::NoRows;
        drop(counts);
        let mut message = format!("{source}: {warning}");
        if self.follows_files && matches!(warning, Warning::NotJson { .. }) {
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

/// The size from which buffered lines are written, in bytes.
const TOGETHER: usize = 64 * 1024;

/// An append-only file of JSON lines, for records that did not open or could not be sealed. It may
/// be renamed at any time, as logrotate does; then a new file is created.
struct Letters {
    output: Output,
    action: Action,
    /// Complete lines that are not written yet.
    lines: Vec<u8>,
    is_synced: bool,
}

impl Letters {
    /// Opens `target` for appending, and locks it if it is a file.
    ///
    /// # Errors
    /// If it cannot be written, or another process writes to it.
    fn open(target: &Target, action: Action) -> Result<Self, Error> {
        let output = match target {
            Target::Stdout => {
                Output::stdout(Compression::None).map_err(|error| undelivered(action, &error))
            }
            Target::File(path) => opened(path)
                .map_err(|error| Error::io(format_args!("write {}", escape::path(path)), &error)),
        };
        Ok(Self {
            output: output?,
            action,
            lines: Vec::new(),
            is_synced: true,
        })
    }

    /// Adds a complete line. A record that could not be sealed exists nowhere else, so it is
    /// written immediately. Other lines are written by [`Self::settle`] at the latest.
    ///
    /// # Errors
    /// If lines cannot be written.
    fn add(&mut self, letter: &[u8]) -> io::Result<()> {
        self.lines.extend_from_slice(letter);
        match self.action == Action::Open && self.lines.len() < TOGETHER {
            true => Ok(()),
            false => self.write(),
        }
    }

    /// Adds all lines of `letters`, and settles them.
    ///
    /// # Errors
    /// If they cannot be read or written.
    fn copy(&mut self, letters: impl Read) -> io::Result<()> {
        let mut letters = BufReader::new(letters);
        let mut letter = Vec::new();
        while letters.read_until(b'\n', &mut letter)? > 0 {
            self.add(&letter)?;
            letter.clear();
        }
        self.settle()
    }

    /// Writes the added lines, and waits until records that could not be sealed are on the disk.
    ///
    /// # Errors
    /// If they cannot be written there.
    fn settle(&mut self) -> io::Result<()> {
        self.write()?;
        if self.action == Action::Seal && !self.is_synced {
            self.output.settle()?;
        }
        self.is_synced = true;
        Ok(())
    }

    fn write(&mut self) -> io::Result<()> {
        if self.lines.is_empty() {
            return Ok(());
        }
        self.is_synced = false;
        let added = self.output.add_lines(&self.lines);
        // If that failed, the lines belong to a file that is not done, and come again.
        self.lines.clear();
        added
    }
}

fn opened(path: &Path) -> io::Result<Output> {
    let is_device = fs::metadata(path).is_ok_and(|found| !found.is_file());
    if is_device || is_open(path) {
        return Output::device(path, Compression::None);
    }
    // SIGHUP need not reopen this one: each time lines are added, a rename is noticed.
    let mut output = Output::added_to(path, 0o600, false, Arc::default())?;
    output.lock()?;
    Ok(output)
}

/// Makes the error for lines that cannot be written.
fn undelivered(action: Action, error: &io::Error) -> Error {
    let what = match action {
        Action::Open => "write the dead letters",
        Action::Seal => "write the refused records",
    };
    Error::io(what, error)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn letters(path: &Path) -> Letters {
        Letters::open(&Target::File(path.to_owned()), Action::Seal).unwrap()
    }

    #[test]
    fn a_half_line_of_a_killed_run_is_not_continued() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("refused");
        fs::write(&path, "1\n{\"so").unwrap();
        let mut file = letters(&path);
        file.add(b"2\n").unwrap();
        file.settle().unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "1\n{\"so\n2\n");
        // Nothing was added since.
        file.settle().unwrap();
    }

    /// A reader that gives a long line in pieces, and renames the file between them.
    #[cfg(unix)]
    struct Renaming<'p>(&'p Path, Vec<&'static [u8]>);

    #[cfg(unix)]
    impl Read for Renaming<'_> {
        fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
            let Some(piece) = self.1.pop() else {
                return Ok(0);
            };
            let _ = fs::rename(self.0, self.0.with_extension("1"));
            bytes[..piece.len()].copy_from_slice(piece);
            Ok(piece.len())
        }
    }

    #[test]
    #[cfg(unix)]
    fn a_line_is_in_one_file() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("refused");
        let mut file = letters(&path);
        let pieces = vec![&b"c\n"[..], b"b", b"a\n1"];
        file.copy(Renaming(&path, pieces)).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "1bc\n");
        let renamed = path.with_extension("1");
        assert_eq!(fs::read_to_string(renamed).unwrap(), "a\n");
    }

    /// Each file is read and removed as soon as it is renamed, as gzip does.
    #[test]
    #[cfg(unix)]
    fn no_line_is_lost_while_the_file_is_renamed() {
        const LINES: usize = 500;
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("refused");
        let mut file = letters(&path);
        let writer = std::thread::spawn(move || {
            for number in 0..LINES {
                file.add(format!("{number}\n").as_bytes()).unwrap();
            }
        });
        let (renamed, mut archived) = (path.with_extension("1"), String::new());
        while !writer.is_finished() {
            if fs::rename(&path, &renamed).is_ok() {
                archived += &fs::read_to_string(&renamed).unwrap();
            }
        }
        writer.join().unwrap();
        archived += &fs::read_to_string(&path).unwrap_or_default();
        let archived: std::collections::HashSet<&str> = archived.lines().collect();
        let lost = (0..LINES).filter(|number| !archived.contains(&*number.to_string()));
        assert_eq!(lost.collect::<Vec<_>>(), Vec::<usize>::new());
    }

    #[test]
    #[cfg(unix)]
    fn a_second_run_that_adds_to_the_file_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let target = Target::File(dir.path().join("refused"));
        let _first = Letters::open(&target, Action::Open).unwrap();
        let second = Letters::open(&target, Action::Open).err().unwrap();
        assert!(
            second.message.contains("another process"),
            "{}",
            second.message
        );
    }
}
