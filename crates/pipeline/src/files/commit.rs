//! Renaming of complete outputs to their final names, many with one wait for the disk.
//!
//! An output is on the disk before it gets its name, and the name is before
//! [`State`](super::State) records that the file is done. So neither a killed process nor a power
//! failure leaves half a file, or a record of a missing one. A store guarantees that an object
//! appears only when it is complete.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs::File,
    io,
    path::Path,
};

use pqseal_atomic_file::{Temporary, folder_of};

use super::{
    Error,
    one::Written,
    output::Output,
    store::Publishing,
    task::{Done, Task},
};

/// The maximum number of files or folders that are synced one by one. For more, one call for the
/// whole file system takes less time.
const FEW: usize = 4;

/// A task with its result so far.
pub(super) type Ready<'t> = (&'t Task, Result<Written, Error>);

/// Gives all outputs their names.
pub(super) fn commit(ready: Vec<Ready<'_>>) -> Vec<(&Task, Result<Done, Error>)> {
    // The files in one folder are on one file system.
    let mut folders = BTreeMap::new();
    for (task, written) in &ready {
        if let Ok(Written {
            output: Output::File(temporary),
            ..
        }) = written
        {
            folders.insert(folder_of(&task.output), temporary.as_file());
        }
    }
    let are_many = ready.len() > FEW;
    let are_synced = are_many && sync_at_once(folders.into_values()).is_ok();
    // Objects are published concurrently.
    let begun: Vec<_> = ready
        .into_iter()
        .map(|(task, written)| (task, written.map(Naming::begin)))
        .collect();
    let named: Vec<_> = begun
        .into_iter()
        .map(|(task, naming)| {
            let done = naming.and_then(|naming| naming.end(task, are_synced));
            (task, done)
        })
        .collect();
    let is_file = |(task, done): &&(&Task, Result<_, _>)| task.to.is_none() && done.is_ok();
    let done = named.iter().filter(is_file);
    sync_folders(done.map(|(task, _)| folder_of(&task.output)).collect());
    named
}

/// An output that is being renamed or published.
enum Naming {
    File(Temporary, Done),
    Object(Publishing, Done),
}

impl Naming {
    fn begin(Written { output, done }: Written) -> Self {
        match output {
            Output::File(temporary) => Self::File(temporary, done),
            Output::Object(draft) => Self::Object(draft.publish(), done),
        }
    }

    fn end(self, task: &Task, is_synced: bool) -> Result<Done, Error> {
        let (named, done) = match self {
            Self::File(temporary, done) => (name(temporary, &task.output, is_synced), done),
            Self::Object(publishing, done) => (publishing(), done),
        };
        named.map(|()| done).map_err(Error::Create)
    }
}

fn name(temporary: Temporary, output: &Path, is_synced: bool) -> io::Result<()> {
    if !is_synced {
        temporary.as_file().sync_all()?;
    }
    temporary.persist(output)
}

/// Syncs the names in folders. Errors are ignored, since some systems have no such call and do not
/// need it.
fn sync_folders(folders: BTreeSet<&Path>) {
    let opened: Vec<_> = folders.into_iter().flat_map(File::open).collect();
    if opened.len() > FEW && sync_at_once(opened.iter()).is_ok() {
        return;
    }
    for folder in opened {
        let _ = folder.sync_all();
    }
}

/// Syncs the file systems that contain these files, if there is a call for it.
#[cfg(target_os = "linux")]
fn sync_at_once<'f>(files: impl Iterator<Item = &'f File>) -> io::Result<()> {
    use std::os::unix::fs::MetadataExt;
    let mut devices = BTreeMap::new();
    for file in files {
        devices.insert(file.metadata()?.dev(), file);
    }
    // Since Linux 5.8 `syncfs` reports write errors, as `fsync` does.
    devices.values().try_for_each(|file| {
        rustix::fs::syncfs(file)?;
        Ok(())
    })
}

#[cfg(not(target_os = "linux"))]
fn sync_at_once<'f>(_files: impl Iterator<Item = &'f File>) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
