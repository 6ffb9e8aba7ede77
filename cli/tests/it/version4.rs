//! Version 4 from end to end: every KEM, every place of a blob in its input, and headers that were
//! altered.

use crate::common::{Dir, PLAINTEXT, PQSEAL, PUBLIC_KEY};
use envelope::base64;
use serde_json::Value;

/// The 15 bytes before the encapsulated key.
const HEADER: usize = 15;

#[test]
fn every_kem_makes_keys_seals_and_opens() {
    let dir = Dir::new();
    let suites: Value =
        serde_json::from_str(dir.pqseal(&["suites", "--json"]).succeeds().out()).unwrap();
    for kem in suites["kems"].as_array().unwrap() {
        let name = kem["short_name"].as_str().unwrap();
        let keygen = dir.pqseal(&[
            "keygen",
            "--allow-experimental",
            "--json",
            "--kem",
            name,
            "-o",
            name,
        ]);
        let public: Value = serde_json::from_str(keygen.out()).unwrap();
        let to = public["public_key"].as_str().unwrap();
        let seal = [
            "seal",
            "--allow-experimental",
            "--blob-version",
            "4",
            "--aad",
            "7",
            "--to",
            to,
        ];
        dir.write(
            "sealed",
            dir.run(PQSEAL, &seal, name.as_bytes()).succeeds().out,
        );
        let open = [
            "open",
            "--allow-experimental",
            "--json",
            "-k",
            name,
            "--aad",
            "7",
            "sealed",
        ];
        let opened: Value = serde_json::from_str(dir.pqseal(&open).succeeds().out()).unwrap();
        assert_eq!(
            (&opened["plaintext"], &opened["key_id"]),
            (&kem["short_name"], &public["key_id"])
        );
        let inspected: Value =
            serde_json::from_str(dir.pqseal(&["inspect", "--json", "sealed"]).out()).unwrap();
        assert_eq!(
            (
                &inspected["kem"]["id"],
                &inspected["encapsulated_key_bytes"]
            ),
            (&kem["id"], &kem["n_enc"])
        );
        dir.pqseal(&["open", "-k", "key.txt", "sealed"])
            .fails(1, public["key_id"].as_str().unwrap());
    }
}

#[test]
fn a_wrapped_blob_is_one_blob() {
    for kem in ["mlkem768-x25519", "x25519", "p256"] {
        let dir = with_key(kem);
        let plaintext = "wrapped ".repeat(500);
        let blob = seal(&dir, &plaintext);
        // At the last widths, the first line holds the encapsulated key and 16 bytes more, and so
        // looks whole.
        for width in [64, 76, 132, 1600] {
            for end in ["\n", "\r\n", "\n\n"] {
                dir.write("wrapped", wrap(&blob, width, end));
                let ran = dir.pqseal(&["open", "-k", "key", "wrapped"]).succeeds();
                assert_eq!(ran.out(), plaintext, "{kem} at {width}");
            }
        }
    }
}

#[test]
fn several_blobs_are_one_a_line() {
    let dir = with_key("mlkem768-x25519");
    let old = String::from_utf8(dir.read("blob.txt"))
        .unwrap()
        .trim_end()
        .to_owned();
    let [a, b] = ["a", "b"].map(|text| seal(&dir, text));
    let cut = &b[..b.len() - 8];
    let cases = [
        (vec![&*a, &b], "a\nb\n", 0),
        (vec![&a, &old, &b], &*format!("a\n{PLAINTEXT}\nb\n"), 0),
        (vec![&old, &a], &format!("{PLAINTEXT}\na\n"), 0),
        (vec![&a, "truncated"], "a\n\n", 1),
        (vec!["truncated", &a], "\na\n", 1),
        (vec!["", &a, "", &b, ""], "a\nb\n", 0),
        // One that is damaged leaves the others as they are.
        (vec![cut, &a, &b], "\na\nb\n", 1),
        (vec![&a, cut, &b], "a\n\nb\n", 1),
        (vec![&a, "%%%", &old], &format!("a\n\n{PLAINTEXT}\n"), 1),
        // A first line of version 4 and no other: parts of one blob.
        (vec![&a, cut], "", 1),
    ];
    for (lines, expected, code) in cases {
        dir.write("several", lines.join("\n"));
        let ran = dir.pqseal(&["open", "-k", "key", "-k", "key.txt", "several"]);
        assert_eq!(
            (ran.code, ran.out()),
            (Some(code), expected),
            "{lines:?}: {}",
            ran.err
        );
    }
}

