//! `pqseal calendar shred` and `pqseal calendar extend`: replace a private calendar, after which no
//! key is left in the old file.
//!
//! At every moment `FILE` is a whole calendar. The file at the name is locked until the old one is
//! overwritten, so that two commands do not replace it at once.

use std::{
    fs::{self, File, Metadata, TryLockError},
    io::{self, Read, Seek, Write},
    path::{Path, PathBuf},
};

use clap::Args;
use getrandom::SysRng;
use pqseal_atomic_file::{beside, folder_of, is_file_at, sweep_with, sync_folder};
use pqseal_keys::calendar::{self, Calendar, MAX_LEN};
use zeroize::Zeroizing;

use super::{
    EXAMPLES, For, Lock, not_made, parse, parse_date, period_count, period_index, periods_in_words,
};
use crate::{
    calendar::shredding,
    error::{Error, warn},
    escape,
    file::Identities,
    input::{Source, one_stdin, warn_if_others_read},
    output::to_stdout,
    parse::help,
    passphrase,
};

/// Delete the private keys of the periods before a date
///
/// What was sealed in these periods can no longer be opened with this file. The file is replaced,
/// and the old one is overwritten. Copies that this cannot reach are named. An encrypted file stays
/// under its passphrase, unless -r or --new-passphrase-file is given; a new passphrase or recipient
/// also makes old copies of the file useless, once the old one is forgotten.
#[derive(Args)]
#[command(after_long_help = help(&[
    ("Everything before December 2027", "pqseal calendar shred logs.calendar --before 2027-12-01"),
    ("With a new passphrase, which makes old copies useless", "pqseal calendar shred logs.age --before 2027-12-01 --passphrase-file old --new-passphrase-file new"),
    ("What is left", "pqseal calendar show logs.calendar"),
]))]
pub(super) struct Shred {
    /// The first period that stays, by its start; the end of the calendar shreds everything
    #[arg(long, value_name = "DATE", value_parser = parse_date)]
    before: u64,
    #[command(flatten)]
    replaced: Replaced,
}

impl Shred {
    pub(super) fn run(self) -> Result<(), Error> {
        let held = self.replaced.hold()?;
        let calendar = &held.calendar;
        let before = period_index(calendar, "--before", self.before)?;
        let shredded = calendar.shred(before);
        let shredded = shredded.map_err(|error| Error::calendar(&self.replaced.file, &error))?;
        let gone = calendar.present().count() - shredded.present().count();
        let described = periods_in_words(gone, calendar.period_length());
        let path = held.path.clone();
        held.replace(&shredded)?;
        let _ = writeln!(io::stderr(), "shredded: {described}");
        warn_of_copies(&path);
        Ok(())
    }
}

/// Add days to the end of a private calendar
///
/// Replaces the file as `shred` does, and then prints the public lines of the new periods, which are
/// to be appended to the public file. An encrypted file stays under its passphrase, unless -r or
/// --new-passphrase-file is given.
#[derive(Args)]
#[command(after_long_help = help(&EXAMPLES))]
pub(super) struct Extend {
    /// How many days to add; for weeks a multiple of 7
    #[arg(long, value_name = "N")]
    days: usize,
    #[command(flatten)]
    replaced: Replaced,
}

impl Extend {
    pub(super) fn run(self) -> Result<(), Error> {
        let held = self.replaced.hold()?;
        let before = held.calendar.count();
        let days = period_count(self.days, held.calendar.period_length())?;
        let extended = held
            .calendar
            .extend(days, &mut SysRng)
            .and_then(|extended| {
                let public = extended.public(before..extended.count())?;
                Ok((extended, public))
            });
        let (extended, public) = extended.map_err(|error| match error {
            calendar::Error::Lent | calendar::Error::PublicOnly | calendar::Error::Cut => {
                Error::calendar(&self.replaced.file, &error)
            }
            error => not_made(error),
        })?;
        // The private keys are on the disk before anyone can seal to them.
        held.replace(&extended)?;
        to_stdout(public.lines_from(before).as_bytes())
    }
}

/// A private calendar that is replaced.
#[derive(Args)]
struct Replaced {
    /// Replace the file even if it has other names (hard links), which then lead to zeros
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    new: For,
    #[command(flatten)]
    identities: Identities,
    /// The private calendar
    #[arg(value_name = "FILE")]
    file: Source,
}

/// A calendar that no other command replaces at the same time.
struct Held<'a> {
    options: &'a Replaced,
    path: PathBuf,
    /// The file, which is locked.
    file: File,
    calendar: Calendar,
    encryption: Lock,
}

