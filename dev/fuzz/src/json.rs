//! JSON next to serde_json: what is JSON, and what is at a path.

use serde::de::IgnoredAny;
use serde_json::Value;
use siem::{
    Path, Rule,
    json::{locate, validate},
};

/// A JSON Pointer, a line break, and a record.
pub(crate) fn run(bytes: &[u8]) {
    let mut parts = bytes.splitn(2, |byte| *byte == b'\n');
    let (pointer, record) = (parts.next().unwrap_or(b""), parts.next().unwrap_or(b""));
    let is_ours = validate(record);
    if nesting(record) < LIMIT {
        let theirs = serde_json::from_slice::<IgnoredAny>(record).is_ok();
        assert_eq!(is_ours.is_ok(), theirs);
    }
    if let Err(bad) = is_ours {
        assert!(bad.offset <= record.len());
    }
    if let Ok(pointer) = str::from_utf8(pointer) {
        at_path(pointer, record);
    }
}

/// serde_json refuses more than 127 brackets in one another.
const LIMIT: usize = 127;

fn nesting(record: &[u8]) -> usize {
    record.iter().filter(|byte| b"[{".contains(byte)).count()
}

fn at_path(pointer: &str, record: &[u8]) {
    let (true, Ok(path)) = (pointer.starts_with('/'), pointer.parse::<Path>()) else {
        return;
    };
    let located = locate(record, &[Rule::field(path)]);
    assert_eq!(located.is_ok(), validate(record).is_ok());
    let (Ok(located), Ok(value)) = (located, serde_json::from_slice::<Value>(record)) else {
        return;
    };
    // Where serde_json has no index we may: it takes no number with a sign or a zero before it.
    let Some(expected) = value.pointer(pointer) else {
        return;
    };
    let found: Vec<Value> = located
        .iter()
        .map(|found| serde_json::from_slice(&record[found.value.clone()]).expect("a value"))
        .collect();
    assert_eq!(found, std::slice::from_ref(expected));
}

pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let pointers = [
        "/a",
        "/a/0/b",
        "/Metadata/encrypted_matched_data",
        "/a~1b/~0",
    ];
    let records = [
        r#"{"a":[{"b":"\u00e9\n"},1.5e-3,true,null]}"#,
        r#"{"Metadata":{"encrypted_matched_data":"AzTY6FHajXYXuDMUte82wrd"},"n":-0}"#,
        r#" { "a/b" : { "~" : "\ud83d\ude00" } , "dup":1, "dup" : [ ] } "#,
        "[[[[{}]]]]",
        "",
    ];
    let all = pointers
        .iter()
        .flat_map(|pointer| records.map(|record| format!("{pointer}\n{record}")));
    all.map(String::into_bytes).collect()
}
