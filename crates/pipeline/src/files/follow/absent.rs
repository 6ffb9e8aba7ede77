//! The positions in files that have not appeared in this run, or that are gone.

use std::time::{Duration, Instant};

use super::{FileProgress, ListedFile};

/// The time for which a removed file is remembered, for example until its file system is mounted
/// again.
const MEMORY: Duration = Duration::from_secs(3600);
/// The maximum number of such files, since each write of the state includes all of them.
const GONE: usize = 4096;

/// The known positions in files that do not exist.
pub(super) struct AbsentFiles {
    /// The files that have not appeared.
    waiting: Vec<FileProgress>,
    /// The files that are gone, oldest first, with the time of their removal.
    gone: Vec<(Instant, FileProgress)>,
}

impl AbsentFiles {
    /// Creates the list from the entries of an earlier run.
    pub(super) fn new(noted: Vec<FileProgress>) -> Self {
        let (gone, waiting) = noted.into_iter().partition(|entry| entry.is_gone);
        let gone: Vec<FileProgress> = gone;
        let now = Instant::now();
        Self {
            waiting,
            gone: gone.into_iter().map(|entry| (now, entry)).collect(),
        }
    }

    /// Takes the entry of this file, found by its inode number, or else by its name. A file that
    /// is gone is found only by its number, on systems that have numbers.
    pub(super) fn take(&mut self, file: &ListedFile) -> Option<FileProgress> {
        let mut waiting = self.waiting.iter();
        let by_number = waiting.position(|known| known.position.has_number_of(file));
        let waiting = by_number.or_else(|| {
            let mut waiting = self.waiting.iter();
            waiting.position(|known| known.position.has_name_of(file))
        });
        if let Some(at) = waiting {
            return Some(self.waiting.swap_remove(at));
        }
        let mut gone = self.gone.iter();
        let gone = gone.position(|(_, known)| match known.position.inode {
            0 => known.position.has_name_of(file),
            _ => known.position.has_number_of(file),
        })?;
        Some(self.gone.remove(gone).1)
    }

    /// Takes the files that have not appeared.
    pub(super) fn take_waiting(&mut self) -> Vec<FileProgress> {
        std::mem::take(&mut self.waiting)
    }

    /// Adds a file that may appear later.
    pub(super) fn wait_for(&mut self, progress: FileProgress) {
        self.waiting.push(progress);
    }

    /// Adds a file that is gone. It is remembered for a while, so that it is not read again if it
    /// comes back.
    pub(super) fn give_up(&mut self, progress: FileProgress) {
        let now = Instant::now();
        let progress = FileProgress {
            is_gone: true,
            ..progress
        };
        self.gone.push((now, progress));
        self.forget_old(now);
    }

    fn forget_old(&mut self, now: Instant) {
        self.gone
            .retain(|(since, _)| now.duration_since(*since) < MEMORY);
        let surplus = self.gone.len().saturating_sub(GONE);
        self.gone.drain(..surplus);
    }

    /// Returns all of them.
    pub(super) fn all(&self) -> impl Iterator<Item = &FileProgress> {
        let gone = self.gone.iter().map(|(_, entry)| entry);
        self.waiting.iter().chain(gone)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        files::follow::{FilePosition, Mark},
        pipeline::DoubtLevel,
    };

    fn entry(number: u64) -> FileProgress {
        let position = FilePosition {
            path: "a".into(),
            inode: 1,
            offset: 0,
            mark: Mark::default(),
        };
        FileProgress {
            position,
            number,
            in_line: false,
            doubt: DoubtLevel::default(),
            size: 0,
            is_gone: false,
        }
    }

    #[test]
    fn what_is_gone_is_forgotten_in_the_end() {
        let mut absent = AbsentFiles::new(Vec::new());
        absent.wait_for(entry(0));
        (1..=GONE as u64 + 2).for_each(|number| absent.give_up(entry(number)));
        let numbers: Vec<_> = absent.all().map(|entry| entry.number).collect();
        assert_eq!(
            (numbers.len(), numbers[..2].to_vec()),
            (GONE + 1, vec![0, 3])
        );
        absent.forget_old(Instant::now() + MEMORY);
        assert_eq!(absent.all().count(), 1);
    }
}
