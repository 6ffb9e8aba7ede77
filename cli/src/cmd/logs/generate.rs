//! `pqseal logs generate`: events to try the rest with.

mod events;

use std::{
    fs::{self, File},
    io::{self, BufWriter, ErrorKind, Write},
    ops::Range,
    path::Path,
    time::Instant,
};

use clap::{Args, value_parser};
use serde_json::json;
use siem::{
    Compression, Compressor,
    files::{self, temporary},
};

use super::{
    destination::{Destination, To},
    summary::Form,
    terminal::Output,
};
use crate::{error::Error, escape};

/// Make firewall events to test with
///
/// Writes NDJSON as log pushes have it, with Metadata.matched_data in the clear for `pqseal logs
/// seal`. Of a hundred events ten have none, and of one the edge logged `truncated`. The same seed
/// gives the same events.
#[derive(Args)]
#[command(after_long_help = crate::examples::help(&crate::examples::LOGS_GENERATE))]
pub(super) struct Generate {
    /// How many
    #[arg(default_value_t = 1000)]
    count: u64,
    /// Another seed gives other events
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Share the events among N files in the folder of -o: events-1.ndjson and so on
    #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(1..=1_000_000))]
    files: Option<u64>,
    /// Write the counters to standard error at the end
    #[arg(long, value_enum, value_name = "FORM")]
    stats: Option<Form>,
    #[command(flatten)]
    to: To,
}

/// What was written.
#[derive(Default)]
struct Written {
    files: u64,
    bytes: u64,
}

impl Generate {
    pub(super) fn run(self) -> Result<(), Error> {
        let started = Instant::now();
        let destination = self.to.destination(self.files.is_none())?;
        let mut written = Written::default();
        match (&destination, self.files) {
            (Destination::Folder(folder), _) => self.to_folder(folder, &mut written)?,
            (_, Some(_)) => {
                return Err(Error::usage(
                    "--files needs a folder for them; name one with -o FOLDER/",
                ));
            }
            (Destination::File(path), _) => {
                let compression = compression(self.to.in_file(path));
                self.to_file(path, 0..self.count, compression, &mut written)?;
            }
            (Destination::Stdout, _) => {
                let output = Output::stdout(self.to.in_stream());
                self.to_stream(output, "standard output", &mut written)?;
            }
            (Destination::Device(path), _) => {
                let output = Output::device(path, self.to.in_stream());
                self.to_stream(output, &escape::path(path), &mut written)?;
            }
        }
        self.tell(&written, started.elapsed().as_secs_f64());
        Ok(())
    }

    fn to_folder(&self, folder: &Path, written: &mut Written) -> Result<(), Error> {
        fs::create_dir_all(folder).map_err(|error| unwritable(folder, &error))?;
        let compression = compression(self.to.in_folder());
        let files = self.files.unwrap_or(1);
        let width = files.to_string().len();
        for file in 0..files {
            let name = format!("events-{:0width$}.ndjson{}", file + 1, compression.ending());
            let numbers = share(self.count, file, files)..share(self.count, file + 1, files);
            self.to_file(&folder.join(name), numbers, compression, written)?;
        }
        Ok(())
    }

    fn to_file(
        &self,
        path: &Path,
        numbers: Range<u64>,
        compression: Compression,
        written: &mut Written,
    ) -> Result<(), Error> {
        let (mode, is_exact) = self.to.mode(0o666);
        let write = || {
            let file = temporary::beside(path, mode)?;
            if is_exact {
                set_mode(file.as_file(), mode)?;
            }
            let bytes = self.events(numbers, file.as_file(), compression)?;
            file.persist(path)?;
            Ok(bytes)
        };
        written.bytes += write().map_err(|error| unwritable(path, &error))?;
        written.files += 1;
        Ok(())
    }

    fn events(
        &self,
        numbers: Range<u64>,
        file: &File,
        compression: Compression,
    ) -> io::Result<u64> {
        let mut counted = Counted::new(Compressor::new(compression, BufWriter::new(file))?);
        events::events(numbers, self.seed, &mut counted)?;
        counted.writer.finish()?.flush()?;
        Ok(counted.bytes)
    }

    /// A reader who has gone is not a failure.
    fn to_stream(
        &self,
        output: io::Result<Output>,
        name: &str,
        written: &mut Written,
    ) -> Result<(), Error> {
        let write = || {
            let mut counted = Counted::new(BufWriter::with_capacity(1 << 16, output?));
            events::events(0..self.count, self.seed, &mut counted)?;
            counted.writer.into_inner()?.finish()?;
            Ok::<_, io::Error>(counted.bytes)
        };
        match write() {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
            Err(error) => Err(Error::io(format_args!("write {name}"), &error)),
            Ok(bytes) => {
                written.bytes += bytes;
                Ok(())
            }
        }
    }

    fn tell(&self, written: &Written, seconds: f64) {
        let Written { files, bytes } = written;
        let count = self.count;
        let text = match self.stats {
            None => return,
            Some(Form::Text) => format!("{count} records made, {bytes} bytes, {files} files"),
            Some(Form::Json) => {
                json!({ "records": count, "bytes_out": bytes, "files": files, "seconds": seconds })
                    .to_string()
            }
        };
        let _ = writeln!(io::stderr(), "{text}");
    }
}

/// Where the `part`th of `parts` equal shares begins.
fn share(count: u64, part: u64, parts: u64) -> u64 {
    let start = u128::from(count) * u128::from(part) / u128::from(parts);
    u64::try_from(start).expect("a share is not larger than the whole")
}

const fn compression(output: files::Output) -> Compression {
    match output {
        files::Output::Same => Compression::None,
        files::Output::As(compression) => compression,
    }
}

#[cfg(unix)]
fn set_mode(file: &File, mode: u32) -> io::Result<()> {
    file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(mode))
}

#[cfg(not(unix))]
fn set_mode(_file: &File, _mode: u32) -> io::Result<()> {
    Ok(())
}

fn unwritable(path: &Path, error: &io::Error) -> Error {
    Error::io(format_args!("write {}", escape::path(path)), error)
}

/// A writer that counts what it takes.
struct Counted<W> {
    writer: W,
    bytes: u64,
}

impl<W> Counted<W> {
    const fn new(writer: W) -> Self {
        Self { writer, bytes: 0 }
    }
}

impl<W: Write> Write for Counted<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.writer.write(bytes)?;
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.flush()
    }
}
