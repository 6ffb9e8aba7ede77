//! The results of a run, reported at its end.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
    io::{self, Write},
    sync::Arc,
};

use clap::ValueEnum;
use pqseal_atomic_file::Overwrite;
use pqseal_matched_data::KeyName;
use pqseal_pipeline::Stats;
use serde_json::{Value, json};

use super::{
    file_counts::{FileCounts, count},
    meter::Meter,
};
use crate::{
    error::{Error, Exit, warn},
    escape,
    output::{FileMode, Target, to_reader},
};

/// The format of counters.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Form {
    /// One line of text
    Text,
    /// One JSON object
    Json,
}

/// The operation on records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    Open,
    Seal,
}

/// The options that warnings about missing fields depend on.
#[derive(Default)]
pub(super) struct Asked {
    /// The fields that were named, in the order of the rules; empty if a preset names them.
    pub(super) fields: Vec<String>,
    /// `true` if --info was given.
    pub(super) info: bool,
    /// `true` if --aad-from was given.
    pub(super) aad: bool,
    /// `true` if --again was given.
    pub(super) again: bool,
}

/// The counters of a run, and their outputs.
pub(super) struct Summary {
    pub(super) action: Action,
    pub(super) stats: Option<Form>,
    pub(super) prometheus: Option<Target>,
    pub(super) failed_list: Option<Target>,
    pub(super) strict: bool,
    /// The number of records that may fail.
    pub(super) allowed: Option<u64>,
    pub(super) json: bool,
    pub(super) keys: Vec<KeyName>,
    pub(super) asked: Asked,
    /// The rules for which nothing was found.
    pub(super) missing: BTreeSet<usize>,
    /// `true` if a table that was to be sealed has no rows.
    pub(super) has_no_rows: bool,
    pub(super) meter: Arc<Meter>,
    pub(super) total: Stats,
    pub(super) files: FileCounts,
    /// `true` once everything was reported.
    pub(super) is_told: bool,
}

impl Summary {
    /// Reports everything, and returns the exit code of the run.
    ///
    /// # Errors
    /// If a file for it cannot be written.
    pub(super) fn tell(&mut self, is_complete: bool) -> Result<Exit, Error> {
        self.is_told = true;
        self.meter.clear();
        self.warn_of_columns();
        self.warn_of_fields();
        self.warn_of_binding();
        let advice = match self.action {
            Action::Open => "; a run with another key tries them again",
            Action::Seal => "",
        };
        self.files.tell(advice, self.json);
        let is_complete = is_complete && self.files.failed.is_empty();
        let written = self.write_files(is_complete);
        let mut stderr = io::stderr();
        match self.stats {
            Some(Form::Json) => _ = writeln!(stderr, "{}", self.as_json(is_complete)),
            Some(Form::Text) => _ = writeln!(stderr, "{}", self.as_text()),
            None if self.total.failures() > 0 => warn("failed_records", self.sentence()),
            None if self.total.with_result > 0 && self.action == Action::Open => {
                warn("opened_before", self.sentence());
            }
            None => {}
        }
        written.map(|()| self.exit())
    }

    /// Warns of columns that are missing in tables of an earlier run. Those of this run were
    /// reported.
    fn warn_of_columns(&mut self) {
        for place in &self.files.no_column_before {
            if let Some(field) = self.asked.fields.get(*place)
                && self.missing.insert(*place)
            {
                let field = escape::bytes(field.as_bytes());
                let message = format!(
                    "a table that an earlier run finished has no column for the field {field}"
                );
                warn("no_column", message);
            }
        }
    }

    /// Warns of fields that no record has: one warning per named field, one for all of a preset.
    /// Files that an earlier run finished count as well; otherwise a failed run would pass when it
    /// is repeated.
    fn warn_of_fields(&mut self) {
        let records = self.total.records - self.total.failures();
        let before = self.files.found_before.clone();
        if records == 0 && before.is_none() {
            return;
        }
        let mut found = before.unwrap_or_default();
        found.extend(self.total.found.keys());
        if self.asked.fields.is_empty() && found.is_empty() {
            let message = match self.action {
                Action::Open => {
                    "no record has a sealed field of the preset; name another --preset, or fields with --field"
                }
                Action::Seal => {
                    "no record has a field that the preset seals; a firewall must log as JSON, with the messages of its rules"
                }
            };
            warn("no_field", message);
        }
        for (place, field) in self.asked.fields.iter().enumerate() {
            if !found.contains(&place) && self.missing.insert(place) {
                let field = escape::bytes(field.as_bytes());
                warn("no_field", format_args!("no record has the field {field}"));
            }
        }
    }

    /// Warns of a wrong info or aad. A version 4 blob names its key, so if that was given, one of
    /// these is wrong.
    fn warn_of_binding(&self) {
        let Some(count) = self.total.failed.get(pqseal_keys::ALTERED) else {
            return;
        };
        let advice = match (self.asked.info, self.asked.aad) {
            (false, false) => "give the --info and --aad-from that they were sealed with",
            (true, false) => "check --info, and give the --aad-from that they were sealed with",
            (false, true) => "give the --info that they were sealed with, and check --aad-from",
            (true, true) => "check --info and --aad-from",
        };
        warn(
            pqseal_keys::ALTERED,
            format_args!(
                "{count} records did not open with the key that they name: they were sealed with another info or aad, or altered; {advice}"
            ),
        );
    }

