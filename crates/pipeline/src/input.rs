//! Decompression. The format is detected from the first bytes and never from the name, since a log
//! service uploads uncompressed files with names in `.gz`.

mod error;
mod gzip;
mod live;

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

pub use error::{Feature, Format, InputError, StoreError, StoreFailure};
use gzip::Members;
use live::PausingReader;
use pqseal_records::detect::{PARQUET, Packing, packing};

/// The compression of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compression {
    /// No compression.
    None,
    /// gzip (RFC 1952) with one or more members.
    Gzip,
    /// Zstandard (RFC 8878) with one or more frames. Skippable frames may come first.
    Zstd,
}

/// Set if this build reads Parquet. On big-endian processors the parquet crate reports every file
/// as damaged.
pub(crate) const READS_PARQUET: bool = cfg!(all(feature = "parquet", target_endian = "little"));

/// The number of bytes that are read from a file at once.
const BUFFER: usize = 128 * 1024;

/// A stream of records, decompressed as it is read.
///
/// ```
/// use std::io::Read;
/// use pqseal_pipeline::{Compression, Compressor, Input};
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
    counters: Arc<InputCounters>,
}

/// Counters of the input that the thread of the reader updates.
#[derive(Debug, Default)]
struct InputCounters {
    /// The number of bytes read, before decompression.
    read: AtomicU64,
    /// The number of zero bytes after the last gzip member.
    zeros: AtomicU64,
}

impl<'r> Input<'r> {
    /// Creates an input from `reader`, which is decompressed if its first bytes are those of a
    /// compression format.
    ///
    /// # Errors
    /// The errors of the reader, and [`InputError::NotInThisBuild`].
    pub fn decompressed(reader: impl Read + Send + 'r) -> io::Result<Self> {
        let counters = Arc::new(InputCounters::default());
        let counted = CountingReader(reader, counters.clone());
        let mut reader = BufReader::with_capacity(BUFFER, counted);
        let (start, compression) = start(&mut reader)?;
        let reader = io::Cursor::new(start).chain(reader);
        let reader: Box<dyn Read + Send> = match compression {
            Compression::None => Box::new(reader),
            Compression::Gzip => {
                let members = Members::new(reader, counters.clone());
                Box::new(Decompressor(compression, members))
            }
            #[cfg(feature = "zstd")]
            Compression::Zstd => {
                let decoder = zstd::Decoder::with_buffer(reader)?;
                Box::new(Decompressor(compression, decoder))
            }
            #[cfg(not(feature = "zstd"))]
            Compression::Zstd => return Err(InputError::NotInThisBuild(Feature::Zstd).into()),
        };
        Ok(Self {
            compression,
            reader,
            counters,
        })
    }

    /// Creates an input from `reader` without decompression.
    pub fn plain(reader: impl Read + Send + 'r) -> Self {
        let counters = Arc::new(InputCounters::default());
        Self {
            compression: Compression::None,
            reader: Box::new(CountingReader(reader, counters.clone())),
            counters,
        }
    }

    /// Returns the compression of the input.
    pub const fn compression(&self) -> Compression {
        self.compression
    }

    /// Returns the counters of bytes read and ignored, which can be used while another thread
    /// reads.
    pub(crate) fn progress(&self) -> Progress {
        Progress(self.counters.clone())
    }
}

impl Input<'static> {
    /// Converts the input to one that may pause, such as a pipe or a terminal. During a pause, a
    /// read returns [`io::ErrorKind::WouldBlock`], so that the records before it can be written. A
    /// thread waits for the input.
    ///
    /// # Errors
    /// An error if the thread cannot be started.
    pub fn live(self) -> io::Result<Self> {
        let reader = Box::new(PausingReader::start(self.reader)?);
        Ok(Self { reader, ..self })
    }
}

impl Read for Input<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.reader.read(buffer)
    }
}

