//! `pqseal file encrypt`.

use std::{
    fs::File,
    io::{self, Write},
    path::PathBuf,
};

use clap::Args;
use files::{
    ArmorWriter, FileKey, Header, Payload, Recipient,
    keys::AnyRecipient,
    parallel::{self, FileAt, Stream},
};

use super::{
    failure,
    keys::Recipients,
    meter::Meter,
    place::Place,
    plan::{self, Job, Naming},
    threads::Threads,
};
use crate::{
    error::{Error, Exit},
    input::one_stdin,
    output::Target,
    passphrase::Passphrase,
};

/// Encrypt files to recipients or under a passphrase
///
/// Reads standard input where no file is named. Several files, or a folder with all that is in it,
/// need -o FOLDER; each is written there as NAME.age. Any program of the age format decrypts them:
/// `age -d`, or 1.3 and later for post-quantum recipients.
#[derive(Args)]
pub(super) struct Encrypt {
    #[command(flatten)]
    recipients: Recipients,
    /// Encrypt under a passphrase, which must be the only recipient
    #[arg(short, long)]
    passphrase: bool,
    #[command(flatten)]
    passphrase_file: Passphrase,
    /// Write ASCII armor (PEM) instead of bytes
    #[arg(short, long)]
    armor: bool,
    /// Leave room in the header for other recipients, so that `pqseal file rekey` can work in place;
    /// makes the header a multiple of 4096 bytes
    #[arg(long, conflicts_with_all = ["armor", "passphrase"])]
    reserve: bool,
    /// Write to this file, or to this folder if it is one or several files are given
    #[arg(short, long, value_name = "OUT")]
    output: Option<Target>,
    /// Replace files that are there
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    threads: Threads,
    /// What to encrypt; `-` or nothing for standard input
    #[arg(value_name = "FILE")]
    inputs: Vec<PathBuf>,
}

impl Encrypt {
    pub(super) fn run(self, json: bool) -> Result<Exit, Error> {
        let read = super::sources(&self.inputs);
        let keys = self.recipients.sources().iter();
        one_stdin(read.iter().chain(keys).chain(self.passphrase_file.source()))?;
        let recipients = self.recipients()?;
        let (jobs, errors) = plan::jobs(&self.inputs, self.output.as_ref(), Naming::Encrypted)?;
        if jobs.iter().any(|job| job.output.is_terminal()) && !self.armor {
            return Err(Error::usage(
                "the terminal would show bytes; give -o FILE, or -a for text",
            ));
        }
        let threads = self.threads.count()?;
        super::run_all(jobs, errors, json, |job| {
            self.one(job, &recipients, threads)
        })
    }

    fn recipients(&self) -> Result<Vec<AnyRecipient>, Error> {
        let mut recipients = self.recipients.read()?;
        if !self.passphrase && self.passphrase_file.source().is_some() {
            return Err(Error::usage(
                "--passphrase-file is for -p; add that, or leave both out",
            ));
        }
        if self.passphrase {
            if !recipients.is_empty() {
                return Err(failure::of_recipients(&files::Error::PassphraseNotAlone));
            }
            let passphrase = self.passphrase_file.recipient("nothing was encrypted")?;
            recipients.push(Box::new(passphrase));
        }
        // Before any output is opened.
        check(&recipients)?;
        Ok(recipients)
    }

    fn one(&self, job: &Job, recipients: &[AnyRecipient], threads: usize) -> Result<(), Error> {
        let overwrite = super::overwrite(self.force);
        let input = super::open_input(&job.input)?;
        let place = Place::open(&job.output, overwrite)?;
        let file_key = FileKey::generate().map_err(|e| failure::of_recipients(&e))?;
        let recipients = as_refs(recipients);
        let header = match self.reserve {
            true => Header::with_reserve(&recipients, &file_key),
            false => Header::new(&recipients, &file_key),
        }
        .map_err(|error| failure::of_recipients(&error))?;
        let meter = Meter::new(job.input.size(), job.output.is_terminal());
        let output = meter.over(place.file());
        let written = match self.armor {
            true => armored(&header, &file_key, &input, output, threads),
            false => sealed(&header, &file_key, &input, output, threads).map(drop),
        };
        super::finished(job, written.map(|()| place))
    }
}

pub(super) fn as_refs(recipients: &[AnyRecipient]) -> Vec<&dyn Recipient> {
    recipients.iter().map(AsRef::as_ref).collect()
}

/// Whether the recipients can be together, as far as it shows without asking anyone.
pub(super) fn check(recipients: &[AnyRecipient]) -> Result<(), Error> {
    if recipients.iter().any(|recipient| recipient.asks()) {
        return Ok(());
    }
    let header = Header::new(&as_refs(recipients), &FileKey::new([0; 16]));
    header.map(drop).map_err(|e| failure::of_recipients(&e))
}

fn armored(
    header: &Header,
    file_key: &FileKey,
    input: &File,
    output: impl Write + Send,
    threads: usize,
) -> Result<(), files::Error> {
    let armor = ArmorWriter::new(io::BufWriter::with_capacity(1 << 20, output))?;
    let armor = sealed(header, file_key, input, armor, threads)?;
    armor.finish()?;
    Ok(())
}

fn sealed<W: Write + Send>(
    header: &Header,
    file_key: &FileKey,
    input: &File,
    mut output: W,
    threads: usize,
) -> Result<W, files::Error> {
    let payload = Payload::generate(file_key)?;
    output.write_all(&header.to_bytes())?;
    output.write_all(payload.nonce())?;
    match input.metadata()?.is_file() {
        true => {
            let source = FileAt::new(input, super::position(input)?)?;
            parallel::seal(&payload, &source, &mut output, threads)?;
        }
        false => parallel::seal(&payload, &Stream::new(input), &mut output, threads)?,
    }
    Ok(output)
}
