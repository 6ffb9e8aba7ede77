//! Outputs that are whole get their names, many with one wait for the disk.
//!
//! An output is on the disk before it gets its name, and the name before [`State`](super::State)
//! says that the file is done: neither a killed process nor a lost power supply leaves half a file
//! or a note of one that is not there. An object appears whole by what its store promises.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs::File,
    io,
    path::Path,
};

use super::{
    Error, folder_of,
    one::Written,
    output::Output,
    store::Publishing,
    task::{Done, Task},
    temporary::Temporary,
};

/// How many files or folders are synced one by one. For more, one call for the whole file system
/// takes less time.
const FEW: usize = 4;

/// A task and what came of it so far.
pub(super) type Ready<'t> = (&'t Task, Result<Written, Error>);

/// Gives all outputs their names.
pub(super) fn commit(ready: Vec<Ready<'_>>) -> Vec<(&Task, Result<Done, Error>)> {
    // Those in one folder are in one file system.
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
    // Objects get their names all at once.
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

/// An output that gets its name.
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

/// Syncs the names in folders. Some systems have no such call, and need none.
fn sync_folders(folders: BTreeSet<&Path>) {
    let opened: Vec<_> = folders.into_iter().flat_map(File::open).collect();
    if opened.len() > FEW && sync_at_once(opened.iter()).is_ok() {
        return;
    }
    for folder in opened {
        let _ = folder.sync_all();
    }
}

/// Syncs the file systems that these are on, if there is a call for that.
#[cfg(target_os = "linux")]
fn sync_at_once<'f>(files: impl Iterator<Item = &'f File>) -> io::Result<()> {
    use std::os::unix::fs::MetadataExt;
    let mut devices = BTreeMap::new();
    for file in files {
        devices.insert(file.metadata()?.dev(), file);
    }
    // Since Linux 5.8 it reports what could not be written, as fsync does.
    devices.values().try_for_each(|file| {
        rustix::fs::syncfs(file)?;
        Ok(())
    })
}

#[cfg(not(target_os = "linux"))]
fn sync_at_once<'f>(_files: impl Iterator<Item = &'f File>) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
