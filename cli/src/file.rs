//! `pqseal file`: files in the age format (age-encryption.org/v1), and in pqseal's own for large
//! objects.
//!
//! A run passes: names -> `plan` (an output for each input) -> one file at a time -> `PendingFile`
//! (an output that appears complete or not at all). The crate `pqseal-age` implements the formats.

mod decrypt;
mod encrypt;
pub mod inspect;
mod keys;
mod plan;
mod rekey;

use std::{
    fmt,
    fs::{self, File, Metadata},
    io::{self, BufReader, IoSlice, IsTerminal, Seek, Write},
    path::{Path, PathBuf},
};

use clap::{Args, Subcommand};
use indicatif::{ProgressBar, ProgressStyle};
use pqseal_age::{
    ArmorError, HeaderError, Input, KeyError, PayloadError, Recipient,
    keys::AnyRecipient,
    parallel::{MAX_THREADS, available},
};
use pqseal_atomic_file::{Overwrite, Temporary, folder_of, sweep};

use plan::Job;

use crate::{
    error::{Error, Exit, warn},
    escape,
    input::{Source, stdin},
    output::{Destination, Target, stdout, stdout_is_open, through},
    places::NamedOutputs,
    signals,
};

pub use keys::{Identities, Recipients};

/// The arguments of `pqseal file`.
#[derive(Args)]
#[command(after_long_help = crate::parse::help(&[
    ("Make an identity", "pqseal file keygen --pq -o key.txt"),
    ("Encrypt a file to a recipient", "pqseal file encrypt -R recipients.txt -o report.age report.txt"),
    ("Decrypt it", "pqseal file decrypt -i key.txt -o report.txt report.age"),
]))]
pub struct FileCommand {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    Encrypt(Box<encrypt::Encrypt>),
    Decrypt(Box<decrypt::Decrypt>),
    Inspect(inspect::Inspect),
    Rekey(Box<rekey::Rekey>),
    Keygen(keys::Keygen),
}

impl FileCommand {
    /// Runs the subcommand.
    ///
    /// # Errors
    /// See [`Error`].
    pub fn run(self, json: bool) -> Result<Exit, Error> {
        match self.action {
            Action::Encrypt(encrypt) => encrypt.run(json),
            Action::Decrypt(decrypt) => decrypt.run(json),
            Action::Inspect(inspect) => inspect.run(json),
            Action::Rekey(rekey) => rekey.run(json),
            Action::Keygen(keygen) => keygen.run().map(|()| Exit::Done),
        }
    }
}

/// Returns the inputs as sources; no input and `-` are standard input.
fn sources(inputs: &[PathBuf]) -> Vec<Source> {
    match inputs {
        [] => vec![Source::Stdin],
        _ => inputs
            .iter()
            .map(|input| Source::from(input.clone().into_os_string()))
            .collect(),
    }
}

fn overwrite(force: bool) -> Overwrite {
    match force {
        true => Overwrite::Allow,
        false => Overwrite::Refuse,
    }
}

/// Runs all jobs, reports those that fail, and their number at the end.
fn run_all(
    jobs: Vec<Job>,
    errors: Vec<Error>,
    json: bool,
    one: impl Fn(&Job) -> Result<(), Error>,
) -> Result<Exit, Error> {
    signals::before_the_end(|| {}).map_err(|error| Error::io("handle signals", &error))?;
    let all = jobs.len() + errors.len();
    if all == 0 {
        return Err(Error::usage("the folders have no files; nothing was done"));
    }
    jobs.iter()
        .try_for_each(|job| check_growth(&job.input, &job.output))?;
    let mut failures = errors;
    if let ([job], true) = (&jobs[..], failures.is_empty()) {
        return one(job).map(|()| Exit::Done);
    }
    failures.iter().for_each(|error| error.report(json));
    for job in &jobs {
        if let Err(error) = one(job) {
            error.report(json);
            failures.push(error);
        }
    }
    match failures.len() {
        0 => Ok(Exit::Done),
        failed => Err(Error::incomplete(
            "incomplete",
            format!("{failed} of {all} files failed; the reasons are above"),
        )),
    }
}

/// Refuses an input that standard output is appended to, because it would grow while it
/// is read.
fn check_growth(input: &Source, output: &Target) -> Result<(), Error> {
    let mut places = NamedOutputs::default();
    if *output == Target::Stdout {
        places.add("standard output", output)?;
    }
    places.check_input(input)
}

