//! Compression, told by the first bytes and never by the name: a log service drops plain files with
//! names in `.gz`.

mod error;
mod gzip;
mod live;
mod store_error;
pub(crate) mod unsupported;

use std::{
    fmt,
    fs::File,
    io::{self, BufRead, BufReader, Read, Seek, Write},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use flate2::{Compression as Level, write::GzEncoder};

pub use error::{Feature, Format, InputError};
use gzip::Members;
use live::Live;
pub use store_error::{StoreError, StoreFailure};

/// How bytes are compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compression {
    /// Not at all.
    None,
    /// gzip (RFC 1952), of one member or several.
    Gzip,
    /// Zstandard (RFC 8878), of one frame or several. Frames that are skipped may come first.
    Zstd,
}

/// Whether this build reads Parquet. On a big-endian processor the parquet crate takes every file for
/// a damaged one.
pub(crate) const READS_PARQUET: bool = cfg!(all(feature = "parquet", target_endian = "little"));

/// How Parquet begins: its name, and the field that each of its headers has first.
pub(crate) const PARQUET: &[u8] = b"PAR1\x15";

/// How much is read from a file at once, in bytes.
const BUFFER: usize = 128 * 1024;

/// A stream of records, decompressed as it is read.
///
/// ```
/// use std::io::Read;
/// use pqseal_siem::{Compression, Compressor, Input};
///
/// let mut gzip = Compressor::new(Compression::Gzip, Vec::new())?;
/// std::io::Write::write_all(&mut gzip, b"{}\n")?;
/// let bytes = gzip.finish()?;
///
/// let mut records = String::new();
/// Input::decompressed(&bytes[..])?.read_to_string(&mut records)?;
/// assert_eq!(records, "{}\n");
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct Input<'r> {
    compression: Compression,
    reader: Box<dyn Read + Send + 'r>,
    told: Arc<Told>,
}

/// What the reader's thread tells of the input.
#[derive(Debug, Default)]
struct Told {
    /// Bytes read, before decompression.
    read: AtomicU64,
    /// Zero bytes after the last member of a gzip.
    zeros: AtomicU64,
}

impl<'r> Input<'r> {
    /// What `reader` gives, decompressed if it is compressed, which its first bytes tell.
    ///
    /// # Errors
    /// Those of the reader, and [`InputError::NotInThisBuild`].
    pub fn decompressed(reader: impl Read + Send + 'r) -> io::Result<Self> {
        let told = Arc::new(Told::default());
        let counted = Counted(reader, told.clone());
        let mut reader = BufReader::with_capacity(BUFFER, counted);
        let (start, compression) = start(&mut reader)?;
        let reader = io::Cursor::new(start).chain(reader);
        let reader: Box<dyn Read + Send> = match compression {
            Compression::None => Box::new(reader),
            Compression::Gzip => {
                let members = Members::new(reader, told.clone());
                Box::new(Checked(compression, members))
            }
            #[cfg(feature = "zstd")]
            Compression::Zstd => {
                let decoder = zstd::Decoder::with_buffer(reader)?;
                Box::new(Checked(compression, decoder))
            }
            #[cfg(not(feature = "zstd"))]
            Compression::Zstd => return Err(InputError::NotInThisBuild(Feature::Zstd).into()),
        };
        Ok(Self {
            compression,
            reader,
            told,
        })
    }

    /// What `reader` gives, as it is.
    pub fn plain(reader: impl Read + Send + 'r) -> Self {
        let told = Arc::new(Told::default());
        Self {
            compression: Compression::None,
            reader: Box::new(Counted(reader, told.clone())),
            told,
        }
    }

    /// How it was compressed.
    pub const fn compression(&self) -> Compression {
        self.compression
    }

    /// How far it was read, and what was left out of it, while another thread reads it.
    pub(crate) fn progress(&self) -> Progress {
        Progress(self.told.clone())
    }
}

impl Input<'static> {
    /// The same for an input that may pause, such as a pipe or a terminal: while it pauses, a read
    /// ends with [`io::ErrorKind::WouldBlock`], so that the records before the pause can be
    /// written. A thread waits for the input.
    ///
    /// # Errors
    /// If the thread cannot be started.
    pub fn live(self) -> io::Result<Self> {
        let reader = Box::new(Live::start(self.reader)?);
        Ok(Self { reader, ..self })
    }
}

impl Read for Input<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.reader.read(buffer)
    }
}

/// See [`Input::progress`].
pub(crate) struct Progress(Arc<Told>);

impl Progress {
    /// Bytes read so far, before decompression.
    pub(crate) fn read(&self) -> u64 {
        self.0.read.load(Ordering::Relaxed)
    }

    /// Zero bytes after the end of a gzip, which were ignored.
    pub(crate) fn zeros(&self) -> u64 {
        self.0.zeros.load(Ordering::Relaxed)
    }
}

struct Counted<R>(R, Arc<Told>);

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.0.read(buffer)?;
        self.1.read.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}

/// Says of a decompressor's error which format was damaged.
struct Checked<R>(Compression, R);

