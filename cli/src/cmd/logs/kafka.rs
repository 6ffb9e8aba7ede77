//! The options for topics of Apache Kafka, and their clients.

use std::{
    io::Write,
    path::Path,
    sync::{Arc, atomic::AtomicBool},
    time::Duration,
};

use clap::Args;
use pqseal_kafka::{Config, Failure, Lines, Patience, Producer, Properties};

use super::topic::Topic;
use crate::{
    error::{Error, Exit},
    escape,
    input::{Source, warn_if_others_read},
};

/// The options for topics.
#[derive(Args)]
pub(super) struct Options {
    /// The settings of the Kafka client, a `name=value` per line, such as security.protocol,
    /// sasl.username, sasl.password and ssl.ca.location; the names are those of librdkafka
    #[arg(long, value_name = "FILE")]
    kafka_config: Option<Source>,
    /// The consumer group that reads a topic. All runs of one group share its partitions, and a run
    /// continues at the group's offsets
    #[arg(long, value_name = "NAME")]
    pub(super) group: Option<String>,
    /// Stop at the end of the topic instead of waiting for new messages until Ctrl-C or SIGTERM
    #[arg(long)]
    pub(super) until_end: bool,
}

impl Options {
    /// Returns the file of settings.
    pub(super) const fn config(&self) -> Option<&Source> {
        self.kafka_config.as_ref()
    }

    /// Reports whether an option is given that is only for a topic that is read.
    pub(super) const fn is_for_reading(&self) -> bool {
        self.group.is_some() || self.until_end
    }

    /// Returns the configuration of clients of the topic at `path`. The file of settings is read
    /// here once, since it may be a pipe.
    ///
    /// # Errors
    /// If `path` is not a topic, or the file cannot be used.
    pub(super) fn client(&self, path: &Path, patience: Patience) -> Result<Config, Error> {
        let properties = match self.config() {
            None => Properties::default(),
            Some(file) => {
                warn_if_others_read(file, "settings");
                let text = file.read_secret(Properties::LARGEST);
                let text = text.map_err(|error| file.unreadable(&error))?;
                let wrong = |why| format!("the settings in {file} are wrong: {why}");
                Properties::parse(&text).map_err(|why| Error::usage(wrong(why)))?
            }
        };
        Ok(Config {
            topic: topic_of(path)?,
            properties,
            patience,
        })
    }

    /// Returns a writer that sends each line to the topic at `path`. A flush waits until all are
    /// acknowledged; once `is_over` is true, only some seconds more.
    ///
    /// # Errors
    /// If the topic cannot be written to.
    pub(super) fn writer(
        &self,
        path: &Path,
        retry: Duration,
        is_over: Arc<AtomicBool>,
    ) -> Result<Box<dyn Write + Send>, Error> {
        let producer = Producer::start(&self.client(path, Patience::new(retry, is_over))?)
            .map_err(|failure| failed("write", &escape::path(path), &failure))?;
        Ok(Box::new(Lines::new(producer)))
    }
}

/// Parses the address of a topic.
///
/// # Errors
/// If it is not one.
pub(super) fn topic_of(path: &Path) -> Result<pqseal_kafka::Topic, Error> {
    let topic = Topic::of(path);
    let topic =
        topic.ok_or_else(|| Error::usage(format!("{} is not a topic", escape::path(path))))?;
    Ok(pqseal_kafka::Topic {
        brokers: topic.brokers.to_owned(),
        name: topic.name.to_owned(),
    })
}

/// Makes the error that is shown to users.
pub(super) fn failed(doing: &str, address: &str, failure: &Failure) -> Error {
    Error {
        exit: match failure {
            Failure::Setting(_) | Failure::NoGroup => Exit::Usage,
            _ => Exit::Stopped,
        },
        code: failure.code(),
        message: format!("cannot {doing} {address}: {failure}"),
    }
}
