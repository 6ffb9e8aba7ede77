//! The formats of inputs that the doctor detects.

use serde_json::{Value, json};

use super::checks;
use crate::common::Dir;

/// Returns the codes and messages of the checks of an input that is called `name`, and the
/// exit code.
fn said_of(name: &str, text: impl AsRef<[u8]>) -> (Vec<(String, String)>, Option<i32>) {
    let dir = Dir::new();
    dir.write(name, text);
    let ran = dir.words(&format!("--json doctor -k key.txt {name}"));
    let of = |check: &Value, member: &str| check[member].as_str().unwrap().to_owned();
    let found = checks(&ran, name);
    let said = found
        .iter()
        .map(|check| (of(check, "code"), of(check, "message")));
    (said.collect(), ran.code)
}

#[test]
fn cells_are_those_of_the_header() {
    let blob = Dir::new().blob();
    let agent = "\"Mozilla/5.0 (X11; Linux, x86_64); \"\"a\"\"\"";
    let table = format!("ray,agent,matched\n1,{agent},{blob}\n2,{agent},\n");
    for name in ["events.csv", "events.txt"] {
        let dir = Dir::new();
        dir.write(name, &table);
        let ran = dir.words(&format!("--json doctor -k key.txt {name}"));
        let found = checks(&ran, name);
        assert_eq!(found.len(), 1, "{}", ran.out());
        let place = ["code", "field", "line"].map(|member| found[0][member].clone());
        assert_eq!(place, [json!("ok"), json!("matched"), json!(2)]);
    }
    let semicolons = format!("ray;matched\n1;{blob}\n2;\"open\n");
    let (said, _) = said_of("events.csv", semicolons);
    let codes: Vec<_> = said.iter().map(|(code, _)| code.as_str()).collect();
    assert_eq!(codes, ["bad_record", "ok"]);
    let document = format!("{{\"\"a\"\":\"\"{blob}\"\"}}");
    let (said, _) = said_of("events.tsv", format!("ray\tevent\n1\t\"{document}\"\n"));
    assert_eq!(said[0].0, "ok");
}

#[test]
fn blobs_and_json_are_read_in_every_form() {
    let record = json!({ "ray": "1", "list": [{ "data": Dir::new().blob() }] });
    let lines = format!("{record}\n{record}\n");
    let array = json!([record, record]).to_string();
    let pretty = serde_json::to_string_pretty(&record).unwrap();
    let pretty_array = serde_json::to_string_pretty(&json!([record, record])).unwrap();
    let blobs = format!("{0}\n{0}\n", Dir::new().blob());
    for text in [
        &blobs,
        &lines,
        &array,
        &format!("{pretty}\n{pretty}\n"),
        &pretty_array,
    ] {
        let (said, code) = said_of("events", text);
        let codes: Vec<_> = said.iter().map(|(code, _)| code.as_str()).collect();
        assert_eq!(
            (codes.as_slice(), code),
            (&["ok"; 3][..], Some(0)),
            "{text}"
        );
    }
    let (said, code) = said_of("events", format!("{lines}{{\"ray\": \"2"));
    assert_eq!((said[0].0.as_str(), code), ("bad_record", Some(1)));
    assert!(said[0].1.contains("1 cannot be read, the first on line 3"));
    assert_eq!(said[1].0, "ok");
}

#[test]
fn other_kinds_are_named() {
    let jwe = "eyJhbGciOiJIUEtFLTAifQ.AAAA..AAAA.AAAA";
    let identity = "# created: 2026-01-01\nAGE-SECRET-KEY-1QQQ\n";
    let ssh = "-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n";
    let cases: [(&str, &[u8], &str, &str); 9] = [
        (
            "age",
            b"age-encryption.org/v1\n-> X25519 A\n",
            "encrypted_file",
            "pqseal file decrypt",
        ),
        (
            "armor",
            b"-----BEGIN AGE ENCRYPTED FILE-----\n",
            "encrypted_file",
            "pqseal file decrypt",
        ),
        ("jwe", jwe.as_bytes(), "jwe", "pqseal jwe open"),
        (
            "cose",
            b"\xd0\x83\x43\xa1\x01\xff",
            "cose",
            "pqseal cose open",
        ),
        (
            "parquet",
            b"PAR1\x15\x04\x15",
            "parquet",
            "pqseal logs open",
        ),
        (
            "identity",
            identity.as_bytes(),
            "age_identity",
            "pqseal file decrypt -i identity",
        ),
        (
            "recipient",
            b"age1qqq\n",
            "age_recipient",
            "pqseal file encrypt -R recipient",
        ),
        ("openssh", ssh.as_bytes(), "ssh_key", "pqseal keygen"),
        ("ssh", b"ssh-ed25519 AAAA me\n", "ssh_key", "pqseal keygen"),
    ];
    let dir = Dir::new();
    let (mut as_inputs, mut as_keys) = ("--json doctor".to_owned(), "--json doctor".to_owned());
    for (name, text, ..) in cases {
        dir.write(name, text);
        dir.chmod(name, 0o600);
        as_inputs += &format!(" {name}");
        as_keys += &format!(" -k {name}");
    }
    let (as_inputs, as_keys) = (dir.words(&as_inputs), dir.words(&as_keys));
    let keys = checks(&as_keys, "keys");
    for (name, _, kind, command) in cases {
        let found = &checks(&as_inputs, name)[0];
        assert_eq!(
            (&found["code"], &found["kind"]),
            (&json!("not_a_blob"), &json!(kind))
        );
        assert!(
            found["message"].as_str().unwrap().contains(command),
            "{found}"
        );
        let found = keys.iter().find(|check| check["name"] == name).unwrap();
        // A key file may be encrypted, or hold an identity; these are damaged.
        if ["encrypted_file", "age_identity"].contains(&kind) {
            assert_eq!(found["code"], "bad_key");
        } else {
            assert_eq!(
                (&found["code"], &found["kind"]),
                (&json!("not_a_key"), &json!(kind))
            );
        }
    }
}

