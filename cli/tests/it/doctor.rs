//! `pqseal doctor` on this machine, and on prepared inputs that do not open.

mod inputs;

use pqseal_keys::base64;
use serde_json::Value;

use crate::common::{Dir, PUBLIC_KEY, Ran};

/// Returns the checks that the doctor made of one subject.
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

fn folded(text: &str, width: usize) -> String {
    let lines = text.as_bytes().chunks(width).map(<[u8]>::escape_ascii);
    lines.map(|line| format!("{line}\n")).collect()
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
        "\n0 problems were found\n",
    ] {
        assert!(ran.out().contains(part), "{part}: {}", ran.out());
    }
}

/// Makes a case: a text, and the code and a part of the message of its check.
fn case<'a>(
    text: impl Into<Vec<u8>>,
    code: &'a str,
    message: &'a str,
) -> (Vec<u8>, &'a str, &'a str) {
    (text.into(), code, message)
}

#[test]
fn each_cause_has_a_code_and_a_message() {
    let dir = Dir::new();
    let blob = dir.blob();
    let bytes = base64::decode(blob.as_bytes()).unwrap().to_vec();
    let v2 = String::from_utf8(dir.read("matched_data_v2.txt")).unwrap();
    let mut as_v3 = base64::decode(v2.trim().as_bytes()).unwrap().to_vec();
    as_v3[0] = 3;
    let v4 = |to: &str| {
        let long = dir.feed(&format!("seal --aad 7 --to {to}"), &[b'x'; 700]);
        long.succeeds().out.trim_ascii_end().to_vec()
    };
    assert_eq!(dir.words("keygen -o other.key").code, Some(0));
    let bound = v4(PUBLIC_KEY);
    let opens = "version 3 (RFC 9180): it opens with key.txt (key id 5415100940c68e69)";
    let (start, is_cut) = (&blob[..122], "cut after 122 of 180 characters");
    let cases = [
        case(&*blob, "ok", opens),
        case(folded(&blob, 60), "ok", opens),
        case(start, "cut", is_cut),
        case(folded(start, 60), "cut", is_cut),
        case(format!("{start}..."), "cut", is_cut),
        case(format!("{start}\u{2026}"), "cut", is_cut),
        case(format!("{start} [truncated]"), "cut", is_cut),
        case("AwAB", "cut", "cut after 4 of 76 characters"),
        case("truncated", "truncated", "too large to be logged"),
        case(
            blob.to_lowercase(),
            "one_case",
            "all its letters have the same case",
        ),
        case(
            blob.replace('+', "%2B"),
            "opens",
            "such as %2B; decode them; it opens",
        ),
        case(blob.replace('+', " "), "opens", "each + became a space"),
        case(format!("\"{blob}\""), "opens", "leave them out"),
        case(base64::encode(blob.as_bytes()), "opens", "base64 of base64"),
        case("", "empty", "the blob is empty"),
        case(
            format!("B{}", &blob[1..]),
            "unsupported_version",
            "version 7",
        ),
        case(
            [&bytes[1..33], &bytes[41..]].concat(),
            "no_header",
            "without the header",
        ),
        case(
            [&bytes[..], b"more"].concat(),
            "trailing_bytes",
            "4 bytes follow it",
        ),
        case(
            base64::encode(&as_v3),
            "other_version",
            "draft-irtf-cfrg-hpke-06",
        ),
        case(&*bound, "altered", "give the --info and --aad"),
        case(
            v4("other.key"),
            "no_key_with_id",
            "add the key with that id",
        ),
    ];
    let names: Vec<_> = (0..cases.len())
        .map(|case| format!("patient{case}"))
        .collect();
    for ((text, ..), name) in cases.iter().zip(&names) {
        dir.write(name, text);
    }
    let ran = dir.words(&format!("--json doctor -k key.txt {}", names.join(" ")));
    assert_eq!(ran.code, Some(1));
    for ((_, code, message), name) in cases.iter().zip(&names) {
        let found = checks(&ran, name);
        assert_eq!(found.len(), 1, "{code}: {found:?}");
        assert_eq!(found[0]["code"], *code, "{}", found[0]);
        let said = found[0]["message"].as_str().unwrap();
        assert!(said.contains(message), "`{message}` is not in: {said}");
    }
    let found = checks(&examine(&dir, &bound, &["--aad", "7"]), "patient");
    assert_eq!(found[0]["code"], "ok");
}

#[test]
#[cfg(unix)]
fn an_unusable_key_is_reported() {
    let dir = Dir::new();
    dir.shell("pqseal pubkey --raw-private --form pem key.txt > public.pem")
        .succeeds();
    dir.chmod("public.pem", 0o600);
    dir.chmod("private_key.txt", 0o644);
    let keys = ["-k", "public.pem", "-k", "private_key.txt"];
    let ran = examine(&dir, dir.blob(), &keys);
    let codes: Vec<_> = checks(&ran, "keys")
        .iter()
        .map(|check| check["code"].clone())
        .collect();
    // For each file, the kind of its contents and its permissions.
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
    let ran = examine(&dir, dir.blob(), &files);
    for (about, name) in [("ikm", "ikm"), ("keys", "passphrase")] {
        let found = checks(&ran, about);
        let has = |check: &&Value| check["name"] == name && check["code"] == "file_mode";
        assert_eq!(found.iter().filter(has).count(), 1, "{}", ran.out());
    }
    dir.chmod("ikm", 0o600);
    let found = checks(&examine(&dir, dir.blob(), &files), "ikm");
    assert_eq!(found[0]["message"], "only its owner can read it");
}

#[test]
fn the_derivation_of_a_key_is_found() {
    let dir = Dir::new();
    // The recipient of the first vector of draft-irtf-cfrg-hpke-06 in its test-vectors.json.
    let ikm = "8a219e9a42233826f165d2c1036399fa84cfb3bcb93872bc49287dfbe6f1fec9\n";
    dir.write("ikm", ikm);
    dir.write("public", "aT5CGndH8LXMBXFjUalAneZy0gXyoXjtcClMevrSJiA=");
    dir.chmod("ikm", 0o600);
    let doctor = "--json doctor --ikm ikm --public-key public";
    let found = checks(&dir.words(doctor), "ikm");
    // The check after that of its permissions.
    let said = found[1]["message"].as_str().unwrap();
    for part in [
        "DeriveKeyPair of draft-irtf-cfrg-hpke-06 gives the x25519 key",
        "clamped",
    ] {
        assert!(said.contains(part), "{said}");
    }
    dir.write("public", PUBLIC_KEY);
    let ran = dir.words(doctor);
    assert_eq!(checks(&ran, "ikm")[1]["code"], "no_derivation");
    assert_eq!(ran.code, Some(1));
}

#[test]
fn what_cannot_be_read_does_not_stop_the_rest() {
    let dir = Dir::new();
    let ran = dir.words("--json doctor -k none.txt -k key.txt none.log blob.txt");
    assert_eq!(checks(&ran, "none.log")[0]["code"], "io");
    assert_eq!(checks(&ran, "blob.txt")[0]["code"], "ok");
    assert_eq!(ran.code, Some(1));
}
