//! JSON of one file each, which has our schema or becomes it with a few changes.

use crate::sources::{Sources, rename};
use crate::{Output, Result};
use data_encoding::HEXLOWER;
use serde::Deserialize;
use serde_json::{Map, Value};
use test_vectors::{KyberVector, MatchedData, MlsVector, ReceiptVector, XWingVector, sha256};

pub(crate) fn import(sources: &Sources) -> Result<Vec<Output>> {
    Ok(vec![
        matched_data(sources)?,
        kyber(sources)?,
        x_wing(sources)?,
        mls(sources)?,
        receipts(sources)?,
    ])
}

/// Reads matched-data blobs, whose source already has our schema.
fn matched_data(sources: &Sources) -> Result<Output> {
    let source = sources.file("matched-data.json")?;
    let entries: Vec<MatchedData> = source.json()?;
    source.expect_count(entries.len())?;
    let note = "Every entry has its key and its plaintext. Plaintexts are empty, text, not UTF-8, and 64 KiB. The public_ \
        entries share the key that the vendor published.";
    Output::new(&source.set("matched-data", note, entries))
}

/// Reads NIST's known answers, for which libcrux published the seeds and
/// hashes.
fn kyber(sources: &Sources) -> Result<Output> {
    let source = sources.file("kyber-r3/libcrux-nistkats_kyber_768.json")?;
    let entries: Vec<KyberVector> = source.json()?;
    source.expect_count(entries.len())?;
    let note = "Kyber768 of round 3, not ML-KEM: the randomness and the shared secret are hashed once more.";
    Output::new(&source.set("kyber768", note, entries))
}

fn x_wing(sources: &Sources) -> Result<Output> {
    let source = sources.file("xwing/test-vectors.json")?;
    let objects: Vec<Map<String, Value>> = source.json()?;
    source.expect_count(objects.len())?;
    let mut entries: Vec<XWingVector> = Vec::new();
    for mut object in objects {
        if object.remove("seed").as_ref() != object.get("sk") {
            return Err(source.error("a private key is not its seed"));
        }
        entries.push(source.entry(object)?);
    }
    let note = "The source's seed is its sk; it was compared and left out. eseed is m and then X25519's ephemeral private key.";
    Output::new(&source.set("x-wing", note, entries))
}

/// The names of MLS and ours.
const MLS_NAMES: [(&str, &str); 5] = [
    ("priv", "sk_r"),
    ("pub", "pk_r"),
    ("plaintext", "pt"),
    ("kem_output", "enc"),
    ("ciphertext", "ct"),
];

/// Reads the vectors of the MLS working group: from "crypto basics" only EncryptWithLabel, which
/// uses HPKE.
fn mls(sources: &Sources) -> Result<Output> {
    let source = sources.file("mls/crypto-basics.json")?;
    let mut entries: Vec<MlsVector> = Vec::new();
    for mut suite in source.json::<Vec<Map<String, Value>>>()? {
        let Some(Value::Object(mut message)) = suite.remove("encrypt_with_label") else {
            return Err(source.error("a cipher suite without encrypt_with_label"));
        };
        message.extend(suite.remove_entry("cipher_suite"));
        rename(&mut message, &MLS_NAMES);
        entries.push(source.entry(message)?);
    }
    source.expect_count(entries.len())?;
    let note = "encrypt_with_label of each cipher suite. What is not HPKE is left out: hashes, labels of the key \
        schedule and signatures.";
    Output::new(&source.set("mls", note, entries))
}

/// The private keys of the recipients of receipts, which the source only names: those of RFC 7748,
/// section 6.1.
const RECEIPT_KEYS: [(&str, &str); 2] = [
    (
        "forensic-test-recipient-1",
        "77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a",
    ),
    (
        "forensic-test-recipient-2",
        "5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb",
    ),
];

#[derive(Deserialize)]
struct Receipts {
    vectors: Vec<Receipt>,
}

#[derive(Deserialize)]
struct Receipt {
    name: String,
    recipient: String,
    envelope_object: Value,
    round_trip: RoundTrip,
}

#[derive(Deserialize)]
struct RoundTrip {
    expected_plaintext_canonical_jcs: String,
}

/// Reads the disclosure envelopes of agent receipts.
fn receipts(sources: &Sources) -> Result<Output> {
    let source = sources.file("receipts/disclosure-envelope.json")?;
    let file: Receipts = source.json()?;
    let entries = file.vectors.into_iter().map(|vector| {
        let plaintext = vector.round_trip.expected_plaintext_canonical_jcs;
        let known = RECEIPT_KEYS
            .iter()
            .find(|(name, _)| *name == vector.recipient);
        let (_, sk_r) = known.ok_or_else(|| source.error("a recipient without a known key"))?;
        let sk_r = HEXLOWER.decode(sk_r.as_bytes());
        let sk_r = sk_r.map_err(|error| source.error(error))?;
        Ok(ReceiptVector {
            name: vector.name,
            envelope: vector.envelope_object,
            sk_r,
            pt_len: plaintext.len(),
            pt_sha256: sha256(plaintext.as_bytes()).to_vec(),
        })
    });
    let entries: Vec<_> = entries.collect::<Result<_>>()?;
    source.expect_count(entries.len())?;
    let note = "Of a plaintext only the length and the SHA-256 are kept. The private keys are those of RFC 7748, section 6.1, to which the source refers. The kid of a recipient does not name its key.";
    Output::new(&source.set("receipts", note, entries))
}
