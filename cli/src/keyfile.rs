//! Key files, which are read into wiped memory and never overwritten.
//!
//! `passphrase` sees the bytes first and decrypts age files; later code only sees the plaintext.
//! [`OtherKey::read_all`] reads the keys of a file with their labels.

use std::{fs, io, path::Path};

use clap::Args;
use pqseal_formats::{ALGORITHMS, PrivateKey, PublicKey, cose_key, jwe};
use pqseal_hpke::{AnyPublicKey, DynKem};
use pqseal_keys::{
    Content, Entry, Key, KeyError, KeyText, LabelledKey, LineError, RawHalf,
    calendar::{self, Calendar},
    is_cose_key,
};
use pqseal_matched_data::{Blob, Trailing};
use pqseal_sealed::OtherKey;
use zeroize::Zeroizing;

use crate::{
    error::{Error, warn},
    escape,
    input::{Source, warn_if_others_read},
    output::Target,
    parse::key_as_argument,
    passphrase::{self, Passphrase},
};

/// The largest key file, in bytes.
pub const LIMIT: usize = pqseal_keys::MAX_LEN;

/// The private keys in a file that is not a calendar.
pub struct FileKeys {
    /// Those of KEMs.
    pub keys: Vec<LabelledKey>,
    /// Those for other sealed values: RSA keys and age identities.
    pub others: Vec<OtherKey>,
    /// The entries that are not private keys.
    pub skipped: Skipped,
}

/// The private keys in a file.
pub enum Privates {
    /// Keys in any format.
    Keys(FileKeys),
    /// A private calendar.
    Calendar(Calendar),
}

impl Privates {
    /// Warns of entries that are not private keys.
    pub fn warn(&self, name: &Source) {
        if let Self::Keys(found) = self {
            found.skipped.warn(name);
        }
    }
}

/// Reads the private keys in a file: a calendar, or keys in any format, one after another, with
/// comments as labels.
///
/// # Errors
/// If it holds no key, or an entry that is not a key; if the name itself looks like a key.
pub fn privates(source: &Source, passphrase: &Passphrase) -> Result<Privates, Error> {
    let keys = privates_in(source, read_bytes(source)?, passphrase)?;
    keys.warn(source);
    let is_public = matches!(&keys, Privates::Calendar(calendar) if !calendar.is_private());
    if !is_public {
        warn_if_others_read(source, "key");
    }
    Ok(keys)
}

/// Reads the private keys of KEMs in a file that is not a calendar, like [`privates`].
///
/// # Errors
/// As [`privates`], and for a calendar, an RSA key or an age identity.
pub fn single_privates(
    source: &Source,
    passphrase: &Passphrase,
) -> Result<Vec<LabelledKey>, Error> {
    match privates(source, passphrase)? {
        Privates::Keys(found) if found.others.is_empty() => Ok(found.keys),
        Privates::Keys(_) => Err(Error::key(
            source,
            &KeyError::Text("it has an RSA key or an age identity, which are not used here"),
        )),
        Privates::Calendar(_) => Err(Error::key(source, &KeyError::Calendar)),
    }
}

/// Reads the private keys in the bytes of `name`, like [`privates`].
///
/// # Errors
/// As [`privates`].
pub fn privates_in(
    name: &Source,
    mut bytes: Zeroizing<Vec<u8>>,
    passphrase: &Passphrase,
) -> Result<Privates, Error> {
    if !calendar::is(&bytes) {
        bytes = passphrase.open(bytes, name)?;
    }
    match calendar::is(&bytes) {
        true => Calendar::parse(bytes)
            .map(Privates::Calendar)
            .map_err(|error| Error::calendar(name, &error)),
        false => keys(name, &bytes).map(Privates::Keys),
    }
}

fn keys(name: &Source, bytes: &[u8]) -> Result<FileKeys, Error> {
    let mut skipped = Skipped::default();
    let keys = KeyText::new(bytes).map_err(LineError::from);
    let keys = keys.and_then(|text| OtherKey::read_all(&text, None, |entry| skipped.add(entry)));
    let (keys, others) = keys.map_err(|error| match error.line {
        Some(line) => Error::key(format_args!("{name}, line {line}"), &error.error),
        None => Error::key(name, &error.error),
    })?;
    Ok(FileKeys {
        keys,
        others,
        skipped,
    })
}

