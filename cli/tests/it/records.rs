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
        ("[]".to_owned(), "none of its fields"),
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
        (format!("[{{\"a\":\"{blob}\"}}"), "array"),
    ] {
        dir.write("input", &input);
        dir.words("open -k key.txt input").fails(1, hint);
        let hint = match hint {
            "PEM" => "input is a private key",
            "a key and not a blob" => "input is a public key",
            hint => hint,
        };
        dir.words("inspect input").fails(1, hint);
    }
}

/// A key in place of a blob is named, in every format.
#[test]
fn what_is_a_key_is_not_described_as_a_damaged_blob() {
    let dir = Dir::new();
    for (form, line) in [
        ("pem", "key convert --raw-private key.txt"),
        ("jwk", "key convert --raw-private key.txt"),
        ("pem", "pubkey --raw-private key.txt"),
    ] {
        let key = dir.words(&format!("{line} --form {form}"));
        dir.write("input", &key.out);
        let ran = dir.words("inspect input");
        let is_named =
            ran.err.contains("input is a private key") || ran.err.contains("input is a public key");
        assert!(ran.code == Some(1) && is_named, "{form}: {}", ran.err);
        let ran = dir.words("open -k key.txt input");
        assert!(!ran.err.contains("version 251"), "{form}: {}", ran.err);
    }
}

#[test]
fn records_that_other_parsers_refuse_open() {
    let dir = Dir::new();
    let blob = dir.blob();
    let deep = ["[".repeat(200), "]".repeat(200)];
    let others: [&[u8]; 4] = [
        br#""\ud800""#,
        b"\"\xff\"",
        b"1e400",
        &[deep[0].as_bytes(), deep[1].as_bytes()].concat(),
    ];
    for other in others {
        let record = [br#"{"b":"#, other, br#","a":""#, blob.as_bytes(), b"\"}"].concat();
        dir.write("record", &record);
        let ran = dir.words("open -k key.txt --format raw record");
        assert_eq!((ran.code, ran.out()), (Some(0), PLAINTEXT), "{}", ran.err);
        dir.words("inspect record").succeeds();
        let ran = dir.words("doctor -k key.txt record").succeeds();
        assert!(!ran.out().contains("cannot be read"), "{}", ran.out());
    }
}

#[test]
fn one_damaged_line_does_not_hide_the_others() {
    let dir = Dir::new();
    let line = format!(r#"{{"a":"{}"}}"#, dir.blob());
    dir.write("lines", format!("{line}\n{line}\n{}", &line[..20]));
    let ran = dir.words("open -k key.txt --format raw lines");
    let expected = format!("{PLAINTEXT}\n{PLAINTEXT}\n");
    // An empty line is in the place of the third.
    assert_eq!(
        (ran.code, ran.out()),
        (Some(1), &*(expected.clone() + "\n"))
    );
    for words in ["line 3: ", "cut off"] {
        assert!(ran.err.contains(words), "{}", ran.err);
    }
    // Records in an array, and after record separators.
    for text in [
        format!("[{line},\n{line}]"),
        format!("\x1e{line}\n\x1e{line}\n"),
    ] {
        dir.write("records", text);
        let ran = dir.words("open -k key.txt --format raw records");
        assert_eq!((ran.code, ran.out()), (Some(0), &*expected));
    }
}

#[test]
fn json_inside_strings_is_found_by_all_commands() {
    let dir = Dir::new();
    let line = format!(r#"{{"encrypted_matched_data":"{}"}}"#, dir.blob());
    let line = format!("{{\"log\":\"{}\\n\"}}\n", line.replace('"', "\\\""));
    dir.write("docker", &line);
    let field = ".log.encrypted_matched_data";
    let ran = dir.words("--json open -k key.txt docker").succeeds();
    assert!(ran.out().contains(field), "{}", ran.out());
    let ran = dir.words("inspect docker").succeeds();
    assert!(ran.out().contains(field), "{}", ran.out());
    let ran = dir.words("doctor -k key.txt docker").succeeds();
    assert!(ran.out().contains(field), "{}", ran.out());
    let ran = dir.words("logs open -k key.txt docker").succeeds();
    let start = line.trim_end().trim_end_matches("}\\n\"}");
    let result = PLAINTEXT.replace('\\', "\\\\").replace('"', "\\\"");
    let result = result.replace('\\', "\\\\").replace('"', "\\\"");
    let expected = format!("{start},\\\"decrypted_matched_data\\\":\\\"{result}\\\"}}\\n\"}}\n");
    assert_eq!(ran.out(), expected);
    let by_path = dir.words(&format!("logs open -k key.txt --field {field} docker"));
    assert_eq!(by_path.out(), expected);
}

#[test]
fn limits_are_not_damage() {
    let dir = Dir::new();
    dir.write(
        "events",
        r#"[[{"encrypted_matched_data":""},{"encrypted_matched_data":""}]]"#,
    );
    let ran = dir.words("logs open -k key.txt --max-fields 1 --stats json events");
    assert!(ran.err.contains(r#""too_many_fields":1"#), "{}", ran.err);
    let ran = dir.words("logs open -k key.txt --max-fields 2 --stats json events");
    assert!(ran.err.contains(r#""absent":1"#), "{}", ran.err);
    let many = vec![r#"{"encrypted_matched_data":""}"#; 20_000].join(",");
    dir.write("many", format!("[[{many}]]"));
    let ran = dir.words("logs open -k key.txt --stats json --explode many");
    assert!(
        ran.err.contains(r#""absent":1"#) && ran.err.contains(r#""events":20000"#),
        "{}",
        ran.err
    );
}
