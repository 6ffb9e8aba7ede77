//! Private keys of SSH in PKCS#8 (RFC 5958), as `age` reads them: Ed25519 (RFC 8410) and RSA (RFC
//! 8017, appendix A.1.2), without a passphrase.

use pkcs8::{
    ObjectIdentifier, PrivateKeyInfoRef,
    der::{
        self, Decode, SliceReader,
        asn1::{AnyRef, OctetStringRef, UintRef},
    },
};

use super::{
    ed25519,
    private::{PrivateKey, between},
    rsa,
    wire::{RsaIntegers, write},
};
use crate::SshError;

const BEGIN: &str = "-----BEGIN PRIVATE KEY-----";
const END: &str = "-----END PRIVATE KEY-----";

const ED25519: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.101.112");
const RSA: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.1.1");

/// Reports whether a text is in this format.
pub(super) fn is(text: &str) -> bool {
    text.trim_start().starts_with(BEGIN)
}

/// Reads the public key in SSH's wire format, and the private key.
pub(super) fn read(text: &str) -> Result<(Vec<u8>, PrivateKey), SshError> {
    let der = between(text, BEGIN, END)?;
    let info = PrivateKeyInfoRef::from_der(&der).map_err(|_| SshError::Malformed)?;
    match info.algorithm.oid {
        ED25519 => ed25519(info.private_key.as_bytes()),
        RSA => rsa(info.private_key.as_bytes()),
        _ => Err(SshError::Kind),
    }
}

/// Reads the seed, an OCTET STRING. `age` ignores a public key next to it, too.
fn ed25519(octets: &[u8]) -> Result<(Vec<u8>, PrivateKey), SshError> {
    let seed = <&OctetStringRef>::from_der(octets).map_err(|_| SshError::Malformed)?;
    let seed = seed.as_bytes().try_into();
    let seed = seed.map_err(|_| SshError::Malformed)?;
    let public = ed25519::PrivateKey::public_of(seed);
    let wire = write(&[ed25519::KIND.as_bytes(), &public]);
    let key = ed25519::PrivateKey::new(seed);
    Ok((wire, PrivateKey::Ed25519(key)))
}

/// Reads RSAPrivateKey of two primes.
fn rsa(octets: &[u8]) -> Result<(Vec<u8>, PrivateKey), SshError> {
    let numbers = AnyRef::from_der(octets).and_then(|key| key.sequence(numbers));
    let [_version, n, e, d, p, q, _d_p, _d_q, q_inv] = numbers.map_err(|_| SshError::Malformed)?;
    // The size is checked first, since it has its own error.
    rsa::PublicKey::new(n, e)?;
    let key = rsa::PrivateKey::new(&RsaIntegers {
        n,
        e,
        d,
        q_inv,
        p,
        q,
    })?;
    let [e, n] = [e, n].map(positive);
    let wire = write(&[rsa::KIND.as_bytes(), &e, &n]);
    Ok((wire, PrivateKey::Rsa(key)))
}

/// Reads the integers of RSAPrivateKey, without their signs.
fn numbers<'b>(fields: &mut SliceReader<'b>) -> der::Result<[&'b [u8]; 9]> {
    let mut numbers = [&[][..]; 9];
    for number in &mut numbers {
        *number = UintRef::decode(fields)?.as_bytes();
    }
    Ok(numbers)
}

/// Returns a number as an `mpint` (RFC 4251, section 5), whose first bit is its sign.
fn positive(number: &[u8]) -> Vec<u8> {
    let sign: &[u8] = match number {
        [0x80..=0xff, ..] => &[0],
        _ => &[],
    };
    [sign, number].concat()
}
