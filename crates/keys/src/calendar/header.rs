//! The first line of a calendar, and the chain of hashes that begins with it.

use std::fmt;

use pqseal_hpke::{DynKem, Status};
use sha2::{Digest, Sha256};

use super::{Error, PeriodLength};
use crate::Fingerprint;

/// The first word of a calendar.
pub(super) const FIRST_WORD: &str = "pqseal-calendar";
/// The longest name, in bytes.
const MAX_NAME: usize = 100;
/// X25519Kyber768Draft00, which HPKE's hybrids replaced.
const X25519_KYBER_768_DRAFT_00: u16 = 0x0030;

/// The random id of a calendar, 16 bytes, shown as 32 hexadecimal digits. All files of one calendar
/// have the same id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CalendarId(pub(super) [u8; 16]);

/// A hash of the chain over a calendar, shown as 64 hexadecimal digits. It covers the first line,
/// and the starts and fingerprints of the periods up to one of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CalendarFingerprint([u8; 32]);

#[derive(Clone)]
pub(super) struct Header {
    pub(super) id: CalendarId,
    pub(super) kem: &'static DynKem,
    pub(super) length: PeriodLength,
    pub(super) name: String,
}

impl CalendarId {
    /// Returns the bytes.
    pub const fn to_bytes(self) -> [u8; 16] {
        self.0
    }
}

/// Reports whether calendars may have keys of this KEM.
pub(super) fn may_have(kem: &DynKem) -> bool {
    let info = kem.info();
    info.status != Status::Experimental && info.id != X25519_KYBER_768_DRAFT_00
}

/// Reports whether a character changes how the text around it is shown: controls, U+2028 and U+2029,
/// and those that set the direction of text.
fn is_unshown(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

impl Header {
    pub(super) fn new(
        id: CalendarId,
        kem: &'static DynKem,
        length: PeriodLength,
        name: &str,
    ) -> Result<Self, Error> {
        let is_name = (1..=MAX_NAME).contains(&name.len())
            && !name.chars().any(is_unshown)
            && name.trim() == name;
        if !is_name {
            return Err(Error::Header(
                "name (1 to 100 bytes, without control, bidirectional and line separator characters, and no space at its ends)",
            ));
        }
        Ok(Self {
            id,
            kem,
            length,
            name: name.to_owned(),
        })
    }

    /// Returns the first line, without its line end.
    pub(super) fn line(&self) -> String {
        let (kem, length, name) = (self.kem.info().short_name, self.length, &self.name);
        format!("{FIRST_WORD} 1 {} {kem} {length} {name}", self.id)
    }
}

impl CalendarFingerprint {
    /// Computes `SHA-256("pqseal calendar" || first line)`.
    pub(super) fn of_header(header: &Header) -> Self {
        let hash = Sha256::new().chain_update("pqseal calendar");
        Self(hash.chain_update(header.line()).finalize().into())
    }

    /// Computes `SHA-256("pqseal calendar period" || self || start || fingerprint)`, where `start`
    /// is in seconds since 1970, 8 bytes big-endian.
    pub(super) fn and(self, start: u64, fingerprint: &Fingerprint) -> Self {
        let hash = Sha256::new()
            .chain_update("pqseal calendar period")
            .chain_update(self.0)
            .chain_update(start.to_be_bytes());
        Self(hash.chain_update(fingerprint).finalize().into())
    }
}

impl fmt::Display for CalendarId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Display for CalendarFingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}
