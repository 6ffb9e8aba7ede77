//! `pqseal file decrypt`.

use std::{
    fs::File,
    io::{self, BufReader, Read, Seek, SeekFrom, Write},
    path::PathBuf,
};

use clap::Args;
use pqseal_age::{
    AnyHeader, ChunkReader, Chunked, ContentKey, Input, Payload,
    parallel::{self, FileAt, Stream},
};

use super::{
    failure,
    identities::{Identities, Keys},
    meter::Meter,
    place::Place,
    plan::{self, Job, Naming},
    printable::Printable,
    range::Range,
    threads::Threads,
};
use crate::{
    binding::AllowExperimental,
    error::{Error, Exit},
    input::{Source, one_stdin},
    output::Target,
};

/// Decrypt files with identities or a passphrase
///
/// Files may be armored. For a file under a passphrase, the passphrase is asked for. Several files,
/// or a folder with everything in it, need -o FOLDER; each file is written there without `.age` or
/// `.pqseal`. Nothing is written before it is authenticated, and a file appears only when it is
/// complete. On a terminal, text with control characters is refused unless -o - is given.
#[derive(Args)]
#[command(after_long_help = crate::examples::help(&crate::examples::FILE_DECRYPT))]
pub(super) struct Decrypt {
    #[command(flatten)]
    identities: Identities,
    #[command(flatten)]
    experimental: AllowExperimental,
    /// Decrypt only these bytes of the plaintext, as in HTTP: FIRST-LAST (from 0, the last
    /// included), FIRST- or -COUNT; the end of the file is authenticated too
    #[arg(long, value_name = "RANGE", allow_hyphen_values = true)]
    range: Option<Range>,
    /// Write to this file, or into this folder if OUT is a folder or there are several inputs
    #[arg(short, long, value_name = "OUT")]
    output: Option<Target>,
    /// Replace existing files
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    threads: Threads,
    /// What to decrypt; `-` or nothing for standard input
    #[arg(value_name = "FILE")]
    inputs: Vec<PathBuf>,
}

impl Decrypt {
    pub(super) fn run(self, json: bool) -> Result<Exit, Error> {
        let read = super::sources(&self.inputs);
        one_stdin(read.iter().chain(self.identities.sources()))?;
        let identities = self.identities.read()?;
        let (jobs, errors) = plan::jobs(&self.inputs, self.output.as_ref(), Naming::Decrypted)?;
        jobs.iter()
            .try_for_each(|job| super::check_keys(&job.output, self.identities.sources()))?;
        let threads = self.threads.count()?;
        super::run_all(jobs, errors, json, |job| {
            self.one(job, &identities, threads)
        })
    }

    fn one(&self, job: &Job, identities: &Keys<'_>, threads: usize) -> Result<(), Error> {
        let overwrite = super::overwrite(self.force);
        let mut input = open(&job.input)?;
        let header = AnyHeader::read(&mut input);
        let header = header.map_err(|error| failure::of_file(&job.input, &error))?;
        let policy = self.experimental.policy();
        let key = identities.open(&job.input, &header, &policy)?;
        let place = Place::open(&job.output, overwrite)?;
        let is_shown = job.output.is_terminal();
        let meter = Meter::new(job.input.size(), is_shown);
        let is_checked = is_shown && self.output.is_none();
        let output = meter.over(Printable::new(place.file(), is_checked));
        let written = match key {
            ContentKey::Age(file_key) => Payload::read(&file_key, &mut input)
                .and_then(|payload| self.content(payload, input, output, threads)),
            ContentKey::Object { secret, cipher } => secret
                .payload(cipher)
                .and_then(|key| self.content(key, input, output, threads)),
        };
        super::finished(job, written.map(|()| place))
    }

    fn content(
        &self,
        key: impl Chunked,
        input: Encrypted,
        output: impl Write + Send,
        threads: usize,
    ) -> Result<(), pqseal_age::Error> {
        match self.range {
            Some(range) => part(range, key, input, output),
            None => whole(&key, input, output, threads),
        }
    }
}

type Encrypted = Input<BufReader<File>>;

pub(super) fn open(input: &Source) -> Result<Encrypted, Error> {
    self::input(input, super::open_input(input)?)
}

/// Reads the beginning of the file that was opened for `input`.
pub(super) fn input(input: &Source, file: File) -> Result<Encrypted, Error> {
    Input::new(BufReader::with_capacity(1 << 16, file))
        .map_err(|error| input.unreadable(&error).of_one())
}

fn whole(
    key: &impl Chunked,
    input: Encrypted,
    output: impl Write + Send,
    threads: usize,
) -> Result<(), pqseal_age::Error> {
    match input {
        Input::Binary(reader) if super::is_regular(reader.get_ref()) => {
            let file = reader.get_ref();
            let buffered = reader.buffer().len() as u64;
            let source = FileAt::new(file, super::position(file)? - buffered)?;
            parallel::open(key, &source, output, threads)
        }
        input => parallel::open(key, &Stream::new(input), output, threads),
    }
}

fn part(
    range: Range,
    key: impl Chunked,
    input: Encrypted,
    output: impl Write,
) -> Result<(), pqseal_age::Error> {
    match input {
        Input::Binary(reader) if super::is_regular(reader.get_ref()) => {
            part_of(range, ChunkReader::new(key, reader), output)
        }
        _ => Err(io::Error::new(
            io::ErrorKind::Unsupported,
            "--range needs a file that is not armored; decrypt all of it, or write it to a file first",
        )
        .into()),
    }
}

fn part_of(
    range: Range,
    mut input: ChunkReader<impl Chunked, impl Read + Seek>,
    mut output: impl Write,
) -> Result<(), pqseal_age::Error> {
    let len = input.plaintext_len()?;
    let Some((first, count)) = range.within(len) else {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            format!("the range is beyond the plaintext, which has {len} bytes"),
        )
        .into());
    };
    input.seek(SeekFrom::Start(first))?;
    io::copy(&mut input.take(count), &mut output)?;
    Ok(())
}
