//! JSON compared with serde_json: its validity, and the value at a path.

use pqseal_records::{Answer, FieldPath, Finder, Problem, Rule, Rules};
use serde::de::IgnoredAny;
use serde_json::Value;

/// Reads a JSON Pointer, a line break, and a record.
pub(crate) fn run(bytes: &[u8]) {
    let mut parts = bytes.splitn(2, |byte| *byte == b'\n');
    let (pointer, record) = (parts.next().unwrap_or(b""), parts.next().unwrap_or(b""));
    let is_line = !record.trim_ascii().is_empty() && !record.contains(&b'\n');
    let pointer = str::from_utf8(pointer).ok();
    if let (true, Some(pointer)) = (is_line, pointer.filter(|text| text.starts_with('/')))
        && let Ok(path) = pointer.parse::<FieldPath>()
    {
        at_path(pointer, path, record);
    }
}

/// The nesting of brackets that serde_json refuses.
const LIMIT: usize = 127;

fn nesting(record: &[u8]) -> usize {
    record.iter().filter(|byte| b"[{".contains(byte)).count()
}

fn at_path(pointer: &str, path: FieldPath, record: &[u8]) {
    let rules = Rules {
        rules: vec![Rule::field(path)],
        ..Rules::default()
    };
    // Values other than strings have a text only when fields are sealed.
    let finder = Finder::documents(&rules, true);
    let found = finder.record(record);
    let (answers, mut out) = (vec![Answer::Absent; found.count()], Vec::new());
    let written = finder.write(record, &found, &answers, &mut out);
    assert_eq!(out, record, "a record without answers was changed");
    if written == Err(Problem::BadJson) {
        let is_theirs = serde_json::from_slice::<IgnoredAny>(record).is_ok();
        assert!(!is_theirs || nesting(record) >= LIMIT);
    }
    let texts: Result<Vec<_>, _> = found.fields().map(|field| field.text).collect();
    // Strings may have no text.
    let (Ok(()), Ok(seen)) = (written, texts) else {
        return;
    };
    if nesting(record) < LIMIT {
        assert!(serde_json::from_slice::<IgnoredAny>(record).is_ok());
    }
    let Ok(value) = serde_json::from_slice::<Value>(record) else {
        return;
    };
    // Where serde_json has no index, ours may have one: serde_json accepts no number with a
    // sign or a leading zero.
    let Some(expected) = value.pointer(pointer) else {
        return;
    };
    let [text] = seen.as_slice() else {
        panic!("{} fields at one path", seen.len());
    };
    match (expected, text) {
        (Value::Null, text) => assert_eq!(text, &None),
        (Value::String(expected), Some(text)) => assert_eq!(**text, *expected.as_bytes()),
        (expected, Some(text)) => {
            let found: Value = serde_json::from_slice(text).expect("a value");
            assert_eq!(&found, expected);
        }
        (_, None) => panic!("no field at the path"),
    }
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
