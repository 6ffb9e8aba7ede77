//! `pqseal logs open kafka://...`: opens records from a topic.

use std::{io, path::Path, sync::Arc};

use pqseal_kafka::{
    Config, Consumer, Error as Ended, Events, Failure, Output as To, Patience, Producer,
};
use pqseal_pipeline::{Transform, files::follow::Sink};

use super::{
    destination::Destination,
    failure,
    kafka::{failed, topic_of},
    report::Report,
    route::Route,
    transfer::Transfer,
    work::Work,
};
use crate::{
    error::{Error, warn},
    escape,
    input::Source,
    signals,
};

impl<T: Transform> Work<'_, T> {
    /// Processes the records of the input topic until a signal or the end of the topic.
    ///
    /// # Errors
    /// Those that end the run.
    pub(super) fn consume(&self, route: &Route, report: &mut Report) -> Result<(), Error> {
        let is_over =
            signals::asked_to_end().map_err(|error| Error::io("wait for signals", &error))?;
        let Transfer {
            files,
            kafka,
            growing,
            ..
        } = self.transfer;
        let input = route.inputs[0].path().unwrap_or(Path::new(""));
        let from = escape::path(input);
        let patience = Patience::new(files.retry(), Arc::clone(&is_over));
        let config = kafka.client(input, patience)?;
        // If a signal comes before anything is read, there is nothing to finish.
        let mut consumer = match Consumer::join(&config, kafka.group.as_deref(), growing.start()) {
            Err(Failure::Unreachable { .. }) if config.patience.is_asked() => return Ok(()),
            joined => joined.map_err(|failure| failed("read", &from, &failure))?,
        };
        let mut lines;
        let (mut output, to) = match &route.destination {
            Destination::Topic(path) => {
                let to = escape::path(path);
                let topic = topic_of(path)?;
                let producer = Producer::start(&Config { topic, ..config });
                let producer = producer.map_err(|failure| failed("write", &to, &failure))?;
                (To::Topic(producer), to)
            }
            destination => {
                let to;
                (lines, to) = self.sink(destination, &is_over)?;
                // A killed run may have left a line without its end.
                let ended = lines.lock().and_then(|()| lines.end_line());
                ended.map_err(|error| unwritable(&to, &error))?;
                (To::Lines(&mut lines), to)
            }
        };
        let ran = consumer.run(self.pipeline, &mut output, kafka.until_end, report);
        ran.map_err(|error| match error {
            Ended::Read(failure) => failed("read", &from, &failure),
            Ended::Commit(failure) => failed("commit", &from, &failure),
            Ended::Write(failure) => failed("write", &to, &failure),
            Ended::Lines(error) => unwritable(&to, &error),
            Ended::Pipeline(partition, error) => {
                failure(error, &Source::File(partition.into()), &to, report)
            }
        })
    }
}

fn unwritable(name: &str, error: &io::Error) -> Error {
    Error::io(format_args!("write {name}"), error)
}

impl Events for Report {
    fn warn(&mut self, code: &'static str, message: String) {
        warn(code, message);
    }

    fn tick(&mut self) {
        self.refresh();
    }
}