/// The entries of a key file that are not private keys.
#[derive(Default)]
pub struct Skipped {
    lines: Vec<usize>,
}

impl Skipped {
    /// The code by which programs distinguish the warning.
    pub const CODE: &str = "skipped_text";

    /// Adds an entry. A block that belongs to a private key does not count.
    pub fn add(&mut self, entry: &Entry<'_>) {
        let belongs = ["EC PARAMETERS", "PUBLIC KEY", "CERTIFICATE"];
        let known = matches!(entry.content, Content::Pem { label, .. } if belongs.contains(&label));
        if !known {
            self.lines.push(entry.line);
        }
    }

    /// Warns of the entries, if there are any.
    pub fn warn(&self, name: &Source) {
        if let Some(text) = self.text() {
            warn(Self::CODE, format_args!("{name}, {text}"));
        }
    }

    /// Describes the entries, if there are any.
    pub fn text(&self) -> Option<String> {
        let line = self.lines.first()?;
        let more = match self.lines.len() - 1 {
            0 => String::new(),
            more => format!(", and {more} more such lines"),
        };
        Some(format!(
            "line {line}: skipped, it is not a private key{more}"
        ))
    }
}

/// The key in a key file, with the algorithm and the id of a JWK or a COSE_Key.
pub enum KeyMaterial {
    /// A private key, from which the public key can be computed.
    Private(PrivateKey),
    /// Only a public key.
    Public(PublicKey),
}

impl KeyMaterial {
    /// Returns the public half.
    ///
    /// # Errors
    /// If the key's KEM cannot compute it.
    pub fn into_public(self) -> Result<PublicKey, pqseal_formats::Error> {
        match self {
            Self::Private(key) => key.public_key(),
            Self::Public(key) => Ok(key),
        }
    }
}

/// Reads the public key in a file of any format, or the public half of a private one. A raw file is
/// taken as a public key.
///
/// # Errors
/// If it holds no key.
pub fn public(source: &Source, kem: Option<&'static DynKem>) -> Result<AnyPublicKey, Error> {
    public_with_use(source, kem).map(PublicKey::into_key)
}

/// Like [`public`], with the `alg` and `kid` of a JWK or a COSE_Key.
///
/// # Errors
/// As [`public`].
pub fn public_with_use(source: &Source, kem: Option<&'static DynKem>) -> Result<PublicKey, Error> {
    public_in(source, &read_bytes(source)?, kem)
}

/// Reads the public key in the bytes of a file.
///
/// # Errors
/// As [`public`].
pub fn public_in(
    source: &Source,
    bytes: &[u8],
    kem: Option<&'static DynKem>,
) -> Result<PublicKey, Error> {
    if calendar::is(bytes) {
        return Err(Error::key(source, &KeyError::Calendar));
    }
    if passphrase::is_encrypted(bytes) {
        return Err(Error::incomplete(
            "bad_key",
            format!(
                "cannot use the key in {source}: it is encrypted with a passphrase; give its public key instead, which `pqseal pubkey` prints"
            ),
        ));
    }
    match named(bytes) {
        Some(key) => key.and_then(|key| of_kem(key, kem)?.into_public()),
        None => match pqseal_keys::read_public(bytes, kem) {
            Ok(key) => Ok(PublicKey::new(key)),
            Err(error) => Err(error.into()),
        },
    }
    .map_err(|error| Error::named_key(source, &error))
}

/// The half that a raw key is.
#[derive(Args)]
pub struct Raw {
    /// Take a raw key, which does not say which half it is, as a private one
    #[arg(long = "raw-private", conflicts_with = "raw_public")]
    private: bool,
    /// Take a raw key as a public one
    #[arg(id = "raw_public", long = "raw-public")]
    public: bool,
}

impl Raw {
    /// Returns the half that the options name.
    pub const fn half(&self) -> Option<RawHalf> {
        match (self.private, self.public) {
            (true, _) => Some(RawHalf::Private),
            (false, true) => Some(RawHalf::Public),
            (false, false) => None,
        }
    }
}

