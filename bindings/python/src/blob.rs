//! Sealing, opening and inspection of a single blob.

use getrandom::SysRng;
use pqseal_hpke::{Aead, aead_by_id, kdf_by_id};
use pqseal_keys::{base64, kem_by_id};
use pqseal_matched_data::{Blob, OpenOptions, SealOptions, Sealer, Trailing};

use pyo3::{
    prelude::*,
    types::{PyBytes, PyDict},
};
use zeroize::Zeroizing;

use crate::{
    argument::{self, Buffer, TextOrBytes, bytes},
    error::Error,
    keyring::KeyRing,
    keys::RecipientInput,
};

/// Seals to a public key, in any format or a `PublicKey`, or to a `Period` of a public calendar. A key
/// in base64 is taken as a public one: what is sealed to a private one, its owner cannot open.
/// Returns base64. An x25519 key without kdf, aead, info and aad gives a version 3 blob, which
/// dashboards open. All other blobs have version 4, which names its suite and its key, and requires
/// the same info and aad to open. An experimental KEM requires `policy="experimental"`.
#[pyfunction]
#[pyo3(signature = (public_key, plaintext, *, info = None, aad = None, kdf = None, aead = None, version = None, policy = "draft"))]
#[allow(clippy::too_many_arguments, reason = "Python's keyword arguments")]
pub(crate) fn seal(
    py: Python<'_>,
    public_key: RecipientInput,
    plaintext: Buffer,
    info: Option<Buffer>,
    aad: Option<Buffer>,
    kdf: Option<&str>,
    aead: Option<&str>,
    version: Option<u8>,
    policy: &str,
) -> PyResult<String> {
    let (info, aad) = (bytes(info.as_ref()), bytes(aad.as_ref()));
    let options = seal_options(info, [kdf, aead], version, policy, !aad.is_empty())?;
    let seal =
        || Ok::<_, Error>(sealer(&public_key, &options)?.seal(aad, &plaintext, &mut SysRng)?);
    let blob = py.detach(seal)?;
    Ok(base64::encode(&blob))
}

/// Opens a blob, given as base64 or as bytes. `info` and `aad` apply only to version 4, since other
/// versions are bound to nothing.
///
/// The plaintext is bytes. It was sent by an attacker, and need not be text.
#[pyfunction]
#[pyo3(signature = (keyring, blob, *, info = None, aad = None, policy = "draft"))]
pub(crate) fn open<'py>(
    py: Python<'py>,
    keyring: &KeyRing,
    blob: TextOrBytes,
    info: Option<Buffer>,
    aad: Option<Buffer>,
    policy: &str,
) -> PyResult<Bound<'py, PyBytes>> {
    let (info, aad) = (bytes(info.as_ref()), bytes(aad.as_ref()));
    let options = OpenOptions {
        info,
        aad,
        policy: argument::policy(policy)?,
    };
    let bytes = Blob::decode_text_or_bytes(blob.as_ref()).map_err(Error::from)?;
    let opened = py.detach(|| {
        let blob = Blob::parse(&bytes, Trailing::Refuse)?;
        keyring.with(|ring| ring.open(&blob, &options))
    });
    let plaintext = Zeroizing::new(opened.map_err(Error::from)?.plaintext);
    Ok(PyBytes::new(py, &plaintext))
}

/// Returns the properties of a blob that are visible without a key: version, suite, key id and
/// sizes. Bytes after a blob of versions 1 to 3 are counted, not refused.
#[pyfunction]
pub(crate) fn inspect<'py>(py: Python<'py>, blob: TextOrBytes) -> PyResult<Bound<'py, PyDict>> {
    let bytes = Blob::decode_text_or_bytes(blob.as_ref()).map_err(Error::from)?;
    let found = Blob::describe(&bytes).map_err(Error::from)?;
    let (Some(plaintext_len), suite) = (found.plaintext_len, found.suite) else {
        return Err(Error::from(found.problem.unwrap_or(pqseal_matched_data::Error::Empty)).into());
    };
    let facts = PyDict::new(py);
    let kem = kem_by_id(suite.kem).map(|kem| kem.info().short_name);
    let kdf = kdf_by_id(suite.kdf).map(|kdf| kdf.info().name);
    let aead = aead_by_id(suite.aead).map(|aead| aead.info().name);
    facts.set_item("blob_length", found.blob_len)?;
    facts.set_item("version", found.version)?;
    facts.set_item("specification", found.specification)?;
    facts.set_item("kem", named(kem, suite.kem))?;
    facts.set_item("kdf", named(kdf, suite.kdf))?;
    facts.set_item("aead", named(aead, suite.aead))?;
    facts.set_item("key_id", found.key_id.map(|id| id.to_string()))?;
    facts.set_item("plaintext_length", plaintext_len)?;
    facts.set_item("trailing_length", found.trailing_len)?;
    Ok(facts)
}

/// Returns the options for a caller's arguments.
pub(crate) fn seal_options<'a>(
    info: &'a [u8],
    [kdf, aead]: [Option<&str>; 2],
    version: Option<u8>,
    policy: &str,
    with_aad: bool,
) -> Result<SealOptions<'a>, Error> {
    Ok(SealOptions {
        version,
        kdf: argument::kdf(kdf)?,
        aead: argument::aead(aead)?,
        info,
        with_aad,
        policy: argument::policy(policy)?,
    })
}

pub(crate) fn sealer(
    public_key: &RecipientInput,
    options: &SealOptions<'_>,
) -> Result<Sealer, Error> {
    let version = public_key.version().or(options.version);
    if options.version.is_some() && version != options.version {
        return Err(Error::argument(
            "a blob to a calendar has version 4, which names its key",
        ));
    }
    let options = SealOptions {
        version,
        ..options.clone()
    };
    Ok(Sealer::new(&public_key.read()?, &options)?)
}

/// Returns the name of an algorithm, or its number if it is unknown.
fn named(name: Option<&str>, id: u16) -> String {
    name.map_or_else(|| format!("{id:#06x}"), str::to_owned)
}
