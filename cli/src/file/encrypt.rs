//! `pqseal file encrypt`.

use std::{
    fs::File,
    io::{self, Write},
    path::PathBuf,
};

use clap::{Args, ValueEnum};
use pqseal_age::{
    ArmorWriter, Chunked, ContentKey, Payload, Recipient, Room,
    cobblestone::Cipher,
    keys::AnyRecipient,
    object,
    parallel::{self, FileAt, Stream},
};

use super::{
    Meter, PendingFile, Threads, as_refs, bad_recipients,
    keys::Recipients,
    plan::{self, Job, Naming},
};
use crate::{
    error::{Error, Exit},
    input::one_stdin,
    output::Target,
    passphrase::Passphrase,
    suite::SuiteArg,
};

/// Encrypt files to recipients or under a passphrase
///
/// Reads standard input where no file is named. Several files, or a folder with everything in it,
/// need -o FOLDER; each file is written there as NAME.age. Any program for the age format can
/// decrypt them; for post-quantum recipients `age` has to be version 1.3 or later. With --format
/// cobblestone it is NAME.pqseal, which only pqseal can decrypt.
#[derive(Args)]
#[command(
    mut_arg("passphrase_file", |arg| arg.help(PASSPHRASE_FILE)),
    after_long_help = crate::parse::help(&[
    ("To the recipients in a file", "pqseal file encrypt -R recipients.txt -o report.age report.txt"),
    ("All files of a folder, into another", "pqseal file encrypt -R recipients.txt -o encrypted/ reports"),
    ("From a pipe, under a passphrase", "tar c reports | pqseal file encrypt -p -o reports.tar.age"),
])
)]
pub(super) struct Encrypt {
    #[command(flatten)]
    recipients: Recipients,
    #[command(flatten)]
    format: FormatArgs,
    /// Encrypt under a passphrase, which must be the only recipient
    #[arg(short, long)]
    passphrase: bool,
    #[command(flatten)]
    passphrase_file: Passphrase,
    /// Write ASCII armor (PEM) instead of bytes
    #[arg(short, long)]
    armor: bool,
    /// Leave room in the header for other recipients, so that `pqseal file rekey` can change the
    /// file in place; the header becomes a multiple of 4096 bytes long
    #[arg(long, conflicts_with_all = ["armor", "passphrase"])]
    reserve: bool,
    /// Write to this file, or into this folder if OUT is a folder or there are several inputs
    #[arg(short, long, value_name = "OUT")]
    output: Option<Target>,
    /// Replace existing files
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    threads: Threads,
    /// What to encrypt; `-` or nothing for standard input
    #[arg(value_name = "FILE")]
    inputs: Vec<PathBuf>,
}

const PASSPHRASE_FILE: &str = "A file with the passphrase for -p on its first line, `-` for standard input; if not given, it is asked for on the terminal";

impl Encrypt {
    pub(super) fn run(self, json: bool) -> Result<Exit, Error> {
        let read = super::sources(&self.inputs);
        let keys = self.recipients.sources().iter();
        one_stdin(read.iter().chain(keys).chain(self.passphrase_file.source()))?;
        let recipients = self.recipients()?;
        let naming = Naming::Encrypted(match self.format.is_age() {
            true => "age",
            false => "pqseal",
        });
        let (jobs, errors) = plan::jobs(&self.inputs, self.output.as_ref(), naming)?;
        if jobs.iter().any(|job| job.output.is_terminal()) && !self.armor {
            return Err(Error::usage(match self.format.is_age() {
                true => {
                    "the output is binary, which a terminal cannot show; add -o FILE, or -a for text"
                }
                false => "the output is binary, which a terminal cannot show; add -o FILE",
            }));
        }
        for job in &jobs {
            let keys = self.recipients.sources().iter();
            super::check_keys(&job.output, keys.chain(self.passphrase_file.source()))?;
        }
        let threads = self.threads.count()?;
        let recipients = as_refs(&recipients);
        let options = self.recipients.object_options();
        let options = self.format.options(&recipients, options)?;
        // Bad recipients are reported before any output is opened.
        if !recipients.iter().any(|recipient| recipient.asks()) {
            self.format.header(&recipients, self.room(), &options)?;
        }
        super::run_all(jobs, errors, json, |job| {
            self.one(job, &recipients, &options, threads)
        })
    }

    fn room(&self) -> Room {
        match self.reserve {
            true => Room::Reserve,
            false => Room::Least,
        }
    }

    fn recipients(&self) -> Result<Vec<AnyRecipient>, Error> {
        if (self.armor || self.passphrase) && !self.format.is_age() {
            let option = if self.armor { "-a" } else { "-p" };
            return Err(Error::usage(format!(
                "{option} is for the age format; leave out {option}, or --format"
            )));
        }
        let mut recipients = self.recipients.read()?;
        if !self.passphrase && self.passphrase_file.source().is_some() {
            return Err(Error::usage(
                "--passphrase-file needs -p; add -p, or leave --passphrase-file out",
            ));
        }
        if self.passphrase {
            if !recipients.is_empty() {
                return Err(bad_recipients(&pqseal_age::Error::PassphraseNotAlone));
            }
            let passphrase = self.passphrase_file.recipient("nothing was encrypted")?;
            recipients.push(Box::new(passphrase));
        }
        Ok(recipients)
    }

