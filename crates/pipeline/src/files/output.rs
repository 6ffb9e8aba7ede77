//! The output while it is written: a temporary file beside the final one, or a
//! draft of an object.

use std::{
    fs,
    io::{self, Write},
    path::Path,
};

use pqseal_atomic_file::Temporary;

use super::{
    store::Draft,
    task::{Settings, Task},
};

/// An output that does not have its final name yet.
pub(super) enum Output {
    File(Temporary),
    Object(Box<dyn Draft>),
}

impl Output {
    pub(super) fn new(task: &Task, settings: &Settings) -> io::Result<Self> {
        match &task.to {
            None => beside(&task.output, settings).map(Self::File),
            Some(store) => store.create(&task.output).map(Self::Object),
        }
    }

    /// Completes the output after all data is written.
    pub(super) fn finish(&mut self) -> io::Result<()> {
        match self {
            Self::File(_) => Ok(()),
            Self::Object(draft) => draft.finish(),
        }
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::File(temporary) => temporary.as_file().write(bytes),
            Self::Object(draft) => draft.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::File(temporary) => temporary.as_file().flush(),
            Self::Object(draft) => draft.flush(),
        }
    }
}

fn beside(output: &Path, settings: &Settings) -> io::Result<Temporary> {
    let temporary = match pqseal_atomic_file::beside(output, settings.mode) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            fs::create_dir_all(output.parent().unwrap_or(Path::new(".")))?;
            pqseal_atomic_file::beside(output, settings.mode)?
        }
        temporary => temporary?,
    };
    #[cfg(unix)]
    if settings.is_exact_mode {
        let mode = std::os::unix::fs::PermissionsExt::from_mode(settings.mode);
        temporary.as_file().set_permissions(mode)?;
    }
    Ok(temporary)
}
