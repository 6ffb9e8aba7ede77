//! Compression, told by the first bytes and never by the name: a log service drops plain files with
//! names in `.gz`.

use std::{
    fs::File,
    io::{self, BufRead, BufReader, Read, Seek, Write},
};

use flate2::{Compression as Level, bufread::MultiGzDecoder, write::GzEncoder};

/// How bytes are compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compression {
    /// Not at all.
    None,
    /// gzip (RFC 1952), of one member or several.
    Gzip,
    /// Zstandard (RFC 8878), of one frame or several.
    Zstd,
}

/// How Parquet begins: its name, and the field that each of its headers has first.
pub(crate) const PARQUET: &[u8] = b"PAR1\x15";

/// How much is read from a file at once, in bytes.
const BUFFER: usize = 128 * 1024;

/// The bytes behind `reader`, and how they were compressed.
///
/// # Errors
/// Those of the reader.
pub fn decompress<'r>(
    reader: impl Read + Send + 'r,
) -> io::Result<(Compression, Box<dyn Read + Send + 'r>)> {
    let mut reader = BufReader::with_capacity(BUFFER, reader);
    let (start, compression) = start(&mut reader)?;
    let reader = io::Cursor::new(start).chain(reader);
    let reader: Box<dyn Read + Send> = match compression {
        Compression::None => Box::new(reader),
        Compression::Gzip => Box::new(MultiGzDecoder::new(reader)),
        Compression::Zstd => Box::new(zstd::Decoder::with_buffer(reader)?),
    };
    Ok((compression, reader))
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
    if file.metadata()?.len() >= 8 {
        file.seek(io::SeekFrom::End(-4))?;
        file.take(4).read_to_end(&mut last)?;
    }
    file.rewind()?;
    // PARE: with an encrypted footer, which nothing of here opens; the error says so.
    Ok(first == PARQUET || ((last == b"PAR1" || last == b"PARE") && first.starts_with(&last)))
}

/// The first bytes, at most four, which a pipe may give one by one.
fn start(reader: &mut impl BufRead) -> io::Result<(Vec<u8>, Compression)> {
    let mut start = Vec::new();
    reader.take(2).read_to_end(&mut start)?;
    let compression = match start.as_slice() {
        [0x1f, 0x8b] => Compression::Gzip,
        [0x28, 0xb5] => {
            reader.take(2).read_to_end(&mut start)?;
            if start.ends_with(&[0x2f, 0xfd]) {
                Compression::Zstd
            } else {
                Compression::None
            }
        }
        _ => Compression::None,
    };
    Ok((start, compression))
}

/// A writer that compresses, and is finished by [`Compressor::finish`].
pub enum Compressor<W: Write> {
    /// Not at all.
    None(W),
    /// To gzip without name and time, so that the same input gives the same file.
    Gzip(GzEncoder<W>),
    /// To Zstandard.
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
            Compression::Gzip => Self::Gzip(GzEncoder::new(writer, Level::new(6))),
            Compression::Zstd => Self::Zstd(zstd::Encoder::new(writer, 0)?),
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
            Self::Zstd(encoder) => encoder.finish(),
        }
    }
}

impl<W: Write> Write for Compressor<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::None(writer) => writer.write(bytes),
            Self::Gzip(encoder) => encoder.write(bytes),
            Self::Zstd(encoder) => encoder.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::None(writer) => writer.flush(),
            Self::Gzip(encoder) => encoder.flush(),
            Self::Zstd(encoder) => encoder.flush(),
        }
    }
}

impl<W: Write> std::fmt::Debug for Compressor<W> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Compressor")
    }
}
