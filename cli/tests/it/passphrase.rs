//! Key files under a passphrase: what age makes opens, what we make age opens, and what is wrong is
//! told. The other side is the Go library of age (`dev/interop/age`). A missing program is a failure.

use std::path::Path;

use crate::common::{Dir, PLAINTEXT, PQSEAL, PRIVATE_KEY, PUBLIC_KEY, Ran};

/// Little work, so that the tests are quick.
const WORK: &str = "10";
const AGE: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../dev/interop/.build/age-peer"
);

/// Runs age's library on `input`.
fn age(dir: &Dir, arguments: &[&str], input: &[u8]) -> Vec<u8> {
    assert!(
        Path::new(AGE).exists(),
        "this test needs age's library in Go; run: dev/interop/setup.sh age"
    );
    dir.run(AGE, arguments, input).succeeds().out
}

/// `locked` and `armored` hold the published key under a passphrase, which is in `passphrase` and
/// not in `wrong`.
fn dir() -> Dir {
    let dir = Dir::new();
    let key = format!("# zone a\n{PRIVATE_KEY}\n");
    dir.write(
        "locked",
        age(&dir, &["lock", "a passphrase", WORK], key.as_bytes()),
    );
    dir.write(
        "armored",
        age(
            &dir,
            &["lock", "a passphrase", WORK, "armor"],
            key.as_bytes(),
        ),
    );
    dir.write("passphrase", "a passphrase\r\nnot this line\n");
    dir.write("wrong", "another");
    ["locked", "armored", "passphrase", "wrong"]
        .into_iter()
        .for_each(|name| dir.chmod(name, 0o600));
    dir
}

fn with(dir: &Dir, passphrase: &str, line: &str) -> Ran {
    dir.shell(&format!("pqseal {line} --passphrase-file {passphrase}"))
}

#[test]
fn what_age_encrypts_is_a_key_file_everywhere() {
    let dir = dir();
    for name in ["locked", "armored"] {
        assert_eq!(
            with(&dir, "passphrase", &format!("open -k {name} blob.txt"))
                .succeeds()
                .out(),
            PLAINTEXT
        );
        let ran = dir.shell(&format!(
            "cat passphrase | pqseal open -k {name} --passphrase-file - blob.txt"
        ));
        assert_eq!(ran.succeeds().out(), PLAINTEXT);
        let ran = dir.shell(&format!(
            "cat {name} | pqseal open -k - --passphrase-file passphrase blob.txt"
        ));
        assert_eq!(ran.succeeds().out(), PLAINTEXT);
    }
    let sealed = format!("pqseal logs generate 20 | pqseal logs seal --to {PUBLIC_KEY} > sealed");
    dir.shell(&sealed).succeeds();
    for keys in ["-k locked", "--key-command 'cat armored'"] {
        let ran = with(
            &dir,
            "passphrase",
            &format!("logs open --strict --stats json {keys} sealed"),
        );
        assert_eq!(
            (ran.code, ran.err.contains("zone a")),
            (Some(0), true),
            "{}",
            ran.err
        );
    }
    // One file of two with one passphrase, which is read once.
    let ran =
        dir.shell("cat passphrase | pqseal open -k locked -k armored --passphrase-file - blob.txt");
    assert_eq!(ran.succeeds().out(), PLAINTEXT);
}

#[test]
fn what_we_encrypt_age_decrypts() {
    let dir = dir();
    let made = with(
        &dir,
        "passphrase",
        "keygen --kem x25519 --form raw --encrypt -o new",
    );
    assert_eq!(
        (made.code, dir.mode("new")),
        (Some(0), 0o600),
        "{}",
        made.err
    );
    let key = age(&dir, &["unlock", "a passphrase"], &dir.read("new"));
    dir.write("plain", &key);
    dir.chmod("plain", 0o600);
    assert_eq!(
        dir.pqseal(&["pubkey", "plain"]).succeeds().out(),
        made.out()
    );
    assert_eq!(
        with(&dir, "passphrase", "pubkey new").succeeds().out(),
        made.out()
    );
    assert_eq!(
        with(&dir, "passphrase", "key convert --form raw new")
            .succeeds()
            .out,
        key
    );
}

