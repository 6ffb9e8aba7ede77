//! `pqseal logs`: opens, seals and generates log records in bulk. Here are the options that several
//! commands share, and what a run is made of.

mod generate;
mod open;
mod output;
mod plan;
mod run;
mod seal;
#[cfg(feature = "serve")]
mod serve;

use std::{
    fmt,
    io::{self, IsTerminal},
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
    time::{Duration, Instant, SystemTime},
};

use clap::{Args, Subcommand, ValueEnum};
use indicatif::{ProgressBar, ProgressStyle};
use pqseal_matched_data::KeyName;
#[cfg(not(feature = "stores"))]
use pqseal_pipeline::files::{Job, Journal, Plan as FilePlan, Selection, Store};
use pqseal_pipeline::{
    OptionError, Pipeline, Stats,
    files::{Live, Shard, is_address},
};
#[cfg(feature = "stores")]
use pqseal_stores::Stores;
use pqseal_text::duration;

use crate::{
    error::{Error, Exit},
    escape,
    input::Source,
    output::Target,
    parse::time,
    places::NamedOutputs,
};

/// The arguments of `pqseal logs`.
#[derive(Args)]
#[command(after_long_help = crate::parse::help(&[
    ("Open the sealed fields of a file", "pqseal logs open -k key.pem -o opened.ndjson events.ndjson"),
    ("Seal a field of each record", "pqseal logs seal --to public.txt --field .payload events.ndjson"),
    ("Make events to test with", "pqseal logs generate 1000 -o events.ndjson"),
]))]
pub struct Logs {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Open(Box<open::Open>),
    Seal(Box<seal::Seal>),
    Generate(generate::Generate),
    #[cfg(feature = "serve")]
    Serve(serve::Serve),
}

impl Logs {
    /// Runs the subcommand.
    ///
    /// # Errors
    /// See [`Error`].
    pub fn run(self, json: bool) -> Result<Exit, Error> {
        match self.command {
            Command::Open(open) => open.run(json),
            Command::Seal(seal) => seal.run(json),
            Command::Generate(generate) => generate.run(json).map(|()| Exit::Done),
            #[cfg(feature = "serve")]
            Command::Serve(serve) => serve.run(),
        }
    }
}

/// The options for records and their limits.
#[derive(Args)]
struct RecordArgs {
    /// The format of the input; gzip and Zstandard are detected automatically
    #[arg(long, value_enum, default_value = "auto", value_name = "FORMAT")]
    input_format: InputFormat,
    /// The character between the cells of a table, such as ';'; implies --input-format csv
    #[arg(long, value_name = "CHARACTER", value_parser = delimiter)]
    delimiter: Option<u8>,
    /// The largest record that is processed, in bytes; `logs open` copies larger ones unchanged,
    /// and they count as failed (too_large); `logs seal` stops, or with --on-refused seals them in
    /// parts
    #[arg(long, default_value_t = 16 << 20, value_name = "BYTES")]
    max_line: usize,
    /// The most fields that one record may have; records with more are treated as those above
    /// --max-line, and count as failed (too_many_fields)
    #[arg(long, default_value_t = 100_000, value_name = "N")]
    max_fields: usize,
    /// Write each record as soon as it is read, for programs that wait for each answer; otherwise
    /// records are written in batches, and when the input pauses for 50 ms
    #[arg(long)]
    line_buffered: bool,
    /// How many threads do the work; if not given, one per core, and at most four per core
    #[arg(
        short,
        long,
        default_value_t = 0,
        hide_default_value = true,
        value_name = "N"
    )]
    jobs: usize,
}

#[derive(Clone, Copy, ValueEnum)]
enum InputFormat {
    /// Parquet if a file starts with its magic bytes; CSV or TSV if its name says so; JSON if the
    /// input begins with `[` or a line of only `{`; otherwise NDJSON
    Auto,
    /// One record per line
    Ndjson,
    /// JSON values one after another, and the items of arrays
    Json,
    /// Comma-separated values; the first row is the header
    Csv,
    /// Tab-separated values; the first row is the header
    Tsv,
    /// Parquet, only from files
    Parquet,
}

