//! What a run tells: a progress bar, dead letters, counters.

use std::{
    collections::BTreeSet,
    fs::{File, OpenOptions},
    io::{self, IsTerminal, Seek, Write},
    path::PathBuf,
    time::Instant,
};

use clap::{Args, ValueEnum};
use envelope::KeyName;
use indicatif::{ProgressBar, ProgressStyle};
use siem::{Stats, Warning, pipeline::Observer};

use crate::{
    error::{Error, Exit, warn},
    escape,
    output::{Existing, Readers, Target},
};

/// What to tell, and what to fail by.
#[derive(Args)]
pub(super) struct Reporting {
    /// Write the counters to standard error at the end
    #[arg(long, value_enum, value_name = "FORM")]
    stats: Option<Form>,
    /// Add a line of JSON for each record that failed: source, line, code, key_ids_tried,
    /// key_labels_tried if a key has a label, and the record; never plaintext
    #[arg(long, value_name = "FILE")]
    dead_letter: Option<PathBuf>,
    /// Write the counters to this file, for Prometheus' text file collector
    #[arg(long, value_name = "FILE")]
    prometheus: Option<PathBuf>,
    /// Exit with 1 if a record failed, or if no record has a field that --field names
    #[arg(long)]
    strict: bool,
    /// Exit with 1 if more than N records failed
    #[arg(long, value_name = "N", conflicts_with = "strict")]
    max_errors: Option<u64>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Form {
    /// One line for people
    Text,
    /// One object
    Json,
}

/// What was asked for, for what is said when it is not found.
#[derive(Default)]
pub(super) struct Asked {
    /// The fields that were named, in the order of the rules; none if a preset names them.
    pub(super) fields: Vec<String>,
    /// Whether --info was given.
    pub(super) info: bool,
    /// Whether --aad-from was given.
    pub(super) aad: bool,
}

/// A run and its news.
pub(super) struct Report<'a> {
    options: &'a Reporting,
    keys: Vec<KeyName>,
    asked: Asked,
    /// The rules for which a table had no column.
    missing: BTreeSet<usize>,
    /// Where the bar stands after the files that are done.
    position: u64,
    total: Stats,
    started: Instant,
    bar: Option<ProgressBar>,
    letters: Option<File>,
    /// The letters of a file that is not done yet: it may have to be done again.
    held: Option<File>,
}

impl Reporting {
    /// A report, with a bar if a person is there to see it and records do not go to the same
    /// screen.
    pub(super) fn start(
        &self,
        keys: Vec<KeyName>,
        asked: Asked,
        to_screen: bool,
    ) -> Result<Report<'_>, Error> {
        let letters = self.dead_letter.as_ref().map(|path| {
            let mut options = OpenOptions::new();
            options.create(true).append(true);
            #[cfg(unix)]
            std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
            options
                .open(path)
                .map_err(|error| Error::io(format_args!("write {}", escape::path(path)), &error))
        });
        let bar = (io::stderr().is_terminal() && !to_screen).then(bar);
        let letters = letters.transpose()?;
        Ok(Report {
            options: self,
            keys,
            asked,
            missing: BTreeSet::new(),
            position: 0,
            total: Stats::default(),
            started: Instant::now(),
            bar,
            letters,
            held: None,
        })
    }
}

