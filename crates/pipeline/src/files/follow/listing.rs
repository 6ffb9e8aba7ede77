//! The files that exist and are to be followed.

use std::{
    collections::HashSet,
    fs, io,
    path::{Path, PathBuf},
};

use pqseal_atomic_file::folder_of;

use super::{
    Event, Follow, Follower,
    place::{Place, Seen},
};
use crate::files::{Error, Selection, plan};

/// A repeated listing of the files.
pub(super) struct Listing<'f> {
    what: &'f Follow,
    /// The problems that were already reported.
    told: HashSet<PathBuf>,
}

/// The result of a listing.
#[derive(Default)]
pub(super) struct Listed {
    /// All files, without duplicates.
    pub(super) seen: Vec<Seen>,
    /// The files and folders that could not be accessed.
    pub(super) failed: Vec<PathBuf>,
    /// The named folders that do not exist.
    missing: Vec<PathBuf>,
}

impl Listed {
    /// Reports whether the state of `path` is unknown, because it or a folder above it could not be
    /// accessed.
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

    /// Lists all files. A failed access is reported once, until it succeeds again.
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

    /// Returns the event to report. Only a file that the system reports as missing counts as
    /// removed.
    fn problem(&self, path: &PathBuf, error: Error, listed: &mut Listed) -> Option<Event> {
        if !is_not_found(&error) {
            listed.failed.push(path.clone());
            return Some(Event::Failed(error));
        }
        // Other files were removed after their folder was listed.
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

/// Finds the file of a place under its current name in its folder.
///
/// # Errors
/// An error if the folder cannot be listed.
pub(super) fn find(place: &Place) -> io::Result<Option<Seen>> {
    let files = fs::read_dir(folder_of(&place.path))?.flatten();
    let mut found = files.filter_map(|file| Seen::at(&file.path()).ok());
    Ok(found.find(|file| place.has_number(file.inode, &file.path)))
}
