//! Key files: read with care, and never overwritten.

use std::{fs, io, path::Path};

use envelope::{
    Blob, Trailing, base64,
    hpke::{AnyPrivateKey, AnyPublicKey, DynKem},
    kems,
    keys::{self, KeyError, KeyForm},
};
use zeroize::Zeroizing;

use crate::{
    args::Form,
    error::{Error, Exit, warn},
    escape,
    input::Source,
    output::Target,
};

/// The largest key file, in bytes. The largest key of any KEM in any form is far below.
pub const LIMIT: usize = 64 * 1024;

/// The private key in a file of any form.
///
/// # Errors
/// If there is none in it; if the name itself looks like a key.
pub fn private(source: &Source, kem: Option<&'static DynKem>) -> Result<AnyPrivateKey, Error> {
    let text = read(source)?;
    let key = keys::read_private(&text, kem).map_err(|error| Error::key(source, &error))?;
    warn_if_others_read(source);
    Ok(key)
}

/// The private keys in a file: one in any form, or one a line, raw or as pqseal's own line. `#` begins a comment.
///
/// # Errors
/// As [`private`].
pub fn privates(source: &Source) -> Result<Vec<AnyPrivateKey>, Error> {
    let keys = several(&read(source)?).map_err(|error| Error::key(source, &error))?;
    warn_if_others_read(source);
    Ok(keys)
}

/// The private keys in a text, as [`privates`].
///
/// # Errors
/// Why the first that is none is none.
pub fn several(text: &str) -> Result<Vec<AnyPrivateKey>, KeyError> {
    let one = keys::read_private(text, None);
    let lines = text.lines().map(|line| line.split('#').next().unwrap_or_default().trim());
    let lines: Vec<_> = lines.filter(|line| !line.is_empty()).collect();
    match one {
        Ok(key) => Ok(vec![key]),
        Err(_) if text.contains('#') || lines.len() > 1 && !text.contains("-----BEGIN") && !text.contains('{') => {
            lines.into_iter().map(|line| keys::read_private(line, None)).collect()
        }
        Err(error) => Err(error),
    }
}

/// The public key in a file of any form, or the public half of a private one. A raw file is taken as a public key.
///
/// # Errors
/// If there is none in it.
pub fn public(source: &Source, kem: Option<&'static DynKem>) -> Result<AnyPublicKey, Error> {
    keys::read_public(&read(source)?, kem).map_err(|error| Error::key(source, &error))
}

/// What a key file holds.
pub enum Either {
    /// A private key, and so both.
    Private(AnyPrivateKey),
    /// A public key alone.
    Public(AnyPublicKey),
}

/// Either kind of key. A raw file, which does not say which it is, is taken as a private key.
///
/// # Errors
/// If there is none in it.
pub fn either(source: &Source, kem: Option<&'static DynKem>) -> Result<Either, Error> {
    let text = read(source)?;
    let key = match keys::read_private(&text, kem) {
        Err(KeyError::PublicOnly) => keys::read_public(&text, kem).map(Either::Public),
        other => other.map(Either::Private),
    }
    .map_err(|error| Error::key(source, &error))?;
    if matches!(key, Either::Private(_)) {
        warn_if_others_read(source);
    }
    Ok(key)
}

impl Either {
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

/// Writes a key in `form`; if that is not said, in PEM, or on a pqseal line where the KEM has no standard encoding.
///
/// # Errors
/// If the form does not hold such keys.
pub fn in_form<T>(form: Option<Form>, write: impl Fn(KeyForm) -> Result<T, KeyError>) -> Result<T, KeyError> {
    match form {
        Some(form) => write(form.into()),
        None => write(KeyForm::Pem).or_else(|error| match error {
            KeyError::FormLacksKem => write(KeyForm::Line),
            other => Err(other),
        }),
    }
}

/// The text of a key file, wiped on drop.
///
/// # Errors
/// If it cannot be read, is larger than [`LIMIT`] or is not text.
pub fn read(source: &Source) -> Result<Zeroizing<String>, Error> {
    let bytes = source.read_secret(LIMIT).map_err(|error| unreadable(source, &error))?;
    if bytes.len() > LIMIT {
        return Err(bad(source, "it is larger than 64 KiB; is it the right file?"));
    }
    match std::str::from_utf8(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes)) {
        Ok(text) => Ok(Zeroizing::new(text.to_owned())),
        Err(_) => Err(bad(source, "it is not text; keys are base64, PEM, JWK, JSON or a pqseal line")),
    }
}

