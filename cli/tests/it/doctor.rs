//! `pqseal doctor`: this machine, and prepared cases of what does not open.

mod inputs;

use crate::common::{Dir, PQSEAL, PUBLIC_KEY, Ran, events};
use envelope::base64;
use serde_json::Value;

/// The checks that the doctor made, of one subject.
fn checks(ran: &Ran, about: &str) -> Vec<Value> {
    let lines = ran.out().lines();
    let parsed = lines.map(|line| serde_json::from_str::<Value>(line).unwrap());
    let checks = parsed.map(|line| line["check"].clone());
    checks.filter(|check| check["about"] == about).collect()
}

/// Runs the doctor on `text` with the published key and `arguments`.
fn examine(dir: &Dir, text: impl AsRef<[u8]>, arguments: &[&str]) -> Ran {
    dir.write("patient", text);
    let common = ["--json", "doctor", "patient", "-k", "key.txt"];
    dir.pqseal(&[&common[..], arguments].concat())
}

/// One case: the doctor gives this code, and says this.
#[track_caller]
fn finds(text: impl AsRef<[u8]>, code: &str, message: &str) {
    let ran = examine(&Dir::new(), text, &[]);
    let found = checks(&ran, "patient");
    assert_eq!(found.len(), 1, "{}", ran.out());
    assert_eq!(found[0]["code"], code, "{}", found[0]);
    let said = found[0]["message"].as_str().unwrap();
    assert!(said.contains(message), "`{message}` is not in: {said}");
    assert_eq!(ran.code, Some(i32::from(found[0]["state"] == "problem")));
}

fn blob() -> String {
    let text = String::from_utf8(Dir::new().read("blob.txt")).unwrap();
    text.trim().to_owned()
}

