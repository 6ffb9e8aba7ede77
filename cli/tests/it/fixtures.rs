//! What earlier versions wrote, and what programs read of a run: the promises of docs/stability.md.
//!
//! Files in `tests/fixtures/earlier` were written by one version, and each later version must continue
//! or open them. They are never written again; its README says how each was made. Files in
//! `tests/fixtures/printed` have what the programs print today: help texts, names of metrics, and lines
//! of logs.

#[cfg(all(target_os = "linux", feature = "serve"))]
mod events;
#[cfg(unix)]
mod follow;
mod keys;
#[cfg(all(unix, feature = "serve"))]
pub(crate) mod lines;
#[cfg(unix)]
mod logs;
#[cfg(all(unix, feature = "serve"))]
mod printed;
#[cfg(all(unix, feature = "serve"))]
mod servers;
#[cfg(all(unix, feature = "stores"))]
mod stores;
#[cfg(feature = "file")]
mod written;

use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::common::Dir;

/// The folder of all fixtures.
fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures")
}

/// What is in a file or folder of `earlier`, as files of a new folder, which has the key too.
fn earlier(name: &str) -> Dir {
    let dir = Dir::new();
    copy(&fixtures().join("earlier").join(name), &dir.path(""));
    dir
}

/// Hashes of options in the fixtures, and those of the same options now, when JSON inside strings is
/// searched too and so what an earlier run has done is done again. With the present ones a test sees
/// that the format of a state is still read.
const OPTIONS: [(&[u8; 16], &[u8; 16]); 3] = [
    (b"bb1840691075df54", b"03e871250e290034"),
    (b"aae5fe18b7cd8626", b"cf01b56a66dbf193"),
    (b"612e018c9f272769", b"9a7d93dd6789872c"),
];

/// Replaces the hashes of options in a state.
fn renew_options(state: &mut [u8]) {
    for at in 0..state.len().saturating_sub(15) {
        let found = OPTIONS
            .iter()
            .find(|(then, _)| state[at..].starts_with(*then));
        if let Some((_, now)) = found {
            state[at..][..16].copy_from_slice(*now);
        }
    }
}

fn copy(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).unwrap() {
        let from = entry.unwrap().path();
        let to = to.join(from.file_name().unwrap());
        if from.is_dir() {
            fs::create_dir_all(&to).unwrap();
            copy(&from, &to);
        } else {
            // Without its permissions: a clone that nobody may write to is fine.
            fs::write(&to, fs::read(&from).unwrap()).unwrap();
        }
    }
}
