//! Topics of Apache Kafka as inputs and outputs.

use std::{
    io::Write,
    path::Path,
    sync::{Arc, atomic::AtomicBool},
};

use pqseal_kafka::{
    Config, Consumer, Error as Ended, Events, Failure, Lines, Output as To, Patience, Producer,
    Properties, Start,
};
use pqseal_pipeline::{Transform, files::follow::Sink};

use super::{
    super::{IoArgs, Topic},
    OutputStream, Report, Run,
    failure::failure,
};
use crate::{
    error::{Error, Exit, warn},
    escape,
    input::{Source, warn_if_others_read},
    signals,
};

impl<T: Transform> Run<'_, T> {
    /// Processes the records of the topic `from` until a signal or the end of the topic.
    ///
    /// # Errors
    /// Those that end the run.
    pub(super) fn consume(
        &self,
        from: &Path,
        to: &OutputStream,
        report: &mut Report,
    ) -> Result<(), Error> {
        let is_over =
            signals::asked_to_end().map_err(|error| Error::io("wait for signals", &error))?;
        let config =
            (self.io).kafka_client(from, Patience::new(self.io.retry(), is_over.clone()))?;
        let start = match self.io.from_end {
            true => Start::End,
            false => Start::First,
        };
        let from = escape::path(from);
        // If a signal comes before anything is read, there is nothing to finish.
        let mut consumer = match Consumer::join(&config, self.io.group.as_deref(), start) {
            Err(Failure::Unreachable { .. }) if config.patience.is_asked() => return Ok(()),
            joined => joined.map_err(|failure| failed("read", &from, &failure))?,
        };
        let name = to.to_string();
        let mut lines;
        let mut output = if let OutputStream::Topic(path) = to {
            let topic = topic_of(path)?;
            let producer = Producer::start(&Config { topic, ..config });
            To::Topic(producer.map_err(|failure| failed("write", &name, &failure))?)
        } else {
            lines = self.open_output(to, is_over)?;
            // A killed run may have left a line without its end.
            let ended = lines.lock().and_then(|()| lines.end_line());
            ended.map_err(|error| to.unwritable(&error))?;
            To::Lines(&mut lines)
        };
        let ran = consumer.run(self.pipeline, &mut output, self.io.until_end, report);
        ran.map_err(|error| match error {
            Ended::Topic(doing @ "write", failure) => failed(doing, &name, &failure),
            Ended::Topic(doing, failure) => failed(doing, &from, &failure),
            Ended::Lines(error) => to.unwritable(&error),
            Ended::Pipeline(partition, error) => {
                failure(error, &Source::File(partition.into()), &name, report)
            }
        })
    }
}

impl IoArgs {
    /// Returns a writer that sends each line to the topic at `path`. A flush waits until all are
    /// acknowledged; once `is_over` is true, only some seconds more.
    ///
    /// # Errors
    /// If the topic cannot be written to.
    pub(super) fn topic_writer(
        &self,
        path: &Path,
        is_over: Arc<AtomicBool>,
    ) -> Result<Box<dyn Write + Send>, Error> {
        let config = self.kafka_client(path, Patience::new(self.retry(), is_over))?;
        let producer = Producer::start(&config)
            .map_err(|failure| failed("write", &escape::path(path), &failure))?;
        Ok(Box::new(Lines::new(producer)))
    }

    /// Returns the configuration of clients of the topic at `path`. The file of settings is read
    /// here once, since it may be a pipe.
    ///
    /// # Errors
    /// If `path` is not a topic, or the file cannot be used.
    fn kafka_client(&self, path: &Path, patience: Patience) -> Result<Config, Error> {
        let properties = match self.kafka_config() {
            None => Properties::default(),
            Some(file) => {
                warn_if_others_read(file, "settings");
                let text = file.read_secret(Properties::LARGEST);
                let text = text.map_err(|error| file.unreadable(&error))?;
                Properties::parse(&text).map_err(|why| {
                    Error::usage(format!("the settings in {file} are wrong: {why}"))
                })?
            }
        };
        Ok(Config {
            topic: topic_of(path)?,
            properties,
            patience,
        })
    }
}

impl Events for Report {
    fn warn(&mut self, code: &'static str, message: String) {
        warn(code, message);
    }

    fn tick(&mut self) {
        self.refresh();
    }
}

/// Parses the address of a topic.
///
/// # Errors
/// If it is not one.
fn topic_of(path: &Path) -> Result<pqseal_kafka::Topic, Error> {
    let topic = Topic::of(path);
    let topic =
        topic.ok_or_else(|| Error::usage(format!("{} is not a topic", escape::path(path))))?;
    Ok(pqseal_kafka::Topic {
        brokers: topic.brokers.to_owned(),
        name: topic.name.to_owned(),
    })
}

/// Makes the error that is shown to users.
fn failed(doing: &str, address: &str, failure: &Failure) -> Error {
    Error {
        exit: match failure {
            Failure::Setting(_) | Failure::NoGroup => Exit::Usage,
            _ => Exit::Stopped,
        },
        code: failure.code(),
        message: format!("cannot {doing} {address}: {failure}"),
    }
}
