//! `pqseal open` and `inspect` with a whole record, and hints for inputs that are not
//! blobs.

use crate::common::{Dir, PLAINTEXT};

#[test]
fn a_record_opens_and_its_field_is_named() {
    let dir = Dir::new();
    let record = format!(
        r#"{{"id":1,"Metadata":{{"encrypted_matched_data":"{}","ruleId":"abc"}}}}"#,
        dir.blob()
    );
    dir.write("record.json", &record);
    let ran = dir.words("open -k key.txt --format raw record.json");
    assert_eq!((ran.code, ran.out()), (Some(0), PLAINTEXT));
    let field = ".Metadata.encrypted_matched_data";
    assert!(ran.err.contains(field), "{}", ran.err);
    let ran = dir.words("--json open -k key.txt record.json").succeeds();
    let member = format!("\"field\":\"{field}\"");
    assert!(ran.out().contains(&member), "{}", ran.out());
    let ran = dir.words("inspect record.json").succeeds();
    assert!(ran.out().contains(field), "{}", ran.out());
}

#[test]
fn records_open_in_order_and_one_without_a_blob_is_named() {
    let dir = Dir::new();
    let line = format!(r#"{{"a":["x","{}"]}}"#, dir.blob());
    dir.write("records", format!("{line}\n{{\"b\":null}}\n\n{line}\n"));
    let ran = dir.words("open -k key.txt --format raw records");
    let expected = format!("{PLAINTEXT}\n\n{PLAINTEXT}\n");
    assert_eq!((ran.code, ran.out()), (Some(1), &*expected));
    for words in ["line 2: ", "none of its fields holds a whole blob", ".a[1]"] {
        assert!(ran.err.contains(words), "{}", ran.err);
    }
}

#[test]
fn what_is_not_a_blob_gets_a_hint() {
    let dir = Dir::new();
    let pem = dir.words("key convert --form pem key.txt").succeeds();
    let public = dir
        .words("pubkey --raw-private --form line key.txt")
        .succeeds();
    let blob = dir.blob();
    for (input, hint) in [
        (format!("\"{blob}\""), "quotes"),
        (format!("'{blob}'"), "quotes"),
        ("null".to_owned(), "no sealed data"),
        (pem.out().to_owned(), "PEM"),
        (public.out().to_owned(), "a key and not a blob"),
        (
            format!("2026-01-01T00:00:00Z edge1: blob={blob}; action=block"),
            "whole line of a log",
        ),
        (
            format!("{{\"Metadata\":{{\"encrypted_matched_data\":\"{blob}"),
            "cut off",
        ),
        (format!("[{{\"a\":\"{blob}\"}}]"), "array"),
    ] {
        dir.write("input", &input);
        dir.words("open -k key.txt input").fails(1, hint);
        dir.words("inspect input").fails(1, hint);
    }
}
