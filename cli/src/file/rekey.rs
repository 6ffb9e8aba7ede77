//! `pqseal file rekey`: changes the recipients of a payload, which is not decrypted.

use std::{
    fs::{self, File, TryLockError},
    io::{self, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

use clap::Args;
use pqseal_age::{
    AnyHeader, ArmorWriter, ContentKey, FileKey, Header, Input, PayloadError, Recipient, Room,
    keys::AnyRecipient, object,
};
use pqseal_atomic_file::{Overwrite, folder_of, is_file_at, sync_folder};

use super::{
    Encrypted, PendingFile, as_refs, bad_recipients, encrypted, file_failed, finished,
    keys::{Identities, Keys, Recipients},
    marked, of_output, open_encrypted,
    plan::Job,
};
use crate::{
    error::{Error, Exit, warn},
    escape,
    input::{Source, one_stdin},
    output::Target,
    signals,
};

/// Change the recipients of encrypted files without decrypting their payload
///
/// All recipients are replaced by those given. The file key stays the same, so anyone who could
/// decrypt the old file and kept its key can still read the new one. To withdraw access, encrypt
/// again.
///
/// A file that was encrypted with --reserve is changed in place if the new header fits. Both
/// headers are kept as FILE.pqseal-header until the new one is on the disk; if that is interrupted,
/// the next rekey restores the old one. Any other file is written again as a whole; the system
/// copies the payload. If the old file had room in its header, the new one has too.
#[derive(Args)]
#[command(after_long_help = crate::parse::help(&[
    ("Other recipients", "pqseal file rekey -i key.txt -R recipients.txt report.age"),
    ("In a new file, the old one stays", "pqseal file rekey -i key.txt -R recipients.txt -o new.age report.age"),
    ("With room in the header for later changes in place", "pqseal file rekey -i key.txt -R recipients.txt --reserve disk.age"),
]))]
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
                "rekey changes a file in place, so it cannot take standard input (`-`); name the file",
            ));
        }
        let keys = self.recipients.sources().iter();
        one_stdin(self.identities.sources().chain(keys.clone()))?;
        if let Some(output) = &self.output {
            super::check_keys(output, self.identities.sources().chain(keys))?;
        }
        let recipients = self.recipients.read()?;
        let identities = self.identities.read()?;
        // Bad recipients are reported before any file, as far as possible without asking anyone.
        if !recipients.iter().any(|recipient| recipient.asks()) {
            Header::new(&as_refs(&recipients), &FileKey::new([0; 16]))
                .map_err(|error| bad_recipients(&error))?;
        }
        signals::before_the_end(|| {}).map_err(|error| Error::io("handle signals", &error))?;
        let (mut exit, mut is_any_changed) = (Exit::Done, false);
        for path in &self.inputs {
            match self.one(path, &identities, &recipients) {
                Ok(()) => is_any_changed = true,
                Err(error) => {
                    error.report(json);
                    exit = error.exit;
                }
            }
        }
        if is_any_changed {
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
        identities: &Keys<'_>,
        recipients: &[AnyRecipient],
    ) -> Result<(), Error> {
        let name = Source::File(path.to_owned());
        let locked = match &self.output {
            None => Some(Locked::open(&name, path)?),
            Some(output) => {
                super::check_growth(&name, output)?;
                None
            }
        };
        let mut input = match &locked {
            Some(locked) => locked.input(&name)?,
            None => open_encrypted(&name)?,
        };
        let is_shown = self.output.as_ref().is_some_and(Target::is_terminal);
        if is_shown && matches!(input, Input::Binary(_)) {
            return Err(Error::usage(
                "the output is binary, which a terminal cannot show; name a file with -o",
            ));
        }
        let old = AnyHeader::read(&mut input);
        let old = old.map_err(|error| file_failed(&name, &error))?;
        let options = self.recipients.object_options();
        let key = identities.open(&name, &old, &options.policy)?;
        let change = Change {
            name: &name,
            old,
            key,
            recipients: as_refs(recipients),
            options,
            reserve: self.reserve,
        };
        match (&locked, &self.output) {
            (Some(locked), _) => change.under_its_name(input, locked),
            (None, output) => {
                let target = output.clone().unwrap_or(Target::Stdout);
                change.whole(input, &target, super::overwrite(self.force), None)
            }
        }
    }
}

/// A file, and its new recipients.
struct Change<'a> {
    name: &'a Source,
    old: AnyHeader,
    key: ContentKey,
    recipients: Vec<&'a dyn Recipient>,
    /// The options, if it is a pqseal object.
    options: object::Options,
    /// `true` if a new file gets room in its header even if the old one has none.
    reserve: bool,
}

