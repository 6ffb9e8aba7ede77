//! Processes inputs one after another to standard output or a device.

use std::{
    fs::File,
    io,
    path::{Path, PathBuf},
};

use pqseal_pipeline::{
    Framing, Pipeline, Transform,
    files::{Address, Content},
};

use super::{
    destination::Destination, failure, report::Report, route::Route, stores::Stores,
    terminal::Output,
};
use crate::{error::Error, escape, input::Source};

/// Processes all inputs into `output`. An input that fails is reported, and the others are
/// still processed.
///
/// # Errors
/// Those that end the run, and that of an only input.
pub(super) fn run<T: Transform>(
    pipeline: &Pipeline<T>,
    route: &Route,
    mut output: Output,
    fail_fast: bool,
    report: &mut Report,
) -> Result<(), Error> {
    let inputs = &route.inputs;
    let to = name_of(&route.destination);
    check(pipeline, route)?;
    report.planned(inputs.len(), false);
    for (number, input) in inputs.iter().enumerate() {
        if number > 0 {
            output.end_line().map_err(|error| unwritable(&to, &error))?;
        }
        match one(pipeline, input, route, &mut output, report) {
            Ok(()) => {}
            Err(Stop::All(error)) => return Err(error),
            Err(Stop::Input(error)) if inputs.len() == 1 => {
                report.file_listed(name(input), error.clone());
                let finished = output.finish();
                finished.map_err(|error| unwritable(&to, &error))?;
                return Err(error);
            }
            Err(Stop::Input(error)) => {
                report.file_failed(name(input), error);
                if fail_fast {
                    break;
                }
            }
        }
    }
    output.finish().map_err(|error| unwritable(&to, &error))
}

/// The reason why an input was not processed to its end.
enum Stop {
    /// This input failed.
    Input(Error),
    /// The run cannot continue.
    All(Error),
}

fn one<T: Transform>(
    pipeline: &Pipeline<T>,
    input: &Source,
    route: &Route,
    output: &mut Output,
    report: &mut Report,
) -> Result<(), Stop> {
    let name = input.to_string();
    let to = name_of(&route.destination);
    let unreadable = |error| Stop::Input(input.unreadable(&error).of_one());
    let content = content(input, &route.stores).map_err(unreadable)?;
    let asked = match output.is_topic() {
        // Its bytes must not become messages.
        true => Framing::Auto,
        false => pipeline.framing(),
    };
    let is_parquet = |content: &Content| content.is_parquet(asked);
    let is_parquet = content.as_ref().map(is_parquet).transpose();
    let framing = framing(pipeline, input);
    let ran = match (content, is_parquet.map_err(unreadable)?) {
        (Some(_), Some(true)) if output.is_terminal() => {
            return Err(Stop::All(Error::usage(NOT_FOR_SCREENS)));
        }
        (Some(_), Some(true)) if output.is_topic() => {
            return Err(Stop::All(Error::usage(NOT_FOR_TOPICS)));
        }
        #[cfg(feature = "parquet")]
        (Some(content), Some(true)) => {
            pqseal_pipeline::parquet::run_content(pipeline, &content, output, &name, report)
        }
        #[cfg(not(feature = "parquet"))]
        (Some(_), Some(true)) => Err(pqseal_pipeline::InputError::NotInThisBuild(
            pqseal_pipeline::Feature::Parquet,
        )
        .into()),
        (Some(content), _) => {
            let stream = content.input().map_err(unreadable)?;
            pipeline.run_framed(stream, framing, output, &name, report)
        }
        (None, _) => {
            let stream = input.records().map_err(unreadable)?;
            pipeline.run_framed(stream, framing, output, &name, report)
        }
    };
    match ran {
        Ok(_) => Ok(()),
        Err(
            error @ (pqseal_pipeline::Error::Start(_)
            | pqseal_pipeline::Error::Write(_)
            | pqseal_pipeline::Error::Letter(_)),
        ) => Err(Stop::All(failure(error, input, &to, report))),
        Err(error) => Err(Stop::Input(failure(error, input, &to, report))),
    }
}

/// Refuses inputs that cannot become one stream before any of it is written.
fn check<T: Transform>(pipeline: &Pipeline<T>, route: &Route) -> Result<(), Error> {
    let (inputs, stores) = (&route.inputs, &route.stores);
    let is_folder = |input: &&Source| {
        input.path().is_some_and(|path| {
            path.is_dir() || Address::of(path).is_some_and(|address| address.names_folder())
        })
    };
    if let Some(folder) = inputs.iter().find(is_folder) {
        let advice = match route.destination {
            Destination::Topic(_) => "name the files in it",
            _ => "name another folder for the results with -o",
        };
        return Err(Error::usage(format!("{folder} is a folder; {advice}")));
    }
    let is_table = |input: &Source| {
        matches!(framing(pipeline, input), Framing::Rows(_))
            || content(input, stores).is_ok_and(|content| {
                content.is_some_and(|content| {
                    content.is_parquet(pipeline.framing()).unwrap_or_default()
                })
            })
    };
    if inputs.len() > 1 && inputs.iter().any(is_table) {
        return Err(Error::usage(SEVERAL_TABLES));
    }
    Ok(())
}

const SEVERAL_TABLES: &str = "several tables cannot be written to one stream; give them one at a time, or name a folder with -o";
const NOT_FOR_TOPICS: &str = "Parquet has no lines that could become messages; convert it to NDJSON, or name a folder with -o";
const NOT_FOR_SCREENS: &str = "Parquet is binary, which a terminal cannot show; redirect it to a file, or name a folder with -o";

fn framing<T: Transform>(pipeline: &Pipeline<T>, input: &Source) -> Framing {
    let framing = pipeline.framing();
    input.path().map_or(framing, |path| framing.of(path))
}

/// Returns a file or an object, which can be read at any position; `None` for a pipe.
fn content(input: &Source, stores: &Stores) -> io::Result<Option<Content>> {
    let Some(path) = input.path() else {
        return Ok(None);
    };
    match (stores.object(path), stores.input(path)) {
        (Some(job), Some(store)) => Ok(Some(Content::Object(store.open(&job?)))),
        (Some(job), None) => job.map(|_| None),
        _ if path.is_file() => File::open(path).map(Content::File).map(Some),
        _ => Ok(None),
    }
}

fn unwritable(to: &str, error: &io::Error) -> Error {
    Error::io(format_args!("write {to}"), error)
}

/// Returns the name of the output.
fn name_of(destination: &Destination) -> String {
    match destination {
        Destination::Device(path) | Destination::Topic(path) => escape::path(path),
        _ => "standard output".to_owned(),
    }
}

fn name(input: &Source) -> PathBuf {
    input.path().map_or_else(|| "-".into(), Path::to_owned)
}
