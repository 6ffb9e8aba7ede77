//! The problems of an input other than read errors, and the errors of object stores, which pass
//! through readers and writers.

use std::{error, fmt, io};

use pqseal_records::detect::{Detected, Known, Packing, detect, may_become};

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
    /// The Parquet file is encrypted.
    EncryptedParquet,
    /// A column of the Parquet file that is needed has a codec that is not supported.
    ParquetCodec {
        /// The column.
        column: String,
        /// The name of the codec.
        codec: &'static str,
    },
    /// The Parquet file cannot be read.
    Parquet(Box<dyn error::Error + Send + Sync>),
    /// The input is a Parquet file whose contents contradict each other.
    DamagedParquet,
}

/// A format that is recognised but not supported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// A format without records.
    Known(Known),
    /// gzip or Zstandard inside decompressed data, or in data that was to be read without
    /// decompression.
    Compressed(Packing),
    /// Zstandard that requires more memory than a decompressor uses by default.
    ZstdWindow,
    /// Zstandard that was compressed with a dictionary.
    ZstdDictionary,
    /// Binary data of an unknown format.
    Unknown,
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
                | Self::EncryptedParquet
                | Self::ParquetCodec { .. }
                | Self::NotLines(_)
                | Self::NotInThisBuild(_)
        )
    }

    /// Returns the reason, if any, why a file with this beginning cannot be followed as lines.
    pub(crate) fn of_lines(start: &[u8]) -> Option<Self> {
        match detect(start, None, true) {
            Detected::Parquet => Some(Self::ParquetStream),
            Detected::Packed(packing) => Some(Self::NotLines(packing.into())),
            _ if may_become(start) => None,
            Detected::Other(known) => Some(Self::Unsupported(Format::Known(known))),
            Detected::Unknown => Some(Self::Unsupported(Format::Unknown)),
            _ => None,
        }
    }

    const fn kind(&self) -> io::ErrorKind {
        match self {
            Self::Unsupported(_)
            | Self::ParquetStream
            | Self::EncryptedParquet
            | Self::ParquetCodec { .. }
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
            Self::EncryptedParquet => f.write_str(
                "encrypted Parquet is not supported; write it again without encryption",
            ),
            Self::ParquetCodec { column, codec } => write!(
                f,
                "the compression {codec} of the column {column} is not supported; write the file again with another, such as Zstandard"
            ),
            Self::Parquet(error) => write!(f, "the Parquet file cannot be read: {error}"),
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
            Self::Known(Known::Xz) => ("xz", "`xz -dc`"),
            Self::Known(Known::Bzip2) => ("bzip2", "`bzip2 -dc`"),
            Self::Known(Known::Zip) => ("a ZIP archive (or a spreadsheet)", "`unzip -p`"),
            Self::Known(Known::SevenZip) => ("a 7-Zip archive", "`7z x -so`"),
            Self::Known(Known::Lz4) => ("LZ4", "`lz4 -dc`"),
            Self::Known(Known::Snappy) => ("Snappy", "a decompressor"),
            Self::Known(Known::Avro) => ("Avro", "a converter to JSON"),
            Self::Known(Known::Orc) => ("ORC", "a converter to Parquet"),
            Self::Known(Known::Tar) => ("a tar archive", "`tar -xO`"),
            Self::Known(Known::OtlpBatches) => return f.write_str(OTLP_BATCHES),
            Self::Known(Known::Utf16) => return f.write_str(UTF16),
            Self::Known(Known::Utf32) => ("UTF-32", "`iconv -f UTF-32 -t UTF-8`"),
            Self::Compressed(Packing::Gzip) => {
                ("gzip in this place (compressed twice?)", "`gzip -dc`")
            }
            Self::Compressed(Packing::Zstd) => {
                ("Zstandard in this place (compressed twice?)", "`zstd -dc`")
            }
            Self::ZstdWindow => (
                "Zstandard with a window above 128 MiB",
                "`zstd -dc --long=31`",
            ),
            Self::ZstdDictionary => ("Zstandard with a dictionary", "`zstd -dc -D DICTIONARY`"),
            Self::Known(_) | Self::Unknown => return f.write_str(UNKNOWN),
        };
        write!(f, "{name} is not supported; use {program} first")
    }
}

const UTF16: &str = "UTF-16 is not supported; use `iconv -f UTF-16 -t UTF-8` first (PowerShell writes UTF-16 with `>`; \
                     Out-File -Encoding utf8 does not)";
const OTLP_BATCHES: &str = "Zstandard after a length, as the file exporter of an OpenTelemetry Collector writes it, is not supported; \
                            remove `compression` from the exporter's configuration";
const UNKNOWN: &str = "it is binary data of an unknown format, and not gzip, Zstandard or Parquet; if it is compressed in another \
                       way, decompress it first";

impl fmt::Display for Feature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Zstd => "Zstandard",
            Self::Parquet => "Parquet",
        })
    }
}

/// An error of a store that did not return or accept an object.
#[derive(Clone, Debug)]
pub struct StoreError {
    /// The kind of the failure.
    pub kind: StoreFailure,
    /// The store's message.
    pub message: String,
}

/// The kind of a store's failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StoreFailure {
    /// The object has changed since it was listed.
    Changed,
    /// The object, or the bucket, does not exist.
    Missing,
    /// The credentials are not accepted, or do not permit the access.
    Denied,
    /// The store did not answer, even after retries.
    Unreachable,
    /// Anything else.
    Other,
}

impl StoreError {
    /// Returns the store's error in `error`, if there is one.
    pub fn of(error: &io::Error) -> Option<&Self> {
        error.get_ref()?.downcast_ref()
    }
}

impl From<StoreError> for io::Error {
    fn from(error: StoreError) -> Self {
        let kind = match error.kind {
            StoreFailure::Missing => io::ErrorKind::NotFound,
            StoreFailure::Denied => io::ErrorKind::PermissionDenied,
            StoreFailure::Unreachable => io::ErrorKind::HostUnreachable,
            StoreFailure::Changed | StoreFailure::Other => io::ErrorKind::Other,
        };
        Self::new(kind, error)
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl error::Error for StoreError {}
