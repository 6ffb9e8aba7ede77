//! Keys as text, in every format in which people and programs keep them: readers detect the format,
//! writers take it as an argument.
//!
//! ```
//! use pqseal_keys::{KeyFormat, public_key, read_private, read_public, write_public};
//!
//! let key = include_str!("../../../examples/matched-data/key.txt"); // base64 of an X25519 key
//! let public = public_key(&read_private(key, None)?)?;
//! let pem = write_public(&public, KeyFormat::Pem)?;
//! assert_eq!(read_public(&pem, None), Ok(public));
//! # Ok::<(), pqseal_keys::KeyError>(())
//! ```
//!
//! | I want to ... | use |
//! |---|---|
//! | read one key, whatever its format | [`read_private`], [`read_public`], [`read_key`] |
//! | read all keys of a file, with labels | [`read_private_keys`] |
//! | write a key as text, or as DER or COSE_Key | [`write_private`], [`write_public`], [`write_private_binary`] |
//! | generate a key pair | [`generate`] |
//! | find an algorithm by its name | [`kem_by_name`], [`kdf_by_name`], [`aead_by_name`] |
//! | compare keys, or name one | [`Fingerprint`], [`KeyId`] |
//! | encrypt a key under a passphrase | `pbes2`, with the feature of that name |
//! | have a key for each day | [`calendar`] |
//! | use a key that another process holds | `decap_command`, with the feature `decap-command` |
//!
//! | format | private | public | holds |
//! |---|---|---|---|
//! | raw | base64 of the serialized key | the same, not distinguishable | X25519, unless the reader names another KEM |
//! | json | `{"private_key", "public_key"}` of matched-data-cli | the same file | X25519 |
//! | pem | PKCS#8 `PRIVATE KEY`; reads SEC 1 `EC PRIVATE KEY` too | SPKI `PUBLIC KEY` | every curve, ML-KEM; reads MLKEM768-X25519 too |
//! | jwk | `{"kty": "OKP" or "EC", ..., "d"}` | without `d` | every curve |
//! | | `{"kty": "AKP", "alg", "pub", "priv"}` | without `priv` | ML-KEM, and the hybrids MLKEM768-X25519, MLKEM768-P256, MLKEM1024-P384, all by the names of WebCrypto |
//! | line | `pqseal-private-key:<kem>:<base64url>` | `pqseal-public-key:...` | every KEM |
//!
//! Keys of BIKE, and of hybrids that the table does not name, have only the formats raw and line.
//! ML-KEM's private keys are seeds in every format. An ML-KEM key that another program wrote
//! without its seed can open messages, but cannot be written.
//!
//! A file may hold several private keys, with comments that name them ([`read_private_keys`]). The
//! readers of one key skip lines above it that are empty or begin with `#`.
//!
//! RSA private keys, which are not keys of HPKE, are read with the feature `rsa`
//! (`RsaPrivateKey`).
//!
//! DER without PEM is read and written too, and with the feature `cose-key` COSE_Key
//! ([`BinaryFormat`]). They are not text, and so not a [`KeyFormat`].
//!
//! The functions that read keys take at most [`MAX_LEN`] bytes, except the methods of [`Content`].
//! X25519 and X448 public keys, even within hybrids, are refused if no private key can have them:
//! not below p, or of low order.

#![forbid(unsafe_code)]

mod algorithm;
mod backend;
pub mod base64;
pub mod calendar;
#[cfg(feature = "cose-key")]
pub mod cbor;
mod content;
#[cfg(feature = "cose-key")]
pub mod cose_key;
mod damage;
#[cfg(feature = "decap-command")]
pub mod decap_command;
mod der;
mod error;
mod fingerprint;
mod format;
mod half;
mod jwk;
mod kems;
mod key_text;
mod line;
mod montgomery;
mod names;
#[cfg(feature = "pbes2")]
pub mod pbes2;
mod pem;
mod raw;
#[cfg(feature = "rsa")]
mod rsa;
mod self_test;

use pqseal_hpke::{
    AEADS, AnyPrivateKey, AnyPublicKey, Component, DynKem, HkdfSha256, Policy, Suite,
    rand_core::TryCryptoRng,
};

