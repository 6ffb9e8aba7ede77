//! Inputs, one after another, to standard output or a device.

use std::{
    fs::File,
    io,
    path::{Path, PathBuf},
};

use siem::{Framing, Pipeline, Transform};

use super::{failure, report::Report, terminal::Output};
use crate::{error::Error, input::Source};

/// Takes all inputs to `output`. One that fails is reported, and the others are done.
///
/// # Errors
/// Those that end the run, and that of an only input.
pub(super) fn run<T: Transform>(
    pipeline: &Pipeline<T>,
    inputs: &[Source],
    mut output: Output,
    fail_fast: bool,
    report: &mut Report,
) -> Result<(), Error> {
    check(pipeline, inputs)?;
    report.planned(inputs.len(), false);
    for (number, input) in inputs.iter().enumerate() {
        if number > 0 {
            output.end_line().map_err(|error| unwritable(&error))?;
        }
        match one(pipeline, input, &mut output, report) {
            Ok(()) => {}
            Err(Stop::Gone) => return Ok(()),
            Err(Stop::All(error)) => return Err(error),
            Err(Stop::Input(error)) if inputs.len() == 1 => {
                report.file_listed(name(input), error.clone());
                return Err(error);
            }
            Err(Stop::Input(error)) => {
                report.file_failed(name(input), error);
                if fail_fast {
                    return Ok(());
                }
            }
        }
    }
    output.finish().map_err(|error| unwritable(&error))
}

/// Why an input has not come to its end.
enum Stop {
    /// Nobody reads the output any more, which is not a failure.
    Gone,
    /// It cannot be done.
    Input(Error),
    /// Nothing more can be done.
    All(Error),
}

fn one<T: Transform>(
    pipeline: &Pipeline<T>,
    input: &Source,
    output: &mut Output,
    report: &mut Report,
) -> Result<(), Stop> {
    let name = input.to_string();
    let unreadable = |error| Stop::Input(input.unreadable(&error).of_one());
    let ran = match parquet(pipeline, input).map_err(unreadable)? {
        Some(_) if output.is_terminal() => return Err(Stop::All(Error::usage(NOT_FOR_SCREENS))),
        #[cfg(feature = "parquet")]
        Some(file) => siem::parquet::run(pipeline, &file, output, &name, report),
        #[cfg(not(feature = "parquet"))]
        Some(_) => Err(siem::InputError::NotInThisBuild(siem::Feature::Parquet).into()),
        None => {
            let stream = input.records().map_err(unreadable)?;
            let framing = framing(pipeline, input);
            pipeline.run_framed(stream, framing, output, &name, report)
        }
    };
    match ran {
        Ok(_) => Ok(()),
        Err(error) if is_gone(&error) => Err(Stop::Gone),
        Err(error @ (siem::Error::Start(_) | siem::Error::Write(_) | siem::Error::Letter(_))) => {
            Err(Stop::All(failure(error, input, "standard output")))
        }
        Err(error) => Err(Stop::Input(failure(error, input, "standard output"))),
    }
}

/// What cannot become one stream is refused before any of it is written.
fn check<T: Transform>(pipeline: &Pipeline<T>, inputs: &[Source]) -> Result<(), Error> {
    let is_folder = |input: &&Source| input.path().is_some_and(Path::is_dir);
    if let Some(folder) = inputs.iter().find(is_folder) {
        return Err(Error::usage(format!(
            "{folder} is a folder; name another folder for the results with -o"
        )));
    }
    let is_table = |input: &Source| {
        matches!(framing(pipeline, input), Framing::Rows(_))
            || parquet(pipeline, input).is_ok_and(|file| file.is_some())
    };
    if inputs.len() > 1 && inputs.iter().any(is_table) {
        return Err(Error::usage(SEVERAL_TABLES));
    }
    Ok(())
}

const SEVERAL_TABLES: &str = "several tables cannot be written to one stream; give them one at a time, or name a folder with -o";
const NOT_FOR_SCREENS: &str = "Parquet is binary, which a terminal cannot show; redirect it to a file, or name a folder with -o";

fn framing<T: Transform>(pipeline: &Pipeline<T>, input: &Source) -> Framing {
    let framing = pipeline.framing();
    input.path().map_or(framing, |path| framing.of(path))
}

/// The input, if it is a file of Parquet.
fn parquet<T: Transform>(pipeline: &Pipeline<T>, input: &Source) -> io::Result<Option<File>> {
    // The bytes of a pipe can be read once.
    let Some(path) = input.path().filter(|path| path.is_file()) else {
        return Ok(None);
    };
    let file = File::open(path)?;
    Ok(pipeline.framing().is_parquet(&file)?.then_some(file))
}

fn is_gone(error: &siem::Error) -> bool {
    matches!(error, siem::Error::Write(error) if error.kind() == io::ErrorKind::BrokenPipe)
}

fn unwritable(error: &io::Error) -> Error {
    Error::io("write standard output", error)
}

fn name(input: &Source) -> PathBuf {
    input.path().map_or_else(|| "-".into(), Path::to_owned)
}
