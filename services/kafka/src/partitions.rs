//! The partitions of a member, which change while it reads.

use std::{
    collections::BTreeSet,
    time::{Duration, Instant},
};

/// The position at which a partition begins that the group has never read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// The first message that exists.
    First,
    /// After the last message. A partition that was added since begins at its first message,
    /// because all its messages are new.
    End,
}

impl Start {
    /// Returns the start of a partition, of a topic that had `partitions` when the run began.
    pub(crate) fn of(self, partition: i32, partitions: usize) -> Self {
        match usize::try_from(partition) {
            Ok(number) if number < partitions => self,
            _ => Self::First,
        }
    }
}

/// The partitions that the group has assigned to this member.
#[derive(Debug, Default)]
pub(crate) struct Share {
    /// `None` before the group has assigned any.
    assigned: Option<BTreeSet<i32>>,
    /// The partitions that have no more messages for now.
    pub(crate) ended: BTreeSet<i32>,
    /// Partitions that belong to another member now, or will, and whose messages are not dropped
    /// yet.
    pub(crate) revoked: BTreeSet<i32>,
    /// The time since which the group has had no partition for this member.
    without: Option<Instant>,
}

/// The time after which a member without partitions is at its end. With a cooperative strategy a
/// new member is first assigned none: the owners hear of it with a heartbeat, give partitions up,
/// and then both sides join again.
const HANDOVER: Duration = Duration::from_secs(10);

impl Share {
    /// Records that the group has taken these partitions.
    pub(crate) fn revoke(&mut self, partitions: BTreeSet<i32>) {
        if !partitions.is_empty() {
            self.assigned = None;
        }
        self.ended.retain(|ended| !partitions.contains(ended));
        self.revoked.extend(partitions);
    }

    /// Records that the group has assigned these partitions, and no others.
    pub(crate) fn assign(&mut self, partitions: BTreeSet<i32>, now: Instant) {
        self.without = match partitions.is_empty() {
            true => self.without.or(Some(now)),
            false => None,
        };
        self.assigned = Some(partitions);
    }

    /// Reports whether all partitions were read to their ends, or there have been none for some
    /// seconds.
    pub(crate) fn is_at_end(&self, now: Instant) -> bool {
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
    use super::*;

    #[test]
    fn partitions_that_are_added_are_read_from_their_first_message() {
        for (partition, start) in [(0, Start::End), (5, Start::End), (6, Start::First)] {
            assert_eq!(Start::End.of(partition, 6), start, "{partition}");
            assert_eq!(Start::First.of(partition, 6), Start::First, "{partition}");
        }
    }

    #[test]
    fn the_end_is_that_of_all_partitions() {
        let (mut share, now) = (Share::default(), Instant::now());
        assert!(!share.is_at_end(now));
        share.assign([0, 1].into(), now);
        share.ended.insert(0);
        assert!(!share.is_at_end(now));
        share.ended.insert(1);
        assert!(share.is_at_end(now));
        share.ended.remove(&0);
        assert!(!share.is_at_end(now));
        share.ended.insert(0);
        share.revoke([0].into());
        assert!(!share.is_at_end(now));
        share.assign([1].into(), now);
        assert!(share.is_at_end(now));
        share.assign([0, 1].into(), now);
        assert!(!share.is_at_end(now));
    }

    #[test]
    fn a_member_without_partitions_waits_for_some() {
        let (mut share, now) = (Share::default(), Instant::now());
        share.assign([].into(), now);
        assert!(!share.is_at_end(now));
        // Another rebalance without partitions does not restart the time.
        let later = now + HANDOVER;
        share.assign([].into(), later);
        assert!(share.is_at_end(later));
        share.assign([3].into(), later);
        assert!(!share.is_at_end(later));
        share.ended.insert(3);
        assert!(share.is_at_end(later));
    }
}
