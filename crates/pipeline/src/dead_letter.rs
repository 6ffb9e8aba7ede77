//! Dead letters: records that could not be opened, one object per line, for diagnosis. They never
//! contain plaintext.

use std::collections::{HashMap, hash_map::Entry};

use pqseal_matched_data::KeyName;
use serde_json::{Value, json};

use pqseal_records::json;

use crate::batch::Failure;

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
    let record = json::embed(record).filter(|_| parses).map_or_else(
        || {
            [
                b"\"record_text\":",
                json::encode_string(String::from_utf8_lossy(record).as_bytes())
                    .0
                    .as_slice(),
            ]
            .concat()
        },
        |record| [b"\"record\":", record.as_slice()].concat(),
    );
    let source = format!(
        "{{\"source\":{source},{},",
        head.trim_start_matches('{').trim_end_matches('}')
    );
    [source.as_bytes(), &record, b"}\n"].concat()
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
