//! Key rings, and matched data of all versions.

use std::sync::{PoisonError, RwLock};

use getrandom::SysRng;
use pqseal_hpke::{AnyPublicKey, Policy};
use pqseal_keys::base64;
use pqseal_matched_data::{Blob, KeyRing, OpenOptions, SealOptions, Sealer, Trailing};

use crate::{
    pqseal_private_key, pqseal_public_key,
    pqseal_status::{self, PQSEAL_ERROR_ARGUMENT},
    raw::{Output, Place, free, guard, reference, slice},
};

/// Private keys for opening matched data.
pub struct pqseal_key_ring(pub(crate) RwLock<KeyRing>);

/// Creates an empty ring.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pqseal_key_ring_new(ring: *mut *mut pqseal_key_ring) -> pqseal_status {
    guard(|| {
        // SAFETY: by the header's rules.
        let place = unsafe { Place::new(ring) }?;
        place.give(pqseal_key_ring(RwLock::new(KeyRing::new())));
        Ok(())
    })
}

/// Adds a key at the end.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pqseal_key_ring_add(
    ring: *const pqseal_key_ring,
    private_key: *const pqseal_private_key,
) -> pqseal_status {
    guard(|| {
        // SAFETY: by the header's rules.
        let (ring, key) = unsafe { (reference(ring)?, reference(private_key)?) };
        let mut ring = ring.0.write().unwrap_or_else(PoisonError::into_inner);
        Ok(ring.add(&key.0)?)
    })
}

/// Makes the ring refuse blobs whose version is less than this one, which is 1 to 4. Only version 4
/// is bound to info and aad, so 4 prevents the acceptance of an older blob in another context.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pqseal_key_ring_require_version(
    ring: *const pqseal_key_ring,
    version: u8,
) -> pqseal_status {
    guard(|| {
        if !(1..=4).contains(&version) {
            return Err(PQSEAL_ERROR_ARGUMENT);
        }
        // SAFETY: by the header's rules.
        let ring = unsafe { reference(ring)? };
        let mut ring = ring.0.write().unwrap_or_else(PoisonError::into_inner);
        ring.require_version(version);
        Ok(())
    })
}

/// Frees a ring.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pqseal_key_ring_free(ring: *mut pqseal_key_ring) {
    // SAFETY: by the header's rules.
    unsafe { free(ring) }
}

/// Seals matched data to base64, without a line break and without a terminating zero. For an X25519
/// key without info and aad the version is 3. Otherwise it is 4, which requires the same info and
/// aad to open.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pqseal_matched_data_seal(
    public_key: *const pqseal_public_key,
    info: *const u8,
    info_len: usize,
    aad: *const u8,
    aad_len: usize,
    pt: *const u8,
    pt_len: usize,
    out: *mut u8,
    capacity: usize,
    out_len: *mut usize,
) -> pqseal_status {
    guard(|| {
        // SAFETY: by the header's rules.
        let (key, info, aad) = unsafe {
            (
                reference(public_key)?,
                slice(info, info_len)?,
                slice(aad, aad_len)?,
            )
        };
        // SAFETY: by the header's rules.
        let (pt, out) = unsafe { (slice(pt, pt_len)?, Output::new(out, capacity, out_len)?) };
        seal(&key.0, None, info, aad, pt, out)
    })
}

/// Writes the blob as base64. With an empty `aad` it is bound to no AAD.
pub(crate) fn seal(
    key: &AnyPublicKey,
    version: Option<u8>,
    info: &[u8],
    aad: &[u8],
    pt: &[u8],
    out: Output,
) -> Result<(), pqseal_status> {
    let options = SealOptions {
        version,
        info,
        with_aad: !aad.is_empty(),
        ..SealOptions::default()
    };
    let blob = Sealer::new(key, &options)?.seal(aad, pt, &mut SysRng)?;
    out.write(base64::encode(&blob).as_bytes())
}

/// Opens matched data of any version, as base64 or bytes. `info` and `aad` are for version 4. `pt`
/// never requires more bytes than `blob` has.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pqseal_matched_data_open(
    ring: *const pqseal_key_ring,
    info: *const u8,
    info_len: usize,
    aad: *const u8,
    aad_len: usize,
    blob: *const u8,
    blob_len: usize,
    pt: *mut u8,
    pt_capacity: usize,
    pt_len: *mut usize,
) -> pqseal_status {
    guard(|| {
        // SAFETY: by the header's rules.
        let (ring, info, aad) = unsafe {
            (
                reference(ring)?,
                slice(info, info_len)?,
                slice(aad, aad_len)?,
            )
        };
        // SAFETY: by the header's rules.
        let (blob, out) = unsafe {
            (
                slice(blob, blob_len)?,
                Output::new(pt, pt_capacity, pt_len)?,
            )
        };
        let bytes = Blob::decode_text_or_bytes(blob)?;
        let blob = Blob::parse(&bytes, Trailing::Refuse)?;
        out.reserve(blob.plaintext_len())?;
        let options = OpenOptions {
            info,
            aad,
            policy: Policy::draft(),
        };
        let ring = ring.0.read().unwrap_or_else(PoisonError::into_inner);
        out.write_secret(ring.open(&blob, &options)?.plaintext)
    })
}