pub use algorithm::{
    ALGORITHMS, Algorithm, AlgorithmUnavailable, JwkAlg, KeyManagement, algorithm,
};
pub use backend::{BackendError, BackendUse, backends, choose_backend, on_each_backend};
pub use content::{Content, is_cose_key};
pub use der::{write_private_der, write_public_der};
pub use error::{ALTERED, BAD_ARGUMENT, KEY_UNAVAILABLE, KeyError, LineError, hpke_code};
pub use fingerprint::{Fingerprint, KeyId};
pub use format::{
    BinaryFormat, KeyFormat, default_format, write_private, write_private_binary, write_public,
    write_public_binary,
};
pub use half::{Key, RawHalf, holds_key, looks_secret, read_key, says_private};
pub use jwk::JwkNames;
pub use kems::{
    DEFAULT_SUITE, KEMS, REFUSED_KEMS, RefusedKem, caution, kem_by_id, kems, refused_kem_by_id,
    refused_kem_by_name, suite_status,
};
pub use key_text::{Entry, KeyText};
pub use names::{NameError, aead_by_name, kdf_by_name, kem_by_name};
pub use pem::write_pem;
pub use pqseal_hpke as hpke;
/// The random number generator of the operating system, for every function here that takes one.
#[cfg(feature = "getrandom")]
pub use pqseal_hpke::SysRng;
pub use pqseal_kem_pq::Backend;
#[cfg(feature = "rsa")]
pub use rsa::RsaPrivateKey;
pub use self_test::{KnownAnswer, self_test};

/// The README, whose example runs as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

/// The longest text or file that a reader here takes, in bytes: 64 KiB. The longest key has 5 kB.
/// Reading takes time in proportion to the length.
pub const MAX_LEN: usize = 64 * 1024;

/// Set if this build reads rare encodings, and if its errors name encodings that it does not read.
/// The smallest build, which browsers load first, does neither.
const NAMED: bool = cfg!(feature = "all");

/// One of several private keys, with its owner's label.
#[derive(Debug)]
pub struct LabelledKey {
    /// The key.
    pub key: AnyPrivateKey,
    /// The comment next to it or above it. Not secret: it is for reports and counters.
    pub label: Option<String>,
}

/// Generates a key pair (GenerateKeyPair of RFC 9180, section 4) if `policy` allows the KEM.
///
/// ```
/// use pqseal_hpke::Policy;
/// use pqseal_keys::{SysRng, kem_by_name};
///
/// let kem = kem_by_name("mlkem768-x25519").expect("the KEM is in the registry");
/// let (private, public) = pqseal_keys::generate(kem, &Policy::draft(), &mut SysRng)?;
/// assert_eq!(pqseal_keys::public_key(&private), Ok(public));
/// assert!(pqseal_keys::generate(kem, &Policy::standard(), &mut SysRng).is_err());
/// # Ok::<(), pqseal_hpke::Error>(())
/// ```
///
/// # Errors
/// [`pqseal_hpke::Error::UnsupportedSuite`] by the policy, [`pqseal_hpke::Error::Rng`].
pub fn generate<R: TryCryptoRng + ?Sized>(
    kem: &'static DynKem,
    policy: &Policy,
    rng: &mut R,
) -> Result<(AnyPrivateKey, AnyPublicKey), pqseal_hpke::Error> {
    policy.check(Component::Kem, kem.info().id, kem.info().status)?;
    Suite::new(kem, &HkdfSha256, &AEADS[0]).generate_key_pair(rng)
}

/// Reads a private key: the text of a key file in any format, or its bytes, which may be DER too.
/// `kem` is the KEM of a raw text (X25519 if `None`), and must match the KEM of other formats.
///
/// # Errors
/// The reason why it is not a private key, such as that it is a public one.
pub fn read_private(
    file: impl AsRef<[u8]>,
    kem: Option<&'static DynKem>,
) -> Result<AnyPrivateKey, KeyError> {
    single(file.as_ref())?.private(kem)
}

/// Reads a public key in any format, or the public half of a private one. `file` and `kem` as in
/// [`read_private`].
///
/// A raw text can be either half. It is read as the public one: a private key of X25519 would be
/// returned as it is, and must not be published. With [`read_key`] the caller must choose.
///
/// # Errors
/// The reason why it is not a key.
pub fn read_public(
    file: impl AsRef<[u8]>,
    kem: Option<&'static DynKem>,
) -> Result<AnyPublicKey, KeyError> {
    single(file.as_ref())?.public(kem)
}