    /// Reports before a signal ends the process.
    pub(super) fn interrupted(&mut self) {
        if self.is_told {
            return;
        }
        let done = match self.files.in_folder {
            true => format!(
                "; {} of {} done, and the next run continues from there",
                self.files.done + self.files.done_before,
                count(self.files.planned, "file")
            ),
            false => String::new(),
        };
        let told = self.tell(false);
        Error::interrupted(&done).report(self.json);
        if let Err(error) = told {
            error.report(self.json);
        }
    }

    fn exit(&self) -> Exit {
        let failures = self.total.failures() + self.files.failed_before;
        let too_many = self.allowed.is_some_and(|allowed| failures > allowed);
        let has_no_rows = self.has_no_rows || self.files.had_no_rows;
        let lacks = self.strict && (!self.missing.is_empty() || has_no_rows);
        match lacks || too_many || !self.files.failed.is_empty() {
            true => Exit::Incomplete,
            false => Exit::Done,
        }
    }

    fn write_files(&self, is_complete: bool) -> Result<(), Error> {
        self.write_metrics(is_complete)?;
        write(self.failed_list.as_ref(), || self.files.list())
    }

    /// Writes the counters for Prometheus, if they are asked for.
    pub(super) fn write_metrics(&self, is_complete: bool) -> Result<(), Error> {
        write(self.prometheus.as_ref(), || {
            self.total.merged(&self.keys).prometheus(&self.keys) + &complete(is_complete)
        })
    }

    fn as_json(&self, is_complete: bool) -> Value {
        let seconds = self.meter.seconds();
        let mut json = match self.action {
            Action::Open => self.total.merged(&self.keys).json(&self.keys, seconds),
            Action::Seal => sealed(&self.total, seconds),
        };
        json["complete"] = is_complete.into();
        let files = &self.files;
        if files.in_folder {
            json["files"] = json!({
                "done": files.done, "failed": files.failed.len(), "done_before": files.done_before,
            });
        }
        json
    }

    fn as_text(&self) -> String {
        let mut text = self.sentence() + &by_key(&self.total.merged(&self.keys), &self.keys);
        let files = &self.files;
        if files.in_folder {
            let _ = write!(
                text,
                "; {} done, {} done before, {} failed",
                count(files.done, "file"),
                files.done_before,
                files.failed.len()
            );
        }
        text
    }

    /// Describes the records that came with a result. `pqseal` may have written it, or anyone else
    /// who writes records.
    fn with_result(&self) -> String {
        match (self.total.with_result, self.asked.again) {
            (0, _) => String::new(),
            (count, true) => format!("; {count} came with a result, which was not kept"),
            (count, false) => {
                format!(
                    "; {count} came with a result, which was not checked; open them with --again"
                )
            }
        }
    }

    /// Lists the failures by their codes.
    pub(super) fn failures(&self) -> String {
        by_code(&self.total.failed)
    }

    fn sentence(&self) -> String {
        let stats = &self.total;
        let codes = match stats.failed.is_empty() {
            true => String::new(),
            false => format!(" ({})", self.failures()),
        };
        let (records, done, failed) = (stats.records, stats.opened, stats.failures());
        match self.action {
            Action::Open => format!(
                "{records} records: {done} opened, {} opened before, {} without a sealed field, {} truncated by the edge, {failed} failed{codes}{}",
                stats.already,
                stats.absent,
                stats.truncated,
                self.with_result()
            ),
            Action::Seal => {
                let whole = match stats.whole.values().sum::<u64>() {
                    0 => String::new(),
                    whole => format!(" ({whole} as a whole: {})", by_code(&stats.whole)),
                };
                format!(
                    "{records} records: {done} sealed{whole}, {} without a field to seal, {failed} failed{codes}",
                    stats.absent
                )
            }
        }
    }
}

fn by_code(counts: &BTreeMap<&str, u64>) -> String {
    let counts = counts.iter().map(|(code, count)| format!("{count} {code}"));
    counts.collect::<Vec<_>>().join(", ")
}

fn write(target: Option<&Target>, text: impl FnOnce() -> String) -> Result<(), Error> {
    match target {
        // A closed reader is an error here.
        Some(Target::Stdout) => to_reader(text().as_bytes()),
        Some(target) => target.write(text().as_bytes(), FileMode::Umask, Overwrite::Allow),
        None => Ok(()),
    }
}

/// Formats the gauge that shows whether the counters are those of a complete run.
fn complete(is_complete: bool) -> String {
    format!(
        "# HELP pqseal_run_complete Whether the last run was complete.\n# TYPE pqseal_run_complete gauge\npqseal_run_complete {}\n",
        u8::from(is_complete)
    )
}

/// Returns the counters of sealing.
fn sealed(stats: &Stats, seconds: f64) -> Value {
    json!({
        "records": stats.records, "sealed": stats.opened, "absent": stats.absent,
        "failed": stats.failures(), "failed_by_code": stats.failed, "whole_by_code": stats.whole,
        "surrogates": stats.surrogates, "bytes_in": stats.bytes_in, "bytes_out": stats.bytes_out, "seconds": seconds,
    })
}

/// Lists how many fields each key opened, by label if the key has one.
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
