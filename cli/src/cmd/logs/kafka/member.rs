//! A member of a consumer group: reads messages in batches, and commits.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use pqseal_pipeline::Limits;
use rdkafka::{
    Message, Offset, TopicPartitionList,
    consumer::{BaseConsumer, Consumer},
    error::KafkaError,
    types::RDKafkaErrorCode as Code,
};

use super::{
    assignment::{Assignment, Start},
    batch::Batch,
    commits::Commits,
    failure::{Failure, is_unreadable},
    health::Health,
    patience::Patience,
    retry::{is_lost, is_passing, repeat},
    settings::Settings,
    share::Share,
};
use crate::{
    cmd::logs::topic::Topic,
    error::warn,
    escape::{self, words},
};

/// A member of a consumer group.
pub(in crate::cmd::logs) struct Member {
    /// Dropped before the consumer, which it uses.
    commits: Commits,
    consumer: Arc<BaseConsumer<Assignment>>,
    health: Health,
    topic: String,
    patience: Patience,
    partitions: usize,
    share: Share,
    /// The errors that were reported, once each.
    warned: Vec<Code>,
}

/// The longest wait for a first message before signals are checked.
const WAIT: Duration = Duration::from_millis(100);
/// The length of a pause that ends a batch.
const PAUSE: Duration = Duration::from_millis(50);
/// The age that ends a batch, if messages come slowly but do not pause.
const AGE: Duration = Duration::from_millis(250);

/// The properties that the file of settings may change.
const DEFAULTS: [(&str, &str); 3] = [
    // If the group's offset no longer exists, fail instead of silently continuing elsewhere.
    ("auto.offset.reset", "error"),
    // The size of the prefetched messages, in KiB.
    ("queued.max.messages.kbytes", "32768"),
    ("allow.auto.create.topics", "false"),
];
const FIXED: [(&str, &str); 3] = [
    ("enable.auto.commit", "false"),
    ("enable.auto.offset.store", "false"),
    ("enable.partition.eof", "true"),
];

impl Member {
    /// Joins the group, after it is known that the topic exists.
    pub(super) fn join(
        settings: &Settings,
        topic: Topic<'_>,
        group: Option<&str>,
        start: Start,
    ) -> Result<Self, Failure> {
        let group = group.or_else(|| settings.get("group.id"));
        let group = group.ok_or(Failure::NoGroup)?;
        let mut fixed = FIXED.to_vec();
        fixed.push(("group.id", group));
        let config = settings.client(topic.brokers, &DEFAULTS, &fixed);
        let health = Health::default();
        let consumer: BaseConsumer<Assignment> = config
            .create_with_context(Assignment::new(
                health.clone(),
                start,
                settings.patience.clone(),
            ))
            .map_err(|error| Failure::of(&error))?;
        // Before the member has joined there are no messages, only events.
        let serve = || drop(consumer.poll(Duration::ZERO));
        let patience = settings.patience.clone();
        let partitions = health.partitions(consumer.client(), topic.name, &patience, serve)?;
        consumer.context().begin(partitions);
        let joined = consumer.subscribe(&[topic.name]);
        joined.map_err(|error| Failure::of(&error))?;
        let consumer = Arc::new(consumer);
        let commits = Commits::start(Arc::clone(&consumer));
        Ok(Self {
            commits: commits.map_err(|error| Failure::Other(error.to_string()))?,
            consumer,
            health,
            topic: topic.name.to_owned(),
            patience,
            partitions,
            share: Share::default(),
            warned: Vec::new(),
        })
    }