impl Replaced {
    /// Locks and reads the calendar.
    ///
    /// # Errors
    /// If it is standard input, another command replaces it, or it cannot be read.
    fn hold(&self) -> Result<Held<'_>, Error> {
        one_stdin(self.identities.sources().chain(self.new.sources()))?;
        let path = self.file.path().ok_or_else(|| {
            Error::usage("the calendar is replaced, so it cannot be standard input; name a file")
        })?;
        // A rename replaces a link, and not the file that it leads to.
        let path = path.canonicalize();
        let opened = path.and_then(|path| Ok((open(&path)?, path)));
        let (file, path) = opened.map_err(|error| self.file.unreadable(&error))?;
        // File systems without locks are used without them.
        if matches!(file.try_lock(), Err(TryLockError::WouldBlock)) {
            return Err(changing(&path));
        }
        expect_at(&path, &file)?;
        let bytes = read(&file).map_err(|error| self.file.unreadable(&error))?;
        let (calendar, encryption) = parse(&self.file, bytes, &self.identities)?;
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
    fn replace(self, calendar: &Calendar) -> Result<(), Error> {
        let path = &self.path;
        let bytes = self.encryption.close(calendar, &self.options.new)?;
        let failed =
            |error: io::Error| Error::io(format_args!("replace {}", escape::path(path)), &error);
        expect_at(path, &self.file)?;
        finish(path, calendar)?;
        let old = self.file.metadata().map_err(failed)?;
        let count = links(&old);
        if count != 1 && !self.options.force {
            return Err(Error::refused(format!(
                "{} has {count} names (hard links), and the old file is overwritten under all of them; remove the others, or add --force",
                escape::path(path)
            )));
        }
        let name = shredding(path);
        fs::hard_link(path, &name).map_err(|error| {
            let doing = format!("give the old file the name {}", escape::path(&name));
            let mut error = Error::io(doing, &error);
            error.message += "; a file system without hard links, such as FAT, cannot hold a private calendar: move it to another one";
            error
        })?;
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
    fs::remove_file(&name)
        .and_then(|()| sync_folder(folder_of(path)))
        .map_err(failed)
}

/// Opens a file for reading and writing. Its owner may always write it. A link is not followed,
/// since the file is overwritten.
fn open(path: &Path) -> io::Result<File> {
    if !fs::symlink_metadata(path)?.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    let mut options = File::options();
    match options.read(true).write(true).open(path) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            make_writable(path)?;
            options.open(path)
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
    let is_overwritten = old.first().is_none_or(|byte| *byte == 0);
    is_overwritten
        || passphrase::is_encrypted(old)
        || first_line(old) == first_line(calendar.as_str().as_bytes())
}

fn first_line(file: &[u8]) -> Option<&[u8]> {
    let file = file.strip_prefix("\u{feff}".as_bytes()).unwrap_or(file);
    let line = file.split(|byte| *byte == b'\n').next()?;
    Some(line.trim_ascii_end())
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

/// Linux file systems that write new data elsewhere, or may do so behind a server or program, so
/// that old data stays until its place is reused.
const COPY_ON_WRITE: [&str; 10] = [
    "bcachefs", "btrfs", "cifs", "f2fs", "fuse", "nfs", "nfs4", "nilfs2", "overlay", "zfs",
];

/// Warns of copies of old keys.
fn warn_of_copies(path: &Path) {
    let mounts = fs::read_to_string("/proc/self/mounts").unwrap_or_default();
    // The type of the path's file system, on Linux: the last mount at a path hides those before it.
    let found = mounts.lines().filter_map(|line| {
        let mut parts = line.split(' ').skip(1);
        // Spaces in names are escaped as in octal.
        let at = parts.next()?.replace("\\040", " ");
        let kind = parts.next()?;
        path.starts_with(&at).then_some((at.len(), kind))
    });
    let copies = found
        .max_by_key(|(length, _)| *length)
        .filter(|(_, kind)| keeps_old_data(kind))
        .map_or_else(String::new, |(_, kind)| {
            let path = escape::path(path);
            format!("{path} is on {kind}, which may keep old data; ")
        });
    warn(
        "unreached",
        format_args!(
            "{copies}old keys may remain in SSDs, snapshots, backups, swap, lent calendars, and .pqseal-*.tmp files of killed runs in other folders; a passphrase or an age identity that changes at each shredding makes such copies useless, and an identity on a token makes them useless without it (docs/calendar.md)"
        ),
    );
}

/// Reports whether a file system may keep old data. A type such as `fuse.sshfs` names its program.
fn keeps_old_data(kind: &str) -> bool {
    let kind = kind.split('.').next().unwrap_or(kind);
    COPY_ON_WRITE.contains(&kind)
}

#[cfg(test)]
mod unreached_tests {
    use super::keeps_old_data;

    #[test]
    fn file_systems_are_known_by_their_whole_type() {
        let known = ["btrfs", "zfs", "nfs4", "overlay", "fuse.sshfs", "fuse"];
        assert!(known.into_iter().all(keeps_old_data));
        let others = ["ext4", "xfs", "fuseblk", "nfsd", "vfat"];
        assert!(!others.into_iter().any(keeps_old_data));
    }
}
