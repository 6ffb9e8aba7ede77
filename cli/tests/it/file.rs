//! `pqseal file`: round trips of every way to name inputs and outputs, age's library on the other
//! side, and what is refused. A missing program is a failure.

use std::{fs, path::Path};

use crate::common::{Dir, long_text, shell};

const AGE: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../dev/interop/.build/age-peer"
);

/// Runs age's library from the file `from` to the file `to`.
fn age(dir: &Dir, arguments: &str, from: &str, to: &str) {
    assert!(
        Path::new(AGE).exists(),
        "this test needs age's library in Go; run: dev/interop/setup.sh age"
    );
    shell(dir, &format!("'{AGE}' {arguments} < {from} > {to}"));
}

/// `id` and its recipient in `to`, `pq` and `to-pq`, and `text` of some chunks.
fn dir() -> Dir {
    let dir = Dir::new();
    for (id, to, pq) in [
        ("id", "to", ""),
        ("pq", "to-pq", "--pq"),
        ("other", "to-other", ""),
    ] {
        let made = dir.shell(&format!("pqseal file keygen {pq} -o {id}"));
        assert!(
            made.code == Some(0) && made.err.starts_with("Public key: age1"),
            "{}",
            made.err
        );
        assert_eq!(dir.mode(id), 0o600);
        dir.shell(&format!("pqseal file keygen -y {id} > {to}"))
            .succeeds();
    }
    dir.write("text", long_text());
    dir
}

#[test]
fn files_pipes_and_armor_round_trip() {
    let dir = dir();
    let text = dir.read("text");
    for line in [
        "pqseal file encrypt -R to -o f text && pqseal file decrypt -i id f",
        "pqseal file encrypt -R to-pq -o g text && pqseal file decrypt -i id -i pq g",
        "pqseal file encrypt -r $(cat to) < text | pqseal file decrypt -i id",
        "cat text | pqseal file encrypt -R to - | cat | pqseal file decrypt -i id - | cat",
        "pqseal file encrypt -a -R to-pq text | pqseal file decrypt -i pq",
        "pqseal file encrypt --threads 1 -R to text | pqseal file decrypt --threads 3 -i id",
        "pqseal file encrypt -R to text > h; pqseal file decrypt -i id -o out h; cat out",
    ] {
        assert!(shell(&dir, line).out == text, "{line}");
    }
    let armored = shell(&dir, "pqseal file encrypt -a -R to text").out;
    assert!(armored.starts_with(b"-----BEGIN AGE ENCRYPTED FILE-----\n"));
    assert!(armored.ends_with(b"\n-----END AGE ENCRYPTED FILE-----\n"));
}

/// One in sixteen recipients is base64 too, and was taken for a private key.
#[test]
fn a_recipient_that_is_base64_is_no_private_key() {
    let dir = dir();
    let recipient = "age16euz7adwlmj8yjsg7q397njnl3ylv9jpwsv3q4a8895htwdfzg3qwak5vg";
    shell(&dir, &format!("pqseal file encrypt -r {recipient} text"));
}

#[test]
fn passphrases_come_from_a_file() {
    let dir = dir();
    dir.write("pass", "correct horse\n");
    dir.write("wrong", "battery staple\n");
    dir.chmod("pass", 0o600);
    dir.chmod("wrong", 0o600);
    let line = "pqseal file encrypt -p --passphrase-file pass -o f text";
    shell(&dir, line);
    let ran = shell(&dir, "pqseal file decrypt --passphrase-file pass f");
    assert!(ran.out == dir.read("text"));
    dir.shell("pqseal file decrypt --passphrase-file wrong f")
        .fails(1, "the passphrase is wrong");
    dir.shell("pqseal file encrypt -p --passphrase-file pass -R to text")
        .fails(2, "must be the only recipient");
    // An identity under a passphrase.
    shell(
        &dir,
        "pqseal file encrypt -a -p --passphrase-file pass -o locked id && chmod 600 locked",
    );
    let line =
        "pqseal file encrypt -R to text | pqseal file decrypt -i locked --passphrase-file pass";
    assert!(shell(&dir, line).out == dir.read("text"));
}

#[test]
fn ages_library_opens_ours_and_we_open_its() {
    let dir = dir();
    let text = dir.read("text");
    let identity = fs::read_to_string(dir.path("pq")).unwrap();
    let identity = identity.lines().last().unwrap();
    for size in [0, 1, 65_535, 65_536, 65_537, 200_001] {
        let part = &text[..size];
        dir.write("part", part);
        shell(&dir, "pqseal file encrypt --force -R to-pq -o sealed part");
        age(&dir, &format!("decrypt {identity}"), "sealed", "opened");
        assert!(dir.read("opened") == part, "{size}");

        age(&dir, "encrypt", "part", "made");
        let made: serde_json::Value = serde_json::from_slice(&dir.read("made")).unwrap();
        dir.write("theirs", made["identity"].as_str().unwrap());
        dir.write("file64", made["file"].as_str().unwrap());
        let line = "chmod 600 theirs; base64 -d file64 | pqseal file decrypt -i theirs";
        assert!(shell(&dir, line).out == part, "{size}");
    }
    age(&dir, "lock pass 10", "text", "locked");
    dir.write("pass", "pass");
    dir.chmod("pass", 0o600);
    let ran = shell(&dir, "pqseal file decrypt --passphrase-file pass locked");
    assert!(ran.out == text);
}