#[test]
fn blobs_as_bytes_and_in_other_base64() {
    let dir = with_key("mlkem768-x25519");
    let blob = seal(&dir, "secret");
    dir.write("bytes", base64::decode(blob.as_bytes()).unwrap());
    dir.write(
        "url",
        blob.replace('+', "-").replace('/', "_").replace('=', ""),
    );
    for file in ["bytes", "url"] {
        assert_eq!(
            dir.pqseal(&["open", "-k", "key", file]).succeeds().out(),
            "secret"
        );
    }
}

#[test]
fn no_bit_of_the_header_can_be_flipped() {
    let dir = with_key("mlkem768-x25519");
    let blob = base64::decode(seal(&dir, "secret").as_bytes()).unwrap();
    let flipped: Vec<_> = (0..8 * HEADER)
        .map(|bit| {
            let mut flipped = blob.to_vec();
            flipped[bit / 8] ^= 1 << (bit % 8);
            base64::encode(&flipped)
        })
        .collect();
    // The blob itself makes each line one.
    dir.write(
        "flipped",
        format!("{}\n{}", flipped.join("\n"), base64::encode(&blob)),
    );
    let ran = dir.pqseal(&["open", "-k", "key", "-k", "key.txt", "flipped"]);
    assert_eq!(
        (ran.code, ran.out()),
        (Some(1), &*format!("{}secret\n", "\n".repeat(8 * HEADER)))
    );
    assert_eq!(ran.err.lines().count(), 8 * HEADER);
}

#[test]
#[cfg(unix)]
fn several_keys_of_a_blob_are_one_wherever_they_are() {
    let dir = with_key("mlkem768-x25519");
    dir.write("sealed", seal(&dir, "secret"));
    let line = "mkdir keys && pqseal keygen -o keys/a 2>&1 >/dev/null && cp -p key keys/b && cp -p key keys/c && \
                mkfifo keys/pipe && ln -s nowhere keys/dangling && pqseal open --json -k keys sealed";
    let ran = dir.shell(line);
    assert!(
        ran.code == Some(0) && ran.out().contains(r#""key":"keys/b""#),
        "{ran:?}"
    );
}

#[test]
fn a_version_3_blob_is_bound_to_nothing() {
    let dir = Dir::new();
    for option in ["--info", "--aad"] {
        dir.pqseal(&["open", "-k", "key.txt", option, "", "blob.txt"])
            .fails(1, "is bound to no info and no aad");
        dir.pqseal(&[
            "seal",
            "--to",
            PUBLIC_KEY,
            "--blob-version",
            "3",
            option,
            "",
            "README.md",
        ])
        .fails(2, "version 3");
    }
}

/// If all blobs have an aad, one of an earlier version must not take the place of another.
#[test]
fn versions_below_the_minimum_are_refused() {
    let dir = Dir::new();
    let open = ["open", "-k", "key.txt", "--min-version"];
    dir.pqseal(&[&open[..], &["4", "blob.txt"]].concat())
        .fails(1, "leave --min-version out");
    dir.pqseal(&[&open[..], &["3", "blob.txt"]].concat())
        .succeeds();
    dir.pqseal(&[&open[..], &["5", "blob.txt"]].concat())
        .fails(2, "--min-version");
}

/// A directory with a private key of `kem` in the file `key`.
fn with_key(kem: &str) -> Dir {
    let dir = Dir::new();
    assert_eq!(
        dir.pqseal(&["keygen", "--kem", kem, "-o", "key"]).code,
        Some(0)
    );
    dir
}

/// A version 4 blob to that key, without the line break.
fn seal(dir: &Dir, plaintext: &str) -> String {
    let ran = dir
        .run(
            PQSEAL,
            &["seal", "--blob-version", "4", "--to", "key"],
            plaintext.as_bytes(),
        )
        .succeeds();
    ran.out().trim_end().to_owned()
}

fn wrap(text: &str, width: usize, end: &str) -> String {
    let lines = text
        .as_bytes()
        .chunks(width)
        .map(|line| std::str::from_utf8(line).unwrap());
    lines.map(|line| format!("{line}{end}")).collect()
}
