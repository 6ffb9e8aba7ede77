//! Encrypted files for Python, on which `pqseal/files.py` is based. Python file objects are read
//! and written through their methods. All other work runs without the interpreter's lock.
//!
//! Here are recipients and identities, as objects and as strings, and the options of a new file.

mod file_object;
mod streams;
mod whole;

pub(crate) use streams::{FileReader, FileWriter};
pub(crate) use whole::{file_decrypt, file_encrypt, file_inspect, file_rekey};

use std::sync::Arc;

use getrandom::SysRng;
use pqseal_age::{
    ContentKey, KeyError, PassphraseIdentity, PassphraseRecipient, Room,
    cobblestone::Cipher,
    keys::{
        AnyIdentity, AnyRecipient, LineError, Reader, identity_of, identity_text,
        read_identities as read_all, read_identity, recipient_of, recipient_text,
    },
    object,
};
use pqseal_hpke::{AnyPrivateKey, Policy};
use pqseal_keys::{self as our_keys, DEFAULT_SUITE, kem_by_id};
use pyo3::{exceptions::PyTypeError, prelude::*, pybacked::PyBackedStr, types::PyTuple};
use zeroize::Zeroizing;

use crate::{argument, error::Error};

/// The defaults in the signatures below.
const _: () = assert!(pqseal_age::DEFAULT_WORK == 18 && pqseal_age::DEFAULT_MAX_WORK == 20);

/// A recipient, for which a file is encrypted: a public key, or a passphrase.
///
/// Its text is `age1...`, or a public key in one of pqseal's formats (PEM, JWK, line).
#[pyclass(frozen, module = "pqseal.files")]
pub(crate) struct Recipient(Arc<AnyRecipient>);

/// An identity, which decrypts files: a private key, or a passphrase. It stays in Rust and is
/// overwritten when it is dropped. It cannot be pickled.
///
/// Its text is `AGE-SECRET-KEY-...`, `AGE-PLUGIN-PQSEAL-...`, or a private key in one of pqseal's
/// formats.
#[pyclass(frozen, module = "pqseal.files")]
pub(crate) struct Identity(Arc<AnyIdentity>);

#[pymethods]
impl Recipient {
    #[new]
    #[pyo3(signature = (text, *, policy = "draft"))]
    fn new(text: &str, policy: &str) -> PyResult<Self> {
        let reader = Reader::default().with_policy(argument::policy(policy)?);
        Ok(Self(Arc::new(reader.recipient(text).map_err(raise)?)))
    }

    /// Creates a recipient from a passphrase, which must be the only recipient of a file. `work` is
    /// the binary logarithm of the number of scrypt's steps: 18 takes 256 MiB and about a second.
    #[staticmethod]
    #[pyo3(signature = (passphrase, *, work = 18))]
    fn passphrase(passphrase: &str, work: u8) -> PyResult<Self> {
        if !(1..=30).contains(&work) {
            return Err(Error::argument("work must be from 1 to 30").into());
        }
        let recipient = PassphraseRecipient::new(secret(passphrase)?).with_work(work);
        Ok(Self(Arc::new(Box::new(recipient))))
    }

    fn __str__(&self) -> PyResult<String> {
        let key = self.0.public_key();
        let text = key.map_or_else(|| Ok("passphrase".to_owned()), |key| recipient_text(&key));
        text.map_err(|error| raise(error.into()))
    }

    fn __repr__(&self) -> PyResult<String> {
        Ok(format!(
            "<pqseal.files.Recipient {}>",
            short(&self.__str__()?)
        ))
    }
}

#[pymethods]
impl Identity {
    #[new]
    fn new(text: &str) -> PyResult<Self> {
        Ok(Self(Arc::new(read_identity(text).map_err(raise)?)))
    }