/// Reads a key of either half. `raw` is the half of a raw file.
///
/// # Errors
/// If it holds no key, or a raw one without `raw`.
pub fn either(
    source: &Source,
    kem: Option<&'static DynKem>,
    raw: Option<RawHalf>,
    passphrase: &Passphrase,
) -> Result<KeyMaterial, Error> {
    either_in(source, &read_secret_bytes(source, passphrase)?, kem, raw)
}

/// Reads a key of either half in the bytes of `source`, like [`either`].
///
/// # Errors
/// As [`either`].
pub fn either_in(
    source: &Source,
    bytes: &[u8],
    kem: Option<&'static DynKem>,
    raw: Option<RawHalf>,
) -> Result<KeyMaterial, Error> {
    if calendar::is(bytes) {
        return Err(Error::key(source, &KeyError::Calendar));
    }
    let key = match named(bytes) {
        Some(key) => key.and_then(|key| of_kem(key, kem)),
        // A format without `alg` and `kid`.
        None => match pqseal_keys::read_key(bytes, kem, raw) {
            Ok(Key::Private(key)) => Ok(KeyMaterial::Private(PrivateKey::new(key))),
            Ok(Key::Public(key)) => Ok(KeyMaterial::Public(PublicKey::new(key))),
            Err(error) => Err(error.into()),
        },
    }
    .map_err(|error| Error::named_key(source, &error))?;
    if matches!(key, KeyMaterial::Private(_)) {
        warn_if_others_read(source, "key");
    }
    Ok(key)
}

/// Returns the JWKs in a file, also those of JWK Sets; `None` if it has other keys.
fn jwks(file: &[u8]) -> Option<Vec<&str>> {
    let mut found = Vec::new();
    for entry in KeyText::new(file).ok()?.entries() {
        match (entry.content.jwk_set(), entry.content) {
            // Keys of other algorithms are ignored (RFC 7517, section 5).
            (Some(set), _) => {
                let keys = set.into_iter();
                found.extend(keys.filter(|jwk| pqseal_keys::read_public(*jwk, None).is_ok()));
            }
            (None, Content::Json(text)) if text.contains("\"kty\"") => found.push(text),
            _ => return None,
        }
    }
    Some(found)
}

/// Reads the key in a file, a private one if possible; `None` if the file is neither a COSE_Key
/// nor one JWK. The `alg` and `kid` of a JWK for other algorithms than HPKE's are dropped.
fn named(file: &[u8]) -> Option<Result<KeyMaterial, pqseal_formats::Error>> {
    let key = match jwks(file).as_deref() {
        Some([jwk]) => private_or_public(
            || jwe::private_key(jwk, ALGORITHMS),
            || jwe::public_key(jwk, ALGORITHMS),
        ),
        _ if is_cose_key(file) => private_or_public(
            || cose_key::private_key(file, ALGORITHMS),
            || cose_key::public_key(file, ALGORITHMS),
        ),
        _ => return None,
    };
    match key {
        Err(pqseal_formats::Error::KeyAlgorithmNotAllowed(_)) if !is_cose_key(file) => None,
        key => Some(key),
    }
}

fn private_or_public(
    private: impl FnOnce() -> Result<PrivateKey, pqseal_formats::Error>,
    public: impl FnOnce() -> Result<PublicKey, pqseal_formats::Error>,
) -> Result<KeyMaterial, pqseal_formats::Error> {
    match private() {
        Err(pqseal_formats::Error::Key(KeyError::PublicOnly)) => public().map(KeyMaterial::Public),
        key => key.map(KeyMaterial::Private),
    }
}

/// Reads the private keys in a file; `None` if it is neither a COSE_Key nor consecutive JWKs.
pub fn named_privates(file: &[u8]) -> Option<Result<Vec<PrivateKey>, pqseal_formats::Error>> {
    if is_cose_key(file) {
        let key = cose_key::private_key(file, ALGORITHMS);
        return Some(key.map(|key| vec![key]));
    }
    let jwks = jwks(file).filter(|jwks| !jwks.is_empty())?;
    let keys = jwks
        .into_iter()
        .map(|jwk| jwe::private_key(jwk, ALGORITHMS));
    Some(keys.collect())
}

