//! `pqseal file rekey`: other recipients for the same payload, which is not decrypted.

use std::{
    fs::{self, File},
    io::{self, BufReader, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

use clap::Args;
use files::{
    AnyHeader, ArmorWriter, ContentKey, Input, Recipient, Room, keys::AnyRecipient, object,
};

use super::{
    decrypt, encrypt, failure, journal,
    keys::{Identities, Recipients},
    place::{self, Place},
};
use crate::{
    error::{Error, Exit, warn},
    escape,
    input::{Source, one_stdin},
    output::{Overwrite, Target},
    signals,
};

/// Change the recipients of encrypted files without decrypting their payload
///
/// All recipients are replaced by those given. The file key stays the same, so anyone who could
/// decrypt the old file and kept its key can still read the new one. To withdraw access, encrypt
/// again.
///
/// A file that was encrypted with --reserve is changed in place if the new header fits. Its old
/// header is kept as FILE.pqseal-header until the new one is on the disk; if that is interrupted,
/// the next rekey restores it. Any other file is written again as a whole; the system copies the
/// payload.
#[derive(Args)]
#[command(after_long_help = crate::examples::help(&crate::examples::FILE_REKEY))]
pub(super) struct Rekey {
    #[command(flatten)]
    identities: Identities,
    #[command(flatten)]
    recipients: Recipients,
    /// Leave room in the header if the whole file is written again, as --reserve of `pqseal file
    /// encrypt` does; not in armored files
    #[arg(long)]
    reserve: bool,
    /// Write to this file, and leave FILE as it is
    #[arg(short, long, value_name = "OUT")]
    output: Option<Target>,
    /// Replace OUT if it exists
    #[arg(long, requires = "output")]
    force: bool,
    /// The encrypted files
    #[arg(value_name = "FILE", required = true)]
    inputs: Vec<PathBuf>,
}

impl Rekey {
    pub(super) fn run(self, json: bool) -> Result<Exit, Error> {
        if self.output.is_some() && self.inputs.len() > 1 {
            return Err(Error::usage(
                "-o takes one file; rekey the files one at a time",
            ));
        }
        if self.inputs.iter().any(|input| input.as_os_str() == "-") {
            return Err(Error::usage(
                "rekey changes a file in its place, so it cannot take standard input (`-`); name the file",
            ));
        }
        let keys = self.recipients.sources().iter();
        one_stdin(self.identities.sources().chain(keys))?;
        let recipients = self.recipients.read()?;
        let identities = self.identities.read()?;
        encrypt::check(&recipients)?;
        signals::before_the_end(|| {}).map_err(|error| Error::io("handle signals", &error))?;
        let mut exit = Exit::Done;
        for path in &self.inputs {
            if let Err(error) = self.one(path, &identities, &recipients) {
                error.report(json);
                exit = error.exit;
            }
        }
        if exit == Exit::Done {
            warn(
                "same_file_key",
                "anyone who could decrypt the old file and kept its file key can still read the new one; encrypt again to withdraw that",
            );
        }
        Ok(exit)
    }

    fn one(
        &self,
        path: &Path,
        identities: &[files::keys::AnyIdentity],
        recipients: &[AnyRecipient],
    ) -> Result<(), Error> {
        let name = Source::File(path.to_owned());
        restore(path).map_err(|error| {
            let doing = format!("restore the header of {}", escape::path(path));
            Error::io(doing, &error).of_one()
        })?;
        let mut input = decrypt::open(&name)?;
        let old = AnyHeader::read(&mut input);
        let old = old.map_err(|error| failure::of_file(&name.to_string(), &error))?;
        let options = self.recipients.object_options();
        let key = super::file_key(&name, &old, identities, &self.identities, &options.policy)?;
        let change = Change {
            path,
            old: old.to_bytes(),
            key,
            recipients: encrypt::as_refs(recipients),
            options,
        };
        match &self.output {
            None if change.in_place(&input).map_err(|e| io_or_file(path, e))? => Ok(()),
            output => {
                let same = Target::File(path.to_owned());
                let target = output.as_ref().unwrap_or(&same);
                let force = self.force || output.is_none();
                change.whole(input, target, super::overwrite(force), self.reserve)
            }
        }
    }
}

fn io_or_file(path: &Path, error: files::Error) -> Error {
    match error {
        files::Error::Io(error) => {
            Error::io(format_args!("write {}", escape::path(path)), &error).of_one()
        }
        error => failure::of_file(&escape::path(path), &error),
    }
}

/// One file and what it becomes.
struct Change<'a> {
    path: &'a Path,
    old: Vec<u8>,
    key: ContentKey,
    recipients: Vec<&'a dyn Recipient>,
    /// If it is a pqseal object.
    options: object::Options,
}

impl Change<'_> {
    /// The new header, if it fits.
    fn header(&self, room: Room) -> Result<Option<Vec<u8>>, files::Error> {
        self.key.header(&self.recipients, room, &self.options)
    }

    /// Writes a header as long as the old one over it, if there is one; whether it did.
    fn in_place(&self, input: &Input<BufReader<File>>) -> Result<bool, files::Error> {
        let new = self.header(Room::Exactly(self.old.len()))?;
        let (Some(new), Input::Binary(_)) = (new, input) else {
            return Ok(false);
        };
        let mut file = File::options().write(true).open(self.path)?;
        let journal = journal::of(self.path);
        let mut kept = File::options()
            .write(true)
            .create_new(true)
            .open(&journal)?;
        kept.write_all(&self.old)?;
        kept.sync_all()?;
        sync_folder(self.path);
        file.write_all(&new)?;
        file.sync_all()?;
        fs::remove_file(&journal)?;
        Ok(true)
    }

    /// Writes all of it again: the new header and the old payload.
    fn whole(
        &self,
        input: Input<BufReader<File>>,
        target: &Target,
        overwrite: Overwrite,
        reserve: bool,
    ) -> Result<(), Error> {
        let room = match (reserve, &input) {
            (true, Input::Binary(_)) => Room::Reserve,
            (true, Input::Armored(_)) => {
                let path = escape::path(self.path);
                warn(
                    "no_reserve",
                    format_args!("{path} is armored, so --reserve has no effect on it"),
                );
                Room::Least
            }
            (false, _) => Room::Least,
        };
        let header = self.header(room);
        let header = header.map_err(|error| failure::of_recipients(&error))?;
        let header = header.expect("there is no limit of length");
        let place = Place::open(target, overwrite)?;
        self.copy(input, &header, &place)
            .and_then(|()| place.finish())
            .map_err(|error| place::failed(target, &error))
    }

    fn copy(&self, input: Input<BufReader<File>>, header: &[u8], place: &Place) -> io::Result<()> {
        let mut output = place.file();
        match input {
            Input::Binary(reader) => {
                let mut file = reader.into_inner();
                let start = self.old.len() as u64;
                file.seek(SeekFrom::Start(start))?;
                output.write_all(header)?;
                output.set_permissions_of(&file)?;
                // Between files the standard library has the kernel copy (copy_file_range).
                io::copy(&mut file, &mut output)?;
            }
            Input::Armored(mut input) => {
                let mut armor = ArmorWriter::new(io::BufWriter::new(output))?;
                armor.write_all(header)?;
                io::copy(&mut input, &mut armor)?;
                armor.finish()?;
            }
        }
        Ok(())
    }
}

