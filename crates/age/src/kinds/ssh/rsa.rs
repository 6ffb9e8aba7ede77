//! `ssh-rsa`: RSA-OAEP with SHA-256 and a label (RFC 8017, section 7.1), by AWS-LC, whose
//! decryption takes the same time for every ciphertext.

use aws_lc_rs::rsa::{
    OAEP_SHA256_MGF1SHA256, OaepPrivateDecryptingKey, OaepPublicEncryptingKey,
    PrivateDecryptingKey, PublicEncryptingKey,
};
use crypto_bigint::{BoxedUint, NonZero};
use pkcs8::{
    ObjectIdentifier, PrivateKeyInfoRef,
    der::{
        Encode,
        asn1::{AnyRef, BitStringRef, OctetStringRef, UintRef},
    },
    spki::{AlgorithmIdentifierRef, SubjectPublicKeyInfo},
};
use std::{fmt, sync::Arc};
use zeroize::{Zeroize, Zeroizing};

use super::{RSA, RsaIntegers};
use crate::{Error, FileKey, HeaderError, SshError, Stanza};

const LABEL: &[u8] = b"age-encryption.org/v1/ssh-rsa";

/// The algorithm rsaEncryption (RFC 8017, appendix A.1).
const ALGORITHM: AlgorithmIdentifierRef<'static> = AlgorithmIdentifierRef {
    oid: ObjectIdentifier::new_unwrap("1.2.840.113549.1.1.1"),
    parameters: Some(AnyRef::NULL),
};

/// The sizes of a modulus: at least 2,048 bits, as `age` requires, and at most the limit of AWS-LC.
const BITS: std::ops::RangeInclusive<usize> = 2048..=8192;

#[derive(Clone)]
pub(super) struct RsaPublic(Arc<OaepPublicEncryptingKey>);

impl RsaPublic {
    pub(super) fn new(modulus: &[u8], exponent: &[u8]) -> Result<Self, SshError> {
        let [first, ..] = modulus else {
            return Err(SshError::Malformed);
        };
        let unused = usize::try_from(first.leading_zeros()).expect("at most 8");
        if !BITS.contains(&(modulus.len() * 8 - unused)) {
            return Err(SshError::RsaSize);
        }
        public(modulus, exponent)
            .map(|key| Self(Arc::new(key)))
            .ok_or(SshError::Malformed)
    }

    pub(super) fn wrap(&self, hint: String, file_key: &FileKey) -> Result<Stanza, Error> {
        let mut body = vec![0; self.0.ciphertext_size()];
        let sealed = self.0.encrypt(
            &OAEP_SHA256_MGF1SHA256,
            file_key.as_bytes(),
            &mut body,
            Some(LABEL),
        );
        // The key and the sizes are valid, so only the random number generator can fail.
        sealed.map_err(|_| pqseal_hpke::Error::Rng)?;
        Ok(Stanza::new(RSA, vec![hint], body))
    }
}

fn public(modulus: &[u8], exponent: &[u8]) -> Option<OaepPublicEncryptingKey> {
    let key = integers(&[modulus, exponent])?;
    let info = SubjectPublicKeyInfo {
        algorithm: ALGORITHM,
        subject_public_key: BitStringRef::from_bytes(&key).ok()?,
    };
    let key = PublicEncryptingKey::from_der(&info.to_der().ok()?).ok()?;
    OaepPublicEncryptingKey::new(key).ok()
}

pub(super) struct RsaPrivate(OaepPrivateDecryptingKey);

impl RsaPrivate {
    /// Creates a key. AWS-LC checks that the integers are consistent.
    pub(super) fn new(key: &RsaIntegers<'_>) -> Result<Self, SshError> {
        private(key).map(Self).ok_or(SshError::Malformed)
    }

    pub(super) fn open(&self, hint: &str, stanza: &Stanza) -> Result<Option<FileKey>, Error> {
        let [named] = &stanza.args[..] else {
            return Err(HeaderError::Arguments.into());
        };
        if named != hint {
            return Ok(None);
        }
        let mut out = Zeroizing::new(vec![0; self.0.min_output_size()]);
        let opened = self
            .0
            .decrypt(&OAEP_SHA256_MGF1SHA256, &stanza.body, &mut out, Some(LABEL));
        match opened {
            Ok(bytes) => {
                let bytes = <[u8; 16]>::try_from(&*bytes).map_err(|_| HeaderError::BodyLength)?;
                Ok(Some(FileKey::new(bytes)))
            }
            // The hint has only 4 bytes, and may belong to another key.
            Err(_) => Ok(None),
        }
    }
}

fn private(key: &RsaIntegers<'_>) -> Option<OaepPrivateDecryptingKey> {
    let RsaIntegers {
        n,
        e,
        d,
        q_inv,
        p,
        q,
    } = *key;
    let (d_p, d_q) = (exponent_of(d, p)?, exponent_of(d, q)?);
    let key = integers(&[&[0], n, e, d, p, q, &d_p, &d_q, q_inv])?;
    let key = PrivateKeyInfoRef::new(ALGORITHM, OctetStringRef::new(&key).ok()?);
    let key = Zeroizing::new(key.to_der().ok()?);
    OaepPrivateDecryptingKey::new(PrivateDecryptingKey::from_pkcs8(&key).ok()?).ok()
}

/// Computes `d mod (p - 1)`, which SSH omits.
fn exponent_of(d: &[u8], p: &[u8]) -> Option<Zeroizing<Box<[u8]>>> {
    let bits = u32::try_from(d.len().max(p.len()) * 8).ok()?;
    let number = |bytes| {
        BoxedUint::from_be_slice(bytes, bits)
            .ok()
            .map(Zeroizing::new)
    };
    let less = Zeroizing::new(number(p)?.wrapping_sub(BoxedUint::one_with_precision(bits)));
    let mut modulus = NonZero::new((*less).clone()).into_option()?;
    let exponent = Zeroizing::new(number(d)?.rem(&modulus));
    modulus.zeroize();
    Some(Zeroizing::new(exponent.to_be_bytes()))
}

/// Encodes a sequence of integers in DER, as in RSA keys (RFC 8017, appendix A.1).
fn integers(numbers: &[&[u8]]) -> Option<Zeroizing<Vec<u8>>> {
    let numbers: Result<Vec<_>, _> = numbers.iter().map(|bytes| UintRef::new(bytes)).collect();
    numbers.ok()?.to_der().ok().map(Zeroizing::new)
}

impl fmt::Debug for RsaPublic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RsaPublic({} bits)", self.0.key_size_bits())
    }
}
