//! `ssh-ed25519`: X25519 with the Montgomery form of an Ed25519 key, and a factor that binds the
//! SSH key.

use base64ct::{Base64Unpadded, Encoding};
use curve25519_dalek::{EdwardsPoint, edwards::CompressedEdwardsY};
use pqseal_hpke::{
    Secret, Short,
    dhkem::{Group, X25519},
};
use sha2::{Digest, Sha512};
use zeroize::Zeroizing;

use crate::{Error, FileKey, HeaderError, SshError, Stanza, crypto};

pub(super) const KIND: &str = "ssh-ed25519";
const INFO: &[u8] = b"age-encryption.org/v1/ssh-ed25519";

type Scalar = <X25519 as Group>::Scalar;

/// The u coordinate of an Ed25519 key's point.
#[derive(Clone, Debug)]
pub(super) struct PublicKey([u8; 32]);

/// The scalar of an Ed25519 key.
pub(super) struct PrivateKey(Scalar);

impl PublicKey {
    /// Converts an Ed25519 public key (RFC 8032, section 5.1.5).
    pub(super) fn new(bytes: &[u8]) -> Result<Self, SshError> {
        let point = CompressedEdwardsY::from_slice(bytes).ok();
        let point = point.and_then(|encoded| encoded.decompress());
        match point.filter(|point| !point.is_small_order()) {
            Some(point) => Ok(Self(point.to_montgomery().to_bytes())),
            None => Err(SshError::Malformed),
        }
    }
}

impl PrivateKey {
    /// Converts an Ed25519 seed: the first half of its hash, which X25519 clamps as Ed25519 does.
    pub(super) fn new(seed: &[u8; 32]) -> Self {
        let hash = Zeroizing::new(<[u8; 64]>::from(Sha512::digest(seed)));
        Self(X25519::scalar(&hash[..32]).expect("any 32 bytes are a scalar"))
    }

    /// Computes the public key of a seed, in the encoding of Ed25519.
    pub(super) fn public_of(seed: &[u8; 32]) -> [u8; 32] {
        let hash = Zeroizing::new(<[u8; 64]>::from(Sha512::digest(seed)));
        let half = hash.first_chunk().expect("SHA-512 has 64 bytes");
        let point = EdwardsPoint::mul_base_clamped(*half);
        point.compress().to_bytes()
    }

    /// Reports whether this is the private key of a public key.
    pub(super) fn is_of(&self, public: &PublicKey) -> bool {
        X25519::public_bytes(&self.0) == public.0
    }
}

pub(super) fn wrap(
    key: &PublicKey,
    wire: &[u8],
    hint: String,
    file_key: &FileKey,
) -> Result<Stanza, Error> {
    let scalar = X25519::scalar(&crypto::random::<32>()?[..])?;
    let share = X25519::point_bytes(&X25519::public(&scalar));
    let secret = X25519::dh(&scalar, &X25519::point(&key.0)?)?;
    let wrapping = wrapping_key(secret, wire, &share, key)?;
    let args = vec![hint, Base64Unpadded::encode_string(&share)];
    Ok(Stanza::new(KIND, args, crypto::wrap(&wrapping, file_key)?))
}

pub(super) fn open(
    key: &PrivateKey,
    public: &PublicKey,
    wire: &[u8],
    hint: &str,
    stanza: &Stanza,
) -> Result<Option<FileKey>, Error> {
    let [named, share] = &stanza.args[..] else {
        return Err(HeaderError::Arguments.into());
    };
    let share: [u8; 32] = stanza
        .share(share)?
        .try_into()
        .map_err(|_| HeaderError::Arguments)?;
    if named != hint {
        return Ok(None);
    }
    crypto::wrapped(&stanza.body)?;
    let point = X25519::point(&share).map_err(|_| HeaderError::Share)?;
    let secret = X25519::dh(&key.0, &point).map_err(|_| HeaderError::Share)?;
    let wrapping = wrapping_key(secret, wire, &share, public)?;
    crypto::unwrap(&wrapping, &stanza.body)
}

/// Derives the wrapping key: the Diffie-Hellman value times a scalar of the SSH key, then HKDF over
/// both shares.
fn wrapping_key(
    secret: Secret<Short>,
    wire: &[u8],
    share: &[u8; 32],
    key: &PublicKey,
) -> Result<Zeroizing<[u8; 32]>, pqseal_hpke::Error> {
    let factor = X25519::scalar(&crypto::hkdf(wire, b"", INFO)[..])?;
    let secret = X25519::dh(&factor, &X25519::point(secret.as_ref())?)?;
    let salt = [*share, key.0].concat();
    Ok(crypto::hkdf(&salt, secret.as_ref(), INFO))
}
