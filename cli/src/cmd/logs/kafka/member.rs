//! A member of a consumer group: messages in batches, and commits.

use std::{
    collections::{BTreeMap, BTreeSet},
    thread,
    time::{Duration, Instant},
};

use rdkafka::{
    Message, Offset, TopicPartitionList,
    consumer::{BaseConsumer, CommitMode, Consumer},
    error::KafkaError,
    message::OwnedMessage,
    types::RDKafkaErrorCode as Code,
};
use siem::Limits;

use super::{
    assignment::{Assignment, Start},
    failure::Failure,
    health::Health,
    settings::Settings,
};
use crate::{cmd::logs::topic::Topic, error::warn, escape};

/// Messages of some partitions, in the order of each.
#[derive(Default)]
pub(in crate::cmd::logs) struct Batch {
    messages: BTreeMap<i32, Vec<OwnedMessage>>,
    count: usize,
    bytes: usize,
}

/// A member of a group.
pub(in crate::cmd::logs) struct Member {
    consumer: BaseConsumer<Assignment>,
    health: Health,
    topic: String,
    retry: Duration,
    partitions: usize,
    /// Those of this member; `None` before the group has decided.
    assigned: Option<BTreeSet<i32>>,
    /// Those of them that were read to their ends.
    ended: BTreeSet<i32>,
}

/// How long to wait for a first message, before a signal is looked for.
const WAIT: Duration = Duration::from_millis(100);
/// How long a pause ends a batch.
const PAUSE: Duration = Duration::from_millis(50);
/// How old a batch gets, where messages come slowly but do not pause.
const AGE: Duration = Duration::from_millis(250);

/// What the file of settings may change.
const DEFAULTS: [(&str, &str); 4] = [
    // Instead of going on elsewhere without a word, when the group's place in the topic is gone.
    ("auto.offset.reset", "error"),
    // How much is fetched before it is asked for, in KiB.
    ("queued.max.messages.kbytes", "32768"),
    ("allow.auto.create.topics", "false"),
    // A member that was killed gives up its partitions after this time, in milliseconds.
    ("session.timeout.ms", "45000"),
];
const FIXED: [(&str, &str); 3] = [
    ("enable.auto.commit", "false"),
    ("enable.auto.offset.store", "false"),
    ("enable.partition.eof", "true"),
];

impl Batch {
    /// The messages of each partition.
    pub(in crate::cmd::logs) fn iter(&self) -> impl Iterator<Item = (i32, &[OwnedMessage])> {
        let all = self.messages.iter();
        all.map(|(partition, messages)| (*partition, messages.as_slice()))
    }

    pub(in crate::cmd::logs) const fn is_empty(&self) -> bool {
        self.count == 0
    }

    fn add(&mut self, message: OwnedMessage) {
        self.count += 1;
        self.bytes += message.payload().map_or(0, <[u8]>::len);
        let partition = self.messages.entry(message.partition());
        partition.or_default().push(message);
    }

    /// Leaves out the messages of partitions that are another member's.
    fn drop(&mut self, partitions: &BTreeSet<i32>) {
        let lost = |partition: &i32| partitions.contains(partition);
        let dropped = self.messages.extract_if(.., |partition, _| lost(partition));
        self.count -= dropped.map(|(_, messages)| messages.len()).sum::<usize>();
    }

    fn is_full(&self, limits: Limits) -> bool {
        self.count >= limits.batch_records
            || self.bytes >= limits.batch_bytes
            || (limits.prompt && self.count > 0)
    }
}

