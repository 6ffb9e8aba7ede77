//! Which files there are to follow.

use std::{
    collections::HashSet,
    fs, io,
    path::{Path, PathBuf},
};

use super::{
    Event, Follow, Follower,
    entry::{Entry, Seen},
};
use crate::files::{Error, Selection, plan};

/// Looks which files there are.
pub(super) struct Listing<'f> {
    what: &'f Follow,
    /// What was said of already.
    told: HashSet<PathBuf>,
}

impl<'f> Listing<'f> {
    pub(super) fn new(what: &'f Follow) -> Self {
        let told = HashSet::new();
        Self { what, told }
    }

    /// All files, each once.
    pub(super) fn list(&mut self, follower: &mut impl Follower) -> Vec<Seen> {
        let (paths, failed) = self.paths();
        for (path, error) in failed {
            self.tell(path, Event::Failed(error), follower);
        }
        let mut seen = Vec::new();
        for path in paths {
            match Seen::at(&path) {
                Ok(file) => {
                    self.told.remove(&path);
                    seen.push(file);
                }
                // It was removed after it was listed.
                Err(error) if error.kind() == io::ErrorKind::NotFound && self.what.folders => {}
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    self.tell(path, Event::Missing, follower);
                }
                Err(error) => self.tell(path, Event::Failed(Error::Open(error)), follower),
            }
        }
        seen
    }

    fn paths(&self) -> (Vec<PathBuf>, Vec<(PathBuf, Error)>) {
        if !self.what.folders {
            return (self.what.inputs.clone(), Vec::new());
        }
        let plan = plan(&self.what.inputs, &Selection::default());
        let paths = plan.jobs.into_iter().map(|job| job.input);
        (paths.collect(), plan.failed)
    }

    fn tell(&mut self, path: PathBuf, event: Event, follower: &mut impl Follower) {
        if !self.told.contains(&path) {
            follower.event(&path, event);
            self.told.insert(path);
        }
    }
}

/// The file of an entry, by whatever name it has in its folder now.
pub(super) fn find(entry: &Entry) -> Option<Seen> {
    let folder = entry.path.parent()?;
    let folder = match folder.as_os_str().is_empty() {
        true => Path::new("."),
        false => folder,
    };
    let files = fs::read_dir(folder).ok()?.flatten();
    let mut found = files.filter_map(|file| Seen::at(&file.path()).ok());
    found.find(|file| entry.has_number(file.inode, &file.path))
}
