//! Private and public keys.

use getrandom::SysRng;
use pqseal_hpke::{AnyPrivateKey, AnyPublicKey};
use pqseal_keys::{BinaryFormat, KeyFormat};

use crate::{
    pqseal_status::{self, PQSEAL_ERROR_ARGUMENT},
    pqseal_suite,
    raw::{Output, Place, free, guard, reference, slice},
};

/// A private key, which knows its KEM.
pub struct pqseal_private_key(pub(crate) AnyPrivateKey);

/// A public key, which knows its KEM.
pub struct pqseal_public_key(pub(crate) AnyPublicKey);

/// GenerateKeyPair: generates a key pair.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pqseal_generate_key_pair(
    suite: *const pqseal_suite,
    private_key: *mut *mut pqseal_private_key,
    public_key: *mut *mut pqseal_public_key,
) -> pqseal_status {
    guard(|| {
        // SAFETY: by the header's rules.
        let suite = unsafe { reference(suite) }?;
        // SAFETY: by the header's rules.
        let places = unsafe { (Place::new(private_key)?, Place::new(public_key)?) };
        give(places, suite.0.generate_key_pair(&mut SysRng)?);
        Ok(())
    })
}

/// DeriveKeyPair: derives a key pair from `ikm`, which should have at least Nsk bytes, all of them
/// secret. The same `ikm` gives the same key pair.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pqseal_derive_key_pair(
    suite: *const pqseal_suite,
    ikm: *const u8,
    ikm_len: usize,
    private_key: *mut *mut pqseal_private_key,
    public_key: *mut *mut pqseal_public_key,
) -> pqseal_status {
    guard(|| {
        // SAFETY: by the header's rules.
        let (suite, ikm) = unsafe { (reference(suite)?, slice(ikm, ikm_len)?) };
        // SAFETY: by the header's rules.
        let places = unsafe { (Place::new(private_key)?, Place::new(public_key)?) };
        give(places, suite.0.kem().derive_key_pair(ikm)?);
        Ok(())
    })
}

type Places = (
    Place<*mut pqseal_private_key>,
    Place<*mut pqseal_public_key>,
);

fn give(places: Places, (private, public): (AnyPrivateKey, AnyPublicKey)) {
    places.0.give(pqseal_private_key(private));
    places.1.give(pqseal_public_key(public));
}

/// DeserializePrivateKey: reads Nsk bytes. For ML-KEM and the hybrids they are the seed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pqseal_private_key_deserialize(
    suite: *const pqseal_suite,
    bytes: *const u8,
    len: usize,
    private_key: *mut *mut pqseal_private_key,
) -> pqseal_status {
    guard(|| {
        // SAFETY: by the header's rules.
        let (suite, bytes) = unsafe { (reference(suite)?, slice(bytes, len)?) };
        // SAFETY: by the header's rules.
        let place = unsafe { Place::new(private_key) }?;
        place.give(pqseal_private_key(suite.0.private_key(bytes)?));
        Ok(())
    })
}

/// Reads the bytes of a key file in any format that pqseal supports: base64 (for X25519), PEM, DER,
/// JWK, COSE_Key, a key-pair file, or a pqseal line.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pqseal_private_key_read(
    file: *const u8,
    len: usize,
    private_key: *mut *mut pqseal_private_key,
) -> pqseal_status {
    guard(|| {
        // SAFETY: by the header's rules.
        let (file, place) = unsafe { (slice(file, len)?, Place::new(private_key)?) };
        place.give(pqseal_private_key(pqseal_keys::read_private(file, None)?));
        Ok(())
    })
}

/// SerializePrivateKey: writes Nsk bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pqseal_private_key_serialize(
    private_key: *const pqseal_private_key,
    out: *mut u8,
    capacity: usize,
    out_len: *mut usize,
) -> pqseal_status {
    guard(|| {
        // SAFETY: by the header's rules.
        let (key, out) = unsafe {
            (
                reference(private_key)?,
                Output::new(out, capacity, out_len)?,
            )
        };
        out.reserve(key.0.kem().n_sk)?;
        out.write(key.0.to_bytes()?.as_ref())
    })
}

/// Returns the public key of a private key.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pqseal_private_key_public_key(
    private_key: *const pqseal_private_key,
    public_key: *mut *mut pqseal_public_key,
) -> pqseal_status {
    guard(|| {
        // SAFETY: by the header's rules.
        let (key, place) = unsafe { (reference(private_key)?, Place::new(public_key)?) };
        place.give(pqseal_public_key(key.0.public_key()?));
        Ok(())
    })
}

/// DeserializePublicKey: reads Npk bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pqseal_public_key_deserialize(
    suite: *const pqseal_suite,
    bytes: *const u8,
    len: usize,
    public_key: *mut *mut pqseal_public_key,
) -> pqseal_status {
    guard(|| {
        // SAFETY: by the header's rules.
        let (suite, bytes) = unsafe { (reference(suite)?, slice(bytes, len)?) };
        // SAFETY: by the header's rules.
        let place = unsafe { Place::new(public_key) }?;
        place.give(pqseal_public_key(suite.0.public_key(bytes)?));
        Ok(())
    })
}