/// Refuses to overwrite a key that is in use, even with --force.
fn check_keys<'s>(
    output: &Target,
    mut keys: impl Iterator<Item = &'s Source>,
) -> Result<(), Error> {
    let mut places = NamedOutputs::default();
    let name = match output {
        Target::Stdout => "standard output",
        Target::File(_) => "-o",
    };
    places.add(name, output)?;
    keys.try_for_each(|key| places.check_input(key))
}

/// Opens an input, which may be standard input.
fn open_input(input: &Source) -> Result<File, Error> {
    let file = match input.path() {
        Some(path) => File::open(path),
        None => stdin(),
    };
    let file = file.and_then(|file| match kind(&file, Metadata::is_dir) {
        true => Err(io::ErrorKind::IsADirectory.into()),
        false => Ok(file),
    });
    file.map_err(|error| input.unreadable(&error).of_one())
}

/// A file whose beginning was read.
type Encrypted = Input<BufReader<File>>;

/// Opens an encrypted file, which may be standard input.
fn open_encrypted(input: &Source) -> Result<Encrypted, Error> {
    encrypted(input, open_input(input)?)
}

/// Reads the beginning of the file that was opened for `input`.
fn encrypted(input: &Source, file: File) -> Result<Encrypted, Error> {
    Input::new(BufReader::with_capacity(1 << 16, file))
        .map_err(|error| input.unreadable(&error).of_one())
}

fn as_refs(recipients: &[AnyRecipient]) -> Vec<&dyn Recipient> {
    recipients.iter().map(AsRef::as_ref).collect()
}

/// Reports whether it is a regular file, as standard input may be.
fn is_regular(file: &File) -> bool {
    kind(file, Metadata::is_file)
}

/// Returns `false` if there is no metadata, as for pipes on Windows.
fn kind(file: &File, is: fn(&Metadata) -> bool) -> bool {
    file.metadata().is_ok_and(|found| is(&found))
}

/// Returns the position in a regular file, as standard input may have one.
fn position(mut file: &File) -> io::Result<u64> {
    file.stream_position()
}

/// Completes an output, or reports why it failed.
fn finished(job: &Job, written: Result<PendingFile, pqseal_age::Error>) -> Result<(), Error> {
    let error = match written {
        Ok(place) => match place.finish() {
            Ok(()) => return Ok(()),
            Err(error) => return Err(not_written(&job.output, &error)),
        },
        Err(error) => error,
    };
    match error {
        // The reader of a pipe has closed it, and needs no more.
        pqseal_age::Error::Io(error)
            if error.kind() == io::ErrorKind::BrokenPipe && job.output == Target::Stdout =>
        {
            Ok(())
        }
        pqseal_age::Error::Io(error) if is_of_output(&error) => {
            Err(not_written(&job.output, &error))
        }
        pqseal_age::Error::Io(error) => Err(job.input.unreadable(&error).of_one()),
        error => Err(file_failed(&job.input, &error)),
    }
}

#[derive(Args)]
struct Threads {
    /// Use this many threads, at most 32, instead of one per processor
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
}

impl Threads {
    fn count(&self) -> Result<usize, Error> {
        match self.threads {
            Some(0) => Err(Error::usage("--threads 0 does nothing; give 1 or more")),
            Some(count @ ..=MAX_THREADS) => Ok(count),
            Some(count) => {
                let message = format!(
                    "--threads {count} is more than the maximum; continuing with {MAX_THREADS}"
                );
                warn("threads", message);
                Ok(MAX_THREADS)
            }
            None => Ok(available()),
        }
    }
}

/// The destination of the bytes of one output until it is complete.
enum PendingFile {
    /// Standard output, a device or a pipe, which is written directly.
    Through(File),
    /// A temporary file, and the name that it gets.
    File {
        file: Temporary,
        target: PathBuf,
        overwrite: Overwrite,
    },
}