#[test]
fn folders_are_done_whole_and_one_bad_file_stops_nothing() {
    let dir = dir();
    shell(
        &dir,
        "mkdir -p in/deep && cp text in/a && cp to in/deep/b && touch in/empty",
    );
    shell(&dir, "pqseal file encrypt -R to -o enc in to-pq");
    shell(
        &dir,
        "test -f enc/in/deep/b.age -a -f enc/in/empty.age -a -f enc/to-pq.age",
    );
    shell(
        &dir,
        "pqseal file decrypt -i id -o dec/ enc/in enc/to-pq.age",
    );
    shell(&dir, "diff -r in dec/in && cmp to-pq dec/to-pq");

    dir.write("enc/in/bad.age", b"no age file");
    let ran = dir.shell("pqseal file decrypt -i id -o again enc/in");
    assert_eq!(ran.code, Some(1));
    assert!(ran.err.contains("bad.age: not an age file"), "{}", ran.err);
    assert!(
        ran.err.contains("1 of 4 files were not done"),
        "{}",
        ran.err
    );
    shell(&dir, "diff -r in again/in");
    dir.shell("pqseal file encrypt -R to in")
        .fails(2, "-o FOLDER");
    dir.shell("pqseal file encrypt -R to -o out text - < to")
        .fails(2, "standard input");
}

#[test]
fn outputs_are_not_inputs_of_the_next_run() {
    let dir = dir();
    shell(&dir, "mkdir in; cp text in/a; ln -s in link");
    for line in [
        "-o in/out in",
        "-o in/.out/ to in",
        "-o link/out in",
        "-o in/out link",
        "-o . in",
        "-o out .",
    ] {
        dir.shell(&format!("pqseal file encrypt -R to {line}"))
            .fails(2, "the outputs would be written there too");
    }
    shell(&dir, "test \"$(ls -A in)\" = a -a ! -e out");
    shell(&dir, "cd in && pqseal file encrypt -R ../to -o ../out .");
    assert!(dir.path("out/a.age").exists());
}

#[test]
fn standard_input_and_output_are_not_taken_for_files() {
    let dir = Dir::new();
    dir.shell("pqseal file keygen -o id 2> /dev/null && pqseal file keygen -y id > to && echo text > plain")
        .succeeds();
    dir.shell("pqseal file encrypt -R to plain >> plain")
        .fails(2, "plain is read, and standard output would overwrite it");
    assert_eq!(dir.read("plain"), b"text\n");
    dir.shell("pqseal file rekey -i id -R to - < plain")
        .fails(2, "it cannot take standard input");
}

#[test]
fn what_is_there_stays_and_what_fails_leaves_nothing() {
    let dir = dir();
    dir.write("there", "precious");
    dir.shell("pqseal file encrypt -R to -o there text")
        .fails(1, "--force");
    assert_eq!(dir.read("there"), b"precious");
    shell(&dir, "pqseal file encrypt --force -R to -o there text");
    let whole = dir.read("there");
    let names = dir.names();
    for (name, bytes) in [
        ("the file was cut", whole[..whole.len() - 3411].to_vec()),
        (
            "cut within its last chunk",
            whole[..whole.len() - 1].to_vec(),
        ),
        ("chunk 1 does not authenticate", {
            let mut bytes = whole.clone();
            bytes[100_000] ^= 1;
            bytes
        }),
        ("data after", [&whole[..], &whole[..]].concat()),
    ] {
        dir.write("bad", bytes);
        let ran = dir.shell("pqseal file decrypt -i id -o new bad");
        assert_eq!(ran.code, Some(1), "{name}: {}", ran.err);
        fs::remove_file(dir.path("bad")).unwrap();
        assert_eq!(dir.names(), names, "{name}");
    }
    dir.shell("pqseal file decrypt -i other there")
        .fails(1, "no identity matches");
    dir.shell("pqseal file decrypt there")
        .fails(2, "give an identity with -i");
    dir.shell("pqseal file encrypt text")
        .fails(2, "no recipient was given");
    dir.shell("pqseal file encrypt -R to -R to-pq text")
        .fails(2, "cannot be mixed");
    dir.shell("pqseal file encrypt -r $(tail -n 1 id) text")
        .fails(2, "argument");
    dir.shell("pqseal file encrypt -R id text")
        .fails(3, "it is a private key");
    dir.shell("pqseal file decrypt -i to there")
        .fails(3, "it is a recipient");
}

