//! HPKE vectors in the markdown of drafts: `name: value` lines between `~~~`.
//!
//! A heading with the title starts a vector, `#### Encryptions` and `#### Exported Values` its
//! lists, in which an empty line separates the members. A value continues over lines without a
//! colon.

use crate::hpke_json::vector;
use crate::sources::{Source, Sources};
use crate::{Output, Result};
use serde_json::{Map, Value};
use test_vectors::HpkeVector;

type Object = Map<String, Value>;

pub(crate) fn import(sources: &Sources) -> Result<Vec<Output>> {
    Ok(vec![edge(sources)?, xyber(sources)?])
}

/// Reads the edge-case appendix of draft-ietf-hpke-hpke.
fn edge(sources: &Sources) -> Result<Output> {
    let source = sources.file("hpke-bis/edge-vectors.md")?;
    let note = "Read from markdown; title is the section's. All encryptions are kept. Some have an empty or unusual aad and \
        pt, so take these from the entry. rejected_candidate: DeriveKeyPair must discard it and go on to counter 1.";
    Output::new(&source.set("hpke-edge", note, vectors(&source, "\n## ")?))
}

/// Reads draft-westerbaan-cfrg-hpke-xyber768d00.
fn xyber(sources: &Sources) -> Result<Output> {
    let source = sources.file("xyber768d00/test-vectors.md")?;
    let note = "Read from markdown; title is the section's. All encryptions are kept, sequence numbers 0, 1, 2, 4, 255, 256. ikm_e is \
        the source's ier: the input of X25519's DeriveKeyPair, then Kyber's randomness.";
    Output::new(&source.set("xyber768d00", note, vectors(&source, "\n### ")?))
}

fn vectors(source: &Source, heading: &str) -> Result<Vec<HpkeVector>> {
    let sections = source.text().split(heading).skip(1);
    let objects: std::result::Result<Vec<Object>, String> = sections.map(section).collect();
    let objects = objects.map_err(|error| source.error(error))?;
    source.expect_count(objects.len())?;
    objects
        .into_iter()
        .map(|object| vector(source, object))
        .collect()
}

fn section(text: &str) -> std::result::Result<Object, String> {
    let title = text.lines().next().unwrap_or_default();
    let [setup, encryptions, exports] =
        blocks(text).ok_or_else(|| format!("section {title:?} has not 3 blocks"))?;
    let mut object = fields(setup)?;
    object.insert("title".to_owned(), title.into());
    object.insert("encryptions".to_owned(), list(encryptions)?);
    object.insert("exports".to_owned(), list(exports)?);
    Ok(object)
}

/// Returns the texts between `~~~`: setup, encryptions, exports.
fn blocks(section: &str) -> Option<[&str; 3]> {
    let blocks: Vec<&str> = section.split("~~~").skip(1).step_by(2).collect();
    blocks.try_into().ok()
}

fn list(block: &str) -> std::result::Result<Value, String> {
    let members = block.trim().split("\n\n");
    members
        .map(|member| fields(member).map(Value::Object))
        .collect()
}

fn fields(block: &str) -> std::result::Result<Object, String> {
    let mut pairs: Vec<(&str, String)> = Vec::new();
    for line in block.trim().lines() {
        match (line.split_once(':'), pairs.last_mut()) {
            (Some((name, value)), _) => pairs.push((name, value.trim().to_owned())),
            (None, Some((_, value))) => value.push_str(line.trim()),
            (None, None) => return Err(format!("no name before {line:?}")),
        }
    }
    pairs
        .into_iter()
        .map(|(name, value)| field(name, value))
        .collect()
}

fn field(name: &str, value: String) -> std::result::Result<(String, Value), String> {
    let value = match name {
        "mode" | "kem_id" | "kdf_id" | "aead_id" | "L" | "sequence number" => value
            .parse::<u32>()
            .map_err(|error| format!("{name}: {error}"))?
            .into(),
        _ => Value::String(value),
    };
    let name = match name {
        "sequence number" => "seq",
        "ier" => "ikm_e",
        "rejected_candidate (counter=0)" => "rejected_candidate",
        other => other,
    };
    Ok((name.to_owned(), value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_may_stand_on_the_lines_below_its_name_or_be_empty() {
        let fields = fields(
            "~~~\nmode: 1\nct:\n0a\n0b\naad:\nrejected_candidate (counter=0):\nff"
                .trim_start_matches('~'),
        );
        let expected =
            serde_json::json!({"mode": 1, "ct": "0a0b", "aad": "", "rejected_candidate": "ff"});
        assert_eq!(Value::Object(fields.unwrap()), expected);
    }
}
