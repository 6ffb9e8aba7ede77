//! Which files there are to follow.

use std::{
    collections::HashSet,
    fs, io,
    path::{Path, PathBuf},
};

use super::{
    Event, Follow, Follower,
    place::{Place, Seen},
};
use crate::files::{Error, Selection, folder_of, plan};

/// Looks which files there are.
pub(super) struct Listing<'f> {
    what: &'f Follow,
    /// What was said of already.
    told: HashSet<PathBuf>,
}

/// What was found.
#[derive(Default)]
pub(super) struct Listed {
    /// All files, each once.
    pub(super) seen: Vec<Seen>,
    /// Files and folders that could not be looked at.
    pub(super) failed: Vec<PathBuf>,
    /// Folders that were named, and are not there.
    missing: Vec<PathBuf>,
}

impl Listed {
    /// Whether nothing is known of what is at `path` now, since a folder above it or the file itself
    /// could not be looked at.
    pub(super) fn is_unknown(&self, path: &Path) -> bool {
        let mut folders = self.failed.iter().chain(&self.missing);
        folders.any(|folder| path.starts_with(folder))
    }
}

impl<'f> Listing<'f> {
    pub(super) fn new(what: &'f Follow) -> Self {
        let told = HashSet::new();
        Self { what, told }
    }

    /// All that is there. What could not be looked at is told once, until it could again.
    pub(super) fn list(&mut self, follower: &mut impl Follower) -> Listed {
        let mut listed = Listed::default();
        let mut told = HashSet::new();
        let (paths, mut failed) = self.paths();
        for path in paths {
            match Seen::at(&path) {
                Ok(file) => listed.seen.push(file),
                Err(error) => failed.push((path, Error::Open(error))),
            }
        }
        for (path, error) in failed {
            let Some(event) = self.problem(&path, error, &mut listed) else {
                continue;
            };
            if !self.told.contains(&path) {
                follower.event(&path, event);
            }
            told.insert(path);
        }
        self.told = told;
        listed
    }

    fn paths(&self) -> (Vec<PathBuf>, Vec<(PathBuf, Error)>) {
        if !self.what.folders {
            return (self.what.inputs.clone(), Vec::new());
        }
        let plan = plan(&self.what.inputs, &Selection::default());
        let paths = plan.jobs.into_iter().map(|job| job.input);
        (paths.collect(), plan.failed)
    }

    /// What there is to say of it. Only what the system says is not there counts as removed.
    fn problem(&self, path: &PathBuf, error: Error, listed: &mut Listed) -> Option<Event> {
        if !is_not_found(&error) {
            listed.failed.push(path.clone());
            return Some(Event::Failed(error));
        }
        // Others were removed after their folder was listed.
        self.what.inputs.contains(path).then(|| {
            if self.what.folders {
                listed.missing.push(path.clone());
            }
            Event::Missing
        })
    }
}

fn is_not_found(error: &Error) -> bool {
    match error {
        Error::Open(error) | Error::List(error) => error.kind() == io::ErrorKind::NotFound,
        _ => false,
    }
}

/// The file of a place, by whatever name it has in its folder now.
///
/// # Errors
/// If the folder cannot be listed.
pub(super) fn find(place: &Place) -> io::Result<Option<Seen>> {
    let files = fs::read_dir(folder_of(&place.path))?.flatten();
    let mut found = files.filter_map(|file| Seen::at(&file.path()).ok());
    Ok(found.find(|file| place.has_number(file.inode, &file.path)))
}
