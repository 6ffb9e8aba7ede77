//! The list of files to process: files that are named, and files in folders.

use std::{
    collections::HashSet,
    ffi::{OsStr, OsString},
    fs::{self, FileType, Metadata},
    io,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use pqseal_atomic_file::{Identity, identity};
use sha2::{Digest, Sha256};

use super::{Error, Job, Stamp};

/// The criteria by which files are selected.
#[derive(Clone, Copy, Debug, Default)]
pub struct Selection {
    /// Set if links to folders within a folder are followed. Each folder is visited only once
    /// then.
    pub follow_links: bool,
    /// Exclude files that were modified more recently than this.
    pub min_age: Option<Duration>,
    /// Exclude files that were modified before this time.
    pub since: Option<SystemTime>,
    /// Exclude files that were modified at this time or later.
    pub until: Option<SystemTime>,
    /// Select only this part of the files.
    pub shard: Option<Shard>,
}

/// One of several parts into which machines divide the files: `number` of `count`, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// The number of the part, from 1.
    pub number: u64,
    /// The number of parts.
    pub count: u64,
}

/// The files to process, in order.
#[derive(Debug, Default)]
pub struct Plan {
    /// The files. A named file that is missing is included, and fails when it is opened.
    pub jobs: Vec<Job>,
    /// The entries of folders that are left out.
    pub left_out: Vec<(PathBuf, LeftOut)>,
    /// The folders that cannot be listed.
    pub failed: Vec<(PathBuf, Error)>,
}

/// The reason why an entry is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum LeftOut {
    /// The name begins with a dot.
    Hidden,
    /// The entry is a pipe, a socket or a device.
    NotAFile,
    /// The entry is a link to a folder.
    Link,
    /// The entry is a folder that was already visited under another path.
    Visited,
    /// The file was modified too recently ([`Selection::min_age`]).
    Young,
    /// The file was modified outside the selected time ([`Selection::since`],
    /// [`Selection::until`]).
    OtherTime,
    /// The object marks a folder in a store that has no folders.
    FolderMarker,
}

/// Lists the files in `inputs`, sorted by name: the files themselves, and all files in the folders
/// and their subfolders.
pub fn plan(inputs: &[PathBuf], selection: &Selection) -> Plan {
    let mut plan = Plan::default();
    for input in inputs {
        match fs::metadata(input) {
            Ok(found) if found.is_dir() => {
                let mut walk = FolderWalk {
                    root: input,
                    selection,
                    plan: &mut plan,
                    visited: HashSet::new(),
                    links: Vec::new(),
                    is_in_link: false,
                };
                walk.folder(Path::new(""), &found);
                walk.is_in_link = true;
                // More links may be found on the way.
                let mut next = 0;
                while let Some(link) = walk.links.get(next).cloned() {
                    next += 1;
                    match fs::metadata(input.join(&link)) {
                        Ok(found) => walk.folder(&link, &found),
                        Err(error) => walk.failed(&link, error),
                    }
                }
            }
            found => {
                let name = input.file_name().map_or(input.as_path(), Path::new);
                take(input, name, found.ok().as_ref(), selection, &mut plan);
            }
        }
    }
    plan
}

impl Selection {
    /// Reports whether a file of this name, relative to the named folder, is selected. `Ok(false)`
    /// means that it is in another shard.
    ///
    /// # Errors
    /// The reason why it is left out.
    pub fn takes(&self, name: &Path, modified: Option<SystemTime>) -> Result<bool, LeftOut> {
        if self.shard.is_some_and(|shard| !shard.holds(name)) {
            return Ok(false);
        }
        // A file without a time counts as old.
        let Some(modified) = modified else {
            return Ok(true);
        };
        // A file with a time in the future has age 0.
        if let Some(min) = self.min_age
            && modified.elapsed().unwrap_or_default() < min
        {
            return Err(LeftOut::Young);
        }
        let is_early = self.since.is_some_and(|since| modified < since);
        if is_early || self.until.is_some_and(|until| modified >= until) {
            return Err(LeftOut::OtherTime);
        }
        Ok(true)
    }
}

/// Reports whether an entry of a folder is left out because of its name.
pub fn is_hidden(name: &OsStr) -> bool {
    name.as_encoded_bytes().starts_with(b".")
}

impl Shard {
    /// Reports whether a file of this name is in the shard. SHA-256 decides, so all machines
    /// agree.
    pub fn holds(&self, name: &Path) -> bool {
        let hash = Sha256::digest(name.as_os_str().as_encoded_bytes());
        let number = u64::from_be_bytes(*hash.first_chunk().expect("32 bytes are more than 8"));
        number % self.count == self.number - 1
    }
}

/// A walk through a named folder and its subfolders.
struct FolderWalk<'w> {
    root: &'w Path,
    selection: &'w Selection,
    plan: &'w mut Plan,
    visited: HashSet<Identity>,
    /// Links to folders, which are visited after everything that is reachable without them.
    links: Vec<PathBuf>,
    is_in_link: bool,
}

impl FolderWalk<'_> {
    fn folder(&mut self, below: &Path, found: &Metadata) {
        let is_new = match identity(&self.root.join(below), found) {
            Ok(identity) => self.visited.insert(identity),
            Err(error) => return self.failed(below, error),
        };
        // Some file systems give all files one number. A path without links cannot be a loop.
        if self.is_in_link && !is_new {
            return self.left_out(below, LeftOut::Visited);
        }
        match list(&self.root.join(below)) {
            Ok(entries) => entries
                .into_iter()
                .for_each(|(name, kind)| self.entry(&below.join(name), kind)),
            Err(error) => self.failed(below, error),
        }
    }

    fn entry(&mut self, name: &Path, kind: FileType) {
        if name.file_name().is_some_and(is_hidden) {
            return self.left_out(name, LeftOut::Hidden);
        }
        let path = self.root.join(name);
        match fs::metadata(&path) {
            Ok(found) if found.is_dir() && !kind.is_symlink() => self.folder(name, &found),
            Ok(found) if found.is_dir() && self.selection.follow_links => {
                self.links.push(name.to_owned());
            }
            Ok(found) if found.is_dir() => self.left_out(name, LeftOut::Link),
            Ok(found) if !found.is_file() => self.left_out(name, LeftOut::NotAFile),
            found => take(&path, name, found.ok().as_ref(), self.selection, self.plan),
        }
    }

    fn left_out(&mut self, name: &Path, why: LeftOut) {
        self.plan.left_out.push((self.root.join(name), why));
    }

    fn failed(&mut self, name: &Path, error: io::Error) {
        let path = self.root.join(name);
        self.plan.failed.push((path, Error::List(error)));
    }
}

/// Returns the entries of a folder, sorted by name.
fn list(folder: &Path) -> io::Result<Vec<(OsString, FileType)>> {
    let entries = fs::read_dir(folder)?.map(|entry| {
        let entry = entry?;
        Ok((entry.file_name(), entry.file_type()?))
    });
    let mut entries = entries.collect::<io::Result<Vec<_>>>()?;
    entries.sort_by(|(a, _), (b, _)| a.cmp(b));
    Ok(entries)
}

fn take(
    input: &Path,
    name: &Path,
    found: Option<&Metadata>,
    selection: &Selection,
    plan: &mut Plan,
) {
    match selection.takes(name, found.and_then(|found| found.modified().ok())) {
        Ok(true) => plan.jobs.push(Job {
            input: input.to_owned(),
            name: name.to_owned(),
            stamp: found.map(Stamp::from),
        }),
        Ok(false) => {}
        Err(why) => plan.left_out.push((input.to_owned(), why)),
    }
}
