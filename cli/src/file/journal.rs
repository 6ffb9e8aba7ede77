//! What the old header is kept as while a new one is written in its place: `FILE.pqseal-header`.

use std::path::{Path, PathBuf};

const SUFFIX: &str = "pqseal-header";

/// The journal of a file.
pub(super) fn of(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".");
    name.push(SUFFIX);
    name.into()
}

/// Whether the header of a file was about to be replaced when the program or the system ended.
pub(super) fn is_interrupted(path: &Path) -> bool {
    of(path).is_file()
}