    fn one(
        &self,
        job: &Job,
        recipients: &[&dyn Recipient],
        options: &object::Options,
        threads: usize,
    ) -> Result<(), Error> {
        let overwrite = super::overwrite(self.force);
        let input = super::open_input(&job.input)?;
        let place = PendingFile::open(&job.output, overwrite)?;
        let (header, key) = self.format.header(recipients, self.room(), options)?;
        let meter = Meter::new(job.input.size(), job.output.is_terminal());
        let output = meter.over(place.file());
        let written = match self.armor {
            true => armored(&header, &key, &input, output, threads),
            false => sealed(&header, &key, &input, output, threads).map(drop),
        };
        super::finished(job, written.map(|()| place))
    }
}

fn armored(
    header: &[u8],
    key: &ContentKey,
    input: &File,
    output: impl Write + Send,
    threads: usize,
) -> Result<(), pqseal_age::Error> {
    let armor = ArmorWriter::new(io::BufWriter::with_capacity(1 << 20, output))?;
    let armor = sealed(header, key, input, armor, threads)?;
    armor.finish()?;
    Ok(())
}

/// Writes the header and the chunks.
fn sealed<W: Write + Send>(
    header: &[u8],
    key: &ContentKey,
    input: &File,
    mut output: W,
    threads: usize,
) -> Result<W, pqseal_age::Error> {
    output.write_all(header)?;
    match key {
        ContentKey::Age(file_key) => {
            let payload = Payload::generate(file_key)?;
            output.write_all(payload.nonce())?;
            chunks(&payload, input, &mut output, threads)?;
        }
        ContentKey::Object { secret, cipher } => {
            chunks(&secret.payload(*cipher)?, input, &mut output, threads)?;
        }
    }
    Ok(output)
}

fn chunks(
    key: &impl Chunked,
    input: &File,
    output: impl Write + Send,
    threads: usize,
) -> Result<(), pqseal_age::Error> {
    // A file in /proc has length 0, whatever it contains.
    match super::is_regular(input) && input.metadata()?.len() > 0 {
        true => {
            let source = FileAt::new(input, super::position(input)?)?;
            parallel::seal(key, &source, output, threads)
        }
        false => parallel::seal(key, &Stream::new(input), output, threads),
    }
}

#[derive(Args)]
struct FormatArgs {
    /// The format to write
    #[arg(long, value_name = "FORMAT", default_value = "age")]
    format: Format,
    /// For cobblestone: the KDF and AEAD that wrap the file's secret, such as
    /// HKDF-SHA384,AES-256-GCM; the KEM is that of each recipient's key
    #[arg(long, value_name = "KDF,AEAD")]
    suite: Option<SuiteArg>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// The age format, which age, rage and others read
    Age,
    /// For pqseal only: keys of any KEM and suite, AES-256-GCM in chunks of 16 KiB
    Cobblestone,
    /// The same with AES-128-GCM
    #[value(name = "cobblestone-128")]
    Cobblestone128,
}

impl FormatArgs {
    /// Reports whether files are in the age format.
    fn is_age(&self) -> bool {
        self.format == Format::Age
    }

    /// Generates a content key, and returns its header with it.
    fn header(
        &self,
        recipients: &[&dyn Recipient],
        room: Room,
        options: &object::Options,
    ) -> Result<(Vec<u8>, ContentKey), Error> {
        let made = ContentKey::generate(self.cipher()).and_then(|key| {
            let header = key.header(recipients, room, options)?;
            Ok((header.expect("there is no limit of length"), key))
        });
        made.map_err(|error| bad_recipients(&error))
    }

    /// Returns the options of wrapping an object's secret, with the suite that was asked
    /// for.
    fn options(
        &self,
        recipients: &[&dyn Recipient],
        options: object::Options,
    ) -> Result<object::Options, Error> {
        let Some(suite) = self.suite else {
            return Ok(options);
        };
        if self.is_age() {
            return Err(Error::usage(
                "--suite is for --format cobblestone; the age format has its own suites",
            ));
        }
        let mut options = options;
        for key in recipients.iter().filter_map(|one| one.public_key()) {
            let id = suite.of_key(key.kem())?;
            (options.kdf, options.aead) = (id.kdf, id.aead);
        }
        Ok(options)
    }

    fn cipher(&self) -> Option<Cipher> {
        match self.format {
            Format::Age => None,
            Format::Cobblestone => Some(Cipher::Aes256Gcm),
            Format::Cobblestone128 => Some(Cipher::Aes128Gcm),
        }
    }
}
