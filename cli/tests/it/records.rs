//! `pqseal open` and `inspect` with a whole record, and hints for what is not a blob.

use crate::common::{Dir, PLAINTEXT};

fn blob(dir: &Dir) -> String {
    String::from_utf8(dir.read("blob.txt"))
        .unwrap()
        .trim()
        .to_owned()
}

#[test]
fn a_record_opens_and_its_field_is_named() {
    let dir = Dir::new();
    let record = format!(
        r#"{{"id":1,"Metadata":{{"encrypted_matched_data":"{}","ruleId":"abc"}}}}"#,
        blob(&dir)
    );
    dir.write("record.json", &record);
    let ran = dir.pqseal(&["open", "-k", "key.txt", "--format", "raw", "record.json"]);
    assert_eq!(ran.code, Some(0));
    assert_eq!(ran.out(), PLAINTEXT);
    assert!(
        ran.err.contains(".Metadata.encrypted_matched_data"),
        "{}",
        ran.err
    );
    let ran = dir
        .pqseal(&["--json", "open", "-k", "key.txt", "record.json"])
        .succeeds();
    assert!(
        ran.out()
            .contains(r#""field":".Metadata.encrypted_matched_data""#),
        "{}",
        ran.out()
    );
    let ran = dir.pqseal(&["inspect", "record.json"]).succeeds();
    assert!(
        ran.out().contains(".Metadata.encrypted_matched_data"),
        "{}",
        ran.out()
    );
}

#[test]
fn records_open_in_order_and_one_without_a_blob_is_named() {
    let dir = Dir::new();
    let line = format!(r#"{{"a":["x","{}"]}}"#, blob(&dir));
    dir.write(
        "records.json",
        format!("{line}\n{{\"b\":null}}\n\n{line}\n"),
    );
    let ran = dir.pqseal(&["open", "-k", "key.txt", "--format", "raw", "records.json"]);
    assert_eq!(ran.code, Some(1));
    assert_eq!(
        ran.out().lines().collect::<Vec<_>>(),
        [PLAINTEXT, "", PLAINTEXT]
    );
    assert!(ran.err.contains("line 2: "), "{}", ran.err);
    assert!(
        ran.err.contains("none of its fields holds a whole blob"),
        "{}",
        ran.err
    );
    assert!(ran.err.contains(".a[1]"), "{}", ran.err);
}

#[test]
fn what_is_not_a_blob_gets_a_hint() {
    let dir = Dir::new();
    let pem = dir
        .pqseal(&["key", "convert", "--form", "pem", "key.txt"])
        .succeeds();
    let public = dir
        .pqseal(&["pubkey", "--form", "line", "key.txt"])
        .succeeds();
    let blob = blob(&dir);
    let cut = format!(r#"{{"Metadata":{{"encrypted_matched_data":"{blob}"#);
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
        (cut, "cut off"),
        (format!("[{{\"a\":\"{blob}\"}}]"), "array"),
    ] {
        dir.write("input", &input);
        let ran = dir
            .pqseal(&["open", "-k", "key.txt", "input"])
            .fails(1, hint);
        assert!(ran.out.is_empty(), "{input}");
        dir.pqseal(&["inspect", "input"]).fails(1, hint);
    }
}

#[test]
#[cfg(unix)]
fn keys_come_from_a_command() {
    let dir = Dir::new();
    let ran = dir.pqseal(&[
        "open",
        "--key-command",
        "cat key.txt",
        "--format",
        "raw",
        "blob.txt",
    ]);
    assert_eq!(ran.succeeds().out(), PLAINTEXT);
    dir.pqseal(&["open", "--key-command", "exit 7", "blob.txt"])
        .fails(3, "exit status: 7");
    dir.pqseal(&["open", "--key-command", "yes", "blob.txt"])
        .fails(3, "cannot use");
    dir.pqseal(&["open", "blob.txt"]).fails(2, "--key");
}
