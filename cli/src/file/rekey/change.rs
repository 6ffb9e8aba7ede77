//! The new header of one file, written in its place or to a new file.

use std::{
    fs::File,
    io::{self, BufReader, Seek, SeekFrom, Write},
};

use files::{AnyHeader, ArmorWriter, ContentKey, Input, PayloadError, Recipient, Room, object};

use super::locked::Locked;
use crate::{
    error::{Error, warn},
    file::{
        failure,
        journal::{self, Journal},
        place::{self, Place},
    },
    input::Source,
    output::{Overwrite, Target},
};

/// A file, and its new recipients.
pub(super) struct Change<'a> {
    pub(super) name: &'a Source,
    pub(super) old: AnyHeader,
    pub(super) key: ContentKey,
    pub(super) recipients: Vec<&'a dyn Recipient>,
    /// If it is a pqseal object.
    pub(super) options: object::Options,
    /// Whether a new file gets room in its header even if the old one has none.
    pub(super) reserve: bool,
}

type Encrypted = Input<BufReader<File>>;

impl Change<'_> {
    /// Changes the header in its place if both headers fit there, or writes a file that takes the name.
    pub(super) fn under_its_name(&self, input: Encrypted, locked: &Locked) -> Result<(), Error> {
        let is_binary = matches!(input, Input::Binary(_));
        if is_binary && locked.is_writable && self.old.has_room() {
            let done = self.in_place(locked);
            if done.map_err(|error| self.failed_in_place(error, locked))? {
                return Ok(());
            }
        }
        let target = Target::File(locked.path.clone());
        self.whole(input, &target, Overwrite::Allow, Some(locked))
    }

    /// Writes a header as long as the old one over it, if there is one; whether it did.
    fn in_place(&self, locked: &Locked) -> Result<bool, files::Error> {
        let old = self.old.to_bytes();
        let Some(new) = self.header(Room::Exactly(old.len()))? else {
            return Ok(false);
        };
        let file = &locked.file;
        let journal = match locked.has_its_name() {
            true => Journal::new(&locked.path, file, &old, new)?,
            false => None,
        };
        let journal = journal.ok_or(PayloadError::Changed)?;
        journal.keep()?;
        journal.replace(file)?;
        journal.remove(file)?;
        Ok(true)
    }

    fn failed_in_place(&self, error: files::Error, locked: &Locked) -> Error {
        let mut error = match error {
            files::Error::Io(error) => {
                Error::io(format_args!("write {}", self.name), &error).of_one()
            }
            error => failure::of_file(&self.name.to_string(), &error),
        };
        if journal::is_interrupted(&locked.path) {
            error.message += "; the next rekey of it restores its old header";
        }
        error
    }

    /// The new header, if it fits.
    fn header(&self, room: Room) -> Result<Option<Vec<u8>>, files::Error> {
        self.key.header(&self.recipients, room, &self.options)
    }

    /// Writes all of it again: the new header and the old payload.
    pub(super) fn whole(
        &self,
        input: Encrypted,
        target: &Target,
        overwrite: Overwrite,
        locked: Option<&Locked>,
    ) -> Result<(), Error> {
        let header = self.header(self.room(&input));
        let header = header.map_err(|error| failure::of_recipients(&error))?;
        let header = header.expect("only a given length can be too short");
        let place = Place::open(target, overwrite)?;
        self.copy(input, &header, &place)
            .map_err(|error| self.not_copied(error, target))?;
        if locked.is_some_and(|locked| !locked.has_its_name()) {
            let changed = PayloadError::Changed.into();
            return Err(failure::of_file(&self.name.to_string(), &changed));
        }
        place
            .finish()
            .map_err(|error| place::failed(target, &error))
    }

    /// A file that had room has room again.
    fn room(&self, input: &Encrypted) -> Room {
        match input {
            Input::Binary(_) if self.reserve || self.old.has_room() => Room::Reserve,
            Input::Armored(_) if self.reserve => {
                let message = format!("{} is armored, so --reserve has no effect on it", self.name);
                warn("no_reserve", message);
                Room::Least
            }
            _ => Room::Least,
        }
    }

    fn copy(&self, input: Encrypted, header: &[u8], place: &Place) -> io::Result<()> {
        let mut output = place.file();
        match input {
            Input::Binary(reader) => {
                let mut file = reader.into_inner();
                let start = self.old.to_bytes().len() as u64;
                file.seek(SeekFrom::Start(start))?;
                output.write_all(header)?;
                copy_permissions(&file, output)?;
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

    /// Reading the input fails in the same calls, with errors of its armor.
    fn not_copied(&self, error: io::Error, target: &Target) -> Error {
        match files::Error::from(error) {
            files::Error::Io(error) => place::failed(target, &error),
            error => failure::of_file(&self.name.to_string(), &error),
        }
    }
}

/// Gives an output the permissions of the input, unless it is a device or a pipe.
fn copy_permissions(from: &File, to: &File) -> io::Result<()> {
    match to.metadata()?.is_file() {
        true => to.set_permissions(from.metadata()?.permissions()),
        false => Ok(()),
    }
}
