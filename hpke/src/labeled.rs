//! Domain separation: every KDF call of HPKE has a version label and a suite id (RFC 9180, section
//! 4).
//!
//! The drafts before the RFC differ from it mainly in the version label. So [`Labels`] has a field
//! for it, and [`crate::dhkem::extract_and_expand`] takes it as an argument. This crate contains
//! nothing else of those drafts.

/// The prefix that separates one protocol's KDF calls from another's: `version || suite_id`.
///
/// RFC 9180 fixes the version; it is a field because the drafts before the RFC differ in little
/// else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Labels<'a> {
    /// `HPKE-v1` in RFC 9180 and its successor.
    pub version: &'a [u8],
    /// `"KEM" || kem_id` inside a KEM; `"HPKE" || kem_id || kdf_id || aead_id` in the key
    /// schedule.
    pub suite_id: &'a [u8],
}

/// The version label of RFC 9180 and of its successor draft.
pub const HPKE_V1: &[u8] = b"HPKE-v1";

impl<'a> Labels<'a> {
    /// Returns the labels of RFC 9180 under `suite_id`.
    pub const fn v1(suite_id: &'a [u8]) -> Self {
        Self {
            version: HPKE_V1,
            suite_id,
        }
    }
}

/// Returns `suite_id` inside a KEM (RFC 9180, section 4.1): `"KEM" || I2OSP(kem_id, 2)`.
pub const fn kem_suite_id(kem_id: u16) -> [u8; 5] {
    let [high, low] = kem_id.to_be_bytes();
    [b'K', b'E', b'M', high, low]
}