/// Reads the text of a public key in any format that pqseal supports, or the public half of a
/// private key. Base64 does not show its half, and is read as a public key: do not give this a
/// private key in base64, since the result would be that private key. pqseal_private_key_read and
/// pqseal_private_key_public_key return its public half.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pqseal_public_key_read(
    text: *const u8,
    len: usize,
    public_key: *mut *mut pqseal_public_key,
) -> pqseal_status {
    guard(|| {
        // SAFETY: by the header's rules.
        let (text, place) = unsafe { (slice(text, len)?, Place::new(public_key)?) };
        place.give(pqseal_public_key(pqseal_keys::read_public(text, None)?));
        Ok(())
    })
}

/// SerializePublicKey: writes Npk bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pqseal_public_key_serialize(
    public_key: *const pqseal_public_key,
    out: *mut u8,
    capacity: usize,
    out_len: *mut usize,
) -> pqseal_status {
    guard(|| {
        // SAFETY: by the header's rules.
        let (key, out) = unsafe { (reference(public_key)?, Output::new(out, capacity, out_len)?) };
        out.write(key.0.as_ref())
    })
}

/// A format in which keys are written.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum pqseal_key_format {
    /// Base64 of the serialized key, without the name of its KEM.
    PQSEAL_KEY_FORMAT_RAW = 0,
    /// PKCS#8 and SubjectPublicKeyInfo as PEM, for curves and ML-KEM.
    PQSEAL_KEY_FORMAT_PEM = 1,
    /// JSON Web Key, for curves, ML-KEM and hybrids of both.
    PQSEAL_KEY_FORMAT_JWK = 2,
    /// A line of pqseal's own format with a checksum, for every KEM.
    PQSEAL_KEY_FORMAT_LINE = 3,
    /// PKCS#8 and SubjectPublicKeyInfo in DER, which is not text, for curves and ML-KEM.
    PQSEAL_KEY_FORMAT_DER = 4,
    /// COSE_Key without an algorithm, which is not text, for curves.
    PQSEAL_KEY_FORMAT_COSE_KEY = 5,
}

/// A format as text or as bytes.
enum Format {
    Text(KeyFormat),
    Binary(BinaryFormat),
}

fn format_of(format: i32) -> Result<Format, pqseal_status> {
    Ok(match format {
        0 => Format::Text(KeyFormat::Raw),
        1 => Format::Text(KeyFormat::Pem),
        2 => Format::Text(KeyFormat::Jwk),
        3 => Format::Text(KeyFormat::Line),
        4 => Format::Binary(BinaryFormat::Der),
        5 => Format::Binary(BinaryFormat::CoseKey(None)),
        _ => return Err(PQSEAL_ERROR_ARGUMENT),
    })
}

/// Writes a private key. Text ends in a line break, without a terminating zero. `format` is one of
/// pqseal_key_format. PQSEAL_ERROR_ARGUMENT if it does not hold keys of this KEM.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pqseal_private_key_write(
    private_key: *const pqseal_private_key,
    format: i32,
    out: *mut u8,
    capacity: usize,
    out_len: *mut usize,
) -> pqseal_status {
    guard(|| {
        // SAFETY: by the header's rules.
        let (key, out) = unsafe {
            (
                reference(private_key)?,
                Output::new(out, capacity, out_len)?,
            )
        };
        match format_of(format)? {
            Format::Text(format) => {
                out.write(pqseal_keys::write_private(&key.0, format)?.as_bytes())
            }
            Format::Binary(format) => {
                out.write(&pqseal_keys::write_private_binary(&key.0, format)?)
            }
        }
    })
}

/// Writes a public key, as pqseal_private_key_write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pqseal_public_key_write(
    public_key: *const pqseal_public_key,
    format: i32,
    out: *mut u8,
    capacity: usize,
    out_len: *mut usize,
) -> pqseal_status {
    guard(|| {
        // SAFETY: by the header's rules.
        let (key, out) = unsafe { (reference(public_key)?, Output::new(out, capacity, out_len)?) };
        match format_of(format)? {
            Format::Text(format) => {
                out.write(pqseal_keys::write_public(&key.0, format)?.as_bytes())
            }
            Format::Binary(format) => out.write(&pqseal_keys::write_public_binary(&key.0, format)?),
        }
    })
}

/// Writes the id of the KEM of a private key.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pqseal_private_key_kem(
    private_key: *const pqseal_private_key,
    kem: *mut u16,
) -> pqseal_status {
    // SAFETY: by the header's rules.
    unsafe { write_kem(private_key, kem, |key| key.0.kem().id) }
}

/// Writes the id of the KEM of a public key.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pqseal_public_key_kem(
    public_key: *const pqseal_public_key,
    kem: *mut u16,
) -> pqseal_status {
    // SAFETY: by the header's rules.
    unsafe { write_kem(public_key, kem, |key| key.0.kem().id) }
}

/// Writes the id of the KEM of a key of either half.
///
/// # Safety
/// As the exported functions.
unsafe fn write_kem<K>(key: *const K, kem: *mut u16, id: fn(&K) -> u16) -> pqseal_status {
    guard(|| {
        // SAFETY: as the caller promises.
        let (key, place) = unsafe { (reference(key)?, Place::new(kem)?) };
        place.set(id(key));
        Ok(())
    })
}

/// Frees a private key.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pqseal_private_key_free(private_key: *mut pqseal_private_key) {
    // SAFETY: by the header's rules.
    unsafe { free(private_key) }
}

/// Frees a public key.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pqseal_public_key_free(public_key: *mut pqseal_public_key) {
    // SAFETY: by the header's rules.
    unsafe { free(public_key) }
}
