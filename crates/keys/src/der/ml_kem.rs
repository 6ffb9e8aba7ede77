//! The contents of an ML-KEM private key in PKCS#8 (RFC 9935, section 6): a CHOICE of its seed, its
//! expanded key, and both.
//!
//! HPKE's private key is the seed, and only the seed is written. If both are given, the seed is
//! read after a check against the expanded key. An expanded key without a seed is refused, since
//! the seed cannot be computed from it.

use pkcs8::der::{
    self, Decode, Encode, Tag, TagNumber, Tagged,
    asn1::{AnyRef, OctetStringRef},
};
use pqseal_hpke::{AnyPrivateKey, DynKem};
#[cfg(feature = "all")]
use pqseal_hpke::{Error, Kem};
#[cfg(feature = "all")]
use pqseal_kem_pq::{
    ml_kem::{MlKem, ParameterSet},
    pairwise_consistency,
};

use crate::{KeyError, private_of};

/// A function that reports whether an expanded key is that of a seed of 64 bytes.
pub(super) type Agrees = fn(seed: &[u8], expanded: &[u8]) -> bool;

/// The tag of a seed: `[0] IMPLICIT OCTET STRING`.
const SEED: Tag = Tag::ContextSpecific {
    constructed: false,
    number: TagNumber(0),
};
/// The offset of `z` in a seed `d || z`.
#[cfg(feature = "all")]
const Z: usize = 32;

/// The error for a seed in an encoding of earlier drafts, such as OpenSSL's `bare-seed`.
const OTHER: KeyError = KeyError::Text(
    "its seed is not encoded as in RFC 9935; OpenSSL 3.5 converts it: `openssl pkey -in FILE -out FILE2`",
);

pub(super) fn read(
    contents: &[u8],
    kem: &DynKem,
    agrees: Agrees,
) -> Result<AnyPrivateKey, KeyError> {
    if contents.len() == kem.info().n_sk {
        return Err(OTHER);
    }
    let choice = AnyRef::from_der(contents)?;
    match choice.tag() {
        SEED => private_of(kem, choice.value()),
        Tag::Sequence => read_both(choice, kem, agrees),
        Tag::OctetString if choice.value().len() == kem.info().n_sk => Err(OTHER),
        Tag::OctetString => Err(KeyError::SeedNeeded),
        _ => Err(KeyError::Der),
    }
}

/// Writes only the seed. The encoding has 66 bytes, and is allocated at its full size.
pub(super) fn write(seed: &[u8]) -> Result<Vec<u8>, der::Error> {
    AnyRef::new(SEED, seed)?.to_der()
}

/// Reports whether `expanded` is the key of `seed`, by its four parts `dk_pke || ek || H(ek) || z`
/// (FIPS 203, algorithm 16). `import_expanded` checks the hash; `dk_pke` is checked by
/// decapsulating an encapsulation to a message of zeros.
#[cfg(feature = "all")]
pub(super) fn agree<P: ParameterSet>(kem: &MlKem<P>, seed: &[u8], expanded: &[u8]) -> bool {
    let check = || {
        let public = kem.public_key(&kem.deserialize_private_key(seed)?)?;
        let key = kem.import_expanded(expanded)?;
        let same =
            kem.public_key(&key)?.as_ref() == public.as_ref() && expanded.ends_with(&seed[Z..]);
        if same {
            pairwise_consistency(kem, &key, &public, &[0; 32])
        } else {
            Err(Error::KeyMismatch)
        }
    };
    check().is_ok()
}

/// Reads `SEQUENCE { seed OCTET STRING, expandedKey OCTET STRING }`.
fn read_both(both: AnyRef<'_>, kem: &DynKem, agrees: Agrees) -> Result<AnyPrivateKey, KeyError> {
    let (seed, expanded) = both.sequence(|fields| {
        let seed = <&OctetStringRef>::decode(fields)?.as_bytes();
        Ok::<_, KeyError>((seed, <&OctetStringRef>::decode(fields)?.as_bytes()))
    })?;
    let key = private_of(kem, seed)?;
    if agrees(seed, expanded) {
        Ok(key)
    } else {
        Err(KeyError::Mismatch)
    }
}
