//! The destination of bytes: standard output, or a file that appears complete or not at all.

use std::{
    ffi::OsString,
    fs::{self, File, Metadata},
    io::{self, IsTerminal, Write},
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, Ordering},
};

use pqseal_atomic_file::{Overwrite, beside};

use crate::{error::Error, escape};

/// A name after `-o`; `-` is standard output, and so is `/dev/stdout`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// `-`.
    Stdout,
    /// A path.
    File(PathBuf),
}

/// The permissions of a new file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileMode {
    /// Only its owner may read it: mode 0600.
    Owner,
    /// The mode follows from the umask.
    Umask,
}

impl Target {
    /// Reports whether the bytes go to a terminal.
    pub fn is_terminal(&self) -> bool {
        *self == Self::Stdout && io::stdout().is_terminal()
    }

    /// Writes all of `bytes`.
    ///
    /// # Errors
    /// If that fails; an existing file is then unchanged. A closed pipe on standard output is not
    /// an error.
    pub fn write(&self, bytes: &[u8], mode: FileMode, overwrite: Overwrite) -> Result<(), Error> {
        match self {
            Self::Stdout => to_stdout(bytes),
            Self::File(path) => to_file(path, bytes, mode, overwrite),
        }
    }
}

impl From<OsString> for Target {
    fn from(name: OsString) -> Self {
        let names_stdout = ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"];
        if names_stdout.iter().any(|stdout| name == *stdout) {
            Self::Stdout
        } else {
            Self::File(name.into())
        }
    }
}

/// Writes to standard output and flushes it, so that a full disk is noticed.
///
/// # Errors
/// Any except a closed pipe.
pub fn to_stdout(bytes: &[u8]) -> Result<(), Error> {
    match write_stdout(bytes) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(stdout_failed(&error)),
        _ => Ok(()),
    }
}

/// Like [`to_stdout`], but also fails on a closed pipe, so that a new private key is never lost
/// silently.
///
/// # Errors
/// Any, including a closed pipe.
pub fn to_reader(bytes: &[u8]) -> Result<(), Error> {
    write_stdout(bytes).map_err(|error| stdout_failed(&error))
}

fn write_stdout(bytes: &[u8]) -> io::Result<()> {
    stdout_is_open()?;
    let mut stdout = io::stdout().lock();
    stdout.write_all(bytes).and_then(|()| stdout.flush())
}

/// Checks that standard output was open when the process began. Before `main` Rust opens
/// `/dev/null` in place of a closed one, and output would be lost without an error.
///
/// # Errors
/// If it was closed.
pub fn stdout_is_open() -> io::Result<()> {
    match WAS_CLOSED.load(Ordering::Relaxed) {
        true => Err(io::Error::other("it is closed")),
        false => Ok(()),
    }
}

static WAS_CLOSED: AtomicBool = AtomicBool::new(false);

/// Records whether standard output is closed. Call it before `main`.
#[cfg(unix)]
pub fn look_at_stdout() {
    use std::os::fd::AsFd;
    /// The error number of every Unix for a closed file descriptor.
    const EBADF: i32 = 9;
    let copy = io::stdout().as_fd().try_clone_to_owned();
    let error = copy.err().and_then(|error| error.raw_os_error());
    WAS_CLOSED.store(error == Some(EBADF), Ordering::Relaxed);
}

/// Returns standard output as a file, without a buffer, which would keep secrets that were
/// written.
///
/// # Errors
/// Those of the system.
#[cfg(unix)]
pub fn stdout() -> io::Result<File> {
    use std::os::fd::AsFd;
    Ok(File::from(io::stdout().as_fd().try_clone_to_owned()?))
}

/// Returns standard output as a file, without a buffer.
///
/// # Errors
/// Those of the system.
#[cfg(windows)]
pub fn stdout() -> io::Result<File> {
    use std::os::windows::io::AsHandle;
    Ok(File::from(io::stdout().as_handle().try_clone_to_owned()?))
}

fn stdout_failed(error: &io::Error) -> Error {
    Error::io("write to standard output", error)
}

/// The file behind the name of an output.
pub enum Destination {
    /// A file descriptor of this process, such as `/dev/fd/3`.
    Open(PathBuf),
    /// A device or a pipe.
    Device(PathBuf),
    /// A file, a folder or a new name, with its path without links.
    File(PathBuf, Option<Metadata>),
}

impl Destination {
    /// Resolves a path.
    pub fn of(path: &Path) -> Self {
        if is_open(path) {
            return Self::Open(path.to_owned());
        }
        // A rename would replace a symbolic link, or turn /dev/null into a file.
        let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        match fs::metadata(&target) {
            Ok(found) if !found.is_file() && !found.is_dir() => Self::Device(target),
            found => Self::File(target, found.ok()),
        }
    }
}

/// Opens an output that is written directly: a device, a pipe, or an open file descriptor.
///
/// # Errors
/// Those of the system.
pub fn through(path: &Path) -> io::Result<File> {
    File::options().append(true).open(path)
}

fn to_file(path: &Path, bytes: &[u8], mode: FileMode, overwrite: Overwrite) -> Result<(), Error> {
    match Destination::of(path) {
        Destination::Open(open) => write_through(&open, bytes),
        Destination::Device(_) | Destination::File(_, Some(_))
            if overwrite == Overwrite::Refuse =>
        {
            return Err(occupied(path));
        }
        Destination::Device(device) => write_through(&device, bytes),
        Destination::File(target, _) => {
            let bits = match mode {
                FileMode::Owner => 0o600,
                FileMode::Umask => 0o666,
            };
            beside(&target, bits).and_then(|file| {
                file.as_file().write_all(bytes)?;
                file.publish(&target, overwrite)
            })
        }
    }
    .map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => occupied(path),
        _ => Error::io(format_args!("write {}", escape::path(path)), &error),
    })
}

/// Reports whether a path is an open file descriptor, whose file must not be replaced.
pub fn is_open(path: &Path) -> bool {
    path == Path::new("/dev/stderr")
        || ["/dev/fd", "/proc/self/fd"]
            .iter()
            .any(|open| path.starts_with(open))
}

fn write_through(target: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut device = through(target)?;
    device.write_all(bytes)?;
    device.flush()
}

fn occupied(path: &Path) -> Error {
    let path = escape::path(path);
    Error::refused(format!(
        "{path} already exists and is not overwritten; choose another name or move it away"
    ))
}
