//! `pqseal logs open`: sealed fields of log records, opened in bulk.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use clap::{Args, ValueEnum};
use envelope::base64;
use serde_json::json;
use siem::{
    Opener, Pipeline,
    files::{self, Job, Output as Compressed, Shard, State},
    input::Compression,
    pipeline, temporary,
};

use super::{
    failure, fields,
    report::{Asked, Report, Reporting},
    sources,
};
use crate::{
    binding::{MinVersion, Standing},
    error::{Error, Exit},
    escape,
    input::{Source, one_stdin},
    keyring::Keys,
    passphrase::Passphrase,
};

/// Open the sealed fields of log records
///
/// Records come out as they went in, in order and with nothing changed, but for what was sealed
/// beside what sealed it. Of a field that does not open a member decrypt_status says why. In tables
/// (CSV, TSV, Parquet) both are columns after the table's own. A record that was opened before is
/// left alone. A line that is not JSON, or has not as many cells as its table, passes as it is and
/// counts as failed.
#[derive(Args)]
pub(super) struct Open {
    /// A file with private keys in any form, one after another, `-` for standard input, or a
    /// folder of such files; repeat it to give several. `#` begins a comment, which names the
    /// key beside it, or else on the next line, in counters and dead letters
    #[arg(
        short,
        long = "key",
        value_name = "KEYFILE-OR-FOLDER",
        required_unless_present = "key_command"
    )]
    keys: Vec<Source>,
    #[command(flatten)]
    passphrase: Passphrase,
    /// A shell command that writes such keys to its standard output, for vaults
    #[arg(long, value_name = "COMMAND")]
    key_command: Vec<String>,
    #[command(flatten)]
    fields: fields::Fields,
    /// What version 4 blobs were sealed for
    #[arg(long, value_name = "TEXT")]
    info: Option<String>,
    #[command(flatten)]
    standing: Standing,
    #[command(flatten)]
    min_version: MinVersion,
    #[command(flatten)]
    frame: fields::Frame,
    #[command(flatten)]
    reporting: Reporting,
    /// Write each file to one of the same name in this folder, and leave those out that a run
    /// before this one finished
    #[arg(short, long, value_name = "FOLDER", requires = "inputs")]
    output: Option<PathBuf>,
    /// Where to note which files are done; if not given, .pqseal-logs in the output folder
    #[arg(long, value_name = "FILE", requires = "output")]
    state: Option<PathBuf>,
    /// How to compress the files of the output folder; Parquet stays compressed as it is within
    #[arg(long, value_enum, default_value = "same", requires = "output")]
    compress: Compress,
    /// Do a share of the files, such as 2/3 on the second of three machines; the shares are made
    /// by name
    #[arg(long, value_name = "K/N", value_parser = shard, requires = "output")]
    shard: Option<Shard>,
    #[command(flatten)]
    inputs: fields::Inputs,
}

#[derive(Clone, Copy, ValueEnum)]
enum Compress {
    /// As the input
    Same,
    /// Not at all
    None,
    /// gzip
    Gzip,
    /// Zstandard
    Zstd,
}

impl Open {
    pub(super) fn run(self) -> Result<Exit, Error> {
        let inputs = sources(&self.inputs.inputs);
        one_stdin(
            self.keys
                .iter()
                .chain(&inputs)
                .chain(self.passphrase.source()),
        )?;
        let mut keys = Keys::load(&self.keys, &self.passphrase)?;
        self.key_command
            .iter()
            .try_for_each(|command| keys.add_command(command, &self.passphrase))?;
        self.min_version.apply(&mut keys.ring);
        let key_ids: Vec<_> = keys.ring.key_ids().map(|id| id.to_string()).collect();
        let names = keys.ring.names().cloned().collect();
        let to_screen = self.output.is_none() && io::IsTerminal::is_terminal(&io::stdout());
        let (framing, limits) = self.frame.framing(to_screen)?;
        let info = self.info.clone().unwrap_or_default().into_bytes();
        let rules = self.fields.rules()?;
        // All that outputs depend on besides their inputs, in alphabetical order. The state file has
        // its hash: a change of this text makes every file be done again.
        let depends_on = json!({
            "allow_experimental": self.standing.is_experimental(),
            "framing": framing.to_string(),
            "info": base64::encode(&info),
            "keys": key_ids,
            "max_line": limits.record,
            "min_version": self.min_version.get(),
            "rules": rules.canonical(),
        })
        .to_string();
        let pipeline = Pipeline::new(
            Opener::bound(keys.ring, info, self.standing.policy()),
            rules,
            self.frame.jobs,
        )
        .map_err(|error| Error::io("start the threads", &error))?
        .framed(framing, limits);
        let asked = Asked {
            fields: self.fields.names(),
            info: self.info.is_some(),
            aad: self.fields.binds(),
        };
        let mut report = self.reporting.start(names, asked, to_screen)?;
        let ran = match &self.output {
            Some(folder) => self.to_folder(&pipeline, folder, depends_on.as_bytes(), &mut report),
            None => {
                let sizes = inputs.iter().map(Source::size).collect::<Option<Vec<_>>>();
                sizes
                    .iter()
                    .for_each(|sizes| report.expect(sizes.iter().sum()));
                super::to_stdout(&pipeline, &inputs, &mut report).map(drop)
            }
        };
        let finished = report.finish(ran.is_ok());
        ran.and(finished)
    }