/// The counters of an [`Input`]: see [`Input::progress`].
pub(crate) struct Progress(Arc<InputCounters>);

impl Progress {
    /// Returns the number of bytes read so far, before decompression.
    pub(crate) fn read(&self) -> u64 {
        self.0.read.load(Ordering::Relaxed)
    }

    /// Returns the number of zero bytes after the end of a gzip, which were ignored.
    pub(crate) fn zeros(&self) -> u64 {
        self.0.zeros.load(Ordering::Relaxed)
    }
}

struct CountingReader<R>(R, Arc<InputCounters>);

impl<R: Read> Read for CountingReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.0.read(buffer)?;
        self.1.read.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}

/// A decompressor whose errors name the format that was damaged.
struct Decompressor<R>(Compression, R);

impl<R: Read> Read for Decompressor<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let compression = self.0;
        let is_zstd = compression == Compression::Zstd;
        self.1.read(buffer).map_err(|source| match source.kind() {
            io::ErrorKind::UnexpectedEof => InputError::CutOff {
                compression,
                source,
            }
            .into(),
            io::ErrorKind::Interrupted | io::ErrorKind::WouldBlock => source,
            // An error of the system concerns the file, not its format.
            _ if source.raw_os_error().is_some() => source,
            // So does an error of a store.
            _ if source
                .get_ref()
                .is_some_and(|inner| inner.is::<InputError>() || inner.is::<StoreError>()) =>
            {
                source
            }
            // A feature that this decompressor lacks is not damage. Its message shows that.
            _ => match source.to_string() {
                text if is_zstd && text.contains("too much memory") => {
                    InputError::Unsupported(Format::ZstdWindow)
                }
                text if is_zstd && text.contains("Dictionary") => {
                    InputError::Unsupported(Format::ZstdDictionary)
                }
                _ => InputError::Damaged {
                    compression,
                    source,
                },
            }
            .into(),
        })
    }
}

/// Reports whether a file is Parquet, by its first bytes, or by its first and last bytes. Pipes and
/// devices are not, because it requires seeking.
///
/// # Errors
/// The errors of the file.
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

/// Reports whether these first bytes are those of Parquet. The last four bytes are used if the
/// first are `PAR`.
pub(crate) fn is_parquet_by(first: &[u8], last: &[u8]) -> bool {
    // PARE means an encrypted footer, which is not supported. The error says so.
    first == PARQUET || ((last == b"PAR1" || last == b"PARE") && first.starts_with(last))
}

/// Reads the first bytes, at most four. A pipe may return them one by one.
fn start(reader: &mut impl BufRead) -> io::Result<(Vec<u8>, Compression)> {
    let mut start = Vec::new();
    reader.take(2).read_to_end(&mut start)?;
    if matches!(start[..], [0x28, 0xb5] | [0x50..=0x5f, 0x2a]) {
        reader.take(2).read_to_end(&mut start)?;
    }
    let compression = packing(&start).map_or(Compression::None, Compression::from);
    Ok((start, compression))
}

impl From<Packing> for Compression {
    fn from(packing: Packing) -> Self {
        match packing {
            Packing::Gzip => Self::Gzip,
            Packing::Zstd => Self::Zstd,
        }
    }
}

/// A writer that compresses, to be completed with [`Compressor::finish`].
pub enum Compressor<W: Write> {
    /// No compression.
    None(W),
    /// gzip without a name and a time, so that equal inputs give equal files.
    Gzip(Box<GzEncoder<W>>),
    /// Zstandard.
    #[cfg(feature = "zstd")]
    Zstd(zstd::Encoder<'static, W>),
}

impl<W: Write> Compressor<W> {
    /// Creates a compressor that writes to `writer`.
    ///
    /// # Errors
    /// The errors of the compressor's set-up.
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

    /// Writes the remaining data and returns the writer.
    ///
    /// # Errors
    /// The errors of the writer.
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

/// A name for people.
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
