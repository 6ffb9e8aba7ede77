//! The versions 1 to 3 of the format.

use std::fmt;

use pqseal_hpke::{HkdfSha256, Status, Suite, X25519HkdfSha256};

/// The ciphersuite of versions 1 to 3.
pub(crate) const SUITE: Suite = Suite::new(
    &pqseal_hpke::Erased(X25519HkdfSha256),
    &HkdfSha256,
    &pqseal_hpke::AnyAead::ChaCha20Poly1305(pqseal_hpke::ChaCha20Poly1305),
);

/// The version of a blob before version 4: the HPKE that sealed it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Version {
    /// draft-irtf-cfrg-hpke-05: matched-data-cli 0.1, 2020.
    V1 = 1,
    /// draft-irtf-cfrg-hpke-06: matched-data-cli 0.2 and 0.3, 2020 and 2021.
    V2 = 2,
    /// RFC 9180: matched-data-cli since 0.3, and the edge today.
    V3 = 3,
}

impl Version {
    /// Returns the document that defines its HPKE.
    pub const fn specification(self) -> &'static str {
        match self {
            Self::V1 => "draft-irtf-cfrg-hpke-05",
            Self::V2 => "draft-irtf-cfrg-hpke-06",
            Self::V3 => "RFC 9180",
        }
    }

    /// Returns the status of that document.
    pub const fn status(self) -> Status {
        match self {
            Self::V3 => Status::Standard,
            draft => Status::Draft(draft.specification()),
        }
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "version {}", *self as u8)
    }
}