#[test]
fn this_machine_is_well() {
    let ran = Dir::new().pqseal(&["doctor"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out(), ran.err);
    for part in [
        "known answers",
        "all are right: portable 4",
        "rounding       to nearest",
        "clock          set, 2",
        "no problem",
    ] {
        assert!(ran.out().contains(part), "{part}: {}", ran.out());
    }
}

#[test]
fn what_opens_is_said_to_open() {
    finds(
        blob(),
        "ok",
        "version 3 (RFC 9180): it opens with key.txt (key id 5415100940c68e69)",
    );
}

#[test]
fn the_cause_is_named() {
    let blob = blob();
    finds(&blob[..100], "cut", "cut after 100 of 180 characters");
    finds("truncated", "truncated", "too large to be logged");
    finds(
        blob.to_lowercase(),
        "one_case",
        "all its letters have the same case",
    );
    finds(
        blob.replace('+', "%2B"),
        "opens",
        "such as %2B; decode them; it opens",
    );
    finds(blob.replace('+', " "), "opens", "each + became a space");
    finds(format!("\"{blob}\""), "opens", "leave them out");
    finds(base64::encode(blob.as_bytes()), "opens", "base64 of base64");
    finds("", "empty", "the blob is empty");
    finds("AwAB", "cut", "cut after 4 of 76 characters");
    finds(
        format!("B{}", &blob[1..]),
        "unsupported_version",
        "version 7",
    );
}

#[test]
fn bytes_are_looked_through() {
    let bytes = base64::decode(blob().as_bytes()).unwrap();
    finds(
        [&bytes[1..33], &bytes[41..]].concat(),
        "no_header",
        "without the header",
    );
    finds(
        [&bytes[..], b"more"].concat(),
        "trailing_bytes",
        "4 bytes follow it",
    );
}

#[test]
fn a_draft_under_the_wrong_version_is_named() {
    let dir = Dir::new();
    let v2 = String::from_utf8(dir.read("matched_data_v2.txt")).unwrap();
    let mut bytes = base64::decode(v2.trim().as_bytes()).unwrap();
    bytes[0] = 3;
    let ran = examine(&dir, base64::encode(&bytes), &["-k", "private_key.txt"]);
    let found = checks(&ran, "patient");
    assert_eq!(found[0]["code"], "other_version");
    assert!(
        found[0]["message"]
            .as_str()
            .unwrap()
            .contains("draft-irtf-cfrg-hpke-06")
    );
}

#[test]
#[cfg(unix)]
fn version_4_names_its_key_and_what_it_is_bound_to() {
    let dir = Dir::new();
    dir.shell("pqseal keygen -o other.key > other.pub")
        .code
        .unwrap();
    let seal = "echo hello | pqseal seal --aad 7 --to";
    let of_other = dir.shell(&format!("{seal} other.pub")).succeeds().out;
    let found = checks(&examine(&dir, &of_other, &[]), "patient");
    assert_eq!(found[0]["code"], "no_key_with_id");
    let with_key = examine(&dir, &of_other, &["-k", "other.key"]);
    assert_eq!(checks(&with_key, "patient")[0]["code"], "altered");
    let bound = examine(&dir, &of_other, &["-k", "other.key", "--aad", "7"]);
    assert_eq!(checks(&bound, "patient")[0]["code"], "ok");
}

#[test]
#[cfg(unix)]
fn an_unusable_key_is_reported() {
    let dir = Dir::new();
    dir.shell("pqseal pubkey --form pem key.txt > public.pem")
        .succeeds();
    dir.chmod("public.pem", 0o600);
    dir.chmod("private_key.txt", 0o644);
    let ran = examine(&dir, blob(), &["-k", "public.pem", "-k", "private_key.txt"]);
    let codes: Vec<_> = checks(&ran, "keys")
        .iter()
        .map(|check| check["code"].clone())
        .collect();
    // Of each file what it holds, and who can read it.
    assert_eq!(codes, ["ok", "ok", "bad_key", "ok", "ok", "file_mode"]);
    assert_eq!(ran.code, Some(1));
}

#[test]
#[cfg(unix)]
fn others_must_not_read_an_ikm_or_a_passphrase() {
    let dir = Dir::new();
    dir.write("ikm", [7; 32]);
    dir.write("passphrase", "secret");
    dir.chmod("ikm", 0o640);
    dir.chmod("passphrase", 0o644);
    let files = ["--ikm", "ikm", "--passphrase-file", "passphrase"];
    let ran = examine(&dir, blob(), &files);
    for (about, name) in [("ikm", "ikm"), ("keys", "passphrase")] {
        let found = checks(&ran, about);
        let has = |check: &&Value| check["name"] == name && check["code"] == "file_mode";
        assert_eq!(found.iter().filter(has).count(), 1, "{}", ran.out());
    }
    dir.chmod("ikm", 0o600);
    let found = checks(&examine(&dir, blob(), &files), "ikm");
    assert_eq!(found[0]["message"], "only its owner can read it");
}

#[test]
fn the_derivation_of_a_key_is_found() {
    let dir = Dir::new();
    // The recipient of the first vector of draft-irtf-cfrg-hpke-06 in its test-vectors.json.
    dir.write(
        "ikm",
        "8a219e9a42233826f165d2c1036399fa84cfb3bcb93872bc49287dfbe6f1fec9\n",
    );
    let pk = "693e421a7747f0b5cc05716351a9409de672d205f2a178ed70294c7afad22620";
    let pk: Vec<u8> = (0..32)
        .map(|i| u8::from_str_radix(&pk[2 * i..2 * i + 2], 16).unwrap())
        .collect();
    dir.write("public", base64::encode(&pk));
    dir.chmod("ikm", 0o600);
    let doctor = ["--json", "doctor", "--ikm", "ikm", "--public-key", "public"];
    let found = checks(&dir.pqseal(&doctor), "ikm");
    // After who can read it.
    let said = found[1]["message"].as_str().unwrap();
    for part in [
        "DeriveKeyPair of draft-irtf-cfrg-hpke-06 gives the x25519 key",
        "clamped",
    ] {
        assert!(said.contains(part), "{said}");
    }
    dir.write("public", PUBLIC_KEY);
    let ran = dir.pqseal(&doctor);
    assert_eq!(
        (checks(&ran, "ikm")[1]["code"].as_str(), ran.code),
        (Some("no_derivation"), Some(1))
    );
    let alone = dir.pqseal(&["doctor", "--ikm", "ikm"]);
    assert_eq!(alone.code, Some(2), "{}", alone.err);
    assert!(alone.err.contains("add --public-key FILE"), "{}", alone.err);
}

#[test]
fn a_log_is_summed_up_by_field_and_cause() {
    let dir = events(20);
    let mut log = String::from_utf8(dir.read("events.ndjson")).unwrap();
    let first = log.lines().next().unwrap().to_owned();
    let mut record: Value = serde_json::from_str(&first).unwrap();
    let field = record
        .pointer_mut("/Metadata/encrypted_matched_data")
        .unwrap();
    *field = field.as_str().unwrap()[..80].into();
    log += &format!("{record}\n");
    let found = checks(&examine(&dir, log, &[]), "patient");
    let field = ".Metadata.encrypted_matched_data";
    // Two of the twenty records have no matched data.
    let groups: Vec<_> = found[..2].iter().map(|check| &check["field"]).collect();
    assert_eq!(groups, [field, field]);
    let of = |check: &Value, names: [&str; 3]| names.map(|name| check[name].to_string());
    let counts = |check| of(check, ["code", "count", "version"]);
    assert_eq!(counts(&found[0]), ["\"ok\"", "18", "3"]);
    assert_eq!(counts(&found[1]), ["\"cut\"", "1", "null"]);
    let id = "\"5415100940c68e69\"";
    let opened = of(&found[0], ["key_id", "specification", "repairs"]);
    assert_eq!(opened, [id, "\"RFC 9180\"", "[]"]);
    let sums = [&found[2], &found[3]].map(|check| of(check, ["name", "count", "key_id"]));
    assert_eq!(sums[0], ["\"sum\"", "1", "null"]);
    assert_eq!(sums[1], ["\"sum\"", "18", id]);
    let said = found[3]["message"].as_str().unwrap();
    assert_eq!(
        said,
        "key.txt (key id 5415100940c68e69) opens 18 of 19 blobs"
    );
}

#[test]
fn what_cannot_be_read_does_not_stop_the_rest() {
    let dir = Dir::new();
    let ran = dir.run(
        PQSEAL,
        &[
            "--json", "doctor", "-k", "none.txt", "-k", "key.txt", "none.log", "blob.txt",
        ],
        b"",
    );
    assert_eq!(checks(&ran, "none.log")[0]["code"], "io");
    assert_eq!(checks(&ran, "blob.txt")[0]["code"], "ok");
    assert_eq!(ran.code, Some(1));
}