/// Whether a command-line argument seems to be a private key: then it must not be repeated in a message.
pub fn looks_like_a_key(argument: &str) -> bool {
    let secret = ["pqseal-private-key:", "PRIVATE KEY", "\"private_key\"", "\"kty\""];
    secret.iter().any(|mark| argument.contains(mark))
        // The shortest private key has 32 bytes; one that was cut by a character is as secret.
        || base64::decode(argument.as_bytes()).is_ok_and(|bytes| bytes.len() >= 31)
}

/// The failure to be given the name of a key file.
pub fn key_as_argument() -> Error {
    Error::usage(
        "an argument looks like a key and not like the name of a file; other users can see private keys on a command line, so put \
         the key in a file and name that file",
    )
}

/// Refuses to write over a key.
///
/// # Errors
/// If `target` is one of `used`, or a file that holds a key.
pub fn protect(target: Option<&Target>, used: &[Source]) -> Result<(), Error> {
    let Some(Target::File(path)) = target else { return Ok(()) };
    let same = |source: &Source| source.path().is_some_and(|used| same_file(used, path));
    if used.iter().any(same) || holds_key(path) {
        let path = escape::path(path);
        return Err(Error::refused(format!("{path} holds a key, and is not overwritten; choose another name for -o")));
    }
    Ok(())
}

fn same_file(a: &Path, b: &Path) -> bool {
    matches!((fs::canonicalize(a), fs::canonicalize(b)), (Ok(a), Ok(b)) if a == b)
}

fn holds_key(path: &Path) -> bool {
    let source = Source::File(path.to_owned());
    let small = fs::metadata(path).is_ok_and(|found| found.is_file() && found.len() <= LIMIT as u64);
    small && read(&source).is_ok_and(|text| is_key(&text))
}

/// Damaged keys count: what is left of one may be all that there is.
fn is_key(text: &str) -> bool {
    let parsed = matches!(keys::read_private(text, None), Ok(_) | Err(KeyError::PublicOnly | KeyError::Encrypted));
    parsed || text.contains("PRIVATE KEY-----") || text.contains("pqseal-private-key:") || is_raw_key(text)
}

/// Base64 of the size of some KEM's private key, unless it is a blob.
fn is_raw_key(text: &str) -> bool {
    base64::decode(text.as_bytes()).is_ok_and(|bytes| {
        kems().any(|kem| kem.info().n_sk == bytes.len()) && Blob::parse(&bytes, Trailing::Ignore).is_err()
    })
}

fn unreadable(source: &Source, error: &io::Error) -> Error {
    let name = source.path().and_then(Path::to_str).unwrap_or_default();
    // Too long a name is how the system answers to a long key.
    if error.kind() != io::ErrorKind::PermissionDenied && looks_like_a_key(name) {
        return key_as_argument();
    }
    Error::io(format_args!("read the key file {source}"), error)
}

fn bad(source: &Source, why: &str) -> Error {
    Error { exit: Exit::Failed, code: "bad_key", message: format!("cannot use the key in {source}: {why}") }
}

#[cfg(unix)]
fn warn_if_others_read(source: &Source) {
    use std::os::unix::fs::PermissionsExt;
    let Some(found) = source.path().and_then(|path| fs::metadata(path).ok()) else { return };
    let mode = found.permissions().mode() & 0o777;
    if found.is_file() && mode & 0o077 != 0 {
        warn(format_args!("others can read the key file {source} (mode {mode:04o}); run: chmod 600 {source}"));
    }
}

#[cfg(not(unix))]
fn warn_if_others_read(_source: &Source) {}