impl Member {
    /// Joins the group, after it is known that the topic is there.
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
            .create_with_context(Assignment::new(health.clone(), start))
            .map_err(|error| Failure::of(&error))?;
        // Before it has joined there are no messages, only events.
        let serve = || drop(consumer.poll(Duration::ZERO));
        let retry = settings.retry;
        let partitions = health.partitions(consumer.client(), topic.name, retry, serve)?;
        let joined = consumer.subscribe(&[topic.name]);
        joined.map_err(|error| Failure::of(&error))?;
        Ok(Self {
            consumer,
            health,
            topic: topic.name.to_owned(),
            retry,
            partitions,
            assigned: None,
            ended: BTreeSet::new(),
        })
    }

    /// The next messages; none if there are none for now.
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
            self.rebalance(&mut batch)?;
            match next {
                None => break,
                Some(Ok(message)) => {
                    self.ended.remove(&message.partition());
                    batch.add(message);
                    if was_empty {
                        begun = Instant::now();
                    }
                }
                Some(Err(KafkaError::PartitionEOF(partition))) => {
                    self.ended.insert(partition);
                    break;
                }
                Some(Err(error)) => self.failed(&error)?,
            }
        }
        if batch.is_empty() {
            let client = self.consumer.client();
            self.health.check(client, &self.topic, self.retry)?;
        }
        Ok(batch)
    }

    /// How many partitions the topic has.
    pub(in crate::cmd::logs) const fn partitions(&self) -> usize {
        self.partitions
    }

    /// Whether this member has read all of its partitions to their ends.
    pub(in crate::cmd::logs) fn is_at_end(&self) -> bool {
        let assigned = self.assigned.as_ref();
        assigned.is_some_and(|assigned| assigned.is_subset(&self.ended))
    }

    fn rebalance(&mut self, batch: &mut Batch) -> Result<(), Failure> {
        let changes = self.consumer.context().take()?;
        if !changes.revoked.is_empty() {
            batch.drop(&changes.revoked);
            self.assigned = None;
            self.ended.retain(|ended| !changes.revoked.contains(ended));
        }
        if changes.assigned.is_some() {
            self.assigned = changes.assigned;
        }
        Ok(())
    }

    /// Most failures pass; `health` says when they do not.
    fn failed(&self, error: &KafkaError) -> Result<(), Failure> {
        self.health.refusal()?;
        match (error, Failure::of(error)) {
            (KafkaError::MessageConsumptionFatal(_), failure) => Err(failure),
            (_, failure @ (Failure::Refused(_) | Failure::NoTopic(_) | Failure::NoPlace)) => {
                Err(failure)
            }
            _ => Ok(()),
        }
    }

    /// Commits that all of the batch is done.
    ///
    /// # Errors
    /// If the brokers are gone for too long.
    pub(in crate::cmd::logs) fn commit(&self, batch: &Batch) -> Result<(), Failure> {
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
        loop {
            let Err(error) = self.consumer.commit(&offsets, CommitMode::Sync) else {
                return Ok(());
            };
            match error.rdkafka_error_code() {
                Some(code) if is_lost(code) => {
                    self.repeated(batch);
                    return Ok(());
                }
                Some(code) if is_passing(code) && begun.elapsed() < self.retry => {
                    thread::sleep(WAIT);
                }
                Some(code) if is_passing(code) => {
                    return Err(self.health.unreachable(begun.elapsed()));
                }
                _ => return Err(Failure::of(&error)),
            }
        }
    }

    fn repeated(&self, batch: &Batch) {
        let topic = escape::bytes(self.topic.as_bytes());
        warn(
            "uncommitted",
            format_args!(
                "the group has given partitions of {topic} to other members before {} records that are delivered were committed; those come again",
                batch.count
            ),
        );
    }
}

/// Whether the group went on without this member.
const fn is_lost(code: Code) -> bool {
    matches!(
        code,
        Code::UnknownMemberId
            | Code::IllegalGeneration
            | Code::RebalanceInProgress
            | Code::AssignmentLost
            | Code::StaleMemberEpoch
    )
}

/// Whether a commit may pass a little later.
const fn is_passing(code: Code) -> bool {
    matches!(
        code,
        Code::BrokerTransportFailure
            | Code::AllBrokersDown
            | Code::OperationTimedOut
            | Code::MessageTimedOut
            | Code::RequestTimedOut
            | Code::WaitingForCoordinator
            | Code::CoordinatorNotAvailable
            | Code::CoordinatorLoadInProgress
            | Code::NotCoordinator
            | Code::NetworkException
    )
}

#[cfg(test)]
mod tests {
    use rdkafka::Timestamp;

    use super::*;

    #[test]
    fn what_another_member_gets_is_left_out() {
        let mut batch = Batch::default();
        for (partition, offset) in [(0, 7), (1, 3), (0, 8), (2, 1)] {
            let value = Some(vec![b'x'; 10]);
            let (topic, time) = ("t".to_owned(), Timestamp::NotAvailable);
            let message = OwnedMessage::new(value, None, topic, time, partition, offset, None);
            batch.add(message);
        }
        batch.drop(&BTreeSet::from([0, 5]));
        let left: Vec<_> = batch
            .iter()
            .map(|(partition, messages)| (partition, messages[0].offset()))
            .collect();
        assert_eq!((left, batch.count), (vec![(1, 3), (2, 1)], 2));
        batch.drop(&BTreeSet::from([1, 2]));
        assert!(batch.is_empty());
    }
}
