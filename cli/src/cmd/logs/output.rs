//! The meaning of `-o`, and streams of records: unchanged, or on a terminal without characters that
//! move its cursor.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, IsTerminal, Read, Seek, SeekFrom, Write},
    path::{MAIN_SEPARATOR, Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use pqseal_atomic_file::{folder_of, sync_folder};
use pqseal_pipeline::{
    Compression, Compressor,
    files::{Address, OutputCompression, follow::Sink, is_address},
};

use super::{Compress, OutputArgs, OutputStream, Topic};
use crate::{
    error::Error,
    escape,
    output::{Target, is_open, stdout_is_open},
    signals,
};

/// The meaning of `-o`.
pub(super) enum OutputPath {
    Stream(OutputStream),
    /// A file that appears once it is complete.
    File(PathBuf),
    /// A folder of such files.
    Folder(PathBuf),
}

impl OutputArgs {
    /// Resolves `-o` for one input, or for several.
    ///
    /// # Errors
    /// If several inputs would go to one file, or a stream is to be compressed like its input.
    pub(super) fn resolve(&self, is_one: bool) -> Result<OutputPath, Error> {
        let path = self.resolve_path(is_one)?;
        let message = match &path {
            OutputPath::File(path) | OutputPath::Folder(path)
                if self.permissions.is_some() && is_address(path) =>
            {
                "objects in a store have no such permissions; leave --mode out"
            }
            OutputPath::Stream(OutputStream::Topic(_)) if self.permissions.is_some() => {
                "a topic has no such permissions; leave --mode out"
            }
            OutputPath::Stream(OutputStream::Topic(_)) if self.compress.is_some() => {
                "messages are compressed by the client; set compression.type in the file of --kafka-config, and leave --compress out"
            }
            OutputPath::Stream(_) if self.compress == Some(Compress::Same) => {
                "--compress same is for files; for standard output, pipes and devices name gzip, zstd or none"
            }
            _ => return Ok(path),
        };
        Err(Error::usage(message))
    }

    fn resolve_path(&self, is_one: bool) -> Result<OutputPath, Error> {
        let Some(path) = self.path() else {
            return Ok(OutputPath::Stream(OutputStream::Stdout));
        };
        let owned = path.to_owned();
        if let Some(topic) = Topic::of(path) {
            topic.check()?;
            return Ok(OutputPath::Stream(OutputStream::Topic(owned)));
        }
        if let Some(address) = Address::of(path) {
            return Ok(match address.names_folder() || !is_one {
                true => OutputPath::Folder(owned),
                false => OutputPath::File(owned),
            });
        }
        let name = path.as_os_str().as_encoded_bytes();
        let names_folder =
            name.ends_with(b"/") || name.ends_with(MAIN_SEPARATOR.to_string().as_bytes());
        match fs::metadata(path) {
            _ if names_folder => Ok(OutputPath::Folder(owned)),
            Ok(found) if found.is_dir() => Ok(OutputPath::Folder(owned)),
            Ok(found) if !found.is_file() || is_open(path) => {
                Ok(OutputPath::Stream(OutputStream::Device(owned)))
            }
            _ if is_one => Ok(OutputPath::File(owned)),
            Err(_) => Ok(OutputPath::Folder(owned)),
            Ok(_) => Err(Error::usage(format!(
                "{} is a file, and several files need a folder; name one with -o FOLDER/",
                escape::path(path)
            ))),
        }
    }

    /// Returns the path or address that was given.
    pub(super) fn path(&self) -> Option<&Path> {
        match &self.output {
            Some(Target::File(path)) => Some(path),
            None | Some(Target::Stdout) => None,
        }
    }

    /// Reports whether the output is a topic.
    pub(super) fn is_topic(&self) -> bool {
        self.path().and_then(Topic::of).is_some()
    }

    /// Returns the compression of files in a folder.
    pub(super) fn of_folder(&self) -> OutputCompression {
        self.compress.unwrap_or(Compress::Same).into()
    }

    /// Returns the compression of the file at `path`.
    pub(super) fn of_file(&self, path: &Path) -> OutputCompression {
        match self.compress {
            Some(compress) => compress.into(),
            None => OutputCompression::As(Compression::of_name(path)),
        }
    }

    /// Returns the compression of a stream.
    pub(super) fn of_stream(&self) -> Compression {
        match self.compress.map(OutputCompression::from) {
            Some(OutputCompression::As(compression)) => compression,
            Some(OutputCompression::Same) | None => Compression::None,
        }
    }

    /// Returns the permissions of files, and whether they are exact or still subject to the umask.
    pub(super) fn mode(&self, default: u32) -> (u32, bool) {
        (
            self.permissions.unwrap_or(default),
            self.permissions.is_some(),
        )
    }
}

impl From<Compress> for OutputCompression {
    fn from(compress: Compress) -> Self {
        match compress {
            Compress::Same => Self::Same,
            Compress::None => Self::As(Compression::None),
            Compress::Gzip => Self::As(Compression::Gzip),
            Compress::Zstd => Self::As(Compression::Zstd),
        }
    }
}

/// Standard output, a device, a file or a topic.
pub(super) struct Output {
    sink: Compressor<Box<dyn Write + Send>>,
    /// The file that is appended to, if it is one.
    file: Option<Appended>,
    is_terminal: bool,
    /// `true` if each line is a message.
    is_topic: bool,
    is_in_line: bool,
}

/// A file that is appended to.
struct Appended {
    path: PathBuf,
    file: File,
    mode: u32,
    is_exact_mode: bool,
    /// `true` if its name may not be on the disk yet.
    is_new: bool,
    /// Set when a signal asks to open it again.
    reopen: Arc<AtomicBool>,
}

impl Output {
    pub(super) fn stdout(compression: Compression) -> io::Result<Self> {
        stdout_is_open()?;
        let is_terminal = io::stdout().is_terminal();
        Self::new(Box::new(io::stdout()), is_terminal, compression)
    }

    /// Opens an existing device or pipe. Opening a pipe waits for its reader.
    pub(super) fn device(path: &Path, compression: Compression) -> io::Result<Self> {
        let file = OpenOptions::new().append(true).open(path)?;
        let is_terminal = file.is_terminal();
        Self::new(Box::new(file), is_terminal, compression)
    }

    fn new(
        sink: Box<dyn Write + Send>,
        is_terminal: bool,
        compression: Compression,
    ) -> io::Result<Self> {
        Ok(Self {
            sink: Compressor::new(compression, sink)?,
            file: None,
            is_terminal: is_terminal && compression == Compression::None,
            is_topic: false,
            is_in_line: false,
        })
    }

    /// Creates an output to a topic, which takes each line as a message.
    #[cfg(any(test, feature = "kafka"))]
    pub(super) fn topic(lines: Box<dyn Write + Send>) -> io::Result<Self> {
        let output = Self::new(lines, false, Compression::None)?;
        Ok(Self {
            is_topic: true,
            ..output
        })
    }

    /// Opens a file for appending, and creates it if it does not exist. SIGHUP asks to open it
    /// again.
    pub(super) fn appended(path: &Path, mode: u32, is_exact_mode: bool) -> io::Result<Self> {
        let reopen = signals::asked_to_reopen()?;
        Self::added_to(path, mode, is_exact_mode, reopen)
    }

    /// Like [`Self::appended`], where only `reopen` asks to open it again.
    pub(super) fn added_to(
        path: &Path,
        mode: u32,
        is_exact_mode: bool,
        reopen: Arc<AtomicBool>,
    ) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        options.create(true).read(true).append(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, mode);
        let is_new = !path.exists();
        let file = options.open(path)?;
        #[cfg(unix)]
        if is_exact_mode {
            file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(mode))?;
        }
        let is_in_line = !ends_with_line(&file)?;
        let output = Self::new(Box::new(file.try_clone()?), false, Compression::None)?;
        Ok(Self {
            file: Some(Appended {
                path: path.to_owned(),
                file,
                mode,
                is_exact_mode,
                is_new,
                reopen,
            }),
            is_in_line,
            ..output
        })
    }

    /// Writes the buffered rest.
    pub(super) fn finish(mut self) -> io::Result<()> {
        if self.is_topic {
            self.end_line()?;
        }
        self.sink.finish()?.flush()
    }

    pub(super) const fn is_terminal(&self) -> bool {
        self.is_terminal
    }
}

