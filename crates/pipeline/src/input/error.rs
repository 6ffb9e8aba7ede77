//! The problems of an input other than read errors.

use std::{error, fmt, io};

use super::Compression;

/// The reason why an input cannot be used, although its bytes were read.
#[derive(Debug)]
#[non_exhaustive]
pub enum InputError {
    /// The format is not supported.
    Unsupported(Format),
    /// The input is Parquet, which is read from its end, but not a file.
    ParquetStream,
    /// The input is compressed, but was to be followed as lines.
    NotLines(Compression),
    /// This build lacks the feature for it.
    NotInThisBuild(Feature),
    /// The compressed data ends early.
    CutOff {
        /// The compression.
        compression: Compression,
        /// The error of the decompressor.
        source: io::Error,
    },
    /// The compressed data is damaged.
    Damaged {
        /// The compression.
        compression: Compression,
        /// The error of the decompressor.
        source: io::Error,
    },
    /// Bytes that are neither gzip nor zeros follow the end of the gzip data.
    AfterGzip,
    /// The JSON array is not terminated.
    OpenArray,
    /// The input is not a complete Parquet file.
    Parquet(Box<dyn error::Error + Send + Sync>),
    /// The input is a Parquet file whose contents contradict each other.
    DamagedParquet,
}

/// A format that is recognised but not supported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// xz.
    Xz,
    /// bzip2.
    Bzip2,
    /// A ZIP archive, such as a spreadsheet.
    Zip,
    /// A 7-Zip archive.
    SevenZip,
    /// LZ4.
    Lz4,
    /// Snappy.
    Snappy,
    /// Avro.
    Avro,
    /// ORC.
    Orc,
    /// A tar archive.
    Tar,
    /// gzip or Zstandard inside decompressed data, or in data that was to be read without
    /// decompression.
    Compressed,
    /// Zstandard that requires more memory than a decompressor uses by default.
    ZstdWindow,
    /// Zstandard that was compressed with a dictionary.
    ZstdDictionary,
    /// UTF-16.
    Utf16,
    /// Binary data of another kind, such as Brotli.
    Binary,
}

/// A Cargo feature of this crate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Feature {
    /// `zstd`.
    Zstd,
    /// `parquet`.
    Parquet,
}

impl InputError {
    /// Reports whether the format of the input is not supported. There is no output then, and a
    /// retry gives the same result.
    pub const fn is_unsupported(&self) -> bool {
        matches!(
            self,
            Self::Unsupported(_)
                | Self::ParquetStream
                | Self::NotLines(_)
                | Self::NotInThisBuild(_)
        )
    }

    const fn kind(&self) -> io::ErrorKind {
        match self {
            Self::Unsupported(_)
            | Self::ParquetStream
            | Self::NotLines(_)
            | Self::NotInThisBuild(_) => io::ErrorKind::Unsupported,
            Self::CutOff { .. } | Self::OpenArray => io::ErrorKind::UnexpectedEof,
            Self::Damaged { .. } | Self::AfterGzip | Self::Parquet(_) | Self::DamagedParquet => {
                io::ErrorKind::InvalidData
            }
        }
    }
}

/// Wraps the error for readers, which return this type.
impl From<InputError> for io::Error {
    fn from(error: InputError) -> Self {
        Self::new(error.kind(), error)
    }
}

impl fmt::Display for InputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unsupported(format) => format.fmt(f),
            Self::ParquetStream => f.write_str(
                "Parquet is read from its end, so it must be a file, not a stream; if the whole file is compressed, decompress it first",
            ),
            Self::NotLines(compression) => write!(
                f,
                "it is {compression} data, which cannot be followed as it grows; open it when it is complete"
            ),
            Self::NotInThisBuild(Feature::Parquet) if cfg!(target_endian = "big") => {
                f.write_str("Parquet is not supported on big-endian processors; convert it to NDJSON first")
            }
            Self::NotInThisBuild(feature) => write!(
                f,
                "this build does not support {feature}; build pqseal with its default features"
            ),
            Self::CutOff { compression, source } => write!(
                f,
                "the {compression} data ends early; was it cut off when it was copied? ({source})"
            ),
            Self::Damaged { compression, source } => {
                write!(f, "the {compression} data is damaged; was it altered when it was copied? ({source})")
            }
            Self::AfterGzip => f.write_str(
                "bytes that are not gzip follow the end of the gzip data; was it damaged when it was copied?",
            ),
            Self::OpenArray => {
                f.write_str("the JSON array has no end (`]`); was it cut off when it was copied?")
            }
            Self::Parquet(error) => write!(f, "it is not a complete Parquet file: {error}"),
            Self::DamagedParquet => f.write_str("the Parquet file is damaged; copy it again"),
        }
    }
}

impl error::Error for InputError {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        match self {
            Self::CutOff { source, .. } | Self::Damaged { source, .. } => Some(source),
            Self::Parquet(error) => Some(&**error),
            _ => None,
        }
    }
}

/// The name of the format, and advice.
impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, program) = match self {
            Self::Xz => ("xz", "`xz -dc`"),
            Self::Bzip2 => ("bzip2", "`bzip2 -dc`"),
            Self::Zip => ("a ZIP archive (or a spreadsheet)", "`unzip -p`"),
            Self::SevenZip => ("a 7-Zip archive", "`7z x -so`"),
            Self::Lz4 => ("LZ4", "`lz4 -dc`"),
            Self::Snappy => ("Snappy", "a decompressor"),
            Self::Avro => ("Avro", "a converter to JSON"),
            Self::Orc => ("ORC", "a converter to Parquet"),
            Self::Tar => ("a tar archive", "`tar -xO`"),
            Self::Compressed => (
                "gzip or Zstandard in this place (compressed twice?)",
                "`gzip -dc` or `zstd -dc`",
            ),
            Self::ZstdWindow => (
                "Zstandard with a window above 128 MiB",
                "`zstd -dc --long=31`",
            ),
            Self::ZstdDictionary => ("Zstandard with a dictionary", "`zstd -dc -D DICTIONARY`"),
            Self::Utf16 => return f.write_str(UTF16),
            Self::Binary => return f.write_str(BINARY),
        };
        write!(f, "{name} is not supported; use {program} first")
    }
}

const UTF16: &str = "UTF-16 is not supported; use `iconv -f UTF-16 -t UTF-8` first (PowerShell writes UTF-16 with `>`; \
                     Out-File -Encoding utf8 does not)";
const BINARY: &str = "it is binary data, and not gzip, Zstandard or Parquet; Brotli, which cannot be recognised, is not supported: use \
                      `brotli -dc` first";

impl fmt::Display for Feature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Zstd => "Zstandard",
            Self::Parquet => "Parquet",
        })
    }
}
