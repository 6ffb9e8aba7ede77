//! What an output is called: as its input, except for the ending of another compression.

use std::{
    fs::File,
    io,
    path::{Path, PathBuf},
};

use super::{Job, is_challenge};
use crate::{frame::Framing, input::Compression};

/// How an output is compressed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OutputCompression {
    /// As its input.
    #[default]
    Same,
    /// In this way.
    As(Compression),
}

impl OutputCompression {
    /// The name of the output of `job`, relative to its folder. What is copied and what has its own
    /// compression keeps its name, for which the beginning of the file is read; of an object the
    /// ending `.parquet` says it.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn name(self, job: &Job, framing: Framing) -> io::Result<PathBuf> {
        match self {
            Self::Same => Ok(job.name.clone()),
            Self::As(_) if is_challenge(&job.name) || !has_ending(job, framing)? => {
                Ok(job.name.clone())
            }
            Self::As(compression) => Ok(renamed(&job.name, compression)),
        }
    }

    pub(super) fn of(self, found: Compression) -> Compression {
        match self {
            Self::Same => found,
            Self::As(compression) => compression,
        }
    }
}

/// Whether its ending says how it is compressed.
fn has_ending(job: &Job, framing: Framing) -> io::Result<bool> {
    // To open a pipe would take bytes out of it, and to ask a store for each object would take long:
    // there the name tells.
    if !job.input.is_file() {
        let ending = job.name.extension().unwrap_or_default();
        return Ok(!ending.eq_ignore_ascii_case("parquet"));
    }
    Ok(!framing.is_parquet(&File::open(&job.input)?)?)
}

fn renamed(name: &Path, compression: Compression) -> PathBuf {
    let bare = match Compression::of_name(name) {
        Compression::None => name.to_owned(),
        _ => name.with_extension(""),
    };
    let mut name = bare.into_os_string();
    name.push(compression.ending());
    name.into()
}

impl Compression {
    /// What the ending of a file's name says.
    pub fn of_name(name: &Path) -> Self {
        let is = |ending: &str| {
            let found = name.extension().unwrap_or_default();
            found.eq_ignore_ascii_case(ending)
        };
        match (is("gz"), is("zst")) {
            (true, _) => Self::Gzip,
            (_, true) => Self::Zstd,
            _ => Self::None,
        }
    }

    /// The ending of the names of such files.
    pub const fn ending(self) -> &'static str {
        match self {
            Self::None => "",
            Self::Gzip => ".gz",
            Self::Zstd => ".zst",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endings_follow_the_compression() {
        let cases = [
            ("a/b.log.gz", Compression::None, "a/b.log"),
            ("b.log", Compression::Gzip, "b.log.gz"),
            ("b.csv.ZST", Compression::Gzip, "b.csv.gz"),
            ("b.gz", Compression::Gzip, "b.gz"),
            ("b", Compression::Zstd, "b.zst"),
            (".gz", Compression::None, ".gz"),
        ];
        for (name, compression, expected) in cases {
            assert_eq!(renamed(Path::new(name), compression), Path::new(expected));
        }
    }
}
