//! Counts of the files of a run: done, failed, done before.

use std::{collections::BTreeSet, fmt::Write, path::PathBuf};

use pqseal_keys::base64;
use pqseal_pipeline::files::Outcome;
use serde_json::json;

use crate::error::{Error, Exit, warn};

/// The number of failed files that are listed on standard error.
const LISTED: usize = 20;

/// The counts and failures of the files of a run.
#[derive(Default)]
pub(super) struct FileCounts {
    /// The number of files.
    pub(super) planned: usize,
    /// `true` if each file has an output in a folder.
    pub(super) in_folder: bool,
    pub(super) done: usize,
    /// The number of files that an earlier run has done.
    pub(super) done_before: usize,
    pub(super) failed_before: u64,
    /// The fields that were found then, by the places of their rules; `None` if no record could be
    /// searched.
    pub(super) found_before: Option<BTreeSet<usize>>,
    pub(super) no_column_before: BTreeSet<usize>,
    /// `true` if one of them was a table without rows.
    pub(super) had_no_rows: bool,
    pub(super) failed: Vec<(PathBuf, Error)>,
}

impl FileCounts {
    /// Counts a file that an earlier run has done.
    pub(super) fn done_before(&mut self, outcome: &Outcome) {
        self.done_before += 1;
        self.failed_before += outcome.failed;
        self.no_column_before.extend(&outcome.no_column);
        self.had_no_rows |= outcome.no_rows;
        if let Some(found) = &outcome.found {
            self.found_before.get_or_insert_default().extend(found);
        }
    }

    /// Reports skipped and failed files; as JSON if `json`. `advice` ends the sentence on records
    /// that failed in an earlier run.
    pub(super) fn tell(&self, advice: &str, json: bool) {
        if self.failed_before > 0 {
            let message = format!(
                "{} failed in files that an earlier run finished{advice}",
                records(self.failed_before)
            );
            warn("failed_before", message);
        }
        if self.planned > 1 && !self.failed.is_empty() {
            self.tell_failed(json);
        }
        if self.in_folder && self.planned == 0 {
            warn("no_files", "there are no files to process");
        } else if self.in_folder && self.planned == self.done_before {
            let files = count(self.planned, "file");
            let message = format!("there is nothing to do: an earlier run finished {files}");
            warn("nothing_to_do", message);
        }
    }

    fn tell_failed(&self, json: bool) {
        let failed = &self.failed;
        let mut message = format!(
            "{} of {} failed:",
            failed.len(),
            count(self.planned, "file")
        );
        for (_, error) in failed.iter().take(LISTED) {
            let _ = write!(message, "\n  {}", error.message);
        }
        if failed.len() > LISTED {
            let more = failed.len() - LISTED;
            let _ = write!(message, "\n  and {more} more; --failed-list FILE has all");
        }
        let error = Error {
            exit: Exit::Incomplete,
            code: "files_failed",
            message,
        };
        error.report(json);
    }

    /// Returns a line of JSON for each file that failed.
    pub(super) fn list(&self) -> String {
        let line = |(path, error): &(PathBuf, Error)| {
            let mut line = match path.to_str() {
                Some(path) => json!({ "file": path }),
                None => {
                    let bytes = path.as_os_str().as_encoded_bytes();
                    json!({ "file_base64": base64::encode(bytes) })
                }
            };
            line["code"] = json!(error.code);
            line["reason"] = json!(error.message);
            format!("{line}\n")
        };
        self.failed.iter().map(line).collect()
    }
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
