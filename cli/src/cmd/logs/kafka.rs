//! Topics of Apache Kafka in place of files, by librdkafka.
//!
//! | module | does |
//! |---|---|
//! | `asked` | the options that are for topics |
//! | `settings` | the client's settings: defaults, and a file of properties |
//! | `health` | the errors of the client's own threads, and the decision to stop |
//! | `member` | a member of a consumer group: messages in batches, and commits |
//! | `batch` | messages that are processed, and committed, together |
//! | `assignment` | the partitions of a member, and the positions at which they begin |
//! | `share` | the partitions of a member, and those that are read to their ends |
//! | `commits` | commits, on a separate thread |
//! | `retry` | requests that are repeated |
//! | `patience` | the time that brokers are waited for, also after a signal |
//! | `producer` | sends messages, and waits until all are acknowledged |
//! | `lines` | the lines of a stream as messages |
//! | `failure` | describes a failure |
//!
//! An offset is committed after the results of its message are acknowledged or on the disk.
//! Partitions are only revoked while the next messages are waited for, and by then everything that
//! was processed is committed. Messages that a member has received and not processed are dropped
//! with their partition, and its next owner receives them again. So a rebalance loses nothing, and
//! repeats nothing.

mod asked;
mod assignment;
mod batch;
mod commits;
mod failure;
mod health;
mod lines;
mod member;
mod patience;
mod producer;
mod retry;
mod settings;
mod share;
#[cfg(test)]
mod tests;

use std::{
    io::Write,
    path::Path,
    sync::{Arc, atomic::AtomicBool},
    time::Duration,
};

use clap::Args;

use super::topic::Topic;
use crate::{error::Error, escape, input::Source};

pub(super) use asked::{framing, reads_topic};
pub(super) use assignment::Start;
pub(super) use batch::Batch;
pub(super) use failure::Failure;
pub(super) use member::Member;
pub(super) use patience::Patience;
pub(super) use producer::Producer;
pub(super) use settings::Settings;

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
    group: Option<String>,
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

    /// Returns the settings of all clients of a run. They are read once, since the file may be a
    /// pipe.
    ///
    /// # Errors
    /// If the file cannot be read, or sets a property that it must not set.
    pub(super) fn settings(&self, patience: Patience) -> Result<Settings, Failure> {
        Settings::read(self.config(), patience)
    }

    /// Joins the group to read this topic.
    ///
    /// # Errors
    /// If the topic cannot be read.
    pub(super) fn join(
        &self,
        settings: &Settings,
        topic: Topic<'_>,
        start: Start,
    ) -> Result<Member, Failure> {
        Member::join(settings, topic, self.group.as_deref(), start)
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
        let producer = self
            .settings(Patience::new(retry, is_over))
            .and_then(|settings| start(path, &settings));
        let producer = producer.map_err(|failure| failure.on(&escape::path(path), "write"))?;
        Ok(Box::new(lines::Lines::new(producer)))
    }
}

/// Starts a producer for the topic at `path`.
///
/// # Errors
/// If that is not possible.
pub(super) fn start(path: &Path, settings: &Settings) -> Result<Producer, Failure> {
    let topic = Topic::of(path).ok_or_else(|| Failure::NoTopic(escape::path(path)))?;
    Producer::start(settings, topic)
}
