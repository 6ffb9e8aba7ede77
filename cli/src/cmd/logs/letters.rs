//! A file that records are added to one by one, as lines of JSON: those that did not open, or those that
//! could not be sealed. It may be renamed at any time, as logrotate does: then it is made again.

use std::{
    fs::{File, OpenOptions},
    io::{self, Write},
    path::{Path, PathBuf},
};

use siem::files::is_file_at;

use crate::{
    error::Error,
    escape,
    output::{Target, stdout_is_open},
};

/// A writer of such records.
pub(super) struct Letters {
    to: Place,
    /// Set if the records are nowhere else, so that they must be on the disk.
    are_only: bool,
    is_synced: bool,
}

enum Place {
    /// Standard output, or a device.
    Stream(Box<dyn Write + Send>),
    File {
        path: PathBuf,
        file: File,
    },
}

impl Letters {
    /// Opens `target`, to add to it. `are_only`: the records are nowhere else.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(super) fn new(target: &Target, are_only: bool) -> Result<Self, Error> {
        let to = match target {
            Target::Stdout => stdout_is_open()
                .map(|()| Place::Stream(Box::new(io::stdout())))
                .map_err(|error| undelivered(&error))?,
            Target::File(path) => Place::open(path)
                .map_err(|error| Error::io(format_args!("write {}", escape::path(path)), &error))?,
        };
        Ok(Self {
            to,
            are_only,
            is_synced: true,
        })
    }

    /// Waits until the records that are nowhere else are on the disk.
    ///
    /// # Errors
    /// If they cannot be written there.
    pub(super) fn settle(&mut self) -> io::Result<()> {
        if let Place::File { file, .. } = &self.to
            && self.are_only
            && !self.is_synced
        {
            file.sync_data()?;
        }
        self.is_synced = true;
        Ok(())
    }
}

impl Place {
    fn open(path: &Path) -> io::Result<Self> {
        let file = opened(path)?;
        Ok(match file.metadata()?.is_file() {
            true => Self::File {
                path: path.to_owned(),
                file,
            },
            false => Self::Stream(Box::new(file)),
        })
    }
}

impl Write for Letters {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if let Place::File { path, file } = &self.to
            && !is_file_at(path, file)
        {
            let renamed = path.clone();
            self.settle()?;
            self.to = Place::open(&renamed)?;
        }
        self.is_synced = false;
        match &mut self.to {
            Place::Stream(stream) => stream.write(bytes),
            Place::File { file, .. } => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.to {
            Place::Stream(stream) => stream.flush()?,
            Place::File { file, .. } => file.flush()?,
        }
        self.settle()
    }
}

/// The failure to write dead letters.
pub(super) fn undelivered(error: &io::Error) -> Error {
    Error::io("write the dead letters", error)
}

fn opened(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.create(true).append(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}
