//! The ids of algorithms by their names.

use std::str;

use pqseal_hpke::Aead;
use pqseal_keys::{NameError, aead_by_name, kdf_by_name, kem_by_name};

use crate::{
    pqseal_status::{self, PQSEAL_ERROR_UNSUPPORTED},
    raw::{Place, guard, slice},
};

/// Finds the id of a KEM by its name, such as "x25519", "X-Wing" or "DHKEM(P-256, HKDF-SHA256)", in
/// any case and with or without hyphens. An id is a name too, such as "0x647a".
/// PQSEAL_ERROR_UNSUPPORTED does not list the nearest names, as errors in other languages do.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pqseal_kem_by_name(
    name: *const u8,
    len: usize,
    id: *mut u16,
) -> pqseal_status {
    // SAFETY: by the header's rules.
    unsafe { by_name(name, len, id, |name| Ok(kem_by_name(name)?.info().id)) }
}

/// Finds the id of a KDF by its name, such as "HKDF-SHA256", as pqseal_kem_by_name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pqseal_kdf_by_name(
    name: *const u8,
    len: usize,
    id: *mut u16,
) -> pqseal_status {
    // SAFETY: by the header's rules.
    unsafe { by_name(name, len, id, |name| Ok(kdf_by_name(name)?.info().id)) }
}

/// Finds the id of an AEAD by its name, such as "AES-128-GCM", as pqseal_kem_by_name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pqseal_aead_by_name(
    name: *const u8,
    len: usize,
    id: *mut u16,
) -> pqseal_status {
    // SAFETY: by the header's rules.
    unsafe { by_name(name, len, id, |name| Ok(aead_by_name(name)?.info().id)) }
}

unsafe fn by_name(
    name: *const u8,
    len: usize,
    id: *mut u16,
    find: impl FnOnce(&str) -> Result<u16, NameError>,
) -> pqseal_status {
    guard(|| {
        // SAFETY: by the header's rules.
        let (name, place) = unsafe { (slice(name, len)?, Place::new(id)?) };
        let name = str::from_utf8(name).map_err(|_| PQSEAL_ERROR_UNSUPPORTED)?;
        place.set(find(name).map_err(|_| PQSEAL_ERROR_UNSUPPORTED)?);
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pqseal_status::PQSEAL_OK;

    /// The names that the tests of every front end read.
    #[test]
    fn names_are_those_of_every_front_end() {
        let names = include_str!("../../../crates/keys/tests/names.json");
        let mut id = 0;
        for row in serde_json::from_str::<Vec<serde_json::Value>>(names).unwrap() {
            let find = match row["kind"].as_str().unwrap() {
                "kem" => pqseal_kem_by_name,
                "kdf" => pqseal_kdf_by_name,
                _ => pqseal_aead_by_name,
            };
            let name = row["name"].as_str().unwrap();
            // SAFETY: the pointers are of references.
            let status = unsafe { find(name.as_ptr(), name.len(), &raw mut id) };
            assert_eq!(
                (status, row["id"].as_u64()),
                (PQSEAL_OK, Some(id.into())),
                "{name}"
            );
        }
        for name in [&b"rsa"[..], b"\xff", b""] {
            // SAFETY: as above.
            let status = unsafe { pqseal_kem_by_name(name.as_ptr(), name.len(), &raw mut id) };
            assert_eq!(status, PQSEAL_ERROR_UNSUPPORTED);
        }
    }
}
