//! An output that appears complete or not at all.

use std::{
    fs::{self, File},
    io::{self, Write},
    path::{Path, PathBuf},
};

use pqseal_atomic_file::{Overwrite, Temporary, folder_of, sweep};

use crate::{
    error::Error,
    escape,
    output::{Destination, Target, stdout, stdout_is_open, through},
};

/// The destination of the bytes of one output until it is complete.
pub(super) enum Place {
    /// Standard output, a device or a pipe, which is written directly.
    Through(File),
    /// A temporary file, and the name that it gets.
    File {
        file: Temporary,
        target: PathBuf,
        overwrite: Overwrite,
    },
}

impl Place {
    /// Opens an output, and creates the folders of its path.
    pub(super) fn open(target: &Target, overwrite: Overwrite) -> Result<Self, Error> {
        match target {
            Target::Stdout => stdout_is_open().and_then(|()| stdout()).map(Self::Through),
            Target::File(path) => open(path, overwrite),
        }
        .map_err(|error| failed(target, &error))
    }

    /// Returns the file to write to.
    pub(super) fn file(&self) -> &File {
        match self {
            Self::Through(file) => file,
            Self::File { file, .. } => file.as_file(),
        }
    }

    /// Gives a new file its name.
    pub(super) fn finish(self) -> io::Result<()> {
        match self {
            Self::Through(mut file) => file.flush(),
            Self::File {
                file,
                target,
                overwrite,
            } => file.publish(&target, overwrite),
        }
    }
}

/// Makes the error of an output.
pub(super) fn failed(target: &Target, error: &io::Error) -> Error {
    let name = match target {
        Target::Stdout => "standard output".to_owned(),
        Target::File(path) => escape::path(path),
    };
    match error.kind() {
        io::ErrorKind::AlreadyExists => Error::refused(format!(
            "{name} already exists and is not overwritten; add --force to replace it, or choose another name"
        ))
        .of_one(),
        _ => Error::io(format_args!("write {name}"), error).of_one(),
    }
}

fn open(path: &Path, overwrite: Overwrite) -> io::Result<Place> {
    match Destination::of(path) {
        Destination::Open(path) | Destination::Device(path) => through(&path).map(Place::Through),
        Destination::File(_, Some(_)) if overwrite == Overwrite::Refuse => {
            Err(io::ErrorKind::AlreadyExists.into())
        }
        Destination::File(target, found) => {
            fs::create_dir_all(folder_of(&target))?;
            sweep(&target);
            Ok(Place::File {
                file: beside(&target, found)?,
                target,
                overwrite,
            })
        }
    }
}

/// Creates a temporary file that will replace `found`. It gets the permissions before anything is
/// written.
fn beside(target: &Path, found: Option<fs::Metadata>) -> io::Result<Temporary> {
    let Some(found) = found else {
        return pqseal_atomic_file::beside(target, 0o666);
    };
    let file = pqseal_atomic_file::beside(target, 0o600)?;
    file.as_file().set_permissions(found.permissions())?;
    Ok(file)
}
