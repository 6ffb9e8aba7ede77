//! Dead letters: records that could not be opened, one object per line, for diagnosis, and records
//! that are sealed as a whole because their fields cannot be sealed. They never contain plaintext.

use std::collections::{HashMap, hash_map::Entry};

use pqseal_matched_data::KeyName;
use serde_json::{Value, json};

use pqseal_records::{json, rules::audit_log::WHOLE, splice::write_name};

use crate::{
    error::Reason,
    opener::{Failure, Outcome, Transform},
};

/// Returns a dead letter with the source of the record, the failure, the keys that were tried,
/// their labels if any, and the record. A record that is not JSON becomes a string.
pub(crate) fn dead_letter(source: &str, number: u64, failure: &Failure, record: &[u8]) -> Vec<u8> {
    let keys = once(&failure.keys);
    let ids: Vec<_> = keys.iter().map(|key| key.id.to_string()).collect();
    let source = Value::from(source);
    let mut head = json!({ "line": number, "code": failure.code(), "key_ids_tried": ids });
    if keys.iter().any(|key| key.label.is_some()) {
        head["key_labels_tried"] = keys
            .iter()
            .map(|key| key.label.as_deref().map(String::as_str))
            .collect();
    }
    let head = head.to_string();
    // Dead letters are read by other parsers, which refuse some input that our scanner accepts,
    // such as a lone surrogate.
    let parses = serde_json::from_slice::<Value>(record).is_ok();
    let (name, record) = match json::embed(record).filter(|_| parses) {
        Some(record) => ("record", record),
        None => {
            let text = String::from_utf8_lossy(record);
            ("record_text", json::encode_string(text.as_bytes()).0)
        }
    };
    let head = head.trim_start_matches('{').trim_end_matches('}');
    let head = format!("{{\"source\":{source},{head},\"{name}\":");
    [head.as_bytes(), &record, b"}\n"].concat()
}

/// Removes duplicate keys, keeping a label if any of the duplicates has one.
fn once(keys: &[KeyName]) -> Vec<&KeyName> {
    let mut places = HashMap::new();
    let mut once: Vec<&KeyName> = Vec::new();
    for key in keys {
        match places.entry(key.id) {
            Entry::Vacant(place) => {
                place.insert(once.len());
                once.push(key);
            }
            Entry::Occupied(place) if once[*place.get()].label.is_none() => {
                once[*place.get()] = key;
            }
            Entry::Occupied(_) => {}
        }
    }
    once
}

/// Returns the text of the blob for a record that failed for this reason. It is bound to nothing,
/// since the record may lack the value to bind it to.
///
/// # Errors
/// The failure, if the record cannot be sealed.
pub(crate) fn seal_whole(
    record: &[u8],
    reason: &Reason,
    transform: &impl Transform,
) -> Result<Vec<u8>, Failure> {
    match transform.whole(record) {
        Outcome::Opened { plaintext, .. } => Ok(plaintext),
        Outcome::Failed(failure) => Err(failure),
        _ => Err(Failure::new(reason.clone())),
    }
}

/// Writes the object that replaces a record.
pub(crate) fn write_whole(name: &str, blob: &[u8], out: &mut Vec<u8>) {
    out.push(b'{');
    write_name(name, out);
    json::write_string(blob, out);
    out.push(b'}');
}

/// Returns a line of a file of refused records: the source of the record, the reason, and its blob.
pub(crate) fn refused_letter(source: &str, number: u64, reason: &Reason, blob: &[u8]) -> Vec<u8> {
    let head = json!({ "source": source, "line": number, "code": reason.code() }).to_string();
    let mut letter = head.trim_end_matches('}').as_bytes().to_vec();
    letter.push(b',');
    write_name(WHOLE, &mut letter);
    json::write_string(blob, &mut letter);
    letter.extend_from_slice(b"}\n");
    letter
}
