//! How far files were read that have not appeared in this run, or that are gone.

use std::time::{Duration, Instant};

use super::place::{Place, Seen};
use crate::pipeline::Level;

/// How far one file was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    /// What was taken.
    pub(super) place: Place,
    /// The number of the line that begins there.
    pub(super) number: u64,
    /// Whether a line that is too large for a record goes on there.
    pub(super) in_line: bool,
    /// The damage of the last line before that.
    pub(super) doubt: Level,
    /// How many bytes the file had when it was last looked at.
    pub(super) size: u64,
    /// Whether it was removed or renamed, and given up.
    pub(super) is_gone: bool,
}

impl Entry {
    /// Whether the file had more than was taken of it.
    pub(super) const fn has_more(&self) -> bool {
        self.size > self.place.offset
    }
}

/// How long a file that is gone is remembered, for example until its file system is mounted again.
const MEMORY: Duration = Duration::from_secs(3600);
/// How many of those, at most: each note in the state has all of them.
const GONE: usize = 4096;

/// What is known of files that are not there.
pub(super) struct Known {
    /// Those that have not appeared.
    waiting: Vec<Entry>,
    /// Those that are gone, the oldest first, and since when.
    gone: Vec<(Instant, Entry)>,
}

impl Known {
    /// What an earlier run has noted.
    pub(super) fn new(noted: Vec<Entry>) -> Self {
        let (gone, waiting) = noted.into_iter().partition(|entry| entry.is_gone);
        let gone: Vec<Entry> = gone;
        let now = Instant::now();
        Self {
            waiting,
            gone: gone.into_iter().map(|entry| (now, entry)).collect(),
        }
    }

    /// How far this file was read, which is known by its number, or else by its name. One that is
    /// gone is known only by its number, where there are numbers.
    pub(super) fn take(&mut self, file: &Seen) -> Option<Entry> {
        let by_number = |entry: &Entry| entry.place.has_number(file.inode, &file.path);
        let by_name =
            |entry: &Entry| entry.place.has_name(&file.path) && entry.place.is_at(&file.path);
        let waiting = self.waiting.iter().position(by_number);
        let waiting = waiting.or_else(|| self.waiting.iter().position(by_name));
        if let Some(place) = waiting {
            return Some(self.waiting.swap_remove(place));
        }
        let is_it = |entry: &Entry| match entry.place.inode {
            0 => by_name(entry),
            _ => by_number(entry),
        };
        let gone = self.gone.iter().position(|(_, entry)| is_it(entry))?;
        Some(self.gone.remove(gone).1)
    }

    /// Those that have not appeared.
    pub(super) fn take_waiting(&mut self) -> Vec<Entry> {
        std::mem::take(&mut self.waiting)
    }

    /// It may appear later.
    pub(super) fn wait_for(&mut self, entry: Entry) {
        self.waiting.push(entry);
    }

    /// It is gone. It is remembered for a while, so that it is not read again if it comes back.
    pub(super) fn give_up(&mut self, entry: Entry) {
        let now = Instant::now();
        self.gone.push((
            now,
            Entry {
                is_gone: true,
                ..entry
            },
        ));
        self.forget_old(now);
    }

    fn forget_old(&mut self, now: Instant) {
        self.gone
            .retain(|(since, _)| now.duration_since(*since) < MEMORY);
        let surplus = self.gone.len().saturating_sub(GONE);
        self.gone.drain(..surplus);
    }

    /// All that is known.
    pub(super) fn entries(&self) -> impl Iterator<Item = &Entry> {
        let gone = self.gone.iter().map(|(_, entry)| entry);
        self.waiting.iter().chain(gone)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::follow::mark::Mark;

    fn entry(number: u64) -> Entry {
        let place = Place {
            path: "a".into(),
            inode: 1,
            offset: 0,
            mark: Mark::default(),
        };
        Entry {
            place,
            number,
            in_line: false,
            doubt: Level::default(),
            size: 0,
            is_gone: false,
        }
    }

    #[test]
    fn what_is_gone_is_forgotten_in_the_end() {
        let mut known = Known::new(Vec::new());
        known.wait_for(entry(0));
        (1..=GONE as u64 + 2).for_each(|number| known.give_up(entry(number)));
        let numbers: Vec<_> = known.entries().map(|entry| entry.number).collect();
        assert_eq!(
            (numbers.len(), numbers[..2].to_vec()),
            (GONE + 1, vec![0, 3])
        );
        known.forget_old(Instant::now() + MEMORY);
        assert_eq!(known.entries().count(), 1);
    }
}
