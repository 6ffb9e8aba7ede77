//! The file of dead letters. It may be renamed at any time, as logrotate does: then it is made again.

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

/// Opens `target`, to add to it.
///
/// # Errors
/// If it cannot be written.
pub(super) fn letters(target: &Target) -> Result<Box<dyn Write + Send>, Error> {
    let Target::File(path) = target else {
        stdout_is_open().map_err(|error| undelivered(&error))?;
        return Ok(Box::new(io::stdout()));
    };
    let opened = opened(path).and_then(|file| {
        let is_file = file.metadata()?.is_file();
        Ok((file, is_file))
    });
    match opened {
        Ok((file, true)) => Ok(Box::new(Letters {
            path: path.clone(),
            file,
        })),
        Ok((device, false)) => Ok(Box::new(device)),
        Err(error) => Err(Error::io(
            format_args!("write {}", escape::path(path)),
            &error,
        )),
    }
}

/// The failure to write dead letters.
pub(super) fn undelivered(error: &io::Error) -> Error {
    Error::io("write the dead letters", error)
}

struct Letters {
    path: PathBuf,
    file: File,
}

impl Write for Letters {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if !is_file_at(&self.path, &self.file) {
            self.file = opened(&self.path)?;
        }
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

fn opened(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.create(true).append(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}
