//! Messages that are processed, and committed, together.

use std::collections::{BTreeMap, BTreeSet};

use pqseal_pipeline::Limits;
use rdkafka::{Message, message::OwnedMessage};

/// Messages of some partitions, in the order of each.
#[derive(Default)]
pub(in crate::cmd::logs) struct Batch {
    messages: BTreeMap<i32, Vec<OwnedMessage>>,
    pub(super) count: usize,
    bytes: usize,
}

impl Batch {
    /// Iterates over the messages of each partition.
    pub(in crate::cmd::logs) fn iter(&self) -> impl Iterator<Item = (i32, &[OwnedMessage])> {
        let all = self.messages.iter();
        all.map(|(partition, messages)| (*partition, messages.as_slice()))
    }

    pub(in crate::cmd::logs) const fn is_empty(&self) -> bool {
        self.count == 0
    }

    pub(super) fn add(&mut self, message: OwnedMessage) {
        self.count += 1;
        self.bytes += message.payload().map_or(0, <[u8]>::len);
        let partition = self.messages.entry(message.partition());
        partition.or_default().push(message);
    }

    /// Removes the messages of partitions that belong to another member.
    pub(super) fn drop(&mut self, partitions: &BTreeSet<i32>) {
        let lost = |partition: &i32| partitions.contains(partition);
        let dropped = self.messages.extract_if(.., |partition, _| lost(partition));
        self.count -= dropped.map(|(_, messages)| messages.len()).sum::<usize>();
    }

    pub(super) fn is_full(&self, limits: Limits) -> bool {
        self.count >= limits.batch_records
            || self.bytes >= limits.batch_bytes
            || (limits.prompt && self.count > 0)
    }
}