#[test]
fn each_problem_is_reported() {
    let dir = dir();
    with(&dir, "wrong", "open -k locked blob.txt")
        .fails(3, "the passphrase does not open locked; try again");
    let json = with(&dir, "wrong", "--json logs open -k locked blob.txt");
    assert!(
        json.err.contains("\"code\":\"wrong_passphrase\""),
        "{}",
        json.err
    );
    dir.write("empty", "\n");
    with(&dir, "empty", "open -k locked blob.txt").fails(2, "the passphrase is empty");
    dir.write("long", [b'x'; 5000]);
    with(&dir, "long", "open -k locked blob.txt").fails(2, "larger than 4 KiB");
    with(&dir, "missing", "open -k locked blob.txt").fails(3, "cannot read missing");
    with(&dir, "-", "open -k locked").fails(2, "standard input");
    with(&dir, "passphrase", "keygen").fails(2, "--encrypt");
    dir.pqseal(&["seal", "--to", "armored", "README.md"])
        .fails(3, "give its public key instead");
    // Without a terminal nobody can be asked.
    dir.shell("setsid -w pqseal open -k locked blob.txt")
        .fails(3, "--passphrase-file");
    let locked = dir.read("locked");
    dir.write("cut", &locked[..locked.len() - 1]);
    with(&dir, "passphrase", "open -k cut blob.txt").fails(3, "cut or altered");
    dir.write("cut", &locked[..100]);
    with(&dir, "passphrase", "open -k cut blob.txt").fails(3, "cut or altered");
    dir.write("later", [b"age-encryption.org/v1x", &locked[21..]].concat());
    with(&dir, "passphrase", "open -k later blob.txt").fails(3, "of a later version of age");
    let mut flipped = locked.clone();
    *flipped.last_mut().unwrap() ^= 1;
    dir.write("flipped", flipped);
    with(&dir, "passphrase", "open -k flipped blob.txt").fails(3, "cut or altered");
    // What is locked is a key, whatever is in it.
    dir.pqseal(&["open", "-k", "key.txt", "-o", "locked", "blob.txt"])
        .fails(3, "holds a key");
}

/// Nothing is computed for a file that asks for too much: a header is enough to say so.
#[test]
fn work_is_bounded() {
    let dir = dir();
    let locked = String::from_utf8_lossy(&dir.read("locked")).into_owned();
    let stanza = locked.lines().nth(1).unwrap();
    let start = locked.len() - locked.split_once('\n').unwrap().1.len();
    for work in [21, 30, 63, 64, 255] {
        let greedy = format!("{}{work}", stanza.trim_end_matches(WORK));
        let bytes = [
            &dir.read("locked")[..start],
            greedy.as_bytes(),
            &dir.read("locked")[start + stanza.len()..],
        ]
        .concat();
        dir.write("greedy", bytes);
        with(&dir, "passphrase", "open -k greedy blob.txt").fails(3, "steps of scrypt");
    }
}

/// age files for others than who knows a passphrase.
#[test]
fn age_identities_are_not_ours() {
    let dir = dir();
    let made = age(&dir, &["encrypt"], PRIVATE_KEY.as_bytes());
    let made: serde_json::Value = serde_json::from_slice(&made).unwrap();
    dir.write("identity", made["file"].as_str().unwrap());
    dir.shell("base64 -d identity > file").succeeds();
    with(&dir, "passphrase", "open -k file blob.txt").fails(3, "pqseal file decrypt -i IDENTITY");
}

#[test]
fn passphrases_that_others_can_read_are_warned_of() {
    let dir = dir();
    dir.chmod("passphrase", 0o644);
    let ran = with(&dir, "passphrase", "open -k locked blob.txt");
    assert_eq!(
        (
            ran.code,
            ran.err.contains("others can read the passphrase file")
        ),
        (Some(0), true),
        "{}",
        ran.err
    );
}

#[test]
fn folders_and_the_old_program_take_them() {
    let dir = dir();
    dir.shell("mkdir keys && mv locked keys/ && cp key.txt keys/")
        .succeeds();
    assert_eq!(
        with(&dir, "passphrase", "open -k keys blob.txt")
            .succeeds()
            .out(),
        PLAINTEXT
    );
    with(&dir, "wrong", "open -k keys blob.txt").fails(3, "does not open keys/locked");
    assert_eq!(
        dir.run(PQSEAL, &["open", "-k", "keys/key.txt", "blob.txt"], b"")
            .succeeds()
            .out(),
        PLAINTEXT
    );
}
