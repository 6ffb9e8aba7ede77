//! `pqseal logs`: records of logs in bulk.

mod fields;
mod generate;
mod open;
mod report;
mod seal;
mod terminal;

use std::{
    io,
    path::{Path, PathBuf},
};

use clap::{Args, Subcommand};
use siem::{
    Pipeline,
    frame::Framing,
    input::decompress,
    pipeline::{Observer, Transform},
};
use terminal::Output;

use crate::{
    error::{Error, Exit},
    input::Source,
};

/// Open, seal and make log records in bulk
#[derive(Args)]
#[command(after_help = EXIT_CODES)]
pub struct Logs {
    #[command(subcommand)]
    action: Action,
}

const EXIT_CODES: &str = "\
Exit codes, other than those of single blobs:
  0  done; records that failed are counted
  1  a key is not usable, or a file or a stream cannot be read or written
  2  the command line is wrong
  3  records failed, with --strict, or more than --max-errors allows";

#[derive(Subcommand)]
enum Action {
    Open(open::Open),
    Seal(seal::Seal),
    Generate(generate::Generate),
}

impl Logs {
    /// Runs it.
    ///
    /// # Errors
    /// See [`Error`]. In bulk an exit code of 3 is for records that failed, so what is 3 elsewhere is 1 here.
    pub fn run(self) -> Result<Exit, Error> {
        let ran = match self.action {
            Action::Open(open) => open.run(),
            Action::Seal(seal) => seal.run().map(|()| Exit::Done),
            Action::Generate(generate) => generate.run().map(|()| Exit::Done),
        };
        ran.map_err(|error| Error { exit: if error.exit == Exit::Io { Exit::Failed } else { error.exit }, ..error })
    }
}

/// Takes all inputs to standard output; `false` if nobody reads it any more.
fn to_stdout<T: Transform>(
    pipeline: &Pipeline<T>,
    inputs: &[Source],
    observer: &mut impl Observer,
) -> Result<bool, Error> {
    if let Some(folder) = inputs.iter().find(|input| input.path().is_some_and(Path::is_dir)) {
        return Err(Error::usage(format!("{folder} is a folder; name another with -o for what comes of it")));
    }
    let framing = |input: &Source| input.path().map_or(pipeline.framing(), |path| pipeline.framing().of(path));
    if inputs.len() > 1 && inputs.iter().any(|input| matches!(framing(input), Framing::Rows(_))) {
        return Err(Error::usage(
            "several tables do not make one stream; take them one at a time, or open them into a folder with -o",
        ));
    }
    let mut output = Output::new();
    for input in inputs {
        let reader = input.stream().and_then(decompress).map_err(|error| input.unreadable(&error))?.1;
        match pipeline.run_framed(reader, framing(input), &mut output, &input.to_string(), observer) {
            Err(error) if is_gone(&error) => return Ok(false),
            ran => ran.map_err(|error| failure(error, input, "standard output"))?,
        };
    }
    Ok(true)
}

/// The failure of a run.
fn failure(error: siem::pipeline::Error, input: &Source, output: &str) -> Error {
    use siem::pipeline::Error as Run;
    match error {
        Run::Read(error) => input.unreadable(&error),
        Run::Write(error) => Error::io(format_args!("write {output}"), &error),
        Run::Letter(error) => Error::io("write the dead letters", &error),
        Run::Header(problem) => Error {
            exit: Exit::Failed,
            code: "bad_header",
            message: format!("the header of {input} is not usable: {problem}"),
        },
        Run::Record { number, code } => Error {
            exit: Exit::Failed,
            code,
            message: format!("record {number} of {input} cannot be sealed ({code}); mend it, or leave it out"),
        },
    }
}

/// Whether an error means that the reader of our output has gone, which is no failure.
fn is_gone(error: &siem::pipeline::Error) -> bool {
    matches!(error, siem::pipeline::Error::Write(error) if error.kind() == io::ErrorKind::BrokenPipe)
}

/// What `-` and no input mean: standard input.
fn sources(inputs: &[PathBuf]) -> Vec<Source> {
    match inputs {
        [] => vec![Source::Stdin],
        _ => inputs.iter().map(|input| Source::from(input.clone().into_os_string())).collect(),
    }
}
