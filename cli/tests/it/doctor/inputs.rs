//! What the doctor takes an input for.

use serde_json::{Value, json};

use super::{blob, checks, examine};
use crate::common::{Dir, PQSEAL, PUBLIC_KEY};

/// The codes of the checks of an input that is called `name`, and their messages, with how the
/// doctor ended.
fn said_of(name: &str, text: impl AsRef<[u8]>) -> (Vec<(String, String)>, Option<i32>) {
    let dir = Dir::new();
    dir.write(name, text);
    let ran = dir.pqseal(&["--json", "doctor", name, "-k", "key.txt"]);
    let of = |check: &Value, member: &str| check[member].as_str().unwrap().to_owned();
    let found = checks(&ran, name);
    let said = found
        .iter()
        .map(|check| (of(check, "code"), of(check, "message")));
    (said.collect(), ran.code)
}

/// Of each text one check with this code, which says this: in one run of the doctor.
#[track_caller]
fn finds_each(cases: &[(String, &str, String)]) {
    let dir = Dir::new();
    let names: Vec<_> = (0..cases.len())
        .map(|case| format!("patient{case}"))
        .collect();
    let mut arguments = vec!["--json", "doctor", "-k", "key.txt"];
    for ((text, ..), name) in cases.iter().zip(&names) {
        dir.write(name, text);
        arguments.push(name);
    }
    let ran = dir.pqseal(&arguments);
    for ((text, code, message), name) in cases.iter().zip(&names) {
        let found = checks(&ran, name);
        assert_eq!(found.len(), 1, "{text}: {found:?}");
        assert_eq!(found[0]["code"], *code, "{text}");
        let said = found[0]["message"].as_str().unwrap();
        assert!(said.contains(message.as_str()), "{text}: {said}");
    }
}

fn folded(text: &str, width: usize) -> String {
    let lines = text.as_bytes().chunks(width);
    let lines: Vec<_> = lines
        .map(|line| std::str::from_utf8(line).unwrap())
        .collect();
    lines.join("\n") + "\n"
}

/// A version 4 blob to the published key, bound to `7`, of so many characters, a multiple of 4.
fn v4(dir: &Dir, characters: usize) -> String {
    let seal = |plaintext: usize| {
        let arguments = ["seal", "--aad", "7", "--to", PUBLIC_KEY];
        let ran = dir.run(PQSEAL, &arguments, &vec![b'x'; plaintext]);
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        ran.out().trim().to_owned()
    };
    // Less than the header, the encapsulated key and the tag.
    let bytes = |text: &str| text.trim_end_matches('=').len() * 3 / 4;
    let overhead = bytes(&seal(100)) - 100;
    let text = seal(characters / 4 * 3 - overhead);
    assert_eq!(text.len(), characters);
    text
}

#[test]
fn a_folded_blob_is_one() {
    let opens = |width| (folded(&blob(), width), "ok", "it opens".to_owned());
    let cut = |width| {
        let message = "cut after 122 of 180 characters".to_owned();
        (folded(&blob()[..122], width), "cut", message)
    };
    let widths = [40, 60, 64, 76];
    let cases: Vec<_> = widths
        .iter()
        .flat_map(|width| [opens(*width), cut(*width)])
        .collect();
    finds_each(&cases);
    let dir = Dir::new();
    let text = v4(&dir, 1000);
    let found = checks(
        &examine(&dir, folded(&text, 64), &["--aad", "7"]),
        "patient",
    );
    assert_eq!((found.len(), &found[0]["code"]), (1, &json!("ok")));
    let list = format!("{}\n{}\n", blob(), blob());
    let (said, _) = said_of("list.txt", list);
    assert_eq!(said.len(), 3);
    assert!(said[2].1.ends_with("opens 2 of 2 blobs"), "{said:?}");
}