impl Sink for Output {
    fn settle(&mut self) -> io::Result<()> {
        self.sink.flush()?;
        let Some(appended) = &mut self.file else {
            return Ok(());
        };
        appended.file.sync_data()?;
        if appended.is_new {
            sync_folder(folder_of(&appended.path))?;
            appended.is_new = false;
        }
        Ok(())
    }

    fn file(&mut self) -> Option<(&Path, &File)> {
        let file = self.file.as_ref();
        file.map(|appended| (&*appended.path, &appended.file))
    }

    /// A topic takes only whole lines.
    fn is_whole(&self) -> bool {
        !(self.is_topic && self.is_in_line)
    }

    fn end_line(&mut self) -> io::Result<()> {
        if self.is_in_line {
            self.write_all(b"\n")?;
        }
        Ok(())
    }

    /// The bytes that stay may end within a line that is larger than the largest record, which is
    /// written in parts.
    fn cut(&mut self, size: u64) -> io::Result<()> {
        if let Some(Appended { file, .. }) = &self.file {
            file.set_len(size)?;
            self.is_in_line = !ends_with_line(file)?;
        }
        Ok(())
    }

    fn reopen(&mut self) -> io::Result<()> {
        let Some(old) = self.file.take() else {
            return Ok(());
        };
        // It may be the same file, which is locked as long as it is open.
        *self = Self::new(Box::new(io::sink()), false, Compression::None)?;
        drop(old.file);
        *self = Self::added_to(&old.path, old.mode, old.is_exact_mode, old.reopen)?;
        self.lock()
    }