    /// Takes the next messages; the batch is empty if there are none for now.
    ///
    /// # Errors
    /// If the brokers are gone for too long, or refuse this client.
    pub(in crate::cmd::logs) fn take(&mut self, limits: Limits) -> Result<Batch, Failure> {
        let mut batch = Batch::default();
        let mut begun = Instant::now();
        while !batch.is_full(limits) && (batch.is_empty() || begun.elapsed() < AGE) {
            let was_empty = batch.is_empty();
            let wait = if was_empty { WAIT } else { PAUSE };
            let next = self
                .consumer
                .poll(wait)
                .map(|next| next.map(|next| next.detach()));
            let changes = self.consumer.context().take()?;
            self.share.change(changes, &mut batch, Instant::now());
            match next {
                None => break,
                Some(Ok(message)) => {
                    self.health.is_up();
                    self.share.goes_on(message.partition());
                    batch.add(message);
                    if was_empty {
                        begun = Instant::now();
                    }
                }
                Some(Err(KafkaError::PartitionEOF(partition))) => {
                    self.share.ends(partition);
                    break;
                }
                Some(Err(error)) => self.failed(&error)?,
            }
        }
        if batch.is_empty() {
            let client = self.consumer.client();
            self.health
                .check(client, &self.topic, self.patience.retry)?;
        }
        Ok(batch)
    }

    /// Returns the number of partitions of the topic.
    pub(in crate::cmd::logs) const fn partitions(&self) -> usize {
        self.partitions
    }

    /// Reports whether this member has read all of its partitions to their ends.
    pub(in crate::cmd::logs) fn is_at_end(&self) -> bool {
        self.share.is_at_end(Instant::now())
    }

    /// Handles an error of the client. An error that is permanent, or skips messages, ends the run.
    /// For other errors, `health` decides when brokers were away for too long.
    fn failed(&mut self, error: &KafkaError) -> Result<(), Failure> {
        self.health.refusal()?;
        let failure = Failure::of(error);
        match error.rdkafka_error_code() {
            Some(code) if is_unreadable(code) => {
                let reason = self.health.reason();
                Err(Failure::Unreadable(
                    reason.unwrap_or_else(|| words(&error.to_string())),
                ))
            }
            _ if matches!(error, KafkaError::MessageConsumptionFatal(_)) || failure.is_final() => {
                Err(failure)
            }
            Some(code) if !is_passing(code) && !is_lost(code) => {
                self.warn(code);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn warn(&mut self, code: Code) {
        if self.warned.contains(&code) {
            return;
        }
        self.warned.push(code);
        let topic = escape::bytes(self.topic.as_bytes());
        let reason = self.health.reason();
        let reason = reason.unwrap_or_else(|| words(&code.to_string()));
        warn(
            "kafka",
            format_args!(
                "reading {topic}: {reason}; reading continues, and later errors of this kind are not reported"
            ),
        );
    }

    /// Commits the offsets after the batch.
    ///
    /// # Errors
    /// If the brokers are gone for too long, or for some seconds after a signal.
    pub(in crate::cmd::logs) fn commit(&mut self, batch: &Batch) -> Result<(), Failure> {
        let mut offsets = TopicPartitionList::new();
        for (partition, messages) in batch.iter() {
            let Some(last) = messages.last() else {
                continue;
            };
            let next = Offset::Offset(last.offset() + 1);
            let added = offsets.add_partition_offset(&self.topic, partition, next);
            added.map_err(|error| Failure::of(&error))?;
        }
        let begun = Instant::now();
        let commit = || self.commits.commit(&offsets, &self.patience);
        let Err(error) = repeat(&self.patience, commit) else {
            return Ok(());
        };
        match error.rdkafka_error_code() {
            Some(code) if is_lost(code) => {
                self.repeated(batch);
                Ok(())
            }
            _ => Err(self.health.gave_up(&error, begun.elapsed(), &self.patience)),
        }
    }

    fn repeated(&self, batch: &Batch) {
        let topic = escape::bytes(self.topic.as_bytes());
        warn(
            "uncommitted",
            format_args!(
                "partitions of {topic} went to other members of the group before {} delivered records were committed; these will be delivered again",
                batch.count
            ),
        );
    }
}

#[cfg(test)]
impl Member {
    /// Replaces the patience.
    pub(super) fn end(&mut self, patience: Patience) {
        self.patience = patience;
    }

    /// Returns the committed offset of the group in a partition.
    pub(super) fn committed(&self, partition: i32) -> Offset {
        let mut asked = TopicPartitionList::new();
        asked.add_partition(&self.topic, partition);
        let found = self
            .consumer
            .committed_offsets(asked, self.patience.retry)
            .unwrap();
        found.elements()[0].offset()
    }
}
