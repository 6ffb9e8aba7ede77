//! `pqseal calendar shred`. At every moment a whole calendar has its name or `FILE.shredding`.

use std::{
    fs::{self, File},
    io::{self, Write},
    path::Path,
};

use clap::Args;
use pqseal_atomic_file::{folder_of, sweep, sync_folder};

use super::{
    file::{self, Replaced},
    period, unreached,
};
use crate::{calendar::shredding, error::Error, escape};

/// Delete the private keys of the periods before a date
///
/// What was sealed in these periods can no longer be opened with this file. The file is replaced,
/// and the old one is overwritten. Copies that this cannot reach are named. An encrypted file stays
/// under its passphrase, unless -r or --new-passphrase-file is given; a new passphrase or recipient
/// also makes old copies of the file useless, once the old one is forgotten.
#[derive(Args)]
#[command(after_long_help = crate::examples::help(&crate::examples::CALENDAR_SHRED))]
pub(super) struct Shred {
    /// The first period that stays, by its start; the end of the calendar shreds everything
    #[arg(long, value_name = "DATE", value_parser = period::parse)]
    before: u64,
    /// Shred even if the file has other names (hard links), under which the old file stays until it
    /// is overwritten
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    replaced: Replaced,
}

impl Shred {
    pub(super) fn run(self) -> Result<(), Error> {
        let path = self.replaced.path()?;
        let failed =
            |error: io::Error| Error::io(format_args!("shred in {}", escape::path(&path)), &error);
        finish(&path).map_err(failed)?;
        let (calendar, lock) = self.replaced.read()?;
        let before = period::index(&calendar, "--before", self.before)?;
        let shredded = calendar.shred(before);
        let shredded = shredded.map_err(|error| Error::calendar(&self.replaced.file, &error))?;
        let bytes = lock.close(&shredded, &self.replaced.new)?;
        self.check_links(&path).map_err(failed)??;
        let gone = calendar.present().count() - shredded.present().count();
        fs::hard_link(&path, shredding(&path)).map_err(failed)?;
        sync_folder(folder_of(&path)).map_err(failed)?;
        file::replace(&path, &bytes)?;
        finish(&path).map_err(failed)?;
        let described = period::described(gone, calendar.period_length());
        let _ = writeln!(io::stderr(), "shredded: {described}");
        unreached::warn_of(&path);
        Ok(())
    }

    fn check_links(&self, path: &Path) -> io::Result<Result<(), Error>> {
        Ok(match links(path)? {
            1 => Ok(()),
            _ if self.force => Ok(()),
            count => Err(Error::refused(format!(
                "{} has {count} names (hard links), and the old file would stay under the others; remove them, or add --force",
                escape::path(path)
            ))),
        })
    }
}

#[cfg(unix)]
fn links(path: &Path) -> io::Result<u64> {
    use std::os::unix::fs::MetadataExt;
    Ok(fs::metadata(path)?.nlink())
}

/// Returns 1, because this system does not count them.
#[cfg(not(unix))]
const fn links(_path: &Path) -> io::Result<u64> {
    Ok(1)
}

/// Overwrites and removes the old file, if it has its second name. If the first name was not
/// replaced yet, only the second one is removed.
fn finish(path: &Path) -> io::Result<()> {
    sweep(path);
    let old = shredding(path);
    let found = match File::options().write(true).open(&old) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        found => found?,
    };
    if !pqseal_atomic_file::is_file_at(path, &found) {
        overwrite(&found)?;
    }
    fs::remove_file(&old)?;
    sync_folder(folder_of(path))
}

/// Overwrites all bytes of a file with zeros.
fn overwrite(mut file: &File) -> io::Result<()> {
    let zeros = [0; 1 << 14];
    let mut left = file.metadata()?.len();
    while left > 0 {
        let some = left.min(zeros.len() as u64);
        file.write_all(&zeros[..usize::try_from(some).unwrap_or(zeros.len())])?;
        left -= some;
    }
    file.sync_all()
}