#[test]
fn ranges_are_of_the_plaintext() {
    let dir = dir();
    let text = dir.read("text");
    shell(&dir, "pqseal file encrypt -R to -o f text");
    for (range, part) in [
        ("0-0", &text[..1]),
        ("65530-65545", &text[65_530..65_546]),
        ("200000-", &text[200_000..]),
        ("-5", &text[199_996..]),
        ("0-", &text[..]),
    ] {
        let ran = shell(
            &dir,
            &format!("pqseal file decrypt -i id --range {range} f"),
        );
        assert!(ran.out == part, "{range}");
    }
    dir.shell("pqseal file decrypt -i id --range 200001- f")
        .fails(1, "beyond the plaintext");
    dir.shell("pqseal file decrypt -i id --range 5-3 f")
        .fails(2, "after its last");
    dir.shell("cat f | pqseal file decrypt -i id --range 5-7")
        .fails(1, "--range needs a file");
    // Bytes of a cut file are not given out: its end is looked at first.
    dir.write("cut", &dir.read("f")[..150_000]);
    dir.shell("pqseal file decrypt -i id --range 0-1 cut")
        .fails(1, "cut");
}

#[test]
fn rekey_changes_recipients_in_place_or_by_a_copy() {
    let dir = dir();
    let text = dir.read("text");
    shell(&dir, "pqseal file encrypt -R to -o small text");
    shell(&dir, "pqseal file encrypt --reserve -R to -o roomy text");
    shell(&dir, "pqseal file encrypt -a -R to -o armored text");
    for name in ["small", "roomy", "armored"] {
        let before = dir.read(name);
        let ran = dir.shell(&format!("pqseal file rekey -i id -R to-other {name}"));
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        assert!(ran.err.contains("can still read"), "{}", ran.err);
        let after = dir.read(name);
        if name == "roomy" {
            assert!(after.len() == before.len() && after[4096..] == before[4096..]);
            assert!(after != before);
        }
        let opened = shell(&dir, &format!("pqseal file decrypt -i other {name}"));
        assert!(opened.out == text, "{name}");
        dir.shell(&format!("pqseal file decrypt -i id {name}"))
            .fails(1, "no identity matches");
    }
    let ran = dir.shell("pqseal file rekey -i other -R to-pq -o new small");
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(shell(&dir, "pqseal file decrypt -i pq new").out == text);
    assert!(shell(&dir, "pqseal file decrypt -i other small").out == text);
    let ran = dir.shell("pqseal file rekey --reserve -i other -R to armored");
    assert!(ran.err.contains("--reserve has no effect"), "{}", ran.err);
    assert!(shell(&dir, "pqseal file decrypt -i id armored").out == text);
}

#[test]
fn inspect_shows_recipients_and_sizes_without_a_key() {
    let dir = dir();
    shell(&dir, "pqseal file encrypt --reserve -R to-pq -o f text");
    let shown = shell(&dir, "pqseal file inspect f");
    for line in [
        "recipient: mlkem768x25519\n",
        "room for other recipients",
        "post-quantum: yes",
        "header: 4096 bytes",
        "plaintext: 200001 bytes in 4 chunks",
    ] {
        assert!(shown.out().contains(line), "{line}: {}", shown.out());
    }
    let shown = shell(
        &dir,
        "pqseal file encrypt -R to text | pqseal --json file inspect",
    );
    let shown: serde_json::Value = serde_json::from_slice(&shown.out).unwrap();
    assert_eq!(shown["post_quantum"], false);
    assert_eq!(shown["stanzas"], serde_json::json!(["X25519"]));
    dir.shell("pqseal file inspect text")
        .fails(1, "not an age file");
}

/// Keys of `pqseal keygen` are recipients and identities too.
#[test]
fn keys_of_pqseal_work() {
    let dir = dir();
    for kem in ["x25519", "p256", "mlkem768-x25519", "mlkem768-p256"] {
        let form = if kem.starts_with("ml") { "line" } else { "pem" };
        shell(
            &dir,
            &format!(
                "rm -f k; pqseal keygen --kem {kem} -o k > /dev/null 2>&1; pqseal pubkey --form {form} k > kp"
            ),
        );
        let line = "pqseal file encrypt -R kp text | pqseal file decrypt -i k";
        assert!(shell(&dir, line).out == dir.read("text"), "{kem}");
    }
}

/// A file that is replaced keeps its permissions, which may be narrower than those of a new one.
#[test]
fn what_takes_the_place_of_a_file_has_its_permissions() {
    let dir = dir();
    shell(
        &dir,
        "pqseal file encrypt -R to -o f text; touch out; chmod 600 out; umask 022",
    );
    shell(&dir, "pqseal file decrypt --force -i id -o out f");
    assert_eq!(dir.mode("out"), 0o600);
    shell(
        &dir,
        "chmod 664 out; pqseal file decrypt --force -i id -o out f",
    );
    assert_eq!(dir.mode("out"), 0o664);
    assert!(dir.read("out") == dir.read("text"));
}