/// The options of the output: path, compression and permissions.
#[derive(Args)]
struct OutputArgs {
    /// Write to this file. For several inputs or a folder, or if the name ends in `/`, write to
    /// files in this folder that are named like their inputs. A file appears only when it is
    /// complete; to a device or a pipe records are written as they come. s3://BUCKET/KEY, gs:// and
    /// az:// are objects, or with a `/` at the end folders of them. kafka://BROKER/TOPIC is a
    /// topic, in which each record is a message
    #[arg(short, long, value_name = "FILE-OR-FOLDER/")]
    output: Option<Target>,
    /// How to compress the output. If not given, files in a folder are compressed like their
    /// inputs, and any other file as its name says (.gz, .zst). Names in a folder gain and lose
    /// these endings. Parquet keeps its internal compression
    #[arg(long, value_enum, value_name = "HOW")]
    compress: Option<Compress>,
    /// The permissions of the files that are written, in octal, such as 0640; if not given, 0600
    /// for what was opened, and what the umask allows for the rest
    #[arg(long = "mode", value_name = "MODE", value_parser = permissions)]
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

/// The options for counters and for failing.
#[derive(Args)]
struct CountArgs {
    /// Write the counters to standard error at the end
    #[arg(long, value_enum, value_name = "FORM")]
    stats: Option<CounterFormat>,
    /// Exit with 1 if a record failed, if a field of --field is in no record, or if a table that is
    /// sealed has no rows
    #[arg(long)]
    strict: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum CounterFormat {
    /// One line of text
    Text,
    /// One JSON object
    Json,
}

/// Inputs and outputs, of which [`IoArgs::plan`] makes a [`Plan`].
#[derive(Args)]
struct IoArgs {
    #[command(flatten)]
    output: OutputArgs,
    /// Where to record which files are done; if not given, .pqseal-logs in the output folder. With
    /// --follow or --watch: how far each file was read, and which output that is in. One run at a
    /// time can use it
    #[arg(long, value_name = "FILE", value_parser = state_file)]
    state: Option<PathBuf>,
    /// Process a share of the files, such as 2/3 on the second of three machines; files are
    /// assigned by their names
    #[arg(long, value_name = "K/N", value_parser = shard)]
    shard: Option<Shard>,
    /// Leave files that were modified less than this long ago to a later run, since something may
    /// still be writing them; such as 60s, 5m or 1h
    #[arg(long, value_name = "AGE", value_parser = duration)]
    min_age: Option<Duration>,
    /// Take only files that were modified at this time or later, such as 2026-11-23,
    /// 2026-11-23T08:00:00Z, or 24h for that long ago
    #[arg(long, value_name = "TIME", value_parser = time)]
    since: Option<SystemTime>,
    /// Take only files that were modified before this time
    #[arg(long, value_name = "TIME", value_parser = time)]
    until: Option<SystemTime>,
    /// How long to retry a request to an object store or a Kafka broker after a temporary failure
    #[cfg(any(feature = "stores", feature = "kafka"))]
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "3m")]
    retry_max_time: Duration,
    /// Follow links to folders within a folder, and visit each folder once; links to files are
    /// always followed
    #[arg(long)]
    follow_links: bool,
    /// Stop at the first file that fails; if not given, the other files are still processed
    #[arg(long)]
    fail_fast: bool,
    /// Keep the records before the damage in a damaged file; the file still counts as failed
    #[arg(long)]
    keep_partial: bool,
    /// Write a line of JSON for each file that failed: file, code and reason
    #[arg(long, value_name = "FILE")]
    failed_list: Option<Target>,
    /// The settings of the Kafka client, a `name=value` per line, such as security.protocol,
    /// sasl.username, sasl.password and ssl.ca.location; the names are those of librdkafka
    #[cfg(feature = "kafka")]
    #[arg(long, value_name = "FILE")]
    kafka_config: Option<Source>,
    /// The consumer group that reads a topic. All runs of one group share its partitions, and a run
    /// continues at the group's offsets
    #[cfg(feature = "kafka")]
    #[arg(long, value_name = "NAME")]
    group: Option<String>,
    /// Stop at the end of the topic instead of waiting for new messages until Ctrl-C or SIGTERM
    #[cfg(feature = "kafka")]
    #[arg(long)]
    until_end: bool,
    #[command(flatten)]
    growth: GrowthArgs,
    /// With --follow or --watch: skip what is already in files that --state does not list, and read
    /// only what is added. With a topic that --group has never read: read only new messages
    #[arg(long)]
    from_end: bool,
    /// Files, or folders with all files in them; standard input if none is named, or for `-`. In
    /// folders hidden files, pipes, sockets and devices are left out, and links to folders unless
    /// --follow-links is given. s3://BUCKET/KEY, gs://BUCKET/KEY and az://CONTAINER/KEY are an
    /// object, or all objects below it
    #[arg(value_name = "FILE-OR-FOLDER")]
    inputs: Vec<PathBuf>,
}

