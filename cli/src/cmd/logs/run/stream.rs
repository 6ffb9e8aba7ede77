//! Processes inputs one after another to standard output, a device or a topic.

use std::{fs::File, io, path::Path, sync::Arc};

use pqseal_pipeline::{
    Framing, Transform,
    files::{Address, Content, follow::Sink},
};

use super::{Output, OutputStream, Report, Run, failure::failure};
use crate::{error::Error, input::Source};

const SEVERAL_TABLES: &str = "several tables cannot be written to one stream; give them one at a time, or name a folder with -o";
const NOT_FOR_TOPICS: &str = "Parquet has no lines that could become messages; convert it to NDJSON, or name a folder with -o";
const NOT_FOR_SCREENS: &str = "Parquet is binary, which a terminal cannot show; redirect it to a file, or name a folder with -o";

/// The reason why an input was not processed to its end.
enum Stop {
    /// This input failed.
    Input(Error),
    /// The run cannot continue.
    All(Error),
}

impl<T: Transform> Run<'_, T> {
    /// Processes all inputs into one stream. An input that fails is reported, and the others are
    /// still processed.
    ///
    /// # Errors
    /// Those that end the run, and that of an only input.
    pub(super) fn stream(
        &self,
        inputs: &[Source],
        to: &OutputStream,
        report: &mut Report,
    ) -> Result<(), Error> {
        let sizes: Option<Vec<_>> = inputs.iter().map(Source::size).collect();
        if let Some(sizes) = sizes {
            report.meter().expect(sizes.iter().sum());
        }
        // A signal ends the process immediately.
        let mut output = self.open_output(to, Arc::default())?;
        self.check_stream(inputs, to)?;
        report.planned(inputs.len(), false);
        let mut written = Ok(());
        for (number, input) in inputs.iter().enumerate() {
            if number > 0 {
                output.end_line().map_err(|error| to.unwritable(&error))?;
            }
            let error = match self.one(input, to, &mut output, report) {
                Ok(()) => continue,
                Err(Stop::All(error)) => return Err(error),
                Err(Stop::Input(error)) => error,
            };
            let name = input.path().map_or_else(|| "-".into(), Path::to_owned);
            if inputs.len() == 1 {
                report.file_listed(name, error.clone());
                written = Err(error);
            } else {
                report.file_failed(name, error);
                if self.io.fail_fast {
                    break;
                }
            }
        }
        output.finish().map_err(|error| to.unwritable(&error))?;
        written
    }

    /// Refuses inputs that cannot become one stream before any of it is written.
    fn check_stream(&self, inputs: &[Source], to: &OutputStream) -> Result<(), Error> {
        let mut folders = inputs.iter().filter(|input| {
            input.path().is_some_and(|path| {
                path.is_dir() || Address::of(path).is_some_and(|address| address.names_folder())
            })
        });
        if let Some(folder) = folders.next() {
            let advice = match to {
                OutputStream::Topic(_) => "name the files in it",
                _ => "name another folder for the results with -o",
            };
            return Err(Error::usage(format!("{folder} is a folder; {advice}")));
        }
        let mut tables = inputs.iter().filter(|input| {
            matches!(self.framing(input), Framing::Rows(_))
                || self.content(input).ok().flatten().is_some_and(|content| {
                    (content.is_parquet(self.pipeline.framing())).unwrap_or_default()
                })
        });
        match inputs.len() > 1 && tables.next().is_some() {
            true => Err(Error::usage(SEVERAL_TABLES)),
            false => Ok(()),
        }
    }

    fn one(
        &self,
        input: &Source,
        to: &OutputStream,
        output: &mut Output,
        report: &mut Report,
    ) -> Result<(), Stop> {
        let name = input.to_string();
        let pipeline = self.pipeline;
        let content = self
            .content(input)
            .map_err(|error| unreadable(input, &error))?;
        let asked = match to {
            // Its bytes must not become messages.
            OutputStream::Topic(_) => Framing::Auto,
            _ => pipeline.framing(),
        };
        let is_parquet = content.as_ref().map(|content| content.is_parquet(asked));
        let is_parquet = is_parquet.transpose();
        let is_parquet = is_parquet
            .map_err(|error| unreadable(input, &error))?
            .unwrap_or_default();
        let ran = match content {
            Some(_) if is_parquet && output.is_terminal() => {
                return Err(Stop::All(Error::usage(NOT_FOR_SCREENS)));
            }
            Some(_) if is_parquet && matches!(to, OutputStream::Topic(_)) => {
                return Err(Stop::All(Error::usage(NOT_FOR_TOPICS)));
            }
            #[cfg(feature = "parquet")]
            Some(content) if is_parquet => {
                pqseal_pipeline::parquet::run_content(pipeline, &content, output, &name, report)
            }
            #[cfg(not(feature = "parquet"))]
            Some(_) if is_parquet => Err(pqseal_pipeline::InputError::NotInThisBuild(
                pqseal_pipeline::Feature::Parquet,
            )
            .into()),
            Some(content) => {
                let stream = content.input();
                let stream = stream.map_err(|error| unreadable(input, &error))?;
                pipeline.run_framed(stream, self.framing(input), output, &name, report)
            }
            None => {
                let stream = input.records();
                let stream = stream.map_err(|error| unreadable(input, &error))?;
                pipeline.run_framed(stream, self.framing(input), output, &name, report)
            }
        };
        use pqseal_pipeline::Error::{Letter, Start, Write};
        ran.map(drop).map_err(|error| {
            let ends = matches!(error, Start(_) | Write(_) | Letter(_));
            let error = failure(error, input, &to.to_string(), report);
            match ends {
                true => Stop::All(error),
                false => Stop::Input(error),
            }
        })
    }

    fn framing(&self, input: &Source) -> Framing {
        let framing = self.pipeline.framing();
        input.path().map_or(framing, |path| framing.of(path))
    }

    /// Returns a file or an object, which can be read at any position; `None` for a pipe.
    fn content(&self, input: &Source) -> io::Result<Option<Content>> {
        let Some(path) = input.path() else {
            return Ok(None);
        };
        let stores = &self.outputs.stores;
        match (stores.object(path), stores.input(path)) {
            (Some(job), Some(store)) => Ok(Some(Content::Object(store.open(&job?)))),
            (Some(job), None) => job.map(|_| None),
            _ if path.is_file() => File::open(path).map(Content::File).map(Some),
            _ => Ok(None),
        }
    }
}

fn unreadable(input: &Source, error: &io::Error) -> Stop {
    Stop::Input(input.unreadable(error).of_one())
}
