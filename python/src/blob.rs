//! One blob: sealed, opened, described.

use std::borrow::Cow;

use envelope::{
    Blob, Frame, FrameV4, OpenOptions, SealerV4, TRUNCATED, Trailing, Version, base64,
    hpke::{AEADS, Aead, AnyPublicKey, KDFS, Kem, Policy, X25519HkdfSha256},
    kem_by_id, keys,
};

use pyo3::{
    prelude::*,
    pybacked::{PyBackedBytes, PyBackedStr},
    types::PyDict,
};
use siem::Sealer;

use crate::{choice, error::Error, keyring::Keyring};

/// Seals to a public key in any form, as base64. An x25519 key without kdf, aead, info and aad gets
/// a version 3 blob, which dashboards open; everything else version 4, which names its suite and
/// its key and opens with the same info and aad alone. An experimental KEM needs
/// `policy="experimental"`.
#[pyfunction]
#[pyo3(signature = (public_key, plaintext, *, info = None, aad = None, kdf = None, aead = None, version = None, policy = "draft"))]
#[allow(clippy::too_many_arguments, reason = "Python's keyword arguments")]
pub(crate) fn seal(
    py: Python<'_>,
    public_key: &str,
    plaintext: PyBackedBytes,
    info: Option<&[u8]>,
    aad: Option<&[u8]>,
    kdf: Option<&str>,
    aead: Option<&str>,
    version: Option<u8>,
    policy: &str,
) -> PyResult<String> {
    let (info, aad) = (info.unwrap_or_default(), aad.unwrap_or_default());
    let wanted = Wanted {
        info,
        kdf,
        aead,
        version,
        policy: choice::policy(policy)?,
        bound: !aad.is_empty(),
    };
    let blob = py.detach(|| Ok::<_, Error>(wanted.sealer(public_key)?.seal(aad, &plaintext)?))?;
    Ok(base64::encode(&blob))
}

/// Opens a blob: base64, or its bytes. `info` and `aad` are for version 4 alone: the others are
/// bound to nothing.
///
/// The plaintext is bytes: what was sealed is what an attacker sent, and need not be text.
#[pyfunction]
#[pyo3(signature = (keyring, blob, *, info = None, aad = None, policy = "draft"))]
pub(crate) fn open(
    py: Python<'_>,
    keyring: &Keyring,
    blob: BlobText,
    info: Option<&[u8]>,
    aad: Option<&[u8]>,
    policy: &str,
) -> PyResult<Vec<u8>> {
    let (info, aad) = (info.unwrap_or_default(), aad.unwrap_or_default());
    let application = OpenOptions {
        info,
        aad,
        policy: choice::policy(policy)?,
    };
    let bytes = decode(blob.as_bytes())?;
    let opened = py.detach(|| {
        let blob = Blob::parse(&bytes, Trailing::Refuse)?;
        keyring.with(|ring| ring.open(&blob, &application))
    });
    Ok(opened.map_err(Error::from)?.plaintext)
}

/// What a blob says of itself without a key: version, suite, key id and sizes. Bytes that follow a
/// blob of versions 1 to 3 are counted, not refused.
#[pyfunction]
pub(crate) fn inspect<'py>(py: Python<'py>, blob: BlobText) -> PyResult<Bound<'py, PyDict>> {
    let bytes = decode(blob.as_bytes())?;
    let facts = PyDict::new(py);
    facts.set_item("blob_length", bytes.len())?;
    match Blob::parse(&bytes, Trailing::Ignore).map_err(Error::from)? {
        Blob::V1to3(frame) => describe_fixed(&facts, &frame, bytes.len())?,
        Blob::V4(frame) => describe_v4(&facts, &frame)?,
    }
    Ok(facts)
}

/// A blob as Python holds it.
#[derive(FromPyObject)]
pub(crate) enum BlobText {
    #[pyo3(annotation = "str")]
    Text(PyBackedStr),
    #[pyo3(annotation = "bytes")]
    Bytes(PyBackedBytes),
}

impl BlobText {
    fn as_bytes(&self) -> &[u8] {
        match self {
            Self::Text(text) => text.as_bytes(),
            Self::Bytes(bytes) => bytes,
        }
    }
}

