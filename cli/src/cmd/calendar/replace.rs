//! The replacement of a private calendar, after which no key is left in the old file.
//!
//! At every moment `FILE` is a whole calendar. The file at the name is locked until the old one is
//! overwritten, so that two commands do not replace it at once.

use std::{
    fs::{self, File, Metadata, TryLockError},
    io::{self, Read, Seek, Write},
    path::{Path, PathBuf},
};

use clap::Args;
use pqseal_atomic_file::{beside, folder_of, is_file_at, sweep_with, sync_folder};
use pqseal_keys::calendar::{Calendar, MAX_LEN};
use zeroize::Zeroizing;

use super::file::{self, For, Lock};
use crate::{
    calendar::shredding,
    error::{Error, warn},
    escape,
    file::Identities,
    input::{Source, one_stdin, warn_if_others_read},
    passphrase,
};

/// A private calendar that is replaced.
#[derive(Args)]
pub(super) struct Replaced {
    /// Replace the file even if it has other names (hard links), which then lead to zeros
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    new: For,
    #[command(flatten)]
    identities: Identities,
    /// The private calendar
    #[arg(value_name = "FILE")]
    pub(super) file: Source,
}

/// A calendar that no other command replaces at the same time.
pub(super) struct Held<'a> {
    options: &'a Replaced,
    pub(super) path: PathBuf,
    /// The file, which is locked.
    file: File,
    pub(super) calendar: Calendar,
    encryption: Lock,
}

impl Replaced {
    /// Locks and reads the calendar.
    ///
    /// # Errors
    /// If it is standard input, another command replaces it, or it cannot be read.
    pub(super) fn hold(&self) -> Result<Held<'_>, Error> {
        one_stdin(self.identities.sources().chain(self.new.sources()))?;
        let path = self.file.path().ok_or_else(|| {
            Error::usage("the calendar is replaced, so it cannot be standard input; name a file")
        })?;
        // A rename replaces a link, and not the file that it leads to.
        let path = path
            .canonicalize()
            .map_err(|error| self.file.unreadable(&error))?;
        let unreadable = |error| self.file.unreadable(&error);
        let file = open(&path).map_err(unreadable)?;
        // File systems without locks are used without them.
        if matches!(file.try_lock(), Err(TryLockError::WouldBlock)) {
            return Err(changing(&path));
        }
        expect_at(&path, &file)?;
        let bytes = read(&file).map_err(unreadable)?;
        let (calendar, encryption) = file::parse(&self.file, bytes, &self.identities)?;
        warn_if_others_read(&self.file, "key");
        Ok(Held {
            options: self,
            path,
            file,
            calendar,
            encryption,
        })
    }
}

impl Held<'_> {
    /// Replaces the file by one with this calendar, and overwrites the old one.
    ///
    /// # Errors
    /// Those of the system. `FILE` is whole then, and the next run finishes.
    pub(super) fn replace(self, calendar: &Calendar) -> Result<(), Error> {
        let path = &self.path;
        let bytes = self.encryption.close(calendar, &self.options.new)?;
        let failed =
            |error: io::Error| Error::io(format_args!("replace {}", escape::path(path)), &error);
        expect_at(path, &self.file)?;
        finish(path, calendar)?;
        let old = self.file.metadata().map_err(failed)?;
        self.check_links(&old)?;
        fs::hard_link(path, shredding(path)).map_err(|error| no_link(path, &error))?;
        sync_folder(folder_of(path)).map_err(failed)?;
        let new = match write(path, &bytes, &old) {
            Ok(new) => new,
            Err(error) => {
                // Nothing was replaced, so no old file is left.
                finish(path, &self.calendar)?;
                return Err(failed(error));
            }
        };
        // Windows replaces no file that is open.
        let held = (!cfg!(windows)).then_some(self.file);
        let new = new.persist_open(path).map_err(failed)?;
        sync_folder(folder_of(path)).map_err(failed)?;
        finish(path, calendar)?;
        drop((held, new));
        Ok(())
    }

    fn check_links(&self, old: &Metadata) -> Result<(), Error> {
        match links(old) {
            _ if self.options.force => Ok(()),
            1 => Ok(()),
            count => Err(Error::refused(format!(
                "{} has {count} names (hard links), and the old file is overwritten under all of them; remove the others, or add --force",
                escape::path(&self.path)
            ))),
        }
    }
}

