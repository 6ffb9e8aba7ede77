//! Version 4: the boundaries of its blobs in an input.

use crate::common::{Dir, PLAINTEXT, PQSEAL};

#[test]
fn a_wrapped_blob_is_one_blob() {
    for kem in ["mlkem768-x25519", "x25519", "p256"] {
        let dir = with_key(kem);
        let plaintext = "wrapped ".repeat(500);
        let blob = seal(&dir, &plaintext);
        // At the last widths, the first line holds the encapsulated key and 16 bytes more, and so
        // looks whole.
        for (width, end) in [
            (64, "\n"),
            (76, "\r\n"),
            (132, "\n\n"),
            (1600, "\n"),
            (1600, "\r\n"),
        ] {
            dir.write("wrapped", wrap(&blob, width, end));
            let ran = dir.words("open -k key wrapped").succeeds();
            assert_eq!(ran.out(), plaintext, "{kem} at {width}");
        }
    }
}

#[test]
fn several_blobs_are_one_a_line() {
    let dir = with_key("mlkem768-x25519");
    let old = dir.blob();
    let [a, b] = ["a", "b"].map(|text| seal(&dir, text));
    let cut = &b[..b.len() - 8];
    let cases = [
        (vec![&*a, &b], "a\nb\n", 0),
        (vec![&a, &old, &b], &*format!("a\n{PLAINTEXT}\nb\n"), 0),
        (vec![&old, &a], &format!("{PLAINTEXT}\na\n"), 0),
        (vec![&a, "truncated"], "a\n\n", 1),
        (vec!["truncated", &a], "\na\n", 1),
        (vec!["", &a, "", &b, ""], "a\nb\n", 0),
        // A damaged blob leaves the others unchanged.
        (vec![cut, &a, &b], "\na\nb\n", 1),
        (vec![&a, cut, &b], "a\n\nb\n", 1),
        (vec![&a, "%%%", &old], &format!("a\n\n{PLAINTEXT}\n"), 1),
        // A first line of version 4 and no other: parts of one blob.
        (vec![&a, cut], "", 1),
    ];
    for (lines, expected, code) in cases {
        dir.write("several", lines.join("\n"));
        let ran = dir.words("open -k key -k key.txt several");
        let found = (ran.code, ran.out());
        assert_eq!(found, (Some(code), expected), "{lines:?}: {}", ran.err);
    }
}

/// Creates a directory with a private key of `kem` in the file `key`.
fn with_key(kem: &str) -> Dir {
    let dir = Dir::new();
    let made = dir.words(&format!("keygen --kem {kem} -o key"));
    assert_eq!(made.code, Some(0), "{}", made.err);
    dir
}

/// Returns a version 4 blob to that key, without the line break.
fn seal(dir: &Dir, plaintext: &str) -> String {
    let arguments = ["seal", "--blob-version", "4", "--to", "key"];
    let ran = dir.run(PQSEAL, &arguments, plaintext.as_bytes());
    ran.succeeds().out().trim_end().to_owned()
}

fn wrap(text: &str, width: usize, end: &str) -> String {
    let lines = text
        .as_bytes()
        .chunks(width)
        .map(|line| std::str::from_utf8(line).unwrap());
    lines.map(|line| format!("{line}{end}")).collect()
}