/// The options for files that grow.
#[derive(Args)]
struct GrowthArgs {
    /// Keep reading the files as they grow, as `tail -F` does, until Ctrl-C or SIGTERM. Each line
    /// is processed as soon as it is complete. Rotated and truncated files are recognised, and a
    /// file that does not exist yet is waited for. Only for NDJSON that is not compressed. With
    /// --state, the next run continues from there. The file of -o may be rotated too; SIGHUP opens
    /// it again
    #[arg(long, requires = "inputs", conflicts_with_all = ["watch", "shard", "min_age", "follow_links", "fail_fast", "keep_partial", "failed_list", "delimiter"])]
    follow: bool,
    /// Like --follow, for all files in the folders, including those that appear later. Hidden files
    /// are skipped. A copy of a file is a new file: keep those of logrotate's copytruncate outside
    /// the folders, or their records are written twice
    #[arg(long, requires = "inputs", conflicts_with_all = ["shard", "min_age", "follow_links", "fail_fast", "keep_partial", "failed_list", "delimiter"])]
    watch: bool,
}

/// A way to read and write, made from options that exclude each other.
enum Plan {
    /// Each input file becomes a file in a folder.
    Folder {
        inputs: Vec<PathBuf>,
        folder: PathBuf,
    },
    /// An input becomes a file, which appears once it is complete.
    File { input: Source, file: PathBuf },
    /// Inputs are read to their current ends, one after another.
    Stream {
        inputs: Vec<Source>,
        output: OutputStream,
    },
    /// Files, or all files in folders, are read as they grow, until a signal.
    Follow {
        inputs: Vec<PathBuf>,
        in_folders: bool,
        output: OutputStream,
    },
    /// A topic is read until a signal, or its end.
    #[cfg(feature = "kafka")]
    Consume {
        topic: PathBuf,
        output: OutputStream,
    },
}

/// An output to which records are written as they come.
#[derive(Debug, PartialEq, Eq)]
enum OutputStream {
    Stdout,
    /// An existing path that is neither a file nor a folder.
    Device(PathBuf),
    /// A file that is appended to.
    AppendedFile(PathBuf),
    /// A topic of Apache Kafka.
    Topic(PathBuf),
}

/// The operation on records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Action {
    Open,
    Seal,
}

/// What a run reports, and where.
struct ReportSettings {
    action: Action,
    keys: Vec<KeyName>,
    /// The fields that were named, in the order of the rules; empty if a preset names them.
    fields: Vec<String>,
    has_info: bool,
    has_aad: bool,
    /// `true` if fields are opened although their results are there.
    again: bool,
    stats: Option<CounterFormat>,
    prometheus: Option<Target>,
    failed_list: Option<Target>,
    /// The file for records that did not open or could not be sealed.
    letters: Option<Target>,
    strict: bool,
    /// The number of records that may fail.
    allowed: Option<u64>,
    /// `true` if records go to a screen as they come.
    to_screen: bool,
    /// `true` if failures are reported as JSON.
    json: bool,
}

/// The outputs of a run, which are neither each other nor inputs.
struct Outputs {
    /// The outputs besides a folder, by the names of their options.
    targets: Vec<(&'static str, Target)>,
    places: NamedOutputs,
    stores: Stores,
}

/// A run of `pqseal logs open` or `pqseal logs seal`.
struct Run<'r, T> {
    pipeline: &'r Pipeline<T>,
    io: &'r IoArgs,
    outputs: &'r Outputs,
    /// The default permissions of outputs.
    mode: u32,
    /// Everything that outputs depend on besides their inputs and keys. The state file contains
    /// its hash: if this text changes, every file is processed again.
    options: String,
    /// The ids of the keys that outputs depend on.
    keys: Vec<String>,
}

impl OutputStream {
    /// Makes the error for a stream that cannot be written.
    fn unwritable(&self, error: &io::Error) -> Error {
        Error::io(format_args!("write {self}"), error)
    }
}

impl fmt::Display for OutputStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stdout => f.write_str("standard output"),
            Self::Device(path) | Self::AppendedFile(path) | Self::Topic(path) => {
                f.write_str(&escape::path(path))
            }
        }
    }
}

/// A topic of Apache Kafka, of which the address is `kafka://BROKER[:PORT][,BROKER...]/TOPIC`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Topic<'a> {
    /// Brokers to ask first, separated by commas; the default port is 9092.
    brokers: &'a str,
    name: &'a str,
}

