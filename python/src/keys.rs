//! Key pairs as text.

use envelope::{
    DEFAULT_SUITE, Fingerprint,
    hpke::{AnyPrivateKey, AnyPublicKey, DynKem},
    kem_by_id,
    keys::{self, Key, KeyFormat},
};
use getrandom::SysRng;
use pyo3::{
    prelude::*,
    pybacked::{PyBackedBytes, PyBackedStr},
};
use zeroize::Zeroizing;

use crate::{choice, error::Error};

/// A private key and its public key, as text. The private key is not in the repr.
#[pyclass(frozen, module = "pqseal")]
pub(crate) struct KeyPair {
    private_key: Zeroizing<String>,
    /// The public key: give it to the sender.
    #[pyo3(get)]
    public_key: String,
    /// Eight bytes in hexadecimal, by which a version 4 blob names the key that it was sealed to.
    #[pyo3(get)]
    key_id: String,
}

#[pymethods]
impl KeyPair {
    /// The private key as text: write it to a file that only its owner can read. Each call makes a
    /// string, which Python cannot overwrite.
    fn export_private_key(&self) -> &str {
        &self.private_key
    }

    fn __repr__(&self) -> String {
        format!("<pqseal.KeyPair {}>", self.key_id)
    }
}

/// Makes a key pair of a KEM; without a name, of the one that new keys should have, which is
/// post-quantum and classical at once.
///
/// `kem="x25519"` makes a key for today's matched data and dashboards. `format` is that of the
/// private key: raw, json, pem, jwk or line; without it PEM, and a pqseal line for KEMs that PEM
/// does not hold. An experimental KEM needs `policy="experimental"`, here and wherever its key is
/// used.
#[pyfunction]
#[pyo3(signature = (kem = None, *, format = None, policy = "draft"))]
pub(crate) fn generate_key_pair(
    kem: Option<&str>,
    format: Option<&str>,
    policy: &str,
) -> PyResult<KeyPair> {
    let kem = choice::kem(kem)?
        .or(kem_by_id(DEFAULT_SUITE.kem))
        .expect("the default KEM is in the registry");
    let (format, policy) = (choice::format(format)?, choice::policy(policy)?);
    let (private, public) = keys::generate(kem, &policy, &mut SysRng).map_err(Error::from)?;
    Ok(KeyPair {
        private_key: private_text(&private, format)?,
        public_key: public_text(&public, keys::default_format(&public))?,
        key_id: Fingerprint::of(&public).key_id().to_string(),
    })
}

/// The public key of a private key, or a public key in another format. `key` is a key file's text or
/// bytes in any format; `kem` says whose key base64 is (x25519 if left out), and `raw`, which base64
/// needs, which half of a key pair it is: "private" or "public". Without `format`, base64 as
/// dashboards take it for x25519, and a pqseal line for others.
#[pyfunction]
#[pyo3(signature = (key, *, kem = None, format = None, raw = None))]
pub(crate) fn public_key(
    key: KeyText,
    kem: Option<&str>,
    format: Option<&str>,
    raw: Option<&str>,
) -> PyResult<String> {
    let (kem, format, raw) = (
        choice::kem(kem)?,
        choice::format(format)?,
        choice::raw(raw)?,
    );
    let key = match &key {
        KeyText::Text(text) => keys::read_key(text, kem, raw),
        KeyText::Bytes(file) => keys::read_key_file(file, kem, raw),
    };
    let public = key.and_then(Key::into_public).map_err(Error::from)?;
    Ok(public_text(
        &public,
        format.unwrap_or_else(|| keys::default_format(&public)),
    )?)
}

/// A key as Python holds it: the text of a key file, or its bytes.
#[derive(FromPyObject)]
pub(crate) enum KeyText {
    #[pyo3(annotation = "str")]
    Text(PyBackedStr),
    #[pyo3(annotation = "bytes")]
    Bytes(PyBackedBytes),
}

impl KeyText {
    pub(crate) fn read(&self, kem: Option<&'static DynKem>) -> Result<AnyPrivateKey, Error> {
        Ok(match self {
            Self::Text(text) => keys::read_private(text, kem)?,
            Self::Bytes(file) => keys::read_private_file(file, kem)?,
        })
    }
}

fn private_text(
    key: &AnyPrivateKey,
    format: Option<KeyFormat>,
) -> Result<Zeroizing<String>, Error> {
    Ok(KeyFormat::or_default(format, |format| {
        keys::write_private(key, format)
    })?)
}

/// As one value, without the line break that a file ends with.
fn public_text(key: &AnyPublicKey, format: KeyFormat) -> Result<String, Error> {
    Ok(keys::write_public(key, format)?.trim_end().to_owned())
}