fn of_kem(
    key: KeyMaterial,
    kem: Option<&'static DynKem>,
) -> Result<KeyMaterial, pqseal_formats::Error> {
    let found = match &key {
        KeyMaterial::Private(key) => key.key().kem(),
        KeyMaterial::Public(key) => key.key().kem(),
    };
    match kem {
        Some(kem) if kem.info().id != found.id => Err(KeyError::OtherKem(found.short_name).into()),
        _ => Ok(key),
    }
}

/// Reads the bytes of a key file, decrypted if it is an age file; wiped on drop.
///
/// # Errors
/// If it cannot be read, and as [`Passphrase::open`].
pub fn read_secret_bytes(
    source: &Source,
    passphrase: &Passphrase,
) -> Result<Zeroizing<Vec<u8>>, Error> {
    passphrase.open(read_bytes(source)?, source)
}

/// Reads the bytes of a key file as they are; wiped on drop.
///
/// # Errors
/// If it cannot be read.
pub fn read_bytes(source: &Source) -> Result<Zeroizing<Vec<u8>>, Error> {
    let read = source.read_large_secret((LIMIT, calendar::MAX_LEN), may_be_large);
    read.map_err(|error| {
        let name = source.path().and_then(Path::to_str).unwrap_or_default();
        // The system answers to a long key that the name is too long.
        if error.kind() != io::ErrorKind::PermissionDenied && pqseal_keys::looks_secret(name) {
            return key_as_argument();
        }
        Error::io(format_args!("read the key file {source}"), &error)
    })
}

/// Reports whether the beginning of a file, of one byte more than [`LIMIT`], is that of a calendar.
/// It may be encrypted.
pub fn may_be_large(start: &[u8]) -> bool {
    start.len() > LIMIT && (calendar::is(start) || passphrase::is_encrypted(start))
}

/// Refuses to overwrite a key.
///
/// # Errors
/// If `target` is one of `used`, or a file that holds a key.
pub fn protect(target: Option<&Target>, used: &[Source]) -> Result<(), Error> {
    match target {
        Some(Target::File(path)) if is_used(path, used) || holds_key(path) => {
            Err(occupied("-o", path))
        }
        _ => Ok(()),
    }
}

/// Like [`protect`], for the output of an `option` other than -o. Appending loses nothing, so then
/// only `used` keys matter; the file may contain text that looks like a key.
///
/// # Errors
/// As [`protect`].
pub fn protect_from(
    option: &str,
    is_added_to: bool,
    target: &Target,
    used: &[Source],
) -> Result<(), Error> {
    match target {
        Target::File(path) if is_used(path, used) || !is_added_to && holds_key(path) => {
            Err(occupied(option, path))
        }
        _ => Ok(()),
    }
}

fn is_used(path: &Path, used: &[Source]) -> bool {
    let mut used = used.iter().filter_map(Source::path);
    used.any(|used| {
        matches!((fs::canonicalize(used), fs::canonicalize(path)), (Ok(used), Ok(path)) if used == path)
    })
}

fn occupied(option: &str, path: &Path) -> Error {
    let path = escape::path(path);
    Error::refused(format!(
        "{path} holds a key, and is not overwritten; choose another name for {option}"
    ))
}

fn holds_key(path: &Path) -> bool {
    let source = Source::File(path.to_owned());
    let is_file = fs::metadata(path).is_ok_and(|found| found.is_file());
    // The contents of an age file are unknown. A large one may be a calendar.
    is_file
        && source.read_secret(LIMIT).is_ok_and(|bytes| {
            passphrase::is_encrypted(&bytes)
                || match bytes.len() > LIMIT {
                    true => calendar::is(&bytes),
                    false => is_cose_key(&bytes) || is_key(&bytes),
                }
        })
}

/// Reports whether a file is a key that must not be lost. A blob may have the size of one.
pub fn is_key(file: &[u8]) -> bool {
    let is_blob =
        || Blob::decode(file).is_ok_and(|bytes| Blob::parse(&bytes, Trailing::Ignore).is_ok());
    pqseal_keys::holds_key(file) && !is_blob()
}
