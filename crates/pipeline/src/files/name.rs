//! The name of an output, which is that of its input with the extension of its compression.

use std::{
    fs::File,
    io,
    path::{Path, PathBuf},
};

use super::Job;
use crate::{batches::Framing, input::Compression};

/// The compression of an output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OutputCompression {
    /// The compression of its input.
    #[default]
    Same,
    /// This compression.
    As(Compression),
}

impl OutputCompression {
    /// Returns the name of the output of `job`, relative to its folder. A file that is copied, or
    /// whose format has its own compression, keeps its name. To detect the format, the beginning of
    /// a file is read; an object is recognised by the extension `.parquet`.
    ///
    /// # Errors
    /// An error if the file cannot be read.
    pub fn name(self, job: &Job, framing: Framing) -> io::Result<PathBuf> {
        let Self::As(compression) = self else {
            return Ok(job.name.clone());
        };
        // Opening a pipe would consume its data, and a request for each object would take long, so
        // their names decide.
        let is_kept = job.is_challenge()
            || match job.input.is_file() {
                true => framing.is_parquet(&File::open(&job.input)?)?,
                false => has_extension(&job.name, "parquet"),
            };
        Ok(match is_kept {
            true => job.name.clone(),
            false => renamed(&job.name, compression),
        })
    }
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
    /// Returns the compression that the extension of a file name stands for.
    pub fn of_name(name: &Path) -> Self {
        match () {
            () if has_extension(name, "gz") => Self::Gzip,
            () if has_extension(name, "zst") => Self::Zstd,
            () => Self::None,
        }
    }

    /// Returns the extension of such files, with its dot.
    pub const fn ending(self) -> &'static str {
        match self {
            Self::None => "",
            Self::Gzip => ".gz",
            Self::Zstd => ".zst",
        }
    }
}

fn has_extension(name: &Path, extension: &str) -> bool {
    let found = name.extension().unwrap_or_default();
    found.eq_ignore_ascii_case(extension)
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
