//! The positions in files that have not appeared in this run, or that are gone.

use std::time::{Duration, Instant};

use super::place::{Place, Seen};
use crate::pipeline::Level;

/// The position that one file was read to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    /// The end of the part that was processed.
    pub(super) place: Place,
    /// The number of the line that begins there.
    pub(super) number: u64,
    /// Set if the position is inside a line that is too large for a record.
    pub(super) in_line: bool,
    /// The damage of the line before the position.
    pub(super) doubt: Level,
    /// The size of the file in bytes when it was last looked at.
    pub(super) size: u64,
    /// Set if the file was removed or renamed, and given up.
    pub(super) is_gone: bool,
}

impl Entry {
    /// Reports whether the file had more data than was processed.
    pub(super) const fn has_more(&self) -> bool {
        self.size > self.place.offset
    }
}

/// The time for which a removed file is remembered, for example until its file system is mounted
/// again.
const MEMORY: Duration = Duration::from_secs(3600);
/// The maximum number of such files, since each write of the state includes all of them.
const GONE: usize = 4096;

/// The known positions in files that do not exist.
pub(super) struct Known {
    /// The files that have not appeared.
    waiting: Vec<Entry>,
    /// The files that are gone, oldest first, with the time of their removal.
    gone: Vec<(Instant, Entry)>,
}

impl Known {
    /// Creates the list from the entries of an earlier run.
    pub(super) fn new(noted: Vec<Entry>) -> Self {
        let (gone, waiting) = noted.into_iter().partition(|entry| entry.is_gone);
        let gone: Vec<Entry> = gone;
        let now = Instant::now();
        Self {
            waiting,
            gone: gone.into_iter().map(|entry| (now, entry)).collect(),
        }
    }

    /// Takes the entry of this file, found by its inode number, or else by its name. A file that
    /// is gone is found only by its number, on systems that have numbers.
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

    /// Takes the files that have not appeared.
    pub(super) fn take_waiting(&mut self) -> Vec<Entry> {
        std::mem::take(&mut self.waiting)
    }

    /// Adds a file that may appear later.
    pub(super) fn wait_for(&mut self, entry: Entry) {
        self.waiting.push(entry);
    }

    /// Adds a file that is gone. It is remembered for a while, so that it is not read again if it
    /// comes back.
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

    /// Returns all entries.
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
