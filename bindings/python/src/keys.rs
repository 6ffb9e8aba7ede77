//! Key pairs as text.

use getrandom::SysRng;
use pqseal_hpke::AnyPublicKey;
use pqseal_keys::{DEFAULT_SUITE, Fingerprint, Key, KeyFormat, kem_by_id};
use pyo3::prelude::*;
use zeroize::Zeroizing;

use crate::{
    argument::{self, KeyInput, public_text},
    calendar::Period,
    error::Error,
    hpke::PublicKey,
};

/// A private key and its public key, as text. The private key is not in the repr.
#[pyclass(frozen, module = "pqseal")]
pub(crate) struct KeyPair {
    private_key: Zeroizing<String>,
    /// The public key. Give it to the sender.
    #[pyo3(get)]
    public_key: String,
    /// The key id, eight bytes in hexadecimal, by which a version 4 blob names the recipient's key.
    #[pyo3(get)]
    key_id: String,
}

#[pymethods]
impl KeyPair {
    /// Returns the private key as text, for a file that only its owner can read. Each call creates
    /// a string, which Python cannot overwrite.
    fn export_private_key(&self) -> &str {
        &self.private_key
    }

    fn __repr__(&self) -> String {
        format!("<pqseal.KeyPair {}>", self.key_id)
    }
}

/// Generates a key pair of a KEM. The default is the KEM recommended for new keys, which is both
/// post-quantum and classical.
///
/// `kem="x25519"` generates a key for today's matched data and dashboards. `format` is the format
/// of the private key: raw, json, pem, jwk or line. The default is PEM, or a pqseal line for KEMs
/// that PEM does not support. An experimental KEM requires `policy="experimental"`, here and
/// wherever its key is used.
#[pyfunction]
#[pyo3(signature = (kem = None, *, format = None, policy = "draft"))]
pub(crate) fn generate_key_pair(
    kem: Option<&str>,
    format: Option<&str>,
    policy: &str,
) -> PyResult<KeyPair> {
    let kem = argument::kem(kem)?
        .or(kem_by_id(DEFAULT_SUITE.kem))
        .expect("the default KEM is in the registry");
    let (format, policy) = (argument::format(format)?, argument::policy(policy)?);
    let (private, public) =
        pqseal_keys::generate(kem, &policy, &mut SysRng).map_err(Error::from)?;
    let private_key = KeyFormat::or_pem(format, |format| {
        pqseal_keys::write_private(&private, format)
    });
    Ok(KeyPair {
        private_key: private_key.map_err(Error::from)?,
        public_key: public_text(&public, None)?,
        key_id: Fingerprint::of(&public).key_id().to_string(),
    })
}

/// Returns the public key of a private key, or a public key in another format. `key` is the text or
/// the bytes of a key file in any format. `kem` is the KEM of a key in base64 (default x25519).
/// `raw`, which base64 requires, is the half of the key pair that it contains: "private" or
/// "public". The default of `format` is base64 for x25519, as dashboards use it, and a pqseal line
/// for other KEMs.
#[pyfunction]
#[pyo3(signature = (key, *, kem = None, format = None, raw = None))]
pub(crate) fn public_key(
    key: KeyInput,
    kem: Option<&str>,
    format: Option<&str>,
    raw: Option<&str>,
) -> PyResult<String> {
    let (kem, format, raw) = (
        argument::kem(kem)?,
        argument::format(format)?,
        argument::raw(raw)?,
    );
    let key = pqseal_keys::read_key(&key, kem, raw);
    let public = key.and_then(Key::into_public).map_err(Error::from)?;
    Ok(public_text(&public, format)?)
}

/// A recipient as a Python object: a public key, a period of a public calendar, or a key file's text
/// or bytes.
#[derive(FromPyObject)]
pub(crate) enum RecipientInput {
    #[pyo3(annotation = "PublicKey")]
    Key(Py<PublicKey>),
    #[pyo3(annotation = "Period")]
    Period(Py<Period>),
    #[pyo3(annotation = "str | bytes")]
    File(KeyInput),
}

impl RecipientInput {
    pub(crate) fn read(&self) -> Result<AnyPublicKey, Error> {
        Ok(match self {
            Self::Key(key) => key.get().0.clone(),
            Self::Period(period) => period.get().key()?,
            Self::File(file) => pqseal_keys::read_public(file, None)?,
        })
    }

    /// Returns the version of blobs to it, if it may have only one.
    pub(crate) const fn version(&self) -> Option<u8> {
        match self {
            Self::Period(_) => Some(4),
            Self::Key(_) | Self::File(_) => None,
        }
    }
}
