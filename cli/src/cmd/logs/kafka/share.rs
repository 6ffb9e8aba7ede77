//! The partitions of a member, and which of them it has read to their ends.

use std::{
    collections::BTreeSet,
    time::{Duration, Instant},
};

use super::{assignment::Changes, batch::Batch};

/// The partitions that the group has assigned to this member.
#[derive(Default)]
pub(super) struct Share {
    /// `None` before the group has assigned any.
    assigned: Option<BTreeSet<i32>>,
    /// The partitions that were read to their ends.
    ended: BTreeSet<i32>,
    /// The time since which the group has had no partition for this member.
    without: Option<Instant>,
}

/// The time after which a member without partitions is at its end. With a cooperative strategy a
/// new member is first assigned none: the owners hear of it with a heartbeat, give partitions up,
/// and then both sides join again.
const HANDOVER: Duration = Duration::from_secs(10);

impl Share {
    /// Applies changes. Messages of revoked partitions are removed from the batch.
    pub(super) fn change(&mut self, changes: Changes, batch: &mut Batch, now: Instant) {
        if !changes.revoked.is_empty() {
            batch.drop(&changes.revoked);
            self.assigned = None;
            self.ended.retain(|ended| !changes.revoked.contains(ended));
        }
        if let Some(assigned) = changes.assigned {
            self.without = match assigned.is_empty() {
                true => self.without.or(Some(now)),
                false => None,
            };
            self.assigned = Some(assigned);
        }
    }

    /// Records that a message of this partition has come.
    pub(super) fn goes_on(&mut self, partition: i32) {
        self.ended.remove(&partition);
    }

    /// Records that this partition has no more messages for now.
    pub(super) fn ends(&mut self, partition: i32) {
        self.ended.insert(partition);
    }

    /// Reports whether all partitions were read to their ends, or there have been none for some
    /// seconds.
    pub(super) fn is_at_end(&self, now: Instant) -> bool {
        let Some(assigned) = &self.assigned else {
            return false;
        };
        match self.without {
            Some(since) if assigned.is_empty() => now.duration_since(since) >= HANDOVER,
            _ => assigned.is_subset(&self.ended),
        }
    }
}

#[cfg(test)]
mod tests {
    use rdkafka::{Timestamp, message::OwnedMessage};

    use super::*;

    fn changes<const R: usize>(revoked: [i32; R], assigned: Option<BTreeSet<i32>>) -> Changes {
        Changes {
            revoked: revoked.into(),
            assigned,
            ..Changes::default()
        }
    }

    fn batch() -> Batch {
        let mut batch = Batch::default();
        for (partition, offset) in [(0, 7), (1, 3), (0, 8), (2, 1)] {
            let value = Some(vec![b'x'; 10]);
            let (topic, time) = ("t".to_owned(), Timestamp::NotAvailable);
            let message = OwnedMessage::new(value, None, topic, time, partition, offset, None);
            batch.add(message);
        }
        batch
    }

    #[test]
    fn what_another_member_gets_is_left_out() {
        let (mut share, mut batch, now) = (Share::default(), batch(), Instant::now());
        share.change(changes([0, 5], None), &mut batch, now);
        let left = batch.iter();
        let left: Vec<_> = left.map(|(number, all)| (number, all.len())).collect();
        assert_eq!((left, batch.count), (vec![(1, 1), (2, 1)], 2));
        share.change(changes([], Some([1, 2].into())), &mut batch, now);
        assert_eq!(batch.count, 2);
        share.change(changes([1, 2], None), &mut batch, now);
        assert!(batch.is_empty());
    }

    #[test]
    fn the_end_is_that_of_all_partitions() {
        let (mut share, mut batch, now) = (Share::default(), Batch::default(), Instant::now());
        assert!(!share.is_at_end(now));
        share.change(changes([], Some([0, 1].into())), &mut batch, now);
        share.ends(0);
        assert!(!share.is_at_end(now));
        share.ends(1);
        assert!(share.is_at_end(now));
        share.goes_on(0);
        assert!(!share.is_at_end(now));
        share.ends(0);
        share.change(changes([0], None), &mut batch, now);
        assert!(!share.is_at_end(now));
        share.change(changes([], Some([1].into())), &mut batch, now);
        assert!(share.is_at_end(now));
    }

    #[test]
    fn a_member_without_partitions_waits_for_some() {
        let (mut share, mut batch, now) = (Share::default(), Batch::default(), Instant::now());
        share.change(changes([], Some(BTreeSet::new())), &mut batch, now);
        assert!(!share.is_at_end(now));
        // Another rebalance without partitions does not restart the time.
        let later = now + HANDOVER;
        share.change(changes([], Some(BTreeSet::new())), &mut batch, later);
        assert!(share.is_at_end(later));
        share.change(changes([], Some([3].into())), &mut batch, later);
        assert!(!share.is_at_end(later));
        share.ends(3);
        assert!(share.is_at_end(later));
    }
}