    fn is_asked_to_reopen(&mut self) -> bool {
        let file = self.file.as_ref();
        file.is_some_and(|appended| appended.reopen.swap(false, Ordering::Relaxed))
    }
}

impl Write for Output {
    /// Writes all of `bytes` to a terminal. They are whole records or parts of a record that is
    /// too large to be read there.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = match self.is_terminal {
            true => {
                // Outside of strings, where nothing may be escaped, JSON has these two as white
                // space.
                for part in String::from_utf8_lossy(bytes).split_inclusive(['\n', '\t']) {
                    let text = part.trim_end_matches(['\n', '\t']);
                    let shown = escape::json(text) + &part[text.len()..];
                    self.sink.write_all(shown.as_bytes())?;
                }
                bytes.len()
            }
            false => self.sink.write(bytes)?,
        };
        if let Some(last) = bytes[..written].last() {
            self.is_in_line = *last != b'\n';
        }
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.sink.flush()
    }
}

/// Reports whether a file is empty or ends with a line break.
fn ends_with_line(mut file: &File) -> io::Result<bool> {
    if file.metadata()?.len() == 0 {
        return Ok(true);
    }
    file.seek(SeekFrom::End(-1))?;
    let mut last = [0];
    file.read_exact(&mut last)?;
    Ok(last == *b"\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_topic_waits_for_the_end_of_a_line() {
        let mut topic = Output::topic(Box::new(Vec::new())).unwrap();
        let mut stream = Output::new(Box::new(Vec::new()), false, Compression::None).unwrap();
        for (bytes, is_whole) in [("a", false), ("b", false), ("\n", true)] {
            topic.write_all(bytes.as_bytes()).unwrap();
            stream.write_all(bytes.as_bytes()).unwrap();
            assert_eq!((topic.is_whole(), stream.is_whole()), (is_whole, true));
        }
    }

    /// A state may be saved within a long line, which another file's line must not continue.
    #[test]
    fn a_file_may_be_cut_within_a_line() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("out");
        std::fs::write(&path, "one\ntwo\n").unwrap();
        for (size, text) in [(6, "one\ntw\n"), (4, "one\n"), (0, "")] {
            let mut output = Output::appended(&path, 0o600, false).unwrap();
            output.cut(size).unwrap();
            output.end_line().unwrap();
            output.finish().unwrap();
            assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        }
    }
}
