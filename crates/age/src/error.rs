//! The reasons why a file, a key or an operation is refused.

mod key;

use std::{error, fmt, io};

pub use key::{KeyError, SshError};

/// An error of this crate. No variant contains key material or plaintext.
#[non_exhaustive]
#[derive(Debug)]
pub enum Error {
    /// The header is malformed, or requests something that is not allowed.
    Header(HeaderError),
    /// No identity matches a recipient of the file.
    NoMatch,
    /// The passphrase is wrong.
    WrongPassphrase,
    /// The header's MAC is wrong, so the header was altered.
    Mac,
    /// The ASCII armor is malformed.
    Armor(ArmorError),
    /// The payload is malformed, altered or truncated.
    Payload(PayloadError),
    /// The file requires 2^`log_n` steps of scrypt, more than the 2^`max` that are allowed. None of
    /// them was done.
    ExcessiveWork {
        /// The work factor of the file.
        log_n: u8,
        /// The maximum work factor.
        max: u8,
    },
    /// There is not enough memory, 2^`log_n` KiB, for 2^`log_n` steps of scrypt.
    Memory {
        /// The work factor of the file.
        log_n: u8,
    },
    /// A key's text is not a recipient or an identity.
    Key(KeyError),
    /// No recipient was given.
    NoRecipients,
    /// The file would have post-quantum and classical recipients. A quantum computer could open it
    /// through a classical one.
    MixedRecipients,
    /// A passphrase is combined with another recipient, which the format does not allow.
    PassphraseNotAlone,
    /// An age plugin failed.
    Plugin(PluginError),
    /// HPKE failed: the random number generator, or a public key of low order.
    Hpke(pqseal_hpke::Error),
    /// Reading or writing failed.
    Io(io::Error),
}

/// A problem with a header.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeaderError {
    /// The first line is not an age file's.
    NotAge,
    /// The first line names another version of age.
    Version,
    /// The line break of the first line was changed, so those of the content were too.
    LineBreaks,
    /// The file was written again as UTF-16.
    Utf16,
    /// The header ends before its MAC.
    Truncated,
    /// The header is longer than [`MAX_HEADER`](crate::MAX_HEADER) bytes.
    TooLong,
    /// A line is not in the format.
    Malformed,
    /// Base64 is malformed or not canonical.
    Base64,
    /// A stanza has a number or length of arguments that its kind does not allow.
    Arguments,
    /// A stanza's body does not have the length of a wrapped file key, 32 bytes.
    BodyLength,
    /// A stanza's share is not valid for its kind, such as a point of low order.
    Share,
    /// scrypt's work factor is not a decimal number from 1 to 255.
    WorkFactor,
    /// A passphrase stanza is combined with other stanzas.
    ScryptNotAlone,
    /// The header of an [`object`](crate::object) is not in the format.
    Object,
    /// The file is an [`object`](crate::object) of another version.
    ObjectVersion,
    /// The file is an [`object`](crate::object) with a cipher that is not supported.
    Cipher,
}

/// A problem with the armor.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArmorError {
    /// The first line is not `-----BEGIN AGE ENCRYPTED FILE-----`.
    Begin,
    /// The last line is missing: `-----END AGE ENCRYPTED FILE-----`.
    End,
    /// A line is longer than 64 characters, or a short line is not the last.
    Line,
    /// A line is blank.
    Blank,
    /// The text is UTF-16.
    Utf16,
    /// Base64 is malformed or not canonical.
    Base64,
    /// Something other than whitespace follows the last line.
    Trailing,
}

/// A problem with the payload.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PayloadError {
    /// The payload ends before its last chunk, so the file was truncated.
    Truncated,
    /// The chunk with this index, from 0, was altered or moved.
    Altered(u64),
    /// The last chunk does not authenticate: it was truncated or altered.
    LastChunk,
    /// There is data after the last chunk.
    Trailing,
    /// The last chunk is empty and not the only one.
    EmptyLast,
    /// The payload has more chunks than the format can number.
    TooLong,
    /// The commitment is not that of the key (Cobblestone).
    Commitment,
    /// The file changed while it was read.
    Changed,
}

/// A failure of a plugin.
#[derive(Debug)]
pub struct PluginError {
    /// The name of the plugin, as in `age-plugin-NAME`.
    pub plugin: String,
    /// The kind of the failure.
    pub why: PluginFailure,
}

/// The kind of a plugin's failure.
#[non_exhaustive]
#[derive(Debug)]
pub enum PluginFailure {
    /// No folder of `PATH` contains the program. Relative folders are not
    /// searched.
    NotFound,
    /// The program did not start.
    Start(io::Error),
    /// The program ended, or closed its output, too early.
    Ended,
    /// The program violated the protocol.
    Protocol,
    /// The program reported an error with this message, which may contain any
    /// characters.
    Reported(String),
}