/// What a caller asks for.
pub(crate) struct Wanted<'a> {
    pub(crate) info: &'a [u8],
    pub(crate) kdf: Option<&'a str>,
    pub(crate) aead: Option<&'a str>,
    pub(crate) version: Option<u8>,
    pub(crate) policy: Policy,
    /// Whether there is an aad.
    pub(crate) bound: bool,
}

impl Wanted<'_> {
    pub(crate) fn sealer(&self, public_key: &str) -> Result<Sealer, Error> {
        let key = keys::read_public(public_key, None)?;
        match self.version(&key)? {
            3 => Ok(Sealer::V3(envelope::Sealer::new(&key)?)),
            _ => {
                let (kdf, aead) = (choice::kdf(self.kdf)?, choice::aead(self.aead)?);
                Ok(Sealer::V4(SealerV4::new(
                    &key,
                    kdf,
                    aead,
                    self.info,
                    &self.policy,
                )?))
            }
        }
    }

    fn version(&self, key: &AnyPublicKey) -> Result<u8, Error> {
        let bare = self.kdf.is_none() && self.aead.is_none() && self.info.is_empty() && !self.bound;
        match self.version {
            None if bare && key.kem().id == X25519HkdfSha256.info().id => Ok(3),
            Some(3) if bare => Ok(3),
            Some(3) => Err(Error::argument(
                "version 3 has no place for kdf, aead, info and aad; leave them out, or version",
            )),
            None | Some(4) => Ok(4),
            Some(_) => Err(Error::argument("version must be 3 or 4")),
        }
    }
}

/// The bytes of a blob, from base64 or from themselves: they begin with the version, which is no
/// character.
fn decode(blob: &[u8]) -> Result<Cow<'_, [u8]>, Error> {
    Ok(match blob.trim_ascii() {
        b"" => return Err(envelope::Error::Empty.into()),
        text if text == TRUNCATED.as_bytes() => return Err(envelope::Error::Truncated.into()),
        _ if blob[0] < b'\t' => Cow::Borrowed(blob),
        text => Cow::Owned(
            base64::decode(text)
                .map_err(envelope::Error::from)?
                .to_vec(),
        ),
    })
}

fn describe_fixed(
    facts: &Bound<'_, PyDict>,
    frame: &Frame<'_>,
    blob_length: usize,
) -> PyResult<()> {
    let specification = match frame.version {
        Version::V1 => "draft-irtf-cfrg-hpke-05",
        Version::V2 => "draft-irtf-cfrg-hpke-06",
        Version::V3 => "RFC 9180",
    };
    facts.set_item("version", frame.version as u8)?;
    facts.set_item("specification", specification)?;
    describe_suite(facts, [0x0020, 0x0001, 0x0003])?;
    facts.set_item("key_id", None::<String>)?;
    facts.set_item("plaintext_length", frame.plaintext_len())?;
    facts.set_item("trailing_length", blob_length - frame.write().len())
}

fn describe_v4(facts: &Bound<'_, PyDict>, frame: &FrameV4<'_>) -> PyResult<()> {
    let suite = frame.suite();
    facts.set_item("version", 4)?;
    facts.set_item("specification", "RFC 9180")?;
    describe_suite(facts, [suite.kem, suite.kdf, suite.aead])?;
    facts.set_item("key_id", frame.key_id().to_string())?;
    facts.set_item("plaintext_length", frame.plaintext_len())?;
    facts.set_item("trailing_length", 0)
}

/// Names, and the number of what is not known here.
fn describe_suite(facts: &Bound<'_, PyDict>, [kem, kdf, aead]: [u16; 3]) -> PyResult<()> {
    let named = |name: Option<&'static str>, id: u16| {
        name.map_or_else(|| format!("{id:#06x}"), str::to_owned)
    };
    let kdf_name = KDFS
        .iter()
        .map(|row| row.info())
        .find(|row| row.id == kdf)
        .map(|row| row.name);
    let aead_name = AEADS
        .iter()
        .map(|row| row.info())
        .find(|row| row.id == aead)
        .map(|row| row.name);
    facts.set_item(
        "kem",
        named(kem_by_id(kem).map(|row| row.info().short_name), kem),
    )?;
    facts.set_item("kdf", named(kdf_name, kdf))?;
    facts.set_item("aead", named(aead_name, aead))
}