    /// Generates an identity of a KEM. The default is the post-quantum hybrid that age supports
    /// since version 1.3. `"x25519"` generates an identity that every age program supports.
    #[staticmethod]
    #[pyo3(signature = (kem = None, *, policy = "draft"))]
    fn generate(kem: Option<&str>, policy: &str) -> PyResult<Self> {
        let kem = argument::kem(kem)?
            .or(kem_by_id(DEFAULT_SUITE.kem))
            .expect("the default KEM is in the registry");
        let policy = argument::policy(policy)?;
        let (key, _) = our_keys::generate(kem, &policy, &mut SysRng).map_err(Error::from)?;
        let identity = identity_of(key).map_err(|error| raise(error.into()))?;
        Ok(Self(Arc::new(identity)))
    }

    /// Creates an identity from a passphrase. Files that require more than 2**max_work steps of
    /// scrypt are refused.
    #[staticmethod]
    #[pyo3(signature = (passphrase, *, max_work = 20))]
    fn passphrase(passphrase: &str, max_work: u8) -> PyResult<Self> {
        let identity = PassphraseIdentity::new(secret(passphrase)?).with_max_work(max_work);
        Ok(Self(Arc::new(Box::new(identity))))
    }

    /// The recipient of this identity. Give it to those who encrypt.
    #[getter]
    fn recipient(&self) -> PyResult<Recipient> {
        let public = self.key()?.public_key().map_err(Error::from)?;
        let recipient = recipient_of(public).map_err(|error| raise(error.into()))?;
        Ok(Recipient(Arc::new(recipient)))
    }

    /// Returns the private key as text, for a file that only its owner can read. Each call creates
    /// a string, which Python cannot overwrite.
    fn export(&self) -> PyResult<String> {
        let text = identity_text(&self.key()?).map_err(|error| raise(error.into()))?;
        Ok(text.to_string())
    }

    fn __repr__(&self) -> PyResult<String> {
        let of = match self.0.recipient_text() {
            Some(text) => short(&text),
            None => "a passphrase".to_owned(),
        };
        Ok(format!("<pqseal.files.Identity of {of}>"))
    }

    /// Refuses pickling, since a pickle would contain the key.
    fn __reduce__<'py>(&self) -> PyResult<Bound<'py, PyTuple>> {
        Err(PyTypeError::new_err(
            "an Identity is not pickled, since the pickle would hold the key; call export() to do that on purpose",
        ))
    }
}

impl Identity {
    fn key(&self) -> Result<AnyPrivateKey, Error> {
        let key = self.0.private_key();
        key.ok_or_else(|| Error::argument("a passphrase has no key pair"))
    }
}

/// Returns the beginning of a recipient, by which people recognise it.
fn short(text: &str) -> String {
    match text.get(..20) {
        Some(start) if text.len() > 20 => format!("{start}..."),
        _ => text.to_owned(),
    }
}

fn secret(passphrase: &str) -> Result<Zeroizing<String>, Error> {
    match passphrase {
        "" => Err(Error::argument("the passphrase is empty")),
        text => Ok(Zeroizing::new(text.to_owned())),
    }
}

/// Reads the recipients of a file: one per line, where `#` starts a comment, or one public key in
/// PEM or JWK.
#[pyfunction]
#[pyo3(signature = (text, *, policy = "draft"))]
pub(crate) fn read_recipients(text: &str, policy: &str) -> PyResult<Vec<Recipient>> {
    let reader = Reader::default().with_policy(argument::policy(policy)?);
    let found = reader.recipients(text).map_err(raise_line)?;
    let each = found.into_iter().map(|one| Recipient(Arc::new(one)));
    Ok(each.collect())
}

/// Reads the identities of a file that `age-keygen` or `pqseal file keygen` wrote, or private keys
/// in pqseal's formats. An encrypted file must be decrypted first.
#[pyfunction]
pub(crate) fn read_identities(text: &str) -> PyResult<Vec<Identity>> {
    let found = read_all(text).map_err(raise_line)?;
    let each = found.into_iter().map(|one| Identity(Arc::new(one)));
    Ok(each.collect())
}

/// A recipient as a Python object or string.
#[derive(FromPyObject)]
pub(crate) enum RecipientLike {
    #[pyo3(annotation = "Recipient")]
    Object(Py<Recipient>),
    #[pyo3(annotation = "str")]
    Text(PyBackedStr),
}

