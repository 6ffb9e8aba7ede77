//! Checks of the permissions of files with secrets: keys, ikm, passphrases.

use super::report::Report;
use crate::{
    error::Error,
    input::{Source, others_can_read},
};

/// Reports on a file. Standard input and devices are skipped.
pub(super) fn examine(about: &str, source: &Source, report: &mut Report) -> Result<(), Error> {
    let name = source.to_string();
    if !source.path().is_some_and(std::path::Path::is_file) {
        return Ok(());
    }
    if cfg!(not(unix)) {
        let text = "it has the permissions of its folder; keep it in a folder that only you can read, such as your profile";
        return report.note(about, &name, "folder_permissions", text);
    }
    match others_can_read(source) {
        None => report.ok(about, &name, "only its owner can read it"),
        Some(mode) => {
            let text = format!("others can read it (mode {mode:04o}); run: chmod 600 {source}");
            report.problem(about, &name, "file_mode", &text)
        }
    }
}
