//! The errors of RFC 9180, section 8.2, and those that the API adds.
//!
//! An error never carries key material, plaintext, or a distinction that an attacker could use as
//! an oracle.

use core::fmt;

use crate::info::{SuiteId, Unsupported};

/// A failure of an operation. The first seven are named by RFC 9180, section 8.2.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Error {
    /// A KEM input or output failed validation, such as an all-zero Diffie-Hellman value (section
    /// 7.1.4).
    Validation,
    /// The bytes are not an encoding of a public key, a private key or an encapsulated key of this
    /// KEM.
    Deserialize,
    /// Encapsulation failed.
    Encap,
    /// Decapsulation failed.
    Decap,
    /// The ciphertext was not sealed to this key, with this info and aad, at this sequence number.
    Open,
    /// The context has used all its sequence numbers; another message would repeat a nonce.
    MessageLimitReached,
    /// The input keying material gave no valid private key (P-curves, probability below 2^-32 per
    /// try, 256 tries).
    DeriveKeyPair,
    /// The registries lack one of the algorithms, or the policy refuses it; the value says which
    /// and why.
    UnsupportedSuite(Unsupported),
    /// An auth mode was used with a KEM that has no AuthEncap (every post-quantum KEM), or with a
    /// private key that is held elsewhere.
    AuthUnsupported,
    /// The export-only AEAD (0xFFFF) was used to seal or open.
    ExportOnly,
    /// More exported bytes were requested than the KDF gives: 255 * Nh for HKDF, 65,535 for a
    /// one-stage KDF.
    ExportTooLong,
    /// The psk or psk_id is empty, or the psk is shorter than 32 bytes.
    InvalidPsk,
    /// The key belongs to a KEM other than the suite's.
    KeyMismatch,
    /// An AEAD key is not Nk bytes, or a pseudorandom key is shorter than Nh.
    KeyLength,
    /// An input is longer than its KDF or AEAD can take: 65,535 bytes of psk, psk_id, info or
    /// exporter context for a one-stage KDF, 2^36 - 31 bytes of plaintext for AES-GCM.
    InputTooLong,
    /// The private key cannot be exported: it was imported without the seed that is its serialized
    /// form (post-quantum KEMs), or is held elsewhere.
    NoSeed,
    /// The random number generator failed; nothing was sealed.
    Rng,
    /// A private key that is held elsewhere, such as in hardware, gave no answer or an unusable one
    /// ([`crate::AnyPrivateKey::external`]).
    KeyUnavailable,
    /// Three computations of a key pair or a shared secret gave three results, in WebAssembly
    /// ([`crate::twice`]); nothing was made.
    Miscomputed,
}

impl Error {
    /// Reports whether an attempt to decrypt failed in this way: by a wrong key, altered bytes, or
    /// a wrong computation.
    pub const fn is_of_decryption(&self) -> bool {
        matches!(self, Self::Validation | Self::Decap | Self::Open)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Validation => "a key or a shared secret is not valid for this KEM",
            Self::Deserialize => "the bytes are not a key of this KEM",
            Self::Encap => "encapsulation failed",
            Self::Decap => "decapsulation failed",
            Self::Open => "the ciphertext does not open with this key, info and aad",
            Self::MessageLimitReached => {
                "the context has sealed or opened as many messages as it can; set up a new one"
            }
            Self::DeriveKeyPair => {
                "no key pair could be derived from this keying material; use other material"
            }
            Self::UnsupportedSuite(which) => return which.fmt(f),
            Self::AuthUnsupported => "this KEM, or a key that is held elsewhere, has no authenticated mode",
            Self::ExportOnly => "an export-only suite cannot seal or open",
            Self::ExportTooLong => "this KDF cannot export so many bytes; ask for fewer",
            Self::InvalidPsk => "psk and psk_id go together, and a psk has at least 32 bytes",
            Self::KeyMismatch => "the key belongs to another KEM than the suite",
            Self::KeyLength => "the key has the wrong length for this algorithm",
            Self::InputTooLong => "an input is longer than the algorithm allows",
            Self::NoSeed => {
                "the private key cannot be written: it is held elsewhere, or was imported without its seed"
            }
            Self::Rng => "the random number generator failed",
            Self::KeyUnavailable => "the private key is held elsewhere and did not answer",
            Self::Miscomputed => "it was computed three times, with three results",
        })
    }
}

impl core::error::Error for Error {}

impl From<Unsupported> for Error {
    fn from(which: Unsupported) -> Self {
        Self::UnsupportedSuite(which)
    }
}

impl fmt::Display for SuiteId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "KEM {:#06x}, KDF {:#06x}, AEAD {:#06x}",
            self.kem, self.kdf, self.aead
        )
    }
}
