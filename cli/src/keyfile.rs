//! Key files: read with care, and never overwritten.

use std::{fs, io, path::Path};

use envelope::{
    hpke::{AnyPrivateKey, AnyPublicKey, DynKem},
    keys::{self, KeyError, LabelledKey},
};
use zeroize::Zeroizing;

use crate::{
    error::{Error, Exit},
    escape,
    input::{Source, warn_if_others_read},
    leak::key_as_argument,
    output::Target,
    passphrase::{self, Passphrase},
};

/// The largest key file, in bytes.
pub const LIMIT: usize = keys::MAX_LEN;

/// The private keys in a file: of any form, one after another, with comments that name them
/// ([`keys::read_private_keys`]).
///
/// # Errors
/// If it holds no key, or an entry that is not a key; if the name itself looks like a key.
pub fn privates(source: &Source, passphrase: &Passphrase) -> Result<Vec<LabelledKey>, Error> {
    let keys = several(
        source,
        source
            .read_secret(LIMIT)
            .map_err(|error| unreadable(source, &error))?,
        passphrase,
    )?;
    warn_if_others_read(source, "key");
    Ok(keys)
}

/// The private keys in what was read from `name`, as [`privates`].
///
/// # Errors
/// As [`privates`].
pub fn several(
    name: &Source,
    bytes: Zeroizing<Vec<u8>>,
    passphrase: &Passphrase,
) -> Result<Vec<LabelledKey>, Error> {
    let text = text(name, passphrase.open(bytes, name)?)?;
    keys::read_private_keys(&text, None).map_err(|error| match error.line {
        Some(line) => Error::key(format_args!("{name}, line {line}"), &error.error),
        None => Error::key(name, &error.error),
    })
}

/// The public key in a file of any form, or the public half of a private one. A raw file is taken
/// as a public key.
///
/// # Errors
/// If it holds no key.
pub fn public(source: &Source, kem: Option<&'static DynKem>) -> Result<AnyPublicKey, Error> {
    let text = read(source)?;
    if passphrase::is_encrypted(text.as_bytes()) {
        return Err(bad(
            source,
            "it is under a passphrase; a public key is enough here, which `pqseal pubkey` makes of it",
        ));
    }
    keys::read_public(&text, kem).map_err(|error| Error::key(source, &error))
}

/// What a key file holds.
pub enum KeyMaterial {
    /// A private key, which gives the public key too.
    Private(AnyPrivateKey),
    /// Only a public key.
    Public(AnyPublicKey),
}

/// Either kind of key. A raw file, which does not say which it is, is taken as a private key.
///
/// # Errors
/// If it holds no key.
pub fn either(
    source: &Source,
    kem: Option<&'static DynKem>,
    passphrase: &Passphrase,
) -> Result<KeyMaterial, Error> {
    let text = read_secret(source, passphrase)?;
    let key = match keys::read_private(&text, kem) {
        Err(KeyError::PublicOnly) => keys::read_public(&text, kem).map(KeyMaterial::Public),
        other => other.map(KeyMaterial::Private),
    }
    .map_err(|error| Error::key(source, &error))?;
    if matches!(key, KeyMaterial::Private(_)) {
        warn_if_others_read(source, "key");
    }
    Ok(key)
}

impl KeyMaterial {
    /// The public half.
    ///
    /// # Errors
    /// If the key's own KEM cannot give it.
    pub fn into_public(self) -> Result<AnyPublicKey, KeyError> {
        match self {
            Self::Private(key) => keys::public_key(&key),
            Self::Public(key) => Ok(key),
        }
    }
}

/// The text of a key file, wiped on drop. Of one under a passphrase that is the age file itself.
///
/// # Errors
/// If it cannot be read, is larger than [`LIMIT`] or is not text.
pub fn read(source: &Source) -> Result<Zeroizing<String>, Error> {
    text(
        source,
        source
            .read_secret(LIMIT)
            .map_err(|error| unreadable(source, &error))?,
    )
}

/// The text of a key file, out of the age file if it is one; wiped on drop.
///
/// # Errors
/// As [`read`] and [`Passphrase::open`].
pub fn read_secret(source: &Source, passphrase: &Passphrase) -> Result<Zeroizing<String>, Error> {
    let bytes = source
        .read_secret(LIMIT)
        .map_err(|error| unreadable(source, &error))?;
    text(source, passphrase.open(bytes, source)?)
}

fn text(source: &Source, bytes: Zeroizing<Vec<u8>>) -> Result<Zeroizing<String>, Error> {
    if bytes.len() > LIMIT {
        return Err(Error::key(source, &KeyError::TooLong(bytes.len())));
    }
    match std::str::from_utf8(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes)) {
        Ok(text) => Ok(Zeroizing::new(text.to_owned())),
        Err(_) => Err(bad(
            source,
            "it is not text; keys are base64, PEM, JWK, JSON or a pqseal line",
        )),
    }
}

/// Refuses to write over a key.
///
/// # Errors
/// If `target` is one of `used`, or a file that holds a key.
pub fn protect(target: Option<&Target>, used: &[Source]) -> Result<(), Error> {
    let Some(Target::File(path)) = target else {
        return Ok(());
    };
    let same = |source: &Source| source.path().is_some_and(|used| same_file(used, path));
    if used.iter().any(same) || holds_key(path) {
        let path = escape::path(path);
        return Err(Error::refused(format!(
            "{path} holds a key, and is not overwritten; choose another name for -o"
        )));
    }
    Ok(())
}

fn same_file(a: &Path, b: &Path) -> bool {
    matches!((fs::canonicalize(a), fs::canonicalize(b)), (Ok(a), Ok(b)) if a == b)
}

fn holds_key(path: &Path) -> bool {
    let source = Source::File(path.to_owned());
    let small =
        fs::metadata(path).is_ok_and(|found| found.is_file() && found.len() <= LIMIT as u64);
    // What an age file holds is not known.
    let encrypted = |path| fs::read(path).is_ok_and(|bytes| passphrase::is_encrypted(&bytes));
    small && (encrypted(path) || read(&source).is_ok_and(|text| keys::holds_key(&text)))
}

fn unreadable(source: &Source, error: &io::Error) -> Error {
    let name = source.path().and_then(Path::to_str).unwrap_or_default();
    // Too long a name is how the system answers to a long key.
    if error.kind() != io::ErrorKind::PermissionDenied && keys::looks_secret(name) {
        return key_as_argument();
    }
    Error::io(format_args!("read the key file {source}"), error)
}

fn bad(source: &Source, why: &str) -> Error {
    Error {
        exit: Exit::Incomplete,
        code: "bad_key",
        message: format!("cannot use the key in {source}: {why}"),
    }
}
