//! The disclosure envelopes of agent receipts.

use crate::Result;
use crate::{Output, sources::Sources};
use data_encoding::HEXLOWER;
use serde::Deserialize;
use serde_json::Value;
use test_vectors::{ReceiptVector, sha256};

/// The private keys of the recipients, which the source only names: those of RFC 7748, section 6.1.
const KEYS: [(&str, &str); 2] = [
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
struct File {
    vectors: Vec<Vector>,
}

#[derive(Deserialize)]
struct Vector {
    name: String,
    recipient: String,
    envelope_object: Value,
    round_trip: RoundTrip,
}

#[derive(Deserialize)]
struct RoundTrip {
    expected_plaintext_canonical_jcs: String,
}

pub(crate) fn import(sources: &Sources) -> Result<Vec<Output>> {
    let source = sources.file("receipts/disclosure-envelope.json")?;
    let file: File = source.json()?;
    let entries = file.vectors.into_iter().map(|vector| {
        let plaintext = vector.round_trip.expected_plaintext_canonical_jcs;
        let known = KEYS.iter().find(|(name, _)| *name == vector.recipient);
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
    Ok(vec![Output::new(&source.set("receipts", note, entries))?])
}
