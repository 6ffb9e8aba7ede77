//! KDFs and AEADs by name, and the suite of new keys.

use hpke::{AEADS, Aead, AnyAead, DynKdf, KDFS, SuiteId};

/// The suite of new keys: MLKEM768-X25519, HKDF-SHA256, ChaCha20Poly1305.
///
/// Logs are kept for years, so whoever records them today must not open them with a quantum
/// computer later: ML-KEM. It is young, so X25519 stands beside it: safe while either is.
/// HKDF-SHA256 and ChaCha20Poly1305 are in every HPKE library, as in matched data until now, and
/// run in constant time on processors without AES instructions, browsers among them.
pub const DEFAULT_SUITE: SuiteId = SuiteId::new(0x647a, 0x0001, 0x0003);

/// The KDF that its registry calls `name`, in capitals or not, such as `hkdf-sha256`.
pub fn kdf_by_name(name: &str) -> Option<&'static DynKdf> {
    KDFS.iter()
        .copied()
        .find(|kdf| kdf.info().name.eq_ignore_ascii_case(name))
}

/// The AEAD that its registry calls `name`, in capitals or not, such as `aes-128-gcm`.
/// `chacha20-poly1305` is taken too.
pub fn aead_by_name(name: &str) -> Option<&'static AnyAead> {
    let plain = |name: &str| name.replace('-', "").to_ascii_lowercase();
    AEADS
        .iter()
        .find(|aead| plain(aead.info().name) == plain(name))
}
