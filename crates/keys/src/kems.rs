//! The registry of all KEMs: those of every crate below, combined. The suite of new keys, and the
//! status of suites.

use pqseal_hpke::{Aead, DynKem, KemInfo, Kems, Status, SuiteId, aead_by_id, kdf_by_id};

/// Every supported KEM, by the crate that implements it; the experimental ones last.
pub static KEMS: &Kems = &[
    pqseal_hpke::KEMS,
    pqseal_kem_pq::KEMS,
    #[cfg(feature = "bike")]
    pqseal_kem_pq::BIKE_KEMS,
];

/// Lists every KEM, in the order of [`KEMS`].
pub fn kems() -> impl Iterator<Item = &'static DynKem> {
    KEMS.iter().copied().flatten().copied()
}

/// Finds the KEM with this id.
pub fn kem_by_id(id: u16) -> Option<&'static DynKem> {
    kems().find(|kem| kem.info().id == id)
}

/// Returns what to know about an experimental KEM before allowing it; `None` for other KEMs.
pub fn caution(kem: &KemInfo) -> Option<&'static str> {
    #[cfg(feature = "bike")]
    if (pqseal_kem_pq::BIKE_KEMS.iter()).any(|bike| bike.info().id == kem.id) {
        return Some(pqseal_kem_pq::bike::CAUTION);
    }
    let _ = kem;
    None
}

/// A KEM that is known but not supported, and the reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RefusedKem {
    /// The name that users type.
    pub short_name: &'static str,
    /// The registered id, if it has one.
    pub id: Option<u16>,
    /// The reason why it is not supported.
    pub reason: &'static str,
}

/// The KEMs that people ask for by name or id, but that are not supported.
pub static REFUSED_KEMS: &[RefusedKem] = &[
    refused(
        "sike",
        None,
        "SIKE was broken in 2022 (Castryck and Decru: the private key from the public one in an hour)",
    ),
    refused(
        "cp256",
        Some(0x0013),
        "compact P-256 points are not supported; use p256",
    ),
    refused(
        "cp384",
        Some(0x0014),
        "compact P-384 points are not supported; use p384",
    ),
    refused(
        "cp521",
        Some(0x0015),
        "compact P-521 points are not supported; use p521",
    ),
    refused(
        "secp256k1",
        Some(0x0016),
        "secp256k1 is not supported; use p256 or x25519",
    ),
];

/// Finds the unsupported KEM whose short name is a prefix of `name`, in any case, as `sike` is of
/// `sikep434`.
pub fn refused_kem_by_name(name: &str) -> Option<&'static RefusedKem> {
    REFUSED_KEMS
        .iter()
        .find(|kem| name.to_ascii_lowercase().starts_with(kem.short_name))
}

/// Finds the unsupported KEM with this registered id.
pub fn refused_kem_by_id(id: u16) -> Option<&'static RefusedKem> {
    REFUSED_KEMS.iter().find(|kem| kem.id == Some(id))
}

const fn refused(short_name: &'static str, id: Option<u16>, reason: &'static str) -> RefusedKem {
    RefusedKem {
        short_name,
        id,
        reason,
    }
}

/// The suite of new keys: MLKEM768-X25519, HKDF-SHA256, ChaCha20Poly1305.
///
/// Logs are kept for years, so they must stay confidential even against an attacker who records
/// them now and has a quantum computer later: hence ML-KEM. It is young, so it is combined with
/// X25519: the hybrid is secure as long as either is. Every HPKE library has HKDF-SHA256 and
/// ChaCha20Poly1305, and versions 1 to 3 of matched data use them. They run in constant time even
/// in browsers and on processors without AES instructions.
pub const DEFAULT_SUITE: SuiteId = SuiteId::new(0x647a, 0x0001, 0x0003);

/// Returns the status of a suite, which is that of its least settled part. `None` if a part is
/// unknown.
pub fn suite_status(id: SuiteId) -> Option<Status> {
    let parts = [
        kem_by_id(id.kem)?.info().status,
        kdf_by_id(id.kdf)?.info().status,
        aead_by_id(id.aead)?.info().status,
    ];
    parts.into_iter().max()
}
