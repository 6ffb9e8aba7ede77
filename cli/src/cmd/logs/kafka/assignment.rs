//! The assignment of partitions to a member, which changes while it reads.

use std::{
    collections::BTreeSet,
    mem,
    sync::{Mutex, MutexGuard, OnceLock, PoisonError},
    time::{Duration, Instant},
};

use rdkafka::{
    ClientContext, Offset, TopicPartitionList,
    config::RDKafkaLogLevel,
    consumer::{BaseConsumer, CommitMode, Consumer, ConsumerContext, Rebalance},
    error::{KafkaError, KafkaResult},
};

use super::{failure::Failure, health::Health, patience::Patience, retry::repeat};

/// The position at which a partition begins that the group has never read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cmd::logs) enum Start {
    /// The first message that exists.
    First,
    /// After the last message. A partition that was added since begins at its first message,
    /// because all its messages are new.
    End,
}

impl Start {
    /// Returns the start of a partition, of a topic that had `partitions` when the run began.
    fn of(self, partition: i32, partitions: usize) -> Self {
        match usize::try_from(partition) {
            Ok(number) if number < partitions => self,
            _ => Self::First,
        }
    }
}

/// The client's context, which it calls with new partitions while messages are waited for.
pub(super) struct Assignment {
    health: Health,
    start: Start,
    /// The number of partitions that the topic had when the run began.
    partitions: OnceLock<usize>,
    patience: Patience,
    changes: Mutex<Changes>,
}

/// The changes since the last [`Assignment::take`].
#[derive(Default)]
pub(super) struct Changes {
    /// Partitions that belong to another member now, or will.
    pub(super) revoked: BTreeSet<i32>,
    /// The partitions of this member, once the group has assigned them.
    pub(super) assigned: Option<BTreeSet<i32>>,
    pub(super) failed: Option<Failure>,
}

/// The longest wait for an answer about offsets.
const QUESTION: Duration = Duration::from_secs(10);

impl Assignment {
    pub(super) fn new(health: Health, start: Start, patience: Patience) -> Self {
        Self {
            health,
            start,
            partitions: OnceLock::new(),
            patience,
            changes: Mutex::default(),
        }
    }

    /// Sets the number of partitions of the topic, before the group is joined.
    pub(super) fn begin(&self, partitions: usize) {
        self.partitions.get_or_init(|| partitions);
    }

    /// Takes the changes since the last call.
    ///
    /// # Errors
    /// If the first offsets of new partitions could not be set.
    pub(super) fn take(&self) -> Result<Changes, Failure> {
        let changes = mem::take(&mut *self.changes());
        match changes.failed {
            Some(failure) => Err(failure),
            None => Ok(changes),
        }
    }

    fn changes(&self) -> MutexGuard<'_, Changes> {
        self.changes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Commits the start of partitions that the group has never read. Otherwise a group that starts
    /// at the end would miss messages between now and its first commit, if it is interrupted.
    fn pin(&self, consumer: &BaseConsumer<Self>, given: &TopicPartitionList) -> KafkaResult<()> {
        let known = consumer.committed_offsets(given.clone(), QUESTION)?;
        let mut starts = TopicPartitionList::new();
        for new in known.elements() {
            // Without an answer there is no offset either.
            new.error()?;
            if new.offset() != Offset::Invalid {
                continue;
            }
            let (topic, partition) = (new.topic(), new.partition());
            let (first, end) = consumer.fetch_watermarks(topic, partition, QUESTION)?;
            let partitions = self.partitions.get().copied().unwrap_or_default();
            let start = match self.start.of(partition, partitions) {
                Start::First => first,
                Start::End => end,
            };
            starts.add_partition_offset(topic, partition, Offset::Offset(start))?;
        }
        match starts.count() {
            0 => Ok(()),
            _ => consumer.commit(&starts, CommitMode::Sync),
        }
    }
}

impl ConsumerContext for Assignment {
    fn pre_rebalance(&self, consumer: &BaseConsumer<Self>, rebalance: &Rebalance<'_>) {
        match rebalance {
            Rebalance::Assign(given) => {
                let begun = Instant::now();
                let pinned = repeat(&self.patience, || self.pin(consumer, given));
                let failed = |error| self.health.gave_up(&error, begun.elapsed(), &self.patience);
                self.changes().failed = pinned.err().map(failed);
            }
            Rebalance::Revoke(taken) => {
                let mut changes = self.changes();
                changes.revoked.extend(partitions(taken));
                changes.assigned = None;
            }
            Rebalance::Error(error) => self.changes().failed = Some(Failure::of(error)),
        }
    }

    fn post_rebalance(&self, consumer: &BaseConsumer<Self>, rebalance: &Rebalance<'_>) {
        if matches!(rebalance, Rebalance::Assign(_)) {
            // A cooperative strategy reports only the new ones.
            let all = consumer.assignment();
            self.changes().assigned = all.ok().map(|all| partitions(&all).collect());
        }
    }
}

fn partitions(list: &TopicPartitionList) -> impl Iterator<Item = i32> {
    let partitions: Vec<_> = list
        .elements()
        .iter()
        .map(|each| each.partition())
        .collect();
    partitions.into_iter()
}

impl ClientContext for Assignment {
    fn log(&self, level: RDKafkaLogLevel, facility: &str, message: &str) {
        self.health.log(level, facility, message);
    }

    fn error(&self, error: KafkaError, reason: &str) {
        self.health.error(error, reason);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn partitions_that_are_added_are_read_from_their_first_message() {
        for (partition, start) in [(0, Start::End), (5, Start::End), (6, Start::First)] {
            assert_eq!(Start::End.of(partition, 6), start, "{partition}");
            assert_eq!(Start::First.of(partition, 6), Start::First, "{partition}");
        }
    }
}