const SCHEME: &str = "kafka://";
/// Kafka's limit for the name of a topic, in bytes.
#[cfg(any(test, feature = "kafka"))]
const LONGEST: usize = 249;

impl<'a> Topic<'a> {
    /// Parses an address; `None` if `path` is the path of a file.
    fn of(path: &'a Path) -> Option<Self> {
        let rest = path.to_str()?.strip_prefix(SCHEME)?;
        let (brokers, name) = rest.split_once('/').unwrap_or((rest, ""));
        Some(Self { brokers, name })
    }

    /// Reports whether the two may be the same topic: they have the same name and a
    /// common broker.
    #[cfg(any(test, feature = "kafka"))]
    fn may_be(self, other: Self) -> bool {
        let mut brokers = self.brokers.split(',');
        self.name == other.name && brokers.any(|one| other.brokers.split(',').any(|two| one == two))
    }

    /// Checks that it can be the address of a topic.
    ///
    /// # Errors
    /// If it cannot be.
    #[cfg(feature = "kafka")]
    fn check(self) -> Result<(), Error> {
        if self.brokers.contains('@') {
            return Err(Error::usage(
                "others can see an address, so it must not contain a user name or password; put them in the file of --kafka-config",
            ));
        }
        if self.brokers.split(',').any(str::is_empty)
            || self.name.is_empty()
            || self.name.len() > LONGEST
            || !(self.name.chars()).all(|c| c.is_ascii_alphanumeric() || ".-_".contains(c))
        {
            return Err(Error::usage(format!(
                "{} is not the address of a topic, such as {SCHEME}broker:9092/events",
                escape::bytes(self.to_string().as_bytes())
            )));
        }
        Ok(())
    }

    /// Refuses every address, in a build without Kafka.
    ///
    /// # Errors
    /// Always.
    #[cfg(not(feature = "kafka"))]
    fn check(self) -> Result<(), Error> {
        Err(Error::usage(format!(
            "{} is a topic, which this build does not support; {}",
            escape::bytes(self.to_string().as_bytes()),
            crate::parse::build_with("kafka")
        )))
    }
}

impl fmt::Display for Topic<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{SCHEME}{}/{}", self.brokers, self.name)
    }
}

/// No stores: in a build without the feature `stores` there are only files.
#[cfg(not(feature = "stores"))]
struct Stores;

#[cfg(not(feature = "stores"))]
impl Stores {
    fn new(_retry: Duration, _warn: impl Fn(&str)) -> Self {
        Self
    }

    fn object(&self, _path: &Path) -> Option<io::Result<Job>> {
        None
    }

    fn plan(&self, _path: &Path, _selection: &Selection) -> Option<FilePlan> {
        None
    }

    fn input(&self, _path: &Path) -> Option<std::sync::Arc<dyn Store>> {
        None
    }

    fn output(&self, _path: &Path) -> io::Result<Option<std::sync::Arc<dyn Store>>> {
        Ok(None)
    }

    fn journal(&self, _folder: &Path) -> io::Result<Option<Box<dyn Journal>>> {
        Ok(None)
    }
}

/// The progress bar of a run, if it is shown.
struct Meter {
    bar: Option<ProgressBar>,
    seen: Mutex<Stats>,
    started: Instant,
}

impl Meter {
    /// Creates a bar if standard error is a terminal, and records do not go to the same
    /// screen.
    fn new(to_screen: bool) -> Self {
        let is_shown = io::stderr().is_terminal() && !to_screen;
        Self {
            bar: is_shown.then(|| ProgressBar::no_length().with_style(style("{elapsed} {msg}"))),
            seen: Mutex::default(),
            started: Instant::now(),
        }
    }

    /// Sets the size of the work, in bytes of files.
    fn expect(&self, bytes: u64) {
        if let Some(bar) = &self.bar {
            bar.set_length(bytes);
            bar.set_style(style("{bar:30} {bytes}/{total_bytes} {eta} {msg}"));
        }
    }

    /// Hides the bar while `write` writes to the terminal.
    fn suspend(&self, write: impl FnOnce()) {
        match &self.bar {
            Some(bar) => bar.suspend(write),
            None => write(),
        }
    }

    fn clear(&self) {
        self.bar.iter().for_each(ProgressBar::finish_and_clear);
    }

    fn seconds(&self) -> f64 {
        self.started.elapsed().as_secs_f64()
    }
}

