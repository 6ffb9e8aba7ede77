//! `pqseal logs`: records of logs in bulk.

mod fields;
mod generate;
mod open;
mod report;
mod seal;
mod terminal;

use std::{
    fs::File,
    io,
    path::{Path, PathBuf},
};

use clap::{Args, Subcommand};
use siem::{Pipeline, Transform, frame::Framing, pipeline::Observer};
use terminal::Output;

use crate::{
    error::{EXIT_CODES, Error, Exit},
    input::Source,
};

/// The arguments of `pqseal logs`.
#[derive(Args)]
#[command(after_help = EXIT_CODES)]
pub struct Logs {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    Open(Box<open::Open>),
    Seal(seal::Seal),
    Generate(generate::Generate),
}

impl Logs {
    /// Runs it.
    ///
    /// # Errors
    /// See [`Error`].
    pub fn run(self) -> Result<Exit, Error> {
        match self.action {
            Action::Open(open) => open.run(),
            Action::Seal(seal) => seal.run().map(|()| Exit::Done),
            Action::Generate(generate) => generate.run().map(|()| Exit::Done),
        }
    }
}

/// Takes all inputs to standard output; `false` if nobody reads it any more.
fn to_stdout<T: Transform>(
    pipeline: &Pipeline<T>,
    inputs: &[Source],
    observer: &mut impl Observer,
) -> Result<bool, Error> {
    if let Some(folder) = inputs
        .iter()
        .find(|input| input.path().is_some_and(Path::is_dir))
    {
        return Err(Error::usage(format!(
            "{folder} is a folder; name another with -o for what comes of it"
        )));
    }
    let mut output = Output::new();
    for input in inputs {
        let framing = input
            .path()
            .map_or(pipeline.framing(), |path| pipeline.framing().of(path));
        let parquet =
            parquet(pipeline, input).map_err(|error| input.unreadable(&error).of_one())?;
        if inputs.len() > 1 && (parquet.is_some() || matches!(framing, Framing::Rows(_))) {
            return Err(Error::usage(SEVERAL_TABLES));
        }
        let ran = match &parquet {
            Some(_) if output.is_terminal() => return Err(Error::usage(NOT_FOR_SCREENS)),
            Some(file) => pipeline.run_parquet(file, &mut output, &input.to_string(), observer),
            None => {
                let stream = input
                    .records()
                    .map_err(|error| input.unreadable(&error).of_one())?;
                pipeline.run_framed(stream, framing, &mut output, &input.to_string(), observer)
            }
        };
        match ran {
            Err(error) if is_gone(&error) => return Ok(false),
            ran => ran.map_err(|error| failure(error, input, "standard output"))?,
        };
    }
    Ok(true)
}

const SEVERAL_TABLES: &str = "several tables do not make one stream; take them one at a time, or open them into a folder with -o";
const NOT_FOR_SCREENS: &str =
    "Parquet is nothing to read on a screen; send it to a file, or name a folder with -o";

/// The input, if it is a file of Parquet.
fn parquet<T: Transform>(pipeline: &Pipeline<T>, input: &Source) -> io::Result<Option<File>> {
    let Some(path) = input.path() else {
        return Ok(None);
    };
    // A pipe would give its bytes to whoever opens it first.
    if !path.is_file() {
        return Ok(None);
    }
    let file = File::open(path)?;
    Ok(pipeline.framing().is_parquet(&file)?.then_some(file))
}

/// The failure of a run.
fn failure(error: siem::pipeline::Error, input: &Source, output: &str) -> Error {
    use siem::pipeline::Error as Run;
    match error {
        Run::Read(error) if error.kind() == io::ErrorKind::Unsupported => {
            Error::usage(format!("{input}: {error}"))
        }
        Run::Start(error) => Error::io("start a thread", &error),
        Run::Read(error) => input.unreadable(&error).of_one(),
        Run::Write(error) => Error::io(format_args!("write {output}"), &error),
        Run::Letter(error) => Error::io("write the dead letters", &error),
        Run::Header(problem) => Error {
            exit: Exit::Incomplete,
            code: "bad_header",
            message: format!("the header of {input} is not usable: {problem}"),
        },
        Run::Record { number, code } => Error {
            exit: Exit::Incomplete,
            code,
            message: format!(
                "record {number} of {input} cannot be sealed ({code}); mend it, or leave it out"
            ),
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
        _ => inputs
            .iter()
            .map(|input| Source::from(input.clone().into_os_string()))
            .collect(),
    }
}