impl Error {
    /// Returns a short name for programs, such as `truncated`.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Header(
                HeaderError::NotAge
                | HeaderError::Version
                | HeaderError::LineBreaks
                | HeaderError::Utf16
                | HeaderError::ObjectVersion,
            ) => "not_age",
            Self::Header(_) => "bad_header",
            Self::NoMatch => "no_matching_key",
            Self::WrongPassphrase => "wrong_passphrase",
            Self::Mac => "altered_header",
            Self::Armor(_) => "bad_armor",
            Self::Payload(PayloadError::Truncated) => "truncated",
            Self::Payload(_) => "altered",
            Self::ExcessiveWork { .. } | Self::Memory { .. } => "excessive_work",
            Self::Key(KeyError::Miscomputed) => "miscomputed",
            Self::Key(_) => "bad_key",
            Self::NoRecipients | Self::MixedRecipients | Self::PassphraseNotAlone => {
                "bad_recipients"
            }
            Self::Plugin(_) => "plugin",
            Self::Hpke(_) => "hpke",
            Self::Io(_) => "io",
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Header(why) => return why.fmt(f),
            Self::Armor(why) => return why.fmt(f),
            Self::Payload(why) => return why.fmt(f),
            Self::Key(why) => return why.fmt(f),
            Self::Plugin(why) => return why.fmt(f),
            Self::Hpke(why) => return why.fmt(f),
            Self::Io(why) => return why.fmt(f),
            Self::ExcessiveWork { log_n, max } => {
                return write!(
                    f,
                    "the passphrase asks for 2^{log_n} steps of scrypt; at most 2^{max} are allowed"
                );
            }
            Self::Memory { log_n } => {
                return write!(
                    f,
                    "the passphrase asks for 2^{log_n} KiB of memory for scrypt, which is not available"
                );
            }
            Self::NoMatch => "no identity matches a recipient of the file",
            Self::WrongPassphrase => "the passphrase is wrong",
            Self::Mac => "the header was altered: its MAC is wrong",
            Self::NoRecipients => "no recipient was given",
            Self::MixedRecipients => {
                "post-quantum and classical recipients cannot be mixed in one file: a quantum computer would \
                 open it through the classical one; use recipients of one sort"
            }
            Self::PassphraseNotAlone => {
                "a passphrase must be the only recipient of a file; encrypt twice, or use recipients only"
            }
        })
    }
}

impl fmt::Display for HeaderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotAge => "not an age file",
            Self::Version => "the file has a version of age that is not supported; only v1 is",
            Self::LineBreaks => {
                "its line breaks were changed, as PowerShell and transfers in text mode do, which damages it"
            }
            Self::Utf16 => "it was written again as UTF-16 text, which damages it",
            Self::Truncated => "the header is incomplete: the file was cut",
            Self::TooLong => "the header is longer than 16 MiB",
            Self::Malformed => "the header has a malformed line",
            Self::Base64 => "the header has malformed base64",
            Self::Arguments => "a recipient stanza has wrong arguments",
            Self::BodyLength => "a recipient stanza does not hold a file key",
            Self::Share => "a recipient stanza has an invalid share",
            Self::WorkFactor => "the passphrase stanza has an invalid work factor",
            Self::ScryptNotAlone => {
                "the header has a passphrase and other recipients, which the format does not allow"
            }
            Self::Object => "the header is not in the format of pqseal objects",
            Self::ObjectVersion => {
                "the file is a pqseal object of a version that is not supported; only 1 is"
            }
            Self::Cipher => "the file has a cipher that is not supported",
        })
    }
}

impl fmt::Display for ArmorError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Begin => "the armor does not begin with -----BEGIN AGE ENCRYPTED FILE-----",
            Self::End => "the armor does not end with -----END AGE ENCRYPTED FILE-----: it was cut",
            Self::Line => "the armor has a line of a wrong length",
            Self::Blank => "the armor has a blank line",
            Self::Utf16 => "the armor is in UTF-16",
            Self::Base64 => "the armor has malformed base64",
            Self::Trailing => "there is data after the armor",
        })
    }
}

impl fmt::Display for PayloadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Altered(chunk) => {
                return write!(f, "the file was altered: chunk {chunk} does not authenticate");
            }
            Self::Truncated => "the file was cut: its last chunk is missing",
            Self::LastChunk => {
                "the end of the file does not authenticate: it was cut within its last chunk, or altered there"
            }
            Self::Trailing => "there is data after the end of the encrypted file",
            Self::EmptyLast => "the file has an empty last chunk, which the format does not allow",
            Self::TooLong => "the file has more chunks than its format can number",
            Self::Commitment => "the key is not this file's key, or the file's beginning was altered",
            Self::Changed => "the file changed while it was read",
        })
    }
}

impl fmt::Display for PluginError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = &self.plugin;
        match &self.why {
            PluginFailure::NotFound => {
                write!(
                    f,
                    "age-plugin-{name} is not in a folder of PATH; install it"
                )
            }
            PluginFailure::Start(error) => write!(f, "age-plugin-{name} does not start: {error}"),
            PluginFailure::Ended => write!(f, "age-plugin-{name} ended before it was done"),
            PluginFailure::Protocol => write!(f, "age-plugin-{name} breaks the plugin protocol"),
            PluginFailure::Reported(words) => write!(f, "age-plugin-{name}: {words}"),
        }
    }
}

impl error::Error for Error {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        match self {
            Self::Hpke(error) => Some(error),
            Self::Io(error) => Some(error),
            _ => None,
        }
    }
}

/// Unwraps an error of this crate from an [`io::Error`].
impl From<io::Error> for Error {
    fn from(error: io::Error) -> Self {
        error.downcast().unwrap_or_else(Self::Io)
    }
}

impl From<Error> for io::Error {
    fn from(error: Error) -> Self {
        match error {
            Error::Io(error) => error,
            error => Self::new(io::ErrorKind::InvalidData, error),
        }
    }
}

impl From<HeaderError> for Error {
    fn from(error: HeaderError) -> Self {
        Self::Header(error)
    }
}

impl From<ArmorError> for Error {
    fn from(error: ArmorError) -> Self {
        Self::Armor(error)
    }
}

impl From<PayloadError> for Error {
    fn from(error: PayloadError) -> Self {
        Self::Payload(error)
    }
}

impl From<SshError> for Error {
    fn from(error: SshError) -> Self {
        Self::Key(error.into())
    }
}

impl From<KeyError> for Error {
    fn from(error: KeyError) -> Self {
        Self::Key(error)
    }
}

impl From<pqseal_hpke::Error> for Error {
    fn from(error: pqseal_hpke::Error) -> Self {
        Self::Hpke(error)
    }
}
