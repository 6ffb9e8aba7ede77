//! `pqseal file`: round trips of every way to name inputs and outputs, with age's library on the
//! other side, and refusals. A missing program is a failure.

use std::fs;

use crate::common::{Dir, each_fails, long_text, peer, shell};

/// Runs age's library from the file `from` to the file `to`.
fn age(dir: &Dir, arguments: &str, from: &str, to: &str) {
    let peer = peer("age-peer");
    shell(dir, &format!("'{peer}' {arguments} < {from} > {to}"));
}

/// Creates a directory with `id` and its recipient in `to`, `pq` and `to-pq`, `other` and
/// `to-other`, and `text` of some chunks.
pub(crate) fn dir() -> Dir {
    let dir = Dir::new();
    for (id, to, pq) in [
        ("id", "to", ""),
        ("pq", "to-pq", "--pq"),
        ("other", "to-other", ""),
    ] {
        let made = dir.words(&format!("file keygen {pq} -o {id}"));
        assert!(made.err.starts_with("Public key: age1"), "{}", made.err);
        assert_eq!((made.code, dir.mode(id)), (Some(0), 0o600));
        shell(&dir, &format!("pqseal file keygen -y {id} > {to}"));
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
    // One in sixteen recipients is also valid base64, and was taken for a private key.
    let recipient = "age16euz7adwlmj8yjsg7q397njnl3ylv9jpwsv3q4a8895htwdfzg3qwak5vg";
    shell(&dir, &format!("pqseal file encrypt -r {recipient} text"));
}

#[test]
fn passphrases_come_from_a_file() {
    let dir = dir();
    dir.write("pass", "correct horse\n");
    dir.write("wrong", "battery staple\n");
    shell(&dir, "chmod 600 pass wrong");
    let encrypt = "pqseal file encrypt -p --passphrase-file pass";
    shell(&dir, &format!("{encrypt} -o f text"));
    let line = "pqseal file decrypt --passphrase-file";
    assert!(shell(&dir, &format!("{line} pass f")).out == dir.read("text"));
    dir.shell(&format!("{line} wrong f"))
        .fails(1, "the passphrase is wrong");
    dir.shell(&format!("{encrypt} -R to text"))
        .fails(2, "must be the only recipient");
    // An identity under a passphrase.
    shell(
        &dir,
        &format!("{encrypt} -a -o locked id && chmod 600 locked"),
    );
    let line = format!("pqseal file encrypt -R to text | {line} pass -i locked");
    assert!(shell(&dir, &line).out == dir.read("text"));
}

#[test]
fn ages_library_opens_ours_and_we_open_its() {
    let dir = dir();
    let text = dir.read("text");
    let identity = fs::read_to_string(dir.path("pq")).unwrap();
    let identity = identity.lines().last().unwrap();
    for size in [0, 65_536, 200_001] {
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
    let line = "mkdir -p in/deep && cp text in/a && cp to in/deep/b && touch in/empty; \
                pqseal file encrypt -R to -o enc in to-pq && \
                test -f enc/in/deep/b.age -a -f enc/in/empty.age -a -f enc/to-pq.age && \
                pqseal file decrypt -i id -o dec/ enc/in enc/to-pq.age && \
                diff -r in dec/in && cmp to-pq dec/to-pq";
    shell(&dir, line);

    dir.write("enc/in/bad.age", b"no age file");
    let ran = dir.shell("pqseal file decrypt -i id -o again enc/in");
    assert_eq!(ran.code, Some(1));
    for words in ["bad.age: not an age file", "1 of 4 files failed"] {
        assert!(ran.err.contains(words), "{}", ran.err);
    }
    shell(&dir, "diff -r in again/in");
}

#[test]
fn outputs_are_not_inputs() {
    let dir = dir();
    shell(&dir, "mkdir in; cp text in/a; ln -s in link");
    let to = dir.read("to");
    let lines = [
        "-o in/out in => the outputs would be written there too",
        "-o in/.out/ to in => the outputs would be written there too",
        "-o link/out in => the outputs would be written there too",
        "-o in/out link => the outputs would be written there too",
        "-o . in => the outputs would be written there too",
        "-o out . => the outputs would be written there too",
        "in => -o FOLDER",
        "-o out text - < to => standard input",
        "to >> to => to is read, and standard output would overwrite it",
        "--force -o to text => to is read, and -o would overwrite it",
    ];
    each_fails(&dir, "pqseal file encrypt -R to", 2, &lines);
    assert_eq!(dir.read("to"), to);
    let id = dir.read("id");
    shell(&dir, "pqseal file encrypt -R to -o f text");
    shell(&dir, "ln -s id key");
    let lines = [
        "decrypt -i key --force -o id f => key is read, and -o would overwrite it",
        "rekey -i key -R to --force -o id f => key is read, and -o would overwrite it",
    ];
    each_fails(&dir, "pqseal file", 2, &lines);
    assert_eq!(dir.read("id"), id);
    shell(&dir, "test \"$(ls -A in)\" = a -a ! -e out");
    shell(&dir, "cd in && pqseal file encrypt -R ../to -o ../out .");
    assert!(dir.path("out/a.age").exists());
}

#[test]
fn what_is_there_stays_and_what_fails_leaves_nothing() {
    let dir = dir();
    dir.write("there", "precious");
    dir.shell("pqseal file encrypt -R to -o there text")
        .fails(1, "--force");
    assert_eq!(dir.read("there"), b"precious");
    shell(&dir, "pqseal file encrypt --force -R to -o there text");
    let names = dir.names();
    for (bad, words) in [
        ("head -c -3409 there", "the file was cut"),
        ("head -c -1 there", "cut within its last chunk"),
        (
            "head -c 100000 there; printf '\\0\\0\\0\\0\\0\\0\\0\\0'; tail -c +100009 there",
            "chunk 1 does not authenticate",
        ),
        ("cat there there", "chunk 3 does not authenticate"),
    ] {
        let line = format!("({bad}) > bad; pqseal file decrypt -i id -o new bad");
        dir.shell(&line).fails(1, words);
        fs::remove_file(dir.path("bad")).unwrap();
        assert_eq!(dir.names(), names, "{bad}");
    }
    let lines = [
        "decrypt -i other there => no identity matches",
        "inspect text => not an age file",
    ];
    each_fails(&dir, "pqseal file", 1, &lines);
    let lines = [
        "decrypt there => give an identity with -i",
        "encrypt text => no recipient was given",
        "encrypt -R to -R to-pq text => cannot be mixed",
        "encrypt -r $(tail -n 1 id) text => argument",
        "rekey -i id -R to - < there => it cannot take standard input",
    ];
    each_fails(&dir, "pqseal file", 2, &lines);
    let lines = [
        "decrypt -i to there => it is a recipient",
        "encrypt -R id text => it is a private key",
    ];
    each_fails(&dir, "pqseal file", 3, &lines);
}

#[test]
fn ranges_are_of_the_plaintext() {
    let dir = dir();
    let text = dir.read("text");
    for format in ["age", "cobblestone"] {
        shell(
            &dir,
            &format!("pqseal file encrypt --force --format {format} -R to -o f text"),
        );
        for (range, part) in [
            ("0-0", &text[..1]),
            ("65530-65545", &text[65_530..65_546]),
            ("200000-", &text[200_000..]),
            ("-5", &text[199_996..]),
        ] {
            let line = format!("pqseal file decrypt -i id --range {range} f");
            assert!(shell(&dir, &line).out == part, "{format} {range}");
        }
    }
    // Bytes of a cut file are not written, because its end is checked first.
    shell(
        &dir,
        "pqseal file encrypt --force -R to -o f text; head -c 150000 f > cut",
    );
    let lines = ["200001- f => beyond the plaintext", "0-1 cut => cut"];
    each_fails(&dir, "pqseal file decrypt -i id --range", 1, &lines);
    let lines = ["5-3 f => after its last"];
    each_fails(&dir, "pqseal file decrypt -i id --range", 2, &lines);
    dir.shell("cat f | pqseal file decrypt -i id --range 5-7")
        .fails(1, "--range needs a file");
}

/// A file that is replaced keeps its permissions, which may be narrower than those of a new one.
#[test]
fn what_takes_the_place_of_a_file_has_its_permissions() {
    let dir = dir();
    shell(&dir, "pqseal file encrypt -R to -o f text; touch out");
    for mode in [0o600, 0o664] {
        let line = format!("chmod {mode:o} out; pqseal file decrypt --force -i id -o out f");
        shell(&dir, &format!("umask 022; {line}"));
        assert_eq!(dir.mode("out"), mode);
    }
    assert!(dir.read("out") == dir.read("text"));
}