/// An identity as a Python object or string.
#[derive(FromPyObject)]
pub(crate) enum IdentityLike {
    #[pyo3(annotation = "Identity")]
    Object(Py<Identity>),
    #[pyo3(annotation = "str")]
    Text(PyBackedStr),
}

/// Returns the keys as references, as the functions of `pqseal-age` require.
fn as_refs<T: ?Sized>(keys: &[Arc<Box<T>>]) -> Vec<&T> {
    keys.iter().map(|key| &***key).collect()
}

/// Returns the recipients of an argument.
fn recipients(given: &[RecipientLike]) -> PyResult<Vec<Arc<AnyRecipient>>> {
    let each = given.iter().map(|one| match one {
        RecipientLike::Object(object) => Ok(object.get().0.clone()),
        RecipientLike::Text(text) => Ok(Recipient::new(text, "draft")?.0),
    });
    each.collect()
}

/// Returns the identities of an argument.
fn identities(given: &[IdentityLike]) -> PyResult<Vec<Arc<AnyIdentity>>> {
    let each = given.iter().map(|one| match one {
        IdentityLike::Object(object) => Ok(object.get().0.clone()),
        IdentityLike::Text(text) => Ok(Identity::new(text)?.0),
    });
    each.collect()
}

/// The options for a new file.
struct Making {
    object: Option<Cipher>,
    armor: bool,
    room: Room,
    policy: Policy,
}

impl Making {
    fn new(format: &str, armor: bool, reserve: bool, policy: Policy) -> Result<Self, Error> {
        let object = match format {
            "age" => None,
            "cobblestone" => Some(Cipher::Aes256Gcm),
            "cobblestone-128" => Some(Cipher::Aes128Gcm),
            _ => {
                return Err(Error::argument(
                    "format must be age, cobblestone or cobblestone-128",
                ));
            }
        };
        match () {
            () if armor && object.is_some() => {
                Err(Error::argument("armor is for the age format only"))
            }
            () if armor && reserve => Err(Error::argument(
                "an armored file has no room in its header; leave out armor or reserve",
            )),
            () => Ok(Self {
                object,
                armor,
                room: room(reserve),
                policy,
            }),
        }
    }

    /// Returns a new header, and the key of the content.
    fn header(
        &self,
        recipients: &[Arc<AnyRecipient>],
    ) -> Result<(Vec<u8>, ContentKey), pqseal_age::Error> {
        let key = ContentKey::generate(self.object)?;
        let header = header(&key, recipients, self.room, self.policy.clone())?;
        Ok((header, key))
    }
}

fn room(reserve: bool) -> Room {
    match reserve {
        true => Room::Reserve,
        false => Room::Least,
    }
}

/// Returns the header of the content for these recipients.
fn header(
    key: &ContentKey,
    recipients: &[Arc<AnyRecipient>],
    room: Room,
    policy: Policy,
) -> Result<Vec<u8>, pqseal_age::Error> {
    let options = object::Options {
        policy,
        ..object::Options::default()
    };
    let header = key.header(&as_refs(recipients), room, &options)?;
    Ok(header.expect("only a room of a given size can be too small"))
}

/// Returns the exception for an error. An exception of a file object is raised again.
fn raise(error: pqseal_age::Error) -> PyErr {
    match error {
        pqseal_age::Error::Io(error) => error.into(),
        pqseal_age::Error::Hpke(error) => Error::from(error).into(),
        pqseal_age::Error::Key(KeyError::Experimental) => Error::of_code(
            error.code(),
            "its KEM is experimental; add policy=\"experimental\" to use it",
        )
        .into(),
        error => Error::of_code(error.code(), error.to_string()).into(),
    }
}

/// Returns the exception for an error of a key file, with the line.
fn raise_line(LineError { line, error, .. }: LineError) -> PyErr {
    Error::of_code(error.code(), format!("line {line}: {error}")).into()
}