    fn to_folder(
        &self,
        pipeline: &Pipeline<Opener>,
        folder: &Path,
        depends_on: &[u8],
        report: &mut Report<'_>,
    ) -> Result<(), Error> {
        let unwritable = |path: &Path, error: &io::Error| {
            Error::io(format_args!("write {}", escape::path(path)), error)
        };
        let jobs = files::plan(&self.inputs.inputs, self.shard)
            .map_err(|(path, error)| unreadable(&path, &error))?;
        check_names(&jobs)?;
        fs::create_dir_all(folder).map_err(|error| unwritable(folder, &error))?;
        let state_path = self
            .state
            .clone()
            .unwrap_or_else(|| folder.join(".pqseal-logs"));
        self.inputs
            .inputs
            .iter()
            .try_for_each(|input| outside(input, folder))?;
        let mut state = State::load(&state_path, depends_on)
            .map_err(|error| unreadable(&state_path, &error))?;
        let to_do: Vec<_> = jobs
            .into_iter()
            .filter(|job| !state.is_done(job, &folder.join(&job.name)))
            .collect();
        report.expect(to_do.iter().map(size).sum());
        sweep(folder, &to_do);
        for job in &to_do {
            report.begin()?;
            let output = folder.join(&job.name);
            let seen = job.seen().map_err(|error| unreadable(&job.input, &error))?;
            files::run(pipeline, job, &output, self.compress.into(), report)
                .map_err(|error| not_done(error, job, &output))?;
            report.end(size(job))?;
            state
                .done(job, seen)
                .map_err(|error| unwritable(&state_path, &error))?;
        }
        Ok(())
    }
}

/// Removes what killed runs left where this one will write: they were at files that are not done.
fn sweep(folder: &Path, jobs: &[Job]) {
    let mut outputs: Vec<_> = jobs.iter().map(|job| folder.join(&job.name)).collect();
    outputs.dedup_by(|a, b| a.parent() == b.parent());
    outputs.iter().for_each(|output| temporary::sweep(output));
}

fn not_done(error: files::Error, job: &Job, output: &Path) -> Error {
    let input = Source::File(job.input.clone());
    match error {
        files::Error::Open(error) => input.unreadable(&error).of_one(),
        files::Error::Create(error) | files::Error::Run(pipeline::Error::Write(error)) => {
            Error::io(format_args!("write {}", escape::path(output)), &error).of_one()
        }
        files::Error::Run(error) => failure(error, &input, &escape::path(output)),
        files::Error::Changed => Error {
            exit: Exit::Incomplete,
            code: "changed",
            message: format!(
                "{input} changed while it was read, and was not written; run this again when it is complete"
            ),
        },
    }
}

/// Outputs must not take the place of inputs, or be taken for them by the next run.
fn outside(input: &Path, folder: &Path) -> Result<(), Error> {
    let (Ok(input), Ok(folder)) = (fs::canonicalize(input), fs::canonicalize(folder)) else {
        return Ok(());
    };
    if folder.starts_with(&input) || input.parent() == Some(&folder) {
        let (input, folder) = (escape::path(&input), escape::path(&folder));
        return Err(Error::usage(format!(
            "the output folder {folder} is where {input} is; name another with -o"
        )));
    }
    Ok(())
}

/// Two inputs must not become one output.
fn check_names(jobs: &[Job]) -> Result<(), Error> {
    let mut names: Vec<_> = jobs.iter().map(|job| &job.name).collect();
    names.sort();
    match names.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(Error::usage(format!(
            "two inputs are called {}; name the folder that holds both, or do one after another into two folders",
            escape::path(pair[0])
        ))),
        None => Ok(()),
    }
}

fn size(job: &Job) -> u64 {
    fs::metadata(&job.input).map_or(0, |found| found.len())
}

fn unreadable(path: &Path, error: &io::Error) -> Error {
    Source::File(path.to_owned()).unreadable(error)
}

fn shard(text: &str) -> Result<Shard, String> {
    let parsed = text
        .split_once('/')
        .and_then(|(number, count)| Some((number.parse().ok()?, count.parse().ok()?)));
    match parsed {
        Some((number, count)) if (1..=count).contains(&number) => Ok(Shard { number, count }),
        _ => Err("a share is K/N, such as 1/3, 2/3 and 3/3".to_owned()),
    }
}

impl From<Compress> for Compressed {
    fn from(compress: Compress) -> Self {
        match compress {
            Compress::Same => Self::Same,
            Compress::None => Self::As(Compression::None),
            Compress::Gzip => Self::As(Compression::Gzip),
            Compress::Zstd => Self::As(Compression::Zstd),
        }
    }
}
