//! `FILE.pqseal-header`: the journal of a header that is replaced in place, kept until the new one
//! is on the disk.
//!
//! It contains the old header, the new one of the same length, and the bytes that follow them in
//! the file, which identify the file.

use std::{
    fs::{self, File},
    io::{self, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

use pqseal_age::AnyHeader;
use pqseal_atomic_file::{folder_of, sync_folder};

const SUFFIX: &str = "pqseal-header";
/// The number of bytes that follow the header. They are random or encrypted.
const NEXT: usize = 16;

/// The content of a journal, and its path.
pub(super) struct Journal {
    at: PathBuf,
    old: Vec<u8>,
    new: Vec<u8>,
    next: Vec<u8>,
}

/// The state of a file whose rekey was interrupted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// The file has the old header or the new one.
    Whole,
    /// The file has parts of both headers.
    Torn,
    /// The path has another file, or the file has a third header.
    Other,
}

/// Returns the path of a file's journal. `path` has no links.
pub(super) fn of(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".");
    name.push(SUFFIX);
    name.into()
}

/// Returns the journal that an interrupted rekey left beside a file.
pub(super) fn left_of(path: &Path) -> Option<PathBuf> {
    let journal = of(&fs::canonicalize(path).ok()?);
    journal.is_file().then_some(journal)
}

impl Journal {
    /// Creates the journal of a file that begins with the old header. `None` if the file begins
    /// with something else, or ends less than 16 bytes after the header.
    pub(super) fn new(
        path: &Path,
        file: &File,
        old: &[u8],
        new: Vec<u8>,
    ) -> io::Result<Option<Self>> {
        let beginning = beginning(file, old.len() + NEXT)?;
        let next = beginning.strip_prefix(old).unwrap_or_default();
        Ok((next.len() == NEXT).then(|| Self {
            at: of(path),
            old: old.to_vec(),
            new,
            next: next.to_vec(),
        }))
    }

    /// Reads the journal of a file, if there is one. An incomplete journal is removed, because the
    /// file was still unchanged while the journal was written.
    pub(super) fn read(path: &Path) -> io::Result<Option<Self>> {
        let at = of(path);
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
    pub(super) fn keep(&self) -> io::Result<()> {
        let mut kept = File::options()
            .write(true)
            .create_new(true)
            .open(&self.at)?;
        kept.write_all(&[&self.old[..], &self.new, &self.next].concat())?;
        kept.sync_all()?;
        self.sync_folder();
        Ok(())
    }

    /// Writes the new header.
    pub(super) fn replace(&self, file: &File) -> io::Result<()> {
        self.write(file, &self.new)
    }

    /// Writes the old header back.
    pub(super) fn restore(&self, file: &File) -> io::Result<()> {
        self.write(file, &self.old)
    }

    fn write(&self, mut file: &File, header: &[u8]) -> io::Result<()> {
        file.seek(SeekFrom::Start(0))?;
        file.write_all(header)
    }

    /// Removes the journal, after the file is on the disk.
    pub(super) fn remove(self, file: &File) -> io::Result<()> {
        file.sync_all()?;
        fs::remove_file(&self.at)?;
        self.sync_folder();
        Ok(())
    }

    /// Returns the state of the file.
    pub(super) fn state(&self, file: &File) -> io::Result<State> {
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
pub(super) fn rewound(mut file: &File) -> io::Result<File> {
    file.seek(SeekFrom::Start(0))?;
    file.try_clone()
}

/// Returns the first `length` bytes of the file, or all if it has fewer.
fn beginning(file: &File, length: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    rewound(file)?.take(length as u64).read_to_end(&mut bytes)?;
    Ok(bytes)
}
