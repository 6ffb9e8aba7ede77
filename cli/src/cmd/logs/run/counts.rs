//! The end of a run: warnings, its counters as text and JSON, and the exit code.

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    io::{self, Write},
};

use pqseal_atomic_file::Overwrite;
use pqseal_keys::base64;
use pqseal_pipeline::Stats;
use serde_json::{Value, json};

use super::{super::CounterFormat, Action, RunCounts};
use crate::{
    error::{Error, Exit, warn},
    escape,
    output::{FileMode, Target, to_reader},
};

/// The number of failed files that are listed on standard error.
const LISTED: usize = 20;

impl RunCounts {
    /// Reports everything, and returns the exit code of the run.
    ///
    /// # Errors
    /// If a file for it cannot be written.
    pub(super) fn end(&mut self, is_complete: bool) -> Result<Exit, Error> {
        self.is_reported = true;
        self.meter.clear();
        self.warn_of_columns();
        self.warn_of_fields();
        self.warn_of_binding();
        let advice = match self.settings.action {
            Action::Open => "; a run with another key tries them again",
            Action::Seal => "",
        };
        self.warn_of_files(advice);
        let is_complete = is_complete && self.files.failed.is_empty();
        let written = self
            .write_prometheus(is_complete)
            .and_then(|()| write(self.settings.failed_list.as_ref(), || self.failed_files()));
        let mut stderr = io::stderr();
        match self.settings.stats {
            Some(CounterFormat::Json) => _ = writeln!(stderr, "{}", self.json(is_complete)),
            Some(CounterFormat::Text) => _ = writeln!(stderr, "{}", self.text()),
            None if self.stats.failures() > 0 => warn("failed_records", self.sentence()),
            None if self.stats.with_result > 0 && self.settings.action == Action::Open => {
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
            if let Some(field) = self.settings.fields.get(*place)
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
        let records = self.stats.records - self.stats.failures();
        let before = self.files.found_before.clone();
        if records == 0 && before.is_none() {
            return;
        }
        let mut found = before.unwrap_or_default();
        found.extend(self.stats.found.keys());
        if self.settings.fields.is_empty() && found.is_empty() {
            let message = match self.settings.action {
                Action::Open => {
                    "no record has a sealed field of the preset; name another --preset, or fields with --field"
                }
                Action::Seal => {
                    "no record has a field that the preset seals; a firewall must log as JSON, with the messages of its rules"
                }
            };
            warn("no_field", message);
        }
        for (place, field) in self.settings.fields.iter().enumerate() {
            if !found.contains(&place) && self.missing.insert(place) {
                let field = escape::bytes(field.as_bytes());
                warn("no_field", format_args!("no record has the field {field}"));
            }
        }
    }

    /// Warns of a wrong info or aad. A version 4 blob names its key, so if that was given, one of
    /// these is wrong.
    fn warn_of_binding(&self) {
        let Some(count) = self.stats.failed.get(pqseal_keys::ALTERED) else {
            return;
        };
        let advice = match (self.settings.has_info, self.settings.has_aad) {
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
        if self.is_reported {
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
        let reported = self.end(false);
        Error::interrupted(&done).report(self.settings.json);
        if let Err(error) = reported {
            error.report(self.settings.json);
        }
    }

    fn exit(&self) -> Exit {
        let failures = self.stats.failures() + self.files.failed_before;
        let too_many = self
            .settings
            .allowed
            .is_some_and(|allowed| failures > allowed);
        let has_no_rows = self.has_no_rows || self.files.had_no_rows;
        let lacks = self.settings.strict && (!self.missing.is_empty() || has_no_rows);
        match lacks || too_many || !self.files.failed.is_empty() {
            true => Exit::Incomplete,
            false => Exit::Done,
        }
    }

    /// Writes the counters for Prometheus, if they are asked for.
    pub(super) fn write_prometheus(&self, is_complete: bool) -> Result<(), Error> {
        write(self.settings.prometheus.as_ref(), || {
            self.stats
                .merged(&self.settings.keys)
                .prometheus(&self.settings.keys)
                + &complete(is_complete)
        })
    }

    /// Reports skipped and failed files. `advice` ends the sentence on records
    /// that failed in an earlier run.
    fn warn_of_files(&self, advice: &str) {
        let files = &self.files;
        if files.failed_before > 0 {
            let message = format!(
                "{} failed in files that an earlier run finished{advice}",
                records(files.failed_before)
            );
            warn("failed_before", message);
        }
        if files.planned > 1 && !files.failed.is_empty() {
            let all = count(files.planned, "file");
            let mut message = format!("{} of {all} failed:", files.failed.len());
            for (_, error) in files.failed.iter().take(LISTED) {
                let _ = write!(message, "\n  {}", error.message);
            }
            if files.failed.len() > LISTED {
                let more = files.failed.len() - LISTED;
                let _ = write!(message, "\n  and {more} more; --failed-list FILE has all");
            }
            let error = Error::incomplete("files_failed", message);
            error.report(self.settings.json);
        }
        if files.in_folder && files.planned == 0 {
            warn("no_files", "there are no files to process");
        } else if files.in_folder && files.planned == files.done_before {
            let files = count(files.planned, "file");
            let message = format!("there is nothing to do: an earlier run finished {files}");
            warn("nothing_to_do", message);
        }
    }

    fn json(&self, is_complete: bool) -> Value {
        let seconds = self.meter.seconds();
        let mut json = match self.settings.action {
            Action::Open => self
                .stats
                .merged(&self.settings.keys)
                .json(&self.settings.keys, seconds),
            Action::Seal => sealed(&self.stats, seconds),
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

    fn text(&self) -> String {
        let mut text = self.sentence();
        let mut lead = "; fields opened: ";
        for (place, count) in &self.stats.merged(&self.settings.keys).keys {
            // A key has its label as its name, if it has one.
            if let Some(key) = self.settings.keys.get(*place) {
                let key = escape::bytes(key.to_string().as_bytes());
                let _ = write!(text, "{lead}{count} by {key}");
                lead = ", ";
            }
        }
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
        match (self.stats.with_result, self.settings.again) {
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
        by_code(&self.stats.failed)
    }

    fn sentence(&self) -> String {
        let stats = &self.stats;
        let codes = match stats.failed.is_empty() {
            true => String::new(),
            false => format!(" ({})", self.failures()),
        };
        let (records, done, failed) = (stats.records, stats.opened, stats.failures());
        match self.settings.action {
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

    /// Returns a line of JSON for each file that failed.
    fn failed_files(&self) -> String {
        let mut lines = String::new();
        for (path, error) in &self.files.failed {
            let mut line = match path.to_str() {
                Some(path) => json!({ "file": path }),
                None => {
                    let bytes = path.as_os_str().as_encoded_bytes();
                    json!({ "file_base64": base64::encode(bytes) })
                }
            };
            line["code"] = json!(error.code);
            line["reason"] = json!(error.message);
            let _ = writeln!(lines, "{line}");
        }
        lines
    }
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

fn by_code(counts: &BTreeMap<&str, u64>) -> String {
    let counts = counts.iter().map(|(code, count)| format!("{count} {code}"));
    counts.collect::<Vec<_>>().join(", ")
}

/// Returns the counters of sealing.
fn sealed(stats: &Stats, seconds: f64) -> Value {
    json!({
        "records": stats.records, "sealed": stats.opened, "absent": stats.absent,
        "failed": stats.failures(), "failed_by_code": stats.failed, "whole_by_code": stats.whole,
        "surrogates": stats.surrogates, "bytes_in": stats.bytes_in, "bytes_out": stats.bytes_out, "seconds": seconds,
    })
}

/// Writes a number of things in words.
pub(super) fn count(count: usize, what: &str) -> String {
    let ending = if count == 1 { "" } else { "s" };
    format!("{count} {what}{ending}")
}

fn records(number: u64) -> String {
    let ending = if number == 1 { "" } else { "s" };
    format!("{number} record{ending}")
}