#[test]
fn a_key_and_a_blob_that_were_exchanged_are_named() {
    let dir = Dir::new();
    let ran = dir.words("--json doctor -k blob.txt key.txt");
    let (key, input) = (&checks(&ran, "keys")[0], &checks(&ran, "key.txt")[0]);
    assert_eq!(
        (&key["code"], &key["kind"]),
        (&json!("not_a_key"), &json!("blob"))
    );
    assert_eq!(
        (&input["code"], &input["kind"]),
        (&json!("not_a_blob"), &json!("raw_key"))
    );
    dir.words("keygen -o pq.key");
    let ran = dir.words("--json doctor pq.key");
    assert_eq!(checks(&ran, "pq.key")[0]["kind"], "private_key");
}

/// Text of a blob in hexadecimal, as databases and packet dumps write it, is not lost.
#[test]
fn hexadecimal_is_read_in_every_form() {
    let bytes = pqseal_keys::base64::decode(Dir::new().blob().as_bytes()).unwrap();
    let hex = |between: &str| {
        let digits: Vec<_> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        digits.join(between)
    };
    for text in [
        hex(""),
        hex("").to_uppercase(),
        format!("\\x{}", hex("")),
        format!("0x{}", hex("")),
        format!("x'{}'", hex("")),
        hex(":"),
        hex(" "),
        hex("-"),
    ] {
        let (said, code) = said_of("blob", &text);
        assert_eq!((said[0].0.as_str(), code), ("opens", Some(1)), "{text}");
        assert!(said[0].1.contains("it is hexadecimal"), "{}", said[0].1);
        let cut = &text[..text.len() / 2];
        let (said, _) = said_of("blob", cut);
        assert_ne!(said[0].0, "one_case", "{cut}");
    }
}

/// What `pqseal logs open` refuses is a problem, and what it counts is not.
#[test]
fn logs_are_read_as_they_are_opened() {
    let blob = Dir::new().blob();
    let record = format!("{{\"encrypted_matched_data\":\"{blob}\"}}\n");
    let truncated = "{\"encrypted_matched_data\":\"truncated\"}\n";
    let damaged = format!("{{\"encrypted_matched_data\":\"{}\"}}\n", &blob[1..]);
    let other = "{\"ray\":1}\n";
    let table = format!("ray,encrypted_matched_data\n1,{blob}\n");
    for (text, code) in [
        (format!("{record}{truncated}{other}"), 0),
        (truncated.to_owned(), 1),
        (other.to_owned(), 1),
        (format!("{record}{damaged}"), 1),
        (format!("{record}{{\"encrypted_matched_data\":7}}\n"), 1),
        (format!("{}{record}", record.trim_end()), 1),
        (format!("{table}2,{}\n", &blob[1..]), 1),
        (format!("{table}2\n"), 1),
        (format!("{table}2,\n"), 0),
        (format!("[\"{blob}\",\"{}\"]", &blob[1..]), 1),
    ] {
        let (said, found) = said_of("log", &text);
        assert_eq!(found, Some(code), "{text}: {said:?}");
    }
    let (said, code) = said_of("log", format!("<13>host app: {record}"));
    assert!(
        said[0].1.contains("it looks like") && code == Some(1),
        "{said:?}"
    );
}

#[test]
#[cfg(unix)]
fn what_opening_does_not_read_is_named() {
    let dir = Dir::new();
    dir.shell("tar -cf log.tar blob.txt; gzip -k log.tar blob.txt")
        .succeeds();
    dir.shell("(pqseal key convert --form pem key.txt; echo AGE-SECRET-KEY-1QQQ) > mixed.pem")
        .succeeds();
    dir.chmod("mixed.pem", 0o600);
    for (line, part) in [
        ("log.tar.gz", "a tar archive is not supported"),
        ("blob.txt.gz", "it is gzip data"),
        ("blob.txt -k mixed.pem", "it is not a private key"),
    ] {
        let ran = dir.words(&format!("doctor -k key.txt {line}"));
        assert_eq!(ran.code, Some(1), "{line}: {}", ran.out());
        assert!(ran.out().contains(part), "{line}: {}", ran.out());
    }
}