#[test]
fn a_whole_v4_blob_without_its_aad_is_not_called_cut() {
    let dir = Dir::new();
    let text = v4(&dir, 1000);
    let found = checks(&examine(&dir, text, &[]), "patient");
    assert_eq!(found[0]["code"], "altered");
    assert_eq!(found[0]["version"], 4);
    assert_eq!(found[0]["key_id"], "5415100940c68e69");
    let said = found[0]["message"].as_str().unwrap();
    for part in ["give the --info and --aad", "or it was cut", "1000"] {
        assert!(said.contains(part), "{said}");
    }
    assert!(!said.contains("lost"), "{said}");
}

#[test]
fn a_cut_is_found_at_every_character_and_before_a_mark() {
    let of = |kept: usize, mark: &str| {
        let message = format!("cut after {kept} of 180 characters");
        (format!("{}{mark}", &blob()[..kept]), "cut", message)
    };
    let marks = ["", "...", "\u{2026}", " [truncated]"];
    let cases: Vec<_> = (101..=103)
        .flat_map(|kept| marks.map(|mark| of(kept, mark)))
        .collect();
    finds_each(&cases);
    let dir = Dir::new();
    let found = checks(&examine(&dir, format!("{}...", blob()), &[]), "patient");
    assert_eq!(found[0]["repairs"], json!(["truncation_mark"]));
}

#[test]
fn cells_are_those_of_the_header() {
    let blob = blob();
    let agent = "\"Mozilla/5.0 (X11; Linux, x86_64); \"\"a\"\"\"";
    let table = format!("ray,agent,matched\n1,{agent},{blob}\n2,{agent},\n");
    for name in ["events.csv", "events.txt"] {
        let dir = Dir::new();
        dir.write(name, &table);
        let ran = dir.pqseal(&["--json", "doctor", name, "-k", "key.txt"]);
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
fn json_is_read_in_every_form() {
    let record = json!({ "ray": "1", "list": [{ "data": blob() }] });
    let lines = format!("{record}\n{record}\n");
    let array = json!([record, record]).to_string();
    let pretty = serde_json::to_string_pretty(&record).unwrap();
    let pretty_array = serde_json::to_string_pretty(&json!([record, record])).unwrap();
    for text in [
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
fn a_log_without_blobs_gets_a_note() {
    for (text, kind) in [
        ("{\"a\":1}\n{\"a\":2}\n", "2 JSON records"),
        ("a,b\n1,2\n", "1 row of a table, and no field holds a blob"),
    ] {
        let (said, code) = said_of("events", text);
        assert_eq!((said[0].0.as_str(), code), ("no_blobs", Some(0)));
        assert!(said[0].1.contains(kind), "{said:?}");
    }
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
    let (mut as_inputs, mut as_keys) = (vec!["--json", "doctor"], vec!["--json", "doctor"]);
    for (name, text, ..) in cases {
        dir.write(name, text);
        dir.chmod(name, 0o600);
        as_inputs.push(name);
        as_keys.extend(["-k", name]);
    }
    let (as_inputs, as_keys) = (dir.pqseal(&as_inputs), dir.pqseal(&as_keys));
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
        // A key file may be encrypted; these are damaged.
        if kind == "encrypted_file" {
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
    let ran = dir.pqseal(&["--json", "doctor", "-k", "blob.txt", "key.txt"]);
    let (key, input) = (&checks(&ran, "keys")[0], &checks(&ran, "key.txt")[0]);
    assert_eq!(
        (&key["code"], &key["kind"]),
        (&json!("not_a_key"), &json!("blob"))
    );
    assert_eq!(
        (&input["code"], &input["kind"]),
        (&json!("not_a_blob"), &json!("raw_key"))
    );
    dir.pqseal(&["keygen", "--kem", "mlkem768-x25519", "-o", "pq.key"]);
    let ran = dir.pqseal(&["--json", "doctor", "pq.key"]);
    assert_eq!(checks(&ran, "pq.key")[0]["kind"], "private_key");
}
