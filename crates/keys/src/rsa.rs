//! RSA private keys: PKCS#8 (RFC 5958) and PKCS#1 (RFC 8017, appendix A.1.2), as PEM or DER. They
//! are not keys of HPKE. Other vendors seal log fields to them.
//!
//! Only the structure and the size are checked here. The library that computes with a key checks
//! that its integers are consistent.

use std::{fmt, ops::RangeInclusive};

use pkcs8::{
    AlgorithmIdentifierRef, ObjectIdentifier, PrivateKeyInfo, PrivateKeyInfoRef,
    der::{
        Decode, Encode,
        asn1::{AnyRef, BitStringRef, OctetStringRef, UintRef},
    },
};
use sha2::{Digest, Sha256};
use zeroize::Zeroizing;

use crate::{
    Content, KeyError, KeyId,
    pem::{self, PKCS1},
};

/// The algorithm rsaEncryption (RFC 8017, appendix A.1).
const ALGORITHM: AlgorithmIdentifierRef<'static> = AlgorithmIdentifierRef {
    oid: ObjectIdentifier::new_unwrap("1.2.840.113549.1.1.1"),
    parameters: Some(AnyRef::NULL),
};

/// The prefix that separates the hash of an id from every other use of SHA-256.
const LABEL: &[u8] = b"pqseal RSA key id";

/// The sizes of a modulus, in bits.
const BITS: RangeInclusive<usize> = 2048..=4096;

/// An RSA private key of 2,048 to 4,096 bits, as PKCS#8. Wiped on drop.
///
/// ```
/// use pqseal_keys::{Content, RsaPrivateKey};
///
/// let ec = "-----BEGIN EC PRIVATE KEY-----\n-----END EC PRIVATE KEY-----\n";
/// let content = Content::Pem { label: "EC PRIVATE KEY", text: ec };
/// assert!(RsaPrivateKey::detect(content).is_none());
/// ```
#[derive(Clone)]
pub struct RsaPrivateKey {
    pkcs8: Zeroizing<Vec<u8>>,
    modulus: Vec<u8>,
    id: KeyId,
}

impl RsaPrivateKey {
    /// Reads an entry of a key file; `None` if it is not an RSA private key.
    pub fn detect(content: Content<'_>) -> Option<Result<Self, KeyError>> {
        match content {
            Content::Pem { text, .. } => match pem::private_der(text)? {
                Ok((label, der)) if label == PKCS1 => Some(Self::from_pkcs1(&der)),
                Ok((_, der)) => Self::from_der(&der),
                Err(error) => Some(Err(error)).filter(|_| text.contains(PKCS1)),
            },
            Content::Binary(der) => Self::from_der(der),
            Content::Line(_) | Content::Json(_) => None,
        }
    }

    /// Reads PKCS#8 or PKCS#1 in DER; `None` if it is neither with an RSA key.
    pub fn from_der(der: &[u8]) -> Option<Result<Self, KeyError>> {
        match PrivateKeyInfoRef::from_der(der) {
            Ok(info) if info.algorithm.oid != ALGORITHM.oid => None,
            // The parameters are NULL, and some programs leave them out.
            Ok(info) => Some(Self::from_pkcs1(info.private_key.as_bytes())),
            Err(_) => integers(der).is_ok().then(|| Self::from_pkcs1(der)),
        }
    }

    fn from_pkcs1(der: &[u8]) -> Result<Self, KeyError> {
        let [_, modulus, exponent, ..] = integers(der)?;
        let bits = bits(modulus);
        if !BITS.contains(&bits) {
            return Err(SIZE);
        }
        let info =
            PrivateKeyInfo::<_, _, BitStringRef<'_>>::new(ALGORITHM, OctetStringRef::new(der)?);
        // RSAPublicKey has a unique encoding.
        let public = vec![modulus, exponent].to_der()?;
        let hash: [u8; 32] = Sha256::new()
            .chain_update(LABEL)
            .chain_update(public)
            .finalize()
            .into();
        let [a, b, c, d, e, f, g, h, ..] = hash;
        Ok(Self {
            pkcs8: Zeroizing::new(info.to_der()?),
            modulus: modulus.as_bytes().to_vec(),
            id: KeyId::new([a, b, c, d, e, f, g, h]),
        })
    }

    /// Returns the key as PKCS#8 in DER.
    pub fn pkcs8(&self) -> &[u8] {
        &self.pkcs8
    }

    /// Returns the size of the modulus, and so of a ciphertext, in bytes.
    pub fn modulus_len(&self) -> usize {
        self.modulus.len()
    }

    /// Returns the first 8 bytes of SHA-256 over a label and the public key (RSAPublicKey of RFC
    /// 8017, appendix A.1.1), as a name of the key in reports.
    pub const fn id(&self) -> KeyId {
        self.id
    }
}

/// Writes the size of the key.
impl fmt::Debug for RsaPrivateKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RsaPrivateKey({} bytes)", self.modulus.len())
    }
}

const SIZE: KeyError = KeyError::Text(
    "it is an RSA key of fewer than 2,048 or more than 4,096 bits, which is not read",
);

/// Returns the integers of an RSAPrivateKey with two primes.
fn integers(der: &[u8]) -> Result<[UintRef<'_>; 9], KeyError> {
    let integers: Vec<UintRef<'_>> = Decode::from_der(der)?;
    let integers: [_; 9] = integers.try_into().map_err(|_| KeyError::Der)?;
    match integers[0].as_bytes() {
        [0] => Ok(integers),
        _ => Err(KeyError::Der),
    }
}

fn bits(number: UintRef<'_>) -> usize {
    match number.as_bytes() {
        [first, rest @ ..] => {
            rest.len() * 8 + first.checked_ilog2().map_or(0, |log| log as usize + 1)
        }
        [] => 0,
    }
}