impl Change<'_> {
    /// Changes the header in place if the new one fits, or replaces the file.
    fn under_its_name(&self, input: Encrypted, locked: &Locked) -> Result<(), Error> {
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
        journal.write(file, &journal.new)?;
        journal.remove(file)?;
        Ok(true)
    }

    fn failed_in_place(&self, error: pqseal_age::Error, locked: &Locked) -> Error {
        let mut error = match error {
            pqseal_age::Error::Io(error) => {
                Error::io(format_args!("write {}", self.name), &error).of_one()
            }
            error => file_failed(self.name, &error),
        };
        if journal_left_of(&locked.path).is_some() {
            error.message += "; the next rekey of it restores its old header";
        }
        error
    }

    /// Returns the new header, if it fits.
    fn header(&self, room: Room) -> Result<Option<Vec<u8>>, pqseal_age::Error> {
        self.key.header(&self.recipients, room, &self.options)
    }

    /// Writes a whole file: the new header and the old payload.
    fn whole(
        &self,
        input: Encrypted,
        target: &Target,
        overwrite: Overwrite,
        locked: Option<&Locked>,
    ) -> Result<(), Error> {
        let header = self.header(self.room(&input));
        let header = header.map_err(|error| bad_recipients(&error))?;
        let header = header.expect("only a given length can be too short");
        let place = PendingFile::open(target, overwrite)?;
        let copied = self.copy(input, &header, &place);
        let written = match copied {
            Ok(()) if locked.is_some_and(|locked| !locked.has_its_name()) => {
                Err(PayloadError::Changed.into())
            }
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

    fn copy(&self, input: Encrypted, header: &[u8], place: &PendingFile) -> io::Result<()> {
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

/// A locked file.
struct Locked {
    /// Its path, without links.
    path: PathBuf,
    file: File,
    is_writable: bool,
}

impl Locked {
    /// Opens a file, and restores its header if a rekey of it was interrupted.
    ///
    /// # Errors
    /// If that is not possible, or another rekey is in progress.
    fn open(name: &Source, path: &Path) -> Result<Self, Error> {
        let locked = Self::of(path).map_err(|error| name.unreadable(&error).of_one())?;
        if !locked.file.metadata().is_ok_and(|found| found.is_file()) {
            let message = format!(
                "{name} is not a regular file, so it cannot be changed in place; add -o OUT"
            );
            return Err(Error::refused(message).of_one());
        }
        // On Windows a lock would prevent this process from reading the file too.
        if cfg!(unix) && matches!(locked.file.try_lock(), Err(TryLockError::WouldBlock)) {
            let message =
                format!("another rekey is changing {name}; run this again when it has ended");
            return Err(Error::refused(message).of_one());
        }
        match locked.recover(name) {
            Ok(State::Whole | State::Torn) => Ok(locked),
            Ok(State::Other) => {
                let kept = escape::path(&journal_of(&locked.path));
                let message = format!(
                    "{kept} belongs to a rekey that was interrupted, and {name} has been replaced since then; move {kept} away, and run this again"
                );
                Err(Error::refused(message).of_one())
            }
            Err(error) => {
                Err(Error::io(format_args!("restore the header of {name}"), &error).of_one())
            }
        }
    }

    fn of(path: &Path) -> io::Result<Self> {
        let path = fs::canonicalize(path)?;
        let (file, is_writable) = match File::options().read(true).write(true).open(&path) {
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                (File::open(&path)?, false)
            }
            opened => (opened?, true),
        };
        Ok(Self {
            path,
            file,
            is_writable,
        })
    }

    /// Reads the file from its beginning.
    ///
    /// # Errors
    /// If it cannot be read.
    fn input(&self, name: &Source) -> Result<Encrypted, Error> {
        let file = rewound(&self.file);
        let file = file.map_err(|error| name.unreadable(&error).of_one())?;
        encrypted(name, file)
    }

    /// Reports whether its path still refers to it, since another program may have replaced
    /// it.
    fn has_its_name(&self) -> bool {
        is_file_at(&self.path, &self.file)
    }

    /// Restores the header that an interrupted rekey was replacing, if the file is still the same.
    fn recover(&self, name: &Source) -> io::Result<State> {
        let Some(journal) = Journal::read(&self.path)? else {
            return Ok(State::Whole);
        };
        let state = journal.state(&self.file)?;
        if state == State::Torn {
            journal.write(&self.file, &journal.old)?;
            let message =
                format!("an earlier rekey of {name} was interrupted; its old header was restored");
            warn("restored", message);
        }
        if state != State::Other {
            journal.remove(&self.file)?;
        }
        Ok(state)
    }
}

const SUFFIX: &str = "pqseal-header";
/// The number of bytes that follow the header. They are random or encrypted.
const NEXT: usize = 16;

/// The content and the path of `FILE.pqseal-header`: the journal of a header that is replaced in
/// place, kept until the new one is on the disk. It contains the old header, the new one of the
/// same length, and the bytes that follow them in the file, which identify the file.
struct Journal {
    at: PathBuf,
    old: Vec<u8>,
    new: Vec<u8>,
    next: Vec<u8>,
}

/// The state of a file whose rekey was interrupted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// The file has the old header or the new one.
    Whole,
    /// The file has parts of both headers.
    Torn,
    /// The path has another file, or the file has a third header.
    Other,
}

/// Returns the path of a file's journal. `path` has no links.
fn journal_of(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".");
    name.push(SUFFIX);
    name.into()
}