impl Report<'_> {
    /// How much there is to do, in files' bytes.
    pub(super) fn expect(&self, bytes: u64) {
        if let Some(bar) = &self.bar {
            bar.set_length(bytes);
            bar.set_style(style("{bar:30} {bytes}/{total_bytes} {eta} {msg}"));
        }
    }

    /// Another file begins; its dead letters wait for its end.
    pub(super) fn begin(&mut self) -> Result<(), Error> {
        if self.letters.is_some() {
            let held =
                tempfile::tempfile().map_err(|error| Error::io("make a temporary file", &error))?;
            self.held = Some(held);
        }
        Ok(())
    }

    /// The file is done.
    pub(super) fn end(&mut self, bytes: u64) -> Result<(), Error> {
        self.position += bytes;
        self.bar
            .iter()
            .for_each(|bar| bar.set_position(self.position));
        let (Some(mut held), Some(letters)) = (self.held.take(), &mut self.letters) else {
            return Ok(());
        };
        let copied = held.rewind().and_then(|()| io::copy(&mut held, letters));
        copied
            .map(drop)
            .map_err(|error| Error::io("write the dead letters", &error))
    }

    /// The end of all, of a run that was complete or failed: counters, and the exit code.
    pub(super) fn finish(mut self, is_complete: bool) -> Result<Exit, Error> {
        self.bar.iter().for_each(ProgressBar::finish_and_clear);
        self.warn_of_fields();
        self.warn_of_binding();
        if let Some(path) = &self.options.prometheus {
            let text = self.total.prometheus(&self.keys) + &complete(is_complete);
            Target::File(path.clone()).write(text.as_bytes(), Readers::Umask, Existing::Replace)?;
        }
        let mut json = self
            .total
            .json(&self.keys, self.started.elapsed().as_secs_f64());
        json["complete"] = is_complete.into();
        let failures = self.total.failures();
        let mut stderr = io::stderr();
        match self.options.stats {
            Some(Form::Json) => _ = writeln!(stderr, "{json}"),
            Some(Form::Text) => {
                let by_key = by_key(&self.total, &self.keys);
                let _ = writeln!(stderr, "{}{by_key}", sentence(&self.total));
            }
            None if failures > 0 => warn("failed_records", sentence(&self.total)),
            None => {}
        }
        let allowed = if self.options.strict {
            Some(0)
        } else {
            self.options.max_errors
        };
        let lacks = self.options.strict && !self.missing.is_empty();
        let fails = lacks || allowed.is_some_and(|allowed| failures > allowed);
        Ok(if fails { Exit::Incomplete } else { Exit::Done })
    }

    /// Fields that no record has: of those that were named each, of a preset all together.
    fn warn_of_fields(&mut self) {
        let records = self.total.records - self.total.failures();
        if records == 0 {
            return;
        }
        if self.asked.fields.is_empty() && self.total.found.is_empty() {
            warn(
                "no_field",
                "no record has a sealed field of the preset; name fields with --field",
            );
        }
        for (place, field) in self.asked.fields.iter().enumerate() {
            if !self.total.found.contains_key(&place) && self.missing.insert(place) {
                let field = escape::bytes(field.as_bytes());
                warn("no_field", format_args!("no record has the field {field}"));
            }
        }
    }

    /// Version 4 names its key: if that was given, something else is wrong.
    fn warn_of_binding(&self) {
        let Some(count) = self.total.failed.get(envelope::ALTERED) else {
            return;
        };
        let advice = match (self.asked.info, self.asked.aad) {
            (false, false) => "give --info and --aad-from as they were then",
            (true, false) => "check --info, and give --aad-from as it was then",
            (false, true) => "give --info as it was then, and check --aad-from",
            (true, true) => "check --info and --aad-from",
        };
        warn(
            envelope::ALTERED,
            format_args!(
                "{count} records did not open with the key that they name: they were sealed with another info or aad, or altered; {advice}"
            ),
        );
    }
}

/// A gauge: whether the counters are those of a whole run.
fn complete(is_complete: bool) -> String {
    format!(
        "# HELP pqseal_run_complete Whether the last run was complete.\n# TYPE pqseal_run_complete gauge\npqseal_run_complete {}\n",
        u8::from(is_complete)
    )
}

/// Tells of something about an input.
pub(super) fn warn_of(source: &str, warning: &Warning) {
    let message = format!("{source}: {}", warning.message);
    warn(warning.code, escape::bytes(message.as_bytes()));
}

impl Observer for Report<'_> {
    fn batch(&mut self, stats: &Stats) {
        self.total.add(stats);
        if let Some(bar) = &self.bar {
            let rate = self.total.records as f64 / self.started.elapsed().as_secs_f64().max(0.001);
            bar.set_message(format!(
                "{} records, {rate:.0}/s, {} failed",
                self.total.records,
                self.total.failures()
            ));
            bar.tick();
        }
    }

    fn progress(&mut self, bytes: u64) {
        self.bar.iter().for_each(|bar| bar.inc(bytes));
    }

    fn warning(&mut self, source: &str, warning: &Warning) {
        self.missing.extend(warning.rule);
        match &self.bar {
            Some(bar) => bar.suspend(|| warn_of(source, warning)),
            None => warn_of(source, warning),
        }
    }

    fn letter(&mut self, letter: &[u8]) -> io::Result<()> {
        let file = self.held.as_mut().or(self.letters.as_mut());
        file.map_or(Ok(()), |file| file.write_all(letter))
    }

    fn wants_letters(&self) -> bool {
        self.letters.is_some()
    }
}

fn sentence(stats: &Stats) -> String {
    let codes: Vec<_> = stats
        .failed
        .iter()
        .map(|(code, count)| format!("{count} {code}"))
        .collect();
    let codes = if codes.is_empty() {
        String::new()
    } else {
        format!(" ({})", codes.join(", "))
    };
    format!(
        "{} records: {} opened, {} opened before, {} without a sealed field, {} truncated by the edge, {} failed{codes}",
        stats.records,
        stats.opened,
        stats.already,
        stats.absent,
        stats.truncated,
        stats.failures()
    )
}

/// Which keys opened how many fields, by their labels where they have some.
fn by_key(stats: &Stats, keys: &[KeyName]) -> String {
    let count = |(key, count): (&usize, &u64)| {
        Some(format!(
            "{count} by {}",
            escape::bytes(keys.get(*key)?.to_string().as_bytes())
        ))
    };
    let counts: Vec<_> = stats.keys.iter().filter_map(count).collect();
    if counts.is_empty() {
        String::new()
    } else {
        format!("; fields opened: {}", counts.join(", "))
    }
}

/// Without a bar until there is an end to measure by.
fn bar() -> ProgressBar {
    ProgressBar::no_length().with_style(style("{elapsed} {msg}"))
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).expect("our templates are templates")
}