impl Live for Meter {
    fn batch(&self, stats: &Stats) {
        let Some(bar) = &self.bar else { return };
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.add(stats);
        let rate = seen.records as f64 / self.seconds().max(0.001);
        let (records, failed) = (seen.records, seen.failures());
        bar.set_message(format!("{records} records, {rate:.0}/s, {failed} failed"));
        bar.tick();
    }

    fn progress(&self, bytes: u64) {
        self.bar.iter().for_each(|bar| bar.inc(bytes));
    }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).expect("our templates are templates")
}

/// Makes the error for a file or folder that cannot be written.
fn unwritable(path: &Path, error: &io::Error) -> Error {
    Error::io(format_args!("write {}", escape::path(path)), error)
}

/// Converts the failure to start the threads of a pipeline to an error.
fn not_started(error: pqseal_pipeline::Error) -> Error {
    match error {
        pqseal_pipeline::Error::Start(error) => Error::io("start the threads", &error),
        other => Error::io("start", &io::Error::other(other)),
    }
}

impl From<OptionError> for Error {
    fn from(error: OptionError) -> Self {
        match error {
            OptionError::Start(error) => not_started(error),
            error => Self::usage(escape::bytes(error.to_string().as_bytes())),
        }
    }
}

/// Parses a delimiter: a character that no cell begins or ends with.
fn delimiter(text: &str) -> Result<u8, String> {
    match text.as_bytes() {
        b"\\t" => Ok(b'\t'),
        [byte] if byte.is_ascii() && !matches!(byte, b'"' | b'\r' | b'\n' | 0) => Ok(*byte),
        _ => Err("it must be one ASCII character other than a quote or a line break".to_owned()),
    }
}

#[cfg(unix)]
fn permissions(text: &str) -> Result<u32, String> {
    match u32::from_str_radix(text, 8) {
        Ok(mode) if mode <= 0o777 => Ok(mode),
        _ => Err("a mode must be three octal digits, such as 0640".to_owned()),
    }
}

#[cfg(not(unix))]
fn permissions(_text: &str) -> Result<u32, String> {
    Err("this system has no such permissions; leave --mode out".to_owned())
}

/// Parses the path of a state. It must be a file, since it is read and appended to.
fn state_file(text: &str) -> Result<PathBuf, String> {
    match text {
        "-" => Err("later runs read the state, so it cannot be `-`; name a file".to_owned()),
        path if is_address(Path::new(path)) => Err(
            "with --state the state is a file; leave it out to keep the state with the outputs"
                .to_owned(),
        ),
        path => Ok(path.into()),
    }
}

fn shard(text: &str) -> Result<Shard, String> {
    let parsed = text
        .split_once('/')
        .and_then(|(number, count)| Some((number.parse().ok()?, count.parse().ok()?)));
    match parsed {
        Some((number, count)) if (1..=count).contains(&number) => Ok(Shard { number, count }),
        _ => Err("a share must be K/N, such as 1/3, 2/3 and 3/3".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_topic_is_recognised_by_one_broker() {
        for (one, two, may_be) in [
            ("kafka://a,b/t", "kafka://b,c/t", true),
            ("kafka://a,b/t", "kafka://b/u", false),
            ("kafka://a/t", "kafka://b/t", false),
        ] {
            let [one, two] = [one, two].map(|text| Topic::of(Path::new(text)).unwrap());
            assert_eq!(one.may_be(two), may_be, "{one} {two}");
        }
    }

    #[test]
    fn addresses_have_brokers_and_a_topic() {
        for (text, brokers, name) in [
            ("kafka://a/t", "a", "t"),
            ("kafka://a:9092,b/t.x_y-z", "a:9092,b", "t.x_y-z"),
            ("kafka://[::1]:9092/t", "[::1]:9092", "t"),
        ] {
            let topic = Topic::of(Path::new(text)).unwrap();
            assert_eq!((topic.brokers, topic.name), (brokers, name));
            assert_eq!(topic.to_string(), text);
            assert_eq!(topic.check().is_ok(), cfg!(feature = "kafka"), "{text}");
        }
        let long = format!("kafka://a/{}", "t".repeat(LONGEST + 1));
        for text in [
            "kafka://",
            "kafka://a",
            "kafka://a/",
            "kafka:///t",
            "kafka://a,/t",
            "kafka://a/t/u",
            "kafka://user:secret@a/t",
            &long,
        ] {
            assert!(
                Topic::of(Path::new(text)).unwrap().check().is_err(),
                "{text}"
            );
        }
        for path in ["events", "./kafka://a/t", "kafka:/a/t"] {
            assert_eq!(Topic::of(Path::new(path)), None, "{path}");
        }
    }
}
