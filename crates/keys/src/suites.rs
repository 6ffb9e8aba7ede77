//! The suite of new keys, and the status of suites.

use pqseal_hpke::{Aead, Status, SuiteId, aead_by_id, kdf_by_id};

use crate::kem_by_id;

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
