//! The JSON format of the RFC 9180 vectors, which draft-ietf-hpke-pq kept.

use crate::sources::{Source, Sources, rename};
use crate::{Output, Result};
use serde_json::{Map, Value};
use test_vectors::{AccumulatedHpke, Digest, HpkeVector, count_aad};

type Object = Map<String, Value>;

/// The number of encryptions of each RFC 9180 vector that are kept; the digest covers the
/// others.
const KEPT: usize = 3;

pub(crate) fn import(sources: &Sources) -> Result<Vec<Output>> {
    Ok(vec![
        rfc9180(sources)?,
        hpke_pq(sources)?,
        accumulated(sources)?,
    ])
}

fn rfc9180(sources: &Sources) -> Result<Output> {
    let source = sources.file("rfc9180/test-vectors-5f503c5.json.gz")?;
    let mut vectors = read(&source)?;
    for vector in &mut vectors {
        vector.encryptions.truncate(KEPT);
    }
    let note = "Of the 257 encryptions of a vector (0 for export-only) sequence numbers 0, 1, 2 are kept; encryptions_sha256 \
        covers all: SHA-256 over aad, pt, nonce, ct of each, each field preceded by its length as u32 big-endian. The aad is \
        the text Count-<seq>, the pt always that of sequence number 0, the nonce base_nonce XOR seq; checked at import. \
        P-384 and HKDF-SHA384 do not occur.";
    Output::new(&source.set("rfc9180", note, vectors))
}

fn hpke_pq(sources: &Sources) -> Result<Output> {
    let source = sources.file("hpke-pq/test-vectors.json")?;
    let note = "All encryptions are kept. Base mode only. The bytes of info and pt are themselves hex digits in ASCII: the \
        source encoded them twice; use them as they are. ikm_e of ML-KEM is m; of a hybrid it is m and the seed of the ephemeral \
        key (X25519 32 bytes, P-256 96, P-384 48); of a DHKEM the input of DeriveKeyPair. Not in the source: skEm, pkEm, key_schedule_context, secret. Its \
        suite_id was checked against the three ids and left out.";
    Output::new(&source.set("hpke-pq", note, read(&source)?))
}

/// Reads Go's file of the same name, without the fields that the vectors already have.
fn accumulated(sources: &Sources) -> Result<Output> {
    let source = sources.file("go-stdlib/rfc9180.json")?;
    let objects: Vec<Object> = source.json()?;
    source.expect_count(objects.len())?;
    let mut entries: Vec<AccumulatedHpke> = Vec::new();
    for mut object in objects {
        if object.remove("mode") != Some(0.into()) {
            return Err(source.error("a vector of another mode than base"));
        }
        object.remove("ikmR");
        rename(&mut object, &NAMES);
        rename(&mut object, &ACCUMULATED);
        entries.push(source.entry(object)?);
    }
    let note = "Base mode of X25519, P-256 and P-521, each with HKDF-SHA256 and HKDF-SHA512. What goes into the two values is in the \
        schema. mode and ikmR are left out.";
    Output::new(&source.set("hpke-accumulated", note, entries))
}

fn read(source: &Source) -> Result<Vec<HpkeVector>> {
    let objects: Vec<Object> = source.json()?;
    source.expect_count(objects.len())?;
    objects
        .into_iter()
        .map(|object| counted(source, object))
        .collect()
}

/// Makes a vector with inputs that a test can regenerate.
fn counted(source: &Source, object: Object) -> Result<HpkeVector> {
    let vector = vector(source, object)?;
    for (seq, e) in (0..).zip(&vector.encryptions) {
        if e.seq != seq || e.aad != count_aad(seq) || e.pt != vector.encryptions[0].pt {
            return Err(source.error(format!(
                "encryption {seq} has another sequence number, its aad is not Count-<seq>, or pt is not constant"
            )));
        }
    }
    Ok(vector)
}

/// Makes a vector with all its encryptions, from an object with the names of RFC 9180.
pub(crate) fn vector(source: &Source, mut object: Object) -> Result<HpkeVector> {
    check_suite_id(source, &mut object)?;
    rename(&mut object, &NAMES);
    for export in objects(source, &mut object, "exports")? {
        rename(export, &[("L", "length")]);
    }
    let mut encryptions = objects(source, &mut object, "encryptions")?;
    for (seq, encryption) in encryptions.iter_mut().enumerate() {
        encryption.entry("seq").or_insert(seq.into());
    }
    let count = encryptions.len();
    object.insert("encryption_count".to_owned(), count.into());
    object.insert("encryptions_sha256".to_owned(), "".into());
    let mut vector: HpkeVector = source.entry(object)?;
    vector.encryptions_sha256 = digest(source, &vector)?;
    Ok(vector)
}

const NAMES: [(&str, &str); 9] = [
    ("ikmE", "ikm_e"),
    ("ikmR", "ikm_r"),
    ("ikmS", "ikm_s"),
    ("skEm", "sk_e"),
    ("skRm", "sk_r"),
    ("skSm", "sk_s"),
    ("pkEm", "pk_e"),
    ("pkRm", "pk_r"),
    ("pkSm", "pk_s"),
];

const ACCUMULATED: [(&str, &str); 2] = [
    ("encryptions_accumulated", "encryptions"),
    ("exports_accumulated", "exports"),
];

/// Returns the objects of an array field.
fn objects<'a>(
    source: &Source,
    object: &'a mut Object,
    field: &str,
) -> Result<Vec<&'a mut Object>> {
    let array = object.get_mut(field).and_then(Value::as_array_mut);
    let array = array.ok_or_else(|| source.error(format!("an entry has no array {field}")))?;
    Ok(array.iter_mut().filter_map(Value::as_object_mut).collect())
}

/// Checks and removes `suite_id`, if present, which is redundant: `"HPKE" || kem_id || kdf_id
/// || aead_id`.
fn check_suite_id(source: &Source, object: &mut Object) -> Result<()> {
    let Some(found) = object.remove("suite_id") else {
        return Ok(());
    };
    let id = |field: &str| {
        object
            .get(field)
            .and_then(Value::as_u64)
            .unwrap_or_default()
    };
    let expected = format!(
        "48504b45{:04x}{:04x}{:04x}",
        id("kem_id"),
        id("kdf_id"),
        id("aead_id")
    );
    if found != expected {
        return Err(source.error(format!("suite_id {found} where the ids give {expected}")));
    }
    Ok(())
}

/// Computes the digest. Fails if a nonce is not that of its sequence number, since a test
/// could not regenerate it.
fn digest(source: &Source, vector: &HpkeVector) -> Result<Vec<u8>> {
    let mut digest = Digest::new();
    for e in &vector.encryptions {
        if e.nonce != vector.nonce(e.seq) {
            return Err(source.error(format!(
                "the encryption of sequence number {} has another nonce",
                e.seq
            )));
        }
        digest.add(&e.aad, &e.pt, &e.nonce, &e.ct);
    }
    Ok(digest.finish().to_vec())
}
