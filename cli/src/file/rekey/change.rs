//! The new header of one file, written in place or to a new file.

use std::{
    fs::File,
    io::{self, BufReader, Read, Seek, SeekFrom, Write},
};

use pqseal_age::{
    AnyHeader, ArmorWriter, ContentKey, Input, PayloadError, Recipient, Room, object,
};
use pqseal_atomic_file::Overwrite;

use super::locked::Locked;
use crate::{
    error::{Error, warn},
    file::{
        failure, finished,
        journal::{self, Journal},
        meter::{marked, of_output},
        place::Place,
        plan::Job,
    },
    input::Source,
    output::Target,
};

/// A file, and its new recipients.
pub(super) struct Change<'a> {
    pub(super) name: &'a Source,
    pub(super) old: AnyHeader,
    pub(super) key: ContentKey,
    pub(super) recipients: Vec<&'a dyn Recipient>,
    /// The options, if it is a pqseal object.
    pub(super) options: object::Options,
    /// `true` if a new file gets room in its header even if the old one has none.
    pub(super) reserve: bool,
}

type Encrypted = Input<BufReader<File>>;

impl Change<'_> {
    /// Changes the header in place if the new one fits, or replaces the file.
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

    /// Overwrites the old header with one of the same length. Returns `false` if the new one does
    /// not fit.
    fn in_place(&self, locked: &Locked) -> Result<bool, pqseal_age::Error> {
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

    fn failed_in_place(&self, error: pqseal_age::Error, locked: &Locked) -> Error {
        let mut error = match error {
            pqseal_age::Error::Io(error) => {
                Error::io(format_args!("write {}", self.name), &error).of_one()
            }
            error => failure::of_file(self.name, &error),
        };
        if journal::left_of(&locked.path).is_some() {
            error.message += "; the next rekey of it restores its old header";
        }
        error
    }

    /// Returns the new header, if it fits.
    fn header(&self, room: Room) -> Result<Option<Vec<u8>>, pqseal_age::Error> {
        self.key.header(&self.recipients, room, &self.options)
    }

    /// Writes a whole file: the new header and the old payload.
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
        let copied = self.copy(input, &header, &place);
        let is_replaced = || locked.is_some_and(|locked| !locked.has_its_name());
        let written = match copied {
            Ok(()) if is_replaced() => Err(PayloadError::Changed.into()),
            Ok(()) => Ok(place),
            Err(error) => Err(error.into()),
        };
        let job = Job {
            input: self.name.clone(),
            output: target.clone(),
        };
        finished(&job, written)
    }

    /// Returns the room for the header. A file that had room has room again.
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
        let mut output = marked(place.file());
        match input {
            Input::Binary(reader) => {
                let mut file = reader.into_inner();
                let start = self.old.to_bytes().len() as u64;
                file.seek(SeekFrom::Start(start))?;
                output.write_all(header)?;
                copy_permissions(&file, place.file())?;
                copy_rest(file, place.file())?;
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

/// Copies the rest of `from`. Between files the standard library uses the kernel's copy
/// (copy_file_range), whose error does not tell on which side it failed. An input that cannot be
/// read fails again.
fn copy_rest(mut from: File, mut to: &File) -> io::Result<()> {
    match io::copy(&mut from, &mut to) {
        Err(error) if from.read(&mut [0]).is_ok() => Err(of_output(error)),
        copied => copied.map(drop),
    }
}

/// Copies the permissions of the input to the output, unless it is a device or a pipe.
fn copy_permissions(from: &File, to: &File) -> io::Result<()> {
    match to.metadata().map_err(of_output)?.is_file() {
        true => {
            let permissions = from.metadata()?.permissions();
            to.set_permissions(permissions).map_err(of_output)
        }
        false => Ok(()),
    }
}