/// Overwrites and removes the old file, if it has its second name. If the first name was not
/// replaced yet, only the second one is removed. `calendar` is what the first one has.
fn finish(path: &Path, calendar: &Calendar) -> Result<(), Error> {
    // A larger file is not a calendar, and one with another name was complete.
    sweep_with(path, |left| {
        let found = left.metadata()?;
        match found.len() <= MAX_LEN as u64 && links(&found) == 1 {
            true => overwrite(left),
            false => Ok(()),
        }
    });
    let name = shredding(path);
    let failed =
        |error: io::Error| Error::io(format_args!("overwrite {}", escape::path(&name)), &error);
    let old = match open(&name) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        old => old.map_err(failed)?,
    };
    if !is_file_at(path, &old) {
        if !may_be_of(&read(&old).map_err(failed)?, calendar) {
            return Err(Error::refused(format!(
                "{} is not an old file of this calendar, and is not overwritten; give it another name",
                escape::path(&name)
            )));
        }
        overwrite(&old).map_err(failed)?;
    }
    let remove = || {
        fs::remove_file(&name)?;
        sync_folder(folder_of(path))
    };
    remove().map_err(failed)
}

/// Opens a file for reading and writing. Its owner may always write it. A link is not followed,
/// since the file is overwritten.
fn open(path: &Path) -> io::Result<File> {
    if !fs::symlink_metadata(path)?.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    let open = || File::options().read(true).write(true).open(path);
    match open() {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            make_writable(path)?;
            open()
        }
        opened => opened,
    }
}

/// Reads all bytes, but not many more than a calendar has.
fn read(mut file: &File) -> io::Result<Zeroizing<Vec<u8>>> {
    let most = MAX_LEN + 1;
    let len = usize::try_from(file.metadata()?.len()).map_or(most, |len| len.min(most));
    let mut bytes = Zeroizing::new(Vec::with_capacity(len + 64));
    file.rewind()?;
    file.take(len as u64).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Reports whether an old file can be of this calendar. A part of it may be overwritten already, or
/// all of it encrypted.
fn may_be_of(old: &[u8], calendar: &Calendar) -> bool {
    let first = |file: &[u8]| -> Option<Vec<u8>> {
        let file = file.strip_prefix("\u{feff}".as_bytes()).unwrap_or(file);
        Some(
            file.split(|byte| *byte == b'\n')
                .next()?
                .trim_ascii_end()
                .to_vec(),
        )
    };
    let is_overwritten = old.first().is_none_or(|byte| *byte == 0);
    is_overwritten
        || passphrase::is_encrypted(old)
        || first(old) == first(calendar.as_str().as_bytes())
}

/// Overwrites all bytes of a file with zeros.
fn overwrite(mut file: &File) -> io::Result<()> {
    let zeros = [0; 1 << 14];
    let mut left = file.metadata()?.len();
    file.rewind()?;
    while left > 0 {
        let some = left.min(zeros.len() as u64);
        file.write_all(&zeros[..usize::try_from(some).unwrap_or(zeros.len())])?;
        left -= some;
    }
    file.sync_all()
}

/// Writes the new file under a temporary name, with the owner and the mode of the old one.
fn write(path: &Path, bytes: &[u8], old: &Metadata) -> io::Result<pqseal_atomic_file::Temporary> {
    let new = beside(path, 0o600)?;
    new.as_file().write_all(bytes)?;
    if keep_owner(new.as_file(), old).is_err() {
        warn(
            "owner",
            format_args!(
                "{} now belongs to you, since you may not give it to its owner and group; only you can read it",
                escape::path(path)
            ),
        );
    }
    new.as_file().sync_all()?;
    Ok(new)
}

fn expect_at(path: &Path, file: &File) -> Result<(), Error> {
    match is_file_at(path, file) {
        true => Ok(()),
        false => Err(changing(path)),
    }
}

fn changing(path: &Path) -> Error {
    Error::refused(format!(
        "another process replaces {}; nothing was changed; run it again",
        escape::path(path)
    ))
}

fn no_link(path: &Path, error: &io::Error) -> Error {
    let name = shredding(path);
    let doing = format!("give the old file the name {}", escape::path(&name));
    let mut error = Error::io(doing, error);
    error.message += "; a file system without hard links, such as FAT, cannot hold a private calendar: move it to another one";
    error
}

#[cfg(unix)]
fn links(found: &Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::nlink(found)
}

#[cfg(unix)]
fn make_writable(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let mode = fs::metadata(path)?.permissions().mode();
    fs::set_permissions(path, fs::Permissions::from_mode(mode | 0o600))
}

#[cfg(unix)]
fn keep_owner(new: &File, old: &Metadata) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};
    fchown(new, Some(old.uid()), Some(old.gid()))?;
    new.set_permissions(fs::Permissions::from_mode(old.mode() & 0o777))
}

/// Returns 1, because this system does not count them.
#[cfg(not(unix))]
const fn links(_found: &Metadata) -> u64 {
    1
}

#[cfg(not(unix))]
fn make_writable(path: &Path) -> io::Result<()> {
    let mut permissions = fs::metadata(path)?.permissions();
    permissions.set_readonly(false);
    fs::set_permissions(path, permissions)
}

/// Does nothing, since a new file belongs to the user.
#[cfg(not(unix))]
const fn keep_owner(_new: &File, _old: &Metadata) -> io::Result<()> {
    Ok(())
}