impl PendingFile {
    /// Opens an output, and creates the folders of its path.
    fn open(target: &Target, overwrite: Overwrite) -> Result<Self, Error> {
        match target {
            Target::Stdout => stdout_is_open().and_then(|()| stdout()).map(Self::Through),
            Target::File(path) => match Destination::of(path) {
                Destination::Open(path) | Destination::Device(path) => {
                    through(&path).map(Self::Through)
                }
                Destination::File(_, Some(_)) if overwrite == Overwrite::Refuse => {
                    Err(io::ErrorKind::AlreadyExists.into())
                }
                Destination::File(target, found) => beside(&target, found).map(|file| Self::File {
                    file,
                    target,
                    overwrite,
                }),
            },
        }
        .map_err(|error| not_written(target, &error))
    }

    /// Returns the file to write to.
    fn file(&self) -> &File {
        match self {
            Self::Through(file) => file,
            Self::File { file, .. } => file.as_file(),
        }
    }

    /// Gives a new file its name.
    fn finish(self) -> io::Result<()> {
        match self {
            Self::Through(mut file) => file.flush(),
            Self::File {
                file,
                target,
                overwrite,
            } => file.publish(&target, overwrite),
        }
    }
}

/// The progress bar on a terminal, if it is shown. It also marks errors of the output, so that they
/// are not reported as errors of the input.
struct Meter(Option<ProgressBar>);

/// The smallest input with a bar, in bytes. Smaller ones are done before a bar would be seen.
const LEAST: u64 = 64 << 20;

impl Meter {
    /// Creates a bar for an input of `size` bytes, if that is known; none if `quiet`, because the
    /// output goes to the screen.
    fn new(size: Option<u64>, quiet: bool) -> Self {
        let seen = io::stderr().is_terminal() && !quiet;
        if !seen || size.is_some_and(|size| size < LEAST) {
            return Self(None);
        }
        let (bar, template) = match size {
            Some(size) => (
                ProgressBar::new(size),
                "{bar:30} {bytes}/{total_bytes} {bytes_per_sec} {eta}",
            ),
            None => (
                ProgressBar::no_length(),
                "{elapsed} {bytes} {bytes_per_sec}",
            ),
        };
        let style = ProgressStyle::with_template(template);
        Self(Some(
            bar.with_style(style.expect("our templates are templates")),
        ))
    }

    /// Counts the written bytes, and marks the errors of the output.
    fn over<W: Write>(&self, output: W) -> Metered<W> {
        Metered {
            output,
            bar: self.0.clone(),
        }
    }
}

impl Drop for Meter {
    fn drop(&mut self) {
        self.0.iter().for_each(ProgressBar::finish_and_clear);
    }
}

/// An error of the output, not of the input.
#[derive(Debug)]
struct OfOutput(io::Error);

impl fmt::Display for OfOutput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for OfOutput {}

/// Marks an error as one of the output.
fn of_output(error: io::Error) -> io::Error {
    io::Error::new(error.kind(), OfOutput(error))
}

/// Marks the errors of an output that is not counted.
fn marked<W: Write>(output: W) -> Metered<W> {
    Metered { output, bar: None }
}

/// Reports whether an error is marked as one of the output.
fn is_of_output(error: &io::Error) -> bool {
    error.get_ref().is_some_and(|inner| inner.is::<OfOutput>())
}

/// An output whose bytes are counted.
struct Metered<W> {
    output: W,
    bar: Option<ProgressBar>,
}

impl<W: Write> Write for Metered<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.output.write(bytes).map_err(of_output)?;
        self.bar.iter().for_each(|bar| bar.inc(count as u64));
        Ok(count)
    }

    fn write_vectored(&mut self, slices: &[IoSlice<'_>]) -> io::Result<usize> {
        let count = self.output.write_vectored(slices).map_err(of_output)?;
        self.bar.iter().for_each(|bar| bar.inc(count as u64));
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.output.flush().map_err(of_output)
    }
}

/// Makes the error of an output.
fn not_written(target: &Target, error: &io::Error) -> Error {
    let name = match target {
        Target::Stdout => "standard output".to_owned(),
        Target::File(path) => escape::path(path),
    };
    match error.kind() {
        io::ErrorKind::AlreadyExists => Error::refused(format!(
            "{name} already exists and is not overwritten; add --force to replace it, or choose another name"
        ))
        .of_one(),
        _ => Error::io(format_args!("write {name}"), error).of_one(),
    }
}

