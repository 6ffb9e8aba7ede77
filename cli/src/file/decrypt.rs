//! `pqseal file decrypt`.

use std::{
    fs::File,
    io::{self, BufReader, Read, Seek, SeekFrom, Write},
    path::PathBuf,
};

use clap::Args;
use files::{
    Decryptor, FileKey, Header, Input, Payload,
    keys::AnyIdentity,
    parallel::{self, FileAt, Stream},
};

use super::{
    failure,
    keys::Identities,
    meter::Meter,
    place::Place,
    plan::{self, Job, Naming},
    range::Range,
    threads::Threads,
};
use crate::{
    error::{Error, Exit},
    input::{Source, one_stdin},
    output::Target,
};

/// Decrypt files with identities or a passphrase
///
/// Files may be armored. A file under a passphrase asks for it. Several files, or a folder with all
/// that is in it, need -o FOLDER; each is written there without `.age`. Nothing is written before it
/// is authenticated, and a file appears only if it is whole.
#[derive(Args)]
pub(super) struct Decrypt {
    #[command(flatten)]
    identities: Identities,
    /// Decrypt only these bytes of the plaintext, as in HTTP: FIRST-LAST (from 0, the last
    /// included), FIRST- or -COUNT; the end of the file is authenticated too
    #[arg(long, value_name = "RANGE", allow_hyphen_values = true)]
    range: Option<Range>,
    /// Write to this file, or to this folder if it is one or several files are given
    #[arg(short, long, value_name = "OUT")]
    output: Option<Target>,
    /// Replace files that are there
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
        let threads = self.threads.count()?;
        super::run_all(jobs, errors, json, |job| {
            self.one(job, &identities, threads)
        })
    }

    fn one(&self, job: &Job, identities: &[AnyIdentity], threads: usize) -> Result<(), Error> {
        let overwrite = super::overwrite(self.force);
        let mut input = open(&job.input)?;
        let header = Header::read(&mut input).map_err(|e| of_input(&job.input, &e))?;
        let file_key = super::file_key(&job.input, &header, identities, &self.identities)?;
        let place = Place::open(&job.output, overwrite)?;
        let meter = Meter::new(job.input.size(), job.output.is_terminal());
        let output = meter.over(place.file());
        let written = match self.range {
            Some(range) => part(range, &file_key, input, output),
            None => whole(&file_key, input, output, threads),
        };
        super::finished(job, written.map(|()| place))
    }
}

type Encrypted = Input<BufReader<File>>;

pub(super) fn open(input: &Source) -> Result<Encrypted, Error> {
    let file = super::open_input(input)?;
    Input::new(BufReader::with_capacity(1 << 16, file))
        .map_err(|error| input.unreadable(&error).of_one())
}

fn of_input(input: &Source, error: &files::Error) -> Error {
    failure::of_file(&input.to_string(), error)
}

fn whole(
    file_key: &FileKey,
    mut input: Encrypted,
    output: impl Write + Send,
    threads: usize,
) -> Result<(), files::Error> {
    let payload = Payload::read(file_key, &mut input)?;
    match input {
        Input::Binary(reader) if reader.get_ref().metadata()?.is_file() => {
            let file = reader.get_ref();
            let buffered = reader.buffer().len() as u64;
            let source = FileAt::new(file, super::position(file)? - buffered)?;
            parallel::open(&payload, &source, output, threads)
        }
        input => parallel::open(&payload, &Stream::new(input), output, threads),
    }
}

fn part(
    range: Range,
    file_key: &FileKey,
    input: Encrypted,
    output: impl Write,
) -> Result<(), files::Error> {
    match input {
        Input::Binary(reader) if reader.get_ref().metadata()?.is_file() => {
            part_of(range, Decryptor::with_key(file_key, reader)?, output)
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
    mut input: Decryptor<impl Read + Seek>,
    mut output: impl Write,
) -> Result<(), files::Error> {
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
