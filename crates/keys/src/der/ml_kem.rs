//! The contents of an ML-KEM private key in PKCS#8 (RFC 9935, section 6): a CHOICE of its seed, its
//! expanded key, and both.
//!
//! HPKE's private key is the seed, and only the seed is written. If both are given, the seed is
//! read after a check against the expanded key. An expanded key without a seed opens, and cannot be
//! written, since the seed cannot be computed from it.

use pkcs8::der::{
    self, Decode, Encode, Tag, TagNumber, Tagged,
    asn1::{AnyRef, OctetStringRef},
};
use pqseal_hpke::{AnyPrivateKey, DynKem, Error};
#[cfg(feature = "all")]
use pqseal_hpke::{Erased, Kem};
#[cfg(feature = "all")]
use pqseal_kem_pq::{
    ml_kem::{MlKem, ParameterSet},
    pairwise_consistency,
};

use crate::{KeyError, check_length, private_of, public_key};

/// A function that reads an expanded key and checks that its parts belong together.
pub(super) type Import = fn(expanded: &[u8]) -> Result<AnyPrivateKey, Error>;

/// The tag of a seed: `[0] IMPLICIT OCTET STRING`.
const SEED: Tag = Tag::ContextSpecific {
    constructed: false,
    number: TagNumber(0),
};
/// The offset of `z` in a seed `d || z`.
const Z: usize = 32;

/// The error for a key in an encoding of earlier drafts, which OpenSSL calls `bare-seed`,
/// `bare-priv` and `oqskeypair`.
const OTHER: KeyError = KeyError::Text(
    "it is not encoded as in RFC 9935, but as in an earlier draft (bare-seed, bare-priv or oqskeypair of OpenSSL); OpenSSL 3.5 converts it: `openssl pkey -in FILE -out FILE2`",
);

pub(super) fn read(
    contents: &[u8],
    kem: &DynKem,
    import: Import,
) -> Result<AnyPrivateKey, KeyError> {
    let (seed, public) = (kem.info().n_sk, kem.info().n_pk);
    // dk_pke || ek || H(ek) || z (FIPS 203, algorithm 16); ek is dk_pke and 32 bytes.
    let expanded = 2 * public + 32;
    if [seed, expanded].contains(&contents.len()) {
        return Err(OTHER);
    }
    let choice = AnyRef::from_der(contents)?;
    let value = choice.value();
    match choice.tag() {
        SEED => private_of(kem, value),
        Tag::Sequence => read_both(choice, kem, import),
        Tag::OctetString if [seed, expanded + public].contains(&value.len()) => Err(OTHER),
        Tag::OctetString => {
            check_length(kem, expanded, value)?;
            import(value).map_err(|_| KeyError::Mismatch)
        }
        _ => Err(KeyError::Der),
    }
}

/// Writes only the seed. The encoding has 66 bytes, and is allocated at its full size.
pub(super) fn write(seed: &[u8]) -> Result<Vec<u8>, der::Error> {
    AnyRef::new(SEED, seed)?.to_der()
}

/// Reads `dk_pke || ek || H(ek) || z`. `import_expanded` checks the hash; `dk_pke` is checked by
/// decapsulating an encapsulation to a message of zeros.
#[cfg(feature = "all")]
pub(super) fn import<P: ParameterSet>(
    kem: MlKem<P>,
    expanded: &[u8],
) -> Result<AnyPrivateKey, Error> {
    let key = kem.import_expanded(expanded)?;
    pairwise_consistency(&kem, &key, &kem.public_key(&key)?, &[0; 32])?;
    Ok(Erased(kem).wrap_private(key))
}

/// Reads `SEQUENCE { seed OCTET STRING, expandedKey OCTET STRING }`.
fn read_both(both: AnyRef<'_>, kem: &DynKem, import: Import) -> Result<AnyPrivateKey, KeyError> {
    let (seed, expanded) = both.sequence(|fields| {
        let seed = <&OctetStringRef>::decode(fields)?.as_bytes();
        Ok::<_, KeyError>((seed, <&OctetStringRef>::decode(fields)?.as_bytes()))
    })?;
    let key = private_of(kem, seed)?;
    let same = import(expanded).map_err(|_| KeyError::Mismatch)?;
    if public_key(&same)? == public_key(&key)? && expanded.ends_with(&seed[Z..]) {
        Ok(key)
    } else {
        Err(KeyError::Mismatch)
    }
}