/// Reads all private keys in a text, at least one: each on a separate line, as a PEM block or as
/// JSON.
///
/// ```
/// let text = "# zone a\nuBS5eBttHrqkdY41kbZPdvYnNz8Vj0TvKIUpjB1y/GA=\n";
/// for found in pqseal_keys::read_private_keys(text, None)? {
///     assert_eq!(found.label.as_deref(), Some("zone a"));
///     assert_eq!(found.key.kem().short_name, "x25519");
/// }
/// # Ok::<(), pqseal_keys::LineError>(())
/// ```
///
/// `#` starts a comment. It labels the key next to it, or else the key on the line below, unless it
/// seems to hold a key itself. `file` and `kem` as in [`read_private`].
///
/// # Errors
/// The error of the first entry that is not a valid key. [`KeyText::private_keys`] reports what it
/// skips around PEM blocks.
pub fn read_private_keys(
    file: impl AsRef<[u8]>,
    kem: Option<&'static DynKem>,
) -> Result<Vec<LabelledKey>, LineError> {
    KeyText::new(file.as_ref())?.private_keys(kem, |_| ())
}

/// Reads a private key in PKCS#8 or SEC 1 DER.
///
/// # Errors
/// The reason why it is not a private key, such as that it is public or encrypted.
pub fn read_private_der(der: &[u8]) -> Result<AnyPrivateKey, KeyError> {
    check_size(der)?;
    der::read_private(der)
}

/// Reads a public key in SubjectPublicKeyInfo DER, or the public half of a private one.
///
/// # Errors
/// The reason why it is not a key.
pub fn read_public_der(der: &[u8]) -> Result<AnyPublicKey, KeyError> {
    check_size(der)?;
    der::read_public(der)
}

/// Returns the public key of a private one.
pub fn public_key(key: &AnyPrivateKey) -> Result<AnyPublicKey, KeyError> {
    Ok(key.public_key()?)
}

/// Finds the KEM of a parsed key.
fn kem_of(id: u16) -> Result<&'static DynKem, KeyError> {
    kem_by_id(id).ok_or(KeyError::UnknownKem)
}

/// Finds the KEM of a key line or a calendar by its short name, exactly as it was written: a
/// checksum is over it.
fn kem_named(name: &str) -> Result<&'static DynKem, KeyError> {
    kems()
        .find(|kem| kem.info().short_name == name)
        .ok_or_else(|| refused_kem_by_name(name).map_or(KeyError::UnknownKem, KeyError::RefusedKem))
}

/// Parses a private key of Nsk bytes.
fn private_of(kem: &DynKem, bytes: &[u8]) -> Result<AnyPrivateKey, KeyError> {
    check_length(kem, kem.info().n_sk, bytes)?;
    Ok(kem.deserialize_private_key(bytes)?)
}

/// Parses a public key of Npk bytes.
fn public_of(kem: &DynKem, bytes: &[u8]) -> Result<AnyPublicKey, KeyError> {
    check_length(kem, kem.info().n_pk, bytes)?;
    let key = kem.deserialize_public_key(bytes)?;
    montgomery::check(kem.info().id, bytes)?;
    Ok(key)
}

/// Returns all of a key file as one key.
fn single(file: &[u8]) -> Result<Content<'_>, KeyError> {
    check_size(file)?;
    Ok(KeyText::new(file)?.single())
}

fn check_size(input: &[u8]) -> Result<(), KeyError> {
    match input.len() {
        _ if calendar::is(input) => Err(KeyError::Calendar),
        len if len > MAX_LEN => Err(KeyError::TooLong(len)),
        _ => Ok(()),
    }
}

fn check_length(kem: &DynKem, expected: usize, bytes: &[u8]) -> Result<(), KeyError> {
    match bytes.len() {
        found if found != expected => Err(KeyError::Length {
            kem: kem.info().short_name,
            expected,
            found,
            raw: false,
        }),
        _ => Ok(()),
    }
}

/// Checks that a public half, if given, belongs to the private key.
fn check_pair(key: AnyPrivateKey, public: Option<AnyPublicKey>) -> Result<AnyPrivateKey, KeyError> {
    match public {
        Some(public) if public != public_key(&key)? => Err(KeyError::Mismatch),
        _ => Ok(key),
    }
}

fn expect(found: u16, kem: Option<&'static DynKem>) -> Result<(), KeyError> {
    match kem {
        Some(kem) if kem.info().id != found => {
            Err(KeyError::OtherKem(kem_of(found)?.info().short_name))
        }
        _ => Ok(()),
    }
}