impl<R: Read> Read for Checked<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let compression = self.0;
        self.1.read(buffer).map_err(|source| match source.kind() {
            io::ErrorKind::UnexpectedEof => InputError::CutOff {
                compression,
                source,
            }
            .into(),
            io::ErrorKind::Interrupted | io::ErrorKind::WouldBlock => source,
            // An error of the system is one of the file, not of its format.
            _ if source.raw_os_error().is_some() => source,
            // Nor is one of a store.
            _ if source
                .get_ref()
                .is_some_and(|inner| inner.is::<InputError>() || inner.is::<StoreError>()) =>
            {
                source
            }
            // Nor is what this decompressor does not do damage.
            _ => match unsupported::zstd(compression, &source) {
                Some(format) => InputError::Unsupported(format).into(),
                None => InputError::Damaged {
                    compression,
                    source,
                }
                .into(),
            },
        })
    }
}

/// Whether a file is Parquet by its first bytes, or by the first and the last. Pipes and the like
/// are not: it takes seeking.
///
/// # Errors
/// Those of the file.
pub(crate) fn is_parquet(mut file: &File) -> io::Result<bool> {
    if !file.metadata()?.is_file() {
        return Ok(false);
    }
    let (mut first, mut last) = (Vec::new(), Vec::new());
    file.rewind()?;
    file.take(PARQUET.len() as u64).read_to_end(&mut first)?;
    if first.starts_with(b"PAR") && file.metadata()?.len() >= 8 {
        file.seek(io::SeekFrom::End(-4))?;
        file.take(4).read_to_end(&mut last)?;
    }
    file.rewind()?;
    Ok(is_parquet_by(&first, &last))
}

/// The same by the first bytes, and the last four if the first are `PAR`.
pub(crate) fn is_parquet_by(first: &[u8], last: &[u8]) -> bool {
    // PARE: with an encrypted footer, which nothing of here opens; the error says so.
    first == PARQUET || ((last == b"PAR1" || last == b"PARE") && first.starts_with(last))
}

/// The first bytes, at most four, which a pipe may give one by one.
fn start(reader: &mut impl BufRead) -> io::Result<(Vec<u8>, Compression)> {
    let mut start = Vec::new();
    reader.take(2).read_to_end(&mut start)?;
    if matches!(start[..], [0x28, 0xb5] | [0x50..=0x5f, 0x2a]) {
        reader.take(2).read_to_end(&mut start)?;
    }
    let compression = compression(&start);
    Ok((start, compression))
}

/// The compression of data that begins so.
const fn compression(start: &[u8]) -> Compression {
    match start {
        [0x1f, 0x8b, ..] => Compression::Gzip,
        // A frame, or one that is skipped: pzstd writes such frames first.
        [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Compression::Zstd,
        _ => Compression::None,
    }
}

/// A writer that compresses, and is finished by [`Compressor::finish`].
pub enum Compressor<W: Write> {
    /// Not at all.
    None(W),
    /// To gzip without name and time, so that the same input gives the same file.
    Gzip(Box<GzEncoder<W>>),
    /// To Zstandard.
    #[cfg(feature = "zstd")]
    Zstd(zstd::Encoder<'static, W>),
}

impl<W: Write> Compressor<W> {
    /// Compresses into `writer`.
    ///
    /// # Errors
    /// Those of the compressor's set-up.
    pub fn new(compression: Compression, writer: W) -> io::Result<Self> {
        Ok(match compression {
            Compression::None => Self::None(writer),
            Compression::Gzip => Self::Gzip(Box::new(GzEncoder::new(writer, Level::new(6)))),
            #[cfg(feature = "zstd")]
            Compression::Zstd => Self::Zstd(zstd::Encoder::new(writer, 0)?),
            #[cfg(not(feature = "zstd"))]
            Compression::Zstd => return Err(InputError::NotInThisBuild(Feature::Zstd).into()),
        })
    }

    /// Writes what is left, and gives the writer back.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn finish(self) -> io::Result<W> {
        match self {
            Self::None(writer) => Ok(writer),
            Self::Gzip(encoder) => encoder.finish(),
            #[cfg(feature = "zstd")]
            Self::Zstd(encoder) => encoder.finish(),
        }
    }
}

impl<W: Write> Write for Compressor<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::None(writer) => writer.write(bytes),
            Self::Gzip(encoder) => encoder.write(bytes),
            #[cfg(feature = "zstd")]
            Self::Zstd(encoder) => encoder.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::None(writer) => writer.flush(),
            Self::Gzip(encoder) => encoder.flush(),
            #[cfg(feature = "zstd")]
            Self::Zstd(encoder) => encoder.flush(),
        }
    }
}

/// Its name for people.
impl fmt::Display for Compression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::None => "uncompressed",
            Self::Gzip => "gzip",
            Self::Zstd => "Zstandard",
        })
    }
}

impl fmt::Debug for Input<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Input").field(&self.compression).finish()
    }
}

impl<W: Write> fmt::Debug for Compressor<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Compressor")
    }
}