/// Creates a temporary file that will replace `found`, and the folders of its path, and removes
/// what killed runs left. The file gets the permissions before anything is written.
fn beside(target: &Path, found: Option<fs::Metadata>) -> io::Result<Temporary> {
    fs::create_dir_all(folder_of(target))?;
    sweep(target);
    let Some(found) = found else {
        return pqseal_atomic_file::beside(target, 0o666);
    };
    let file = pqseal_atomic_file::beside(target, 0o600)?;
    file.as_file().set_permissions(found.permissions())?;
    Ok(file)
}

/// Makes the error of one file; the others can still be done. A plugin's message may contain any
/// characters.
fn file_failed(file: &Source, error: &pqseal_age::Error) -> Error {
    let advice = match error {
        pqseal_age::Error::Header(_) | pqseal_age::Error::Mac | pqseal_age::Error::NoMatch => {
            interrupted(file)
        }
        _ => None,
    };
    let advice = advice.unwrap_or_else(|| advice_on(error).to_owned());
    Error::incomplete(error.code(), format!("{file}: {}{advice}", escaped(error)))
}

/// Returns what to do if a rekey of the file was interrupted.
fn interrupted(file: &Source) -> Option<String> {
    let journal = rekey::journal_left_of(file.path()?)?;
    Some(format!(
        "; a rekey of it was interrupted and left {}: run `pqseal file rekey` again, which restores its header if necessary",
        escape::path(&journal)
    ))
}

fn escaped(error: &pqseal_age::Error) -> String {
    escape::bytes(error.to_string().as_bytes())
}

fn advice_on(error: &pqseal_age::Error) -> &'static str {
    match error {
        pqseal_age::Error::NoMatch => "; give the identity of one of its recipients with -i",
        pqseal_age::Error::WrongPassphrase => "; try again, or check the file of --passphrase-file",
        pqseal_age::Error::Header(HeaderError::NotAge) => "; was it encrypted?",
        pqseal_age::Error::Header(HeaderError::Version | HeaderError::ObjectVersion) => {
            "; decrypt it with a later release"
        }
        pqseal_age::Error::Header(HeaderError::LineBreaks) => {
            "; copy it again as binary, or encrypt with -a, since armor may be copied as text"
        }
        pqseal_age::Error::Header(HeaderError::Utf16) => {
            "; PowerShell's `>` does this: encrypt again, to a file with -o"
        }
        pqseal_age::Error::Armor(ArmorError::Utf16) => "; use `iconv -f UTF-16 -t UTF-8` first",
        pqseal_age::Error::Armor(ArmorError::Blank) => "; remove it",
        pqseal_age::Error::Hpke(pqseal_hpke::Error::UnsupportedSuite(_)) => {
            "; `pqseal suites` lists those that are supported, and --allow-experimental allows experimental ones"
        }
        pqseal_age::Error::Header(_) | pqseal_age::Error::Mac | pqseal_age::Error::Armor(_) => {
            "; copy it again"
        }
        pqseal_age::Error::ExcessiveWork { .. } => {
            "; if you trust the file, decrypt it with `age -d` and encrypt it again"
        }
        pqseal_age::Error::Payload(PayloadError::Changed) => "; run this again when it is complete",
        pqseal_age::Error::Payload(_) => "; copy it again from its source",
        _ => "",
    }
}

/// Makes the error of a recipient or an identity on the command line or in a file. The text itself
/// is not repeated, since it may be a private key.
fn bad_key(name: &str, error: &pqseal_age::Error) -> Error {
    let advice = match error {
        pqseal_age::Error::Key(KeyError::Unknown) => {
            "; a recipient is age1..., an identity AGE-SECRET-KEY-..., or a key in one of pqseal's formats"
        }
        pqseal_age::Error::Key(KeyError::Empty) => "; `pqseal file keygen` makes one",
        _ => "",
    };
    Error::stopped(
        "bad_key",
        format!("cannot use the key in {name}: {error}{advice}"),
    )
}

/// Makes the error of recipients that cannot be combined: an error of the command line.
fn bad_recipients(error: &pqseal_age::Error) -> Error {
    match error {
        pqseal_age::Error::NoRecipients => {
            Error::usage("no recipient was given; give one with -r or -R, or -p for a passphrase")
        }
        pqseal_age::Error::MixedRecipients
        | pqseal_age::Error::PassphraseNotAlone
        | pqseal_age::Error::Key(KeyError::NotForObjects) => Error::usage(error.to_string()),
        error => Error::stopped(error.code(), format!("cannot encrypt: {}", escaped(error))),
    }
}