/// The permissions of the file that is replaced.
trait SetPermissions {
    fn set_permissions_of(&self, other: &File) -> io::Result<()>;
}

impl SetPermissions for &File {
    fn set_permissions_of(&self, other: &File) -> io::Result<()> {
        let found = other.metadata()?;
        match self.metadata()?.is_file() {
            true => self.set_permissions(found.permissions()),
            false => Ok(()),
        }
    }
}

/// Puts the header back that an interrupted rekey was about to replace. A header that is not whole
/// was interrupted before the file was touched.
fn restore(path: &Path) -> io::Result<()> {
    let journal = journal::of(path);
    let mut kept = Vec::new();
    match File::open(&journal) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        opened => opened?
            .take(files::MAX_HEADER as u64 + 1)
            .read_to_end(&mut kept)?,
    };
    let whole = AnyHeader::read(&mut &kept[..]).is_ok_and(|header| header.to_bytes() == kept);
    if whole {
        let mut file = File::options().write(true).open(path)?;
        file.write_all(&kept)?;
        file.sync_all()?;
        warn(
            "restored",
            format_args!(
                "an earlier rekey of {} was interrupted; its old header was restored",
                escape::path(path)
            ),
        );
    }
    fs::remove_file(&journal)
}

/// So that the new name survives a power failure; not every system lets a folder be synced.
fn sync_folder(path: &Path) {
    let parent = path.parent().filter(|p| !p.as_os_str().is_empty());
    let _ = File::open(parent.unwrap_or(Path::new("."))).and_then(|folder| folder.sync_all());
}