/// Returns the journal that an interrupted rekey left beside a file.
pub(super) fn journal_left_of(path: &Path) -> Option<PathBuf> {
    let journal = journal_of(&fs::canonicalize(path).ok()?);
    journal.is_file().then_some(journal)
}

impl Journal {
    /// Creates the journal of a file that begins with the old header. `None` if the file begins
    /// with something else, or ends less than 16 bytes after the header.
    fn new(path: &Path, file: &File, old: &[u8], new: Vec<u8>) -> io::Result<Option<Self>> {
        let beginning = beginning(file, old.len() + NEXT)?;
        let next = beginning.strip_prefix(old).unwrap_or_default();
        Ok((next.len() == NEXT).then(|| Self {
            at: journal_of(path),
            old: old.to_vec(),
            new,
            next: next.to_vec(),
        }))
    }

    /// Reads the journal of a file, if there is one. An incomplete journal is removed, because the
    /// file was still unchanged while the journal was written.
    fn read(path: &Path) -> io::Result<Option<Self>> {
        let at = journal_of(path);
        let mut kept = Vec::new();
        match File::open(&at) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            opened => opened?
                .take(3 * pqseal_age::MAX_HEADER as u64)
                .read_to_end(&mut kept)?,
        };
        let mut rest = &kept[..];
        let mut header =
            || AnyHeader::read(&mut rest).map_or_else(|_| Vec::new(), |h| h.to_bytes());
        let (old, new) = (header(), header());
        let is_whole = rest.len() == NEXT && old.len() == new.len();
        let next = rest.to_vec();
        match is_whole {
            true => Ok(Some(Self { at, old, new, next })),
            false => fs::remove_file(&at).map(|()| None),
        }
    }

    /// Writes it to the disk.
    ///
    /// # Errors
    /// Also if a journal exists already.
    fn keep(&self) -> io::Result<()> {
        let mut kept = File::options()
            .write(true)
            .create_new(true)
            .open(&self.at)?;
        kept.write_all(&[&self.old[..], &self.new, &self.next].concat())?;
        kept.sync_all()?;
        self.sync_folder();
        Ok(())
    }

    fn write(&self, mut file: &File, header: &[u8]) -> io::Result<()> {
        file.seek(SeekFrom::Start(0))?;
        file.write_all(header)
    }

    /// Removes the journal, after the file is on the disk.
    fn remove(self, file: &File) -> io::Result<()> {
        file.sync_all()?;
        fs::remove_file(&self.at)?;
        self.sync_folder();
        Ok(())
    }

    /// Returns the state of the file.
    fn state(&self, file: &File) -> io::Result<State> {
        let found = beginning(file, self.old.len() + NEXT)?;
        let Some(header) = found.strip_suffix(&self.next[..]) else {
            return Ok(State::Other);
        };
        let mut pairs = self.old.iter().zip(&self.new).zip(header);
        Ok(match () {
            () if header.len() != self.old.len() => State::Other,
            () if header == self.old || header == self.new => State::Whole,
            () if pairs.all(|((old, new), byte)| byte == old || byte == new) => State::Torn,
            () => State::Other,
        })
    }

    /// Makes its name, or its removal, survive a power failure. Some file systems do not support
    /// that.
    fn sync_folder(&self) {
        let _ = sync_folder(folder_of(&self.at));
    }
}

/// Returns the same file, at its beginning.
fn rewound(mut file: &File) -> io::Result<File> {
    file.seek(SeekFrom::Start(0))?;
    file.try_clone()
}

/// Returns the first `length` bytes of the file, or all if it has fewer.
fn beginning(file: &File, length: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    rewound(file)?.take(length as u64).read_to_end(&mut bytes)?;
    Ok(bytes)
}
