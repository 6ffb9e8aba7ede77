//! JSON lists with our schema except for a name.

use crate::sources::Sources;
use crate::{Output, Result};
use serde_json::{Map, Value};
use test_vectors::{KyberVector, XWingVector};

pub(crate) fn import(sources: &Sources) -> Result<Vec<Output>> {
    Ok(vec![kyber(sources)?, x_wing(sources)?])
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
