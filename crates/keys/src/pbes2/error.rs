//! The reasons why a private key in PKCS#8 cannot be decrypted.

use std::fmt;

/// A problem with an encrypted private key in PKCS#8, or with its passphrase.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Error {
    /// There is no block `ENCRYPTED PRIVATE KEY`.
    Missing,
    /// The file has more than [`MAX_LEN`](crate::MAX_LEN) bytes.
    TooLong,
    /// A block is not an encrypted key, or was truncated.
    Malformed,
    /// The cipher or the key derivation is not supported, such as 3DES.
    Unsupported,
    /// The key requires more work than is allowed. None was done.
    ExcessiveWork,
    /// There is not enough memory for scrypt. No work was done.
    Memory,
    /// The passphrase is wrong, or the block was altered.
    WrongPassphrase,
}

impl Error {
    /// Returns a short name for programs, such as `wrong_passphrase`.
    pub const fn code(self) -> &'static str {
        match self {
            Self::Missing | Self::TooLong | Self::Malformed => "bad_key",
            Self::Unsupported => "unsupported_encryption",
            Self::ExcessiveWork | Self::Memory => "excessive_work",
            Self::WrongPassphrase => "wrong_passphrase",
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Missing => "it has no block ENCRYPTED PRIVATE KEY",
            Self::TooLong => "it is larger than 64 KiB, the limit of a key file",
            Self::Malformed => "its ENCRYPTED PRIVATE KEY is malformed or was cut",
            Self::Unsupported => {
                "its encryption is not supported; run `openssl pkcs8 -topk8 -v2 aes-256-cbc -in FILE -out FILE2`, and use FILE2"
            }
            Self::ExcessiveWork => {
                "its passphrase needs more work than the limit, which is 10,000,000 steps of PBKDF2, or scrypt with N·r·p of 2^23, for all keys in a file; run `openssl pkcs8 -topk8 -scrypt -in FILE -out FILE2`, and use FILE2"
            }
            Self::Memory => "its passphrase needs more memory for scrypt than is available",
            Self::WrongPassphrase => "the passphrase is wrong",
        })
    }
}

impl std::error::Error for Error {}
