//! Parts of suites by name or id, and the suite of new keys.

use pqseal_hpke::{AEADS, Aead, AnyAead, DynKdf, KDFS, Status, SuiteId, aead_by_id, kdf_by_id};

use crate::kem_by_id;

/// The suite of new keys: MLKEM768-X25519, HKDF-SHA256, ChaCha20Poly1305.
///
/// Logs are kept for years, so they must stay confidential even against an attacker who records
/// them now and has a quantum computer later: hence ML-KEM. It is young, so it is combined with
/// X25519: the hybrid is secure as long as either is. Every HPKE library has HKDF-SHA256 and
/// ChaCha20Poly1305, and versions 1 to 3 of matched data use them. They run in constant time also
/// on processors without AES instructions, and in browsers.
pub const DEFAULT_SUITE: SuiteId = SuiteId::new(0x647a, 0x0001, 0x0003);

/// Finds the KDF by its registered name in any case, such as `hkdf-sha256`.
pub fn kdf_by_name(name: &str) -> Option<&'static DynKdf> {
    KDFS.iter()
        .copied()
        .find(|kdf| kdf.info().name.eq_ignore_ascii_case(name))
}

/// Finds the AEAD by its registered name in any case, such as `aes-128-gcm`. `chacha20-poly1305` is
/// accepted too.
pub fn aead_by_name(name: &str) -> Option<&'static AnyAead> {
    let plain = |name: &str| name.replace('-', "").to_ascii_lowercase();
    AEADS
        .iter()
        .find(|aead| plain(aead.info().name) == plain(name))
}

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
