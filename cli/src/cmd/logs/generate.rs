//! `pqseal logs generate`: generates events for tests.

mod events;

use std::{
    fs::{self, File},
    io::{self, BufWriter, Write},
    ops::Range,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Instant,
};

use clap::{Args, value_parser};
use pqseal_pipeline::{
    Compression, Compressor, Stats,
    files::{self, Live, is_address},
};
use serde_json::json;

use super::{
    destination::{Destination, To},
    meter::Meter,
    summary::Form,
    terminal::Output,
    unwritable,
};
use crate::{error::Error, escape, keyfile, output::Target, signals};

/// Make firewall events to test with
///
/// Writes NDJSON as log pushes have it, with Metadata.matched_data in the clear for `pqseal logs
/// seal`. Of a hundred events, ten have no matched data, and in one it is the word `truncated`,
/// which the edge logs for data that is too large. The same seed gives the same events.
#[derive(Args)]
#[command(after_long_help = crate::examples::help(&crate::examples::LOGS_GENERATE))]
pub(super) struct Generate {
    /// How many events to make
    #[arg(default_value_t = 1000)]
    count: u64,
    /// The seed of the generator; the same seed gives the same events
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Distribute the events over N files in the folder of -o, named events-1.ndjson and so on
    #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(1..=1_000_000))]
    files: Option<u64>,
    /// Write the counters to standard error at the end
    #[arg(long, value_enum, value_name = "FORM")]
    stats: Option<Form>,
    #[command(flatten)]
    to: To,
}

/// The counts of complete files and streams.
struct Written {
    records: AtomicU64,
    files: AtomicU64,
    bytes: AtomicU64,
    started: Instant,
}

impl Generate {
    pub(super) fn run(self, json: bool) -> Result<(), Error> {
        if let Some(path) = self.to.path().filter(|path| is_address(path)) {
            return Err(Error::usage(format!(
                "{} is in an object store; name a file or a folder, and upload that",
                escape::path(path)
            )));
        }
        if self.to.is_topic() {
            return Err(Error::usage(
                "records are not generated into a topic; name a file, and send it with pqseal logs seal FILE -o kafka://BROKER/TOPIC",
            ));
        }
        let destination = self.to.destination(self.files.is_none())?;
        if self.to.is_like_the_input() {
            return Err(Error::usage(
                "there is no input for --compress same; name gzip, zstd or none",
            ));
        }
        if let Destination::File(path) = &destination {
            keyfile::protect(Some(&Target::File(path.clone())), &[])?;
        }
        let written = Arc::new(Written::new());
        let (last_words, stats) = (Arc::clone(&written), self.stats);
        signals::before_the_end(move || {
            last_words.tell(stats);
            Error::interrupted("").report(json);
        })
        .map_err(|error| Error::io("wait for signals", &error))?;
        match (&destination, self.files) {
            (Destination::Folder(folder), _) => self.to_folder(folder, &written)?,
            (_, Some(_)) => {
                return Err(Error::usage(
                    "--files needs an output folder; name one with -o FOLDER/",
                ));
            }
            (Destination::File(path), _) => {
                let compression = compression(self.to.in_file(path));
                pqseal_atomic_file::sweep(path);
                self.to_file(path, 0..self.count, compression, &written)?;
            }
            // A topic was refused before.
            (Destination::Stdout | Destination::Topic(_), _) => {
                let output = Output::stdout(self.to.in_stream());
                self.to_stream(output, "standard output", &written)?;
            }
            (Destination::Device(path), _) => {
                let output = Output::device(path, self.to.in_stream());
                self.to_stream(output, &escape::path(path), &written)?;
            }
        }
        written.tell(self.stats);
        Ok(())
    }

    fn to_folder(&self, folder: &Path, written: &Written) -> Result<(), Error> {
        fs::create_dir_all(folder).map_err(|error| unwritable(folder, &error))?;
        let compression = compression(self.to.in_folder());
        let files = self.files.unwrap_or(1);
        let width = files.to_string().len();
        let meter = Meter::new(false);
        // Once for all files, since it lists the folder.
        pqseal_atomic_file::sweep(&folder.join("events"));
        for file in 0..files {
            let name = format!("events-{:0width$}.ndjson{}", file + 1, compression.ending());
            let numbers = share(self.count, file, files)..share(self.count, file + 1, files);
            let records = numbers.end - numbers.start;
            self.to_file(&folder.join(name), numbers, compression, written)?;
            meter.batch(&Stats {
                records,
                ..Stats::default()
            });
        }
        meter.clear();
        Ok(())
    }

    fn to_file(
        &self,
        path: &Path,
        numbers: Range<u64>,
        compression: Compression,
        written: &Written,
    ) -> Result<(), Error> {
        let (mode, is_exact) = self.to.mode(0o666);
        let count = numbers.end - numbers.start;
        let write = || {
            let file = pqseal_atomic_file::beside(path, mode)?;
            if is_exact {
                set_mode(file.as_file(), mode)?;
            }
            let bytes = self.events(numbers, file.as_file(), compression)?;
            file.persist(path)?;
            Ok(bytes)
        };
        let bytes = write().map_err(|error| unwritable(path, &error))?;
        written.files.fetch_add(1, Ordering::Relaxed);
        written.add(count, bytes);
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

    fn to_stream(
        &self,
        output: io::Result<Output>,
        name: &str,
        written: &Written,
    ) -> Result<(), Error> {
        let write = || {
            let mut counted = Counted::new(BufWriter::with_capacity(1 << 16, output?));
            events::events(0..self.count, self.seed, &mut counted)?;
            counted.writer.into_inner()?.finish()?;
            Ok::<_, io::Error>(counted.bytes)
        };
        let bytes = write().map_err(|error| Error::io(format_args!("write {name}"), &error))?;
        written.add(self.count, bytes);
        Ok(())
    }
}

impl Written {
    fn new() -> Self {
        Self {
            records: AtomicU64::new(0),
            files: AtomicU64::new(0),
            bytes: AtomicU64::new(0),
            started: Instant::now(),
        }
    }

    fn add(&self, records: u64, bytes: u64) {
        self.records.fetch_add(records, Ordering::Relaxed);
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    fn tell(&self, form: Option<Form>) {
        let counts = [&self.records, &self.bytes, &self.files];
        let [count, bytes, files] = counts.map(|count| count.load(Ordering::Relaxed));
        let seconds = self.started.elapsed().as_secs_f64();
        let text = match form {
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

/// Returns the beginning of the `part`th of `parts` equal shares.
fn share(count: u64, part: u64, parts: u64) -> u64 {
    let start = u128::from(count) * u128::from(part) / u128::from(parts);
    u64::try_from(start).expect("a share is not larger than the whole")
}

const fn compression(output: files::OutputCompression) -> Compression {
    match output {
        files::OutputCompression::Same => Compression::None,
        files::OutputCompression::As(compression) => compression,
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

/// A writer that counts the bytes that it writes.
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
