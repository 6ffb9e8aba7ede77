//! The destination of records: standard output, a device, a file, or a folder of files.

use std::{
    fs,
    path::{MAIN_SEPARATOR, Path, PathBuf},
};

use clap::{Args, ValueEnum};
use pqseal_pipeline::{
    Compression,
    files::{self, Address, is_address},
};

use super::topic::{Topic, is_topic};
use crate::{
    error::Error,
    escape,
    output::{Target, is_open},
};

/// The options of the output: path, compression and permissions.
#[derive(Args)]
pub(super) struct To {
    /// Write to this file. For several inputs or a folder, or if the name ends in `/`, write to
    /// files in this folder that are named like their inputs. A file appears only when it is
    /// complete; to a device or a pipe records are written as they come. s3://BUCKET/KEY, gs:// and
    /// az:// are objects, or with a `/` at the end folders of them. kafka://BROKER/TOPIC is a
    /// topic, in which each record is a message
    #[arg(short, long, value_name = "FILE-OR-FOLDER/")]
    pub(super) output: Option<Target>,
    /// How to compress the output. If not given, files in a folder are compressed like their
    /// inputs, and any other file as its name says (.gz, .zst). Names in a folder gain and lose
    /// these endings. Parquet keeps its internal compression
    #[arg(long, value_enum, value_name = "HOW")]
    compress: Option<Compress>,
    /// The permissions of the files that are written, in octal, such as 0640; if not given, 0600
    /// for what was opened, and what the umask allows for the rest
    #[arg(long = "mode", value_name = "MODE", value_parser = mode)]
    permissions: Option<u32>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Compress {
    /// Like the input; only for files
    Same,
    /// No compression
    None,
    /// gzip
    Gzip,
    /// Zstandard
    Zstd,
}

/// The meaning of `-o`.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Destination {
    /// Standard output.
    Stdout,
    /// An existing path that is neither a file nor a folder.
    Device(PathBuf),
    /// A file that appears once it is complete.
    File(PathBuf),
    /// A folder of such files.
    Folder(PathBuf),
    /// A topic of Apache Kafka.
    Topic(PathBuf),
}

impl To {
    /// Resolves `-o` for one input, or for several.
    ///
    /// # Errors
    /// If several inputs would go to one file, or a stream is to be compressed like its input.
    pub(super) fn destination(&self, is_one: bool) -> Result<Destination, Error> {
        let destination = self.place(is_one)?;
        match &destination {
            Destination::File(path) | Destination::Folder(path)
                if self.permissions.is_some() && is_address(path) =>
            {
                Err(Error::usage(
                    "objects in a store have no such permissions; leave --mode out",
                ))
            }
            Destination::Topic(_) if self.permissions.is_some() => Err(Error::usage(
                "a topic has no such permissions; leave --mode out",
            )),
            Destination::Topic(_) if self.compress.is_some() => Err(Error::usage(
                "messages are compressed by the client; set compression.type in the file of --kafka-config, and leave --compress out",
            )),
            Destination::Stdout | Destination::Device(_) if self.is_like_the_input() => {
                Err(Error::usage(
                    "--compress same is for files; for standard output, pipes and devices name gzip, zstd or none",
                ))
            }
            _ => Ok(destination),
        }
    }

    /// Returns the path or address that was given.
    pub(super) fn path(&self) -> Option<&Path> {
        match &self.output {
            Some(Target::File(path)) => Some(path),
            None | Some(Target::Stdout) => None,
        }
    }

    /// Reports whether the output is a topic.
    pub(super) fn is_topic(&self) -> bool {
        self.path().is_some_and(is_topic)
    }

    /// Reports whether `--compress same` was given.
    pub(super) fn is_like_the_input(&self) -> bool {
        self.compress == Some(Compress::Same)
    }

    fn place(&self, is_one: bool) -> Result<Destination, Error> {
        let path = match &self.output {
            None | Some(Target::Stdout) => return Ok(Destination::Stdout),
            Some(Target::File(path)) => path.clone(),
        };
        if let Some(topic) = Topic::of(&path) {
            topic.check()?;
            return Ok(Destination::Topic(path));
        }
        if let Some(address) = Address::of(&path) {
            return match address.names_folder() || !is_one {
                true => Ok(Destination::Folder(path)),
                false => Ok(Destination::File(path)),
            };
        }
        let found = fs::metadata(&path).ok();
        let is_folder = found.as_ref().is_some_and(fs::Metadata::is_dir);
        Ok(match found {
            _ if is_folder || names_folder(&path) => Destination::Folder(path),
            Some(found) if !found.is_file() || is_open(&path) => Destination::Device(path),
            _ if is_one => Destination::File(path),
            None => Destination::Folder(path),
            Some(_) => {
                return Err(Error::usage(format!(
                    "{} is a file, and several files need a folder; name one with -o FOLDER/",
                    escape::path(&path)
                )));
            }
        })
    }

    /// Returns the compression of files in a folder.
    pub(super) fn in_folder(&self) -> files::OutputCompression {
        self.compress.unwrap_or(Compress::Same).into()
    }

    /// Returns the compression of the file at `path`.
    pub(super) fn in_file(&self, path: &Path) -> files::OutputCompression {
        match self.compress {
            Some(compress) => compress.into(),
            None => files::OutputCompression::As(Compression::of_name(path)),
        }
    }

    /// Returns the compression of a stream.
    pub(super) fn in_stream(&self) -> Compression {
        match self.compress.map(files::OutputCompression::from) {
            Some(files::OutputCompression::As(compression)) => compression,
            Some(files::OutputCompression::Same) | None => Compression::None,
        }
    }

    /// Returns the permissions of files, and whether they are exact or still subject to the umask.
    pub(super) fn mode(&self, default: u32) -> (u32, bool) {
        (
            self.permissions.unwrap_or(default),
            self.permissions.is_some(),
        )
    }
}

fn names_folder(path: &Path) -> bool {
    let name = path.as_os_str().as_encoded_bytes();
    name.ends_with(b"/") || name.ends_with(MAIN_SEPARATOR.to_string().as_bytes())
}

#[cfg(unix)]
fn mode(text: &str) -> Result<u32, String> {
    match u32::from_str_radix(text, 8) {
        Ok(mode) if mode <= 0o777 => Ok(mode),
        _ => Err("a mode must be three octal digits, such as 0640".to_owned()),
    }
}

#[cfg(not(unix))]
fn mode(_text: &str) -> Result<u32, String> {
    Err("this system has no such permissions; leave --mode out".to_owned())
}

impl From<Compress> for files::OutputCompression {
    fn from(compress: Compress) -> Self {
        match compress {
            Compress::Same => Self::Same,
            Compress::None => Self::As(Compression::None),
            Compress::Gzip => Self::As(Compression::Gzip),
            Compress::Zstd => Self::As(Compression::Zstd),
        }
    }
}
