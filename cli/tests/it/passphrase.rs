//! Key files under a passphrase: pqseal opens those of age, age opens ours, and errors are
//! reported. The other side is the Go library of age (`dev/interop/age`). A missing program is a
//! failure.

use crate::common::{Dir, PLAINTEXT, PRIVATE_KEY, PUBLIC_KEY, Ran, each_fails, peer};

/// The work factor, which is low so that the tests are quick.
const WORK: &str = "10";

/// Runs age's library on `input`.
fn age(dir: &Dir, arguments: &[&str], input: &[u8]) -> Vec<u8> {
    dir.run(&peer("age-peer"), arguments, input).succeeds().out
}

/// Creates a directory in which `locked` and `armored` hold the published key under a passphrase,
/// which is in `passphrase` and not in `wrong`.
fn dir() -> Dir {
    let dir = Dir::new();
    let key = format!("# zone a\n{PRIVATE_KEY}\n");
    let lock = ["lock", "a passphrase", WORK, "armor"];
    dir.write("locked", age(&dir, &lock[..3], key.as_bytes()));
    dir.write("armored", age(&dir, &lock, key.as_bytes()));
    dir.write("passphrase", "a passphrase\r\nnot this line\n");
    dir.write("wrong", "another");
    for name in ["locked", "armored", "passphrase", "wrong"] {
        dir.chmod(name, 0o600);
    }
    dir
}

fn with(dir: &Dir, passphrase: &str, line: &str) -> Ran {
    dir.shell(&format!("pqseal {line} --passphrase-file {passphrase}"))
}

#[test]
fn what_age_encrypts_is_a_key_file_everywhere() {
    let dir = dir();
    let file = "--passphrase-file passphrase";
    for line in [
        format!("pqseal open -k locked blob.txt {file}"),
        format!("pqseal open -k armored blob.txt {file}"),
        "cat passphrase | pqseal open -k locked --passphrase-file - blob.txt".to_owned(),
        format!("cat armored | pqseal open -k - blob.txt {file}"),
        // Two files with one passphrase, which is read once.
        "cat passphrase | pqseal open -k locked -k armored --passphrase-file - blob.txt".to_owned(),
        format!("mkdir keys; cp -p locked key.txt keys; pqseal open -k keys blob.txt {file}"),
    ] {
        assert_eq!(dir.shell(&line).succeeds().out(), PLAINTEXT, "{line}");
    }
    with(&dir, "wrong", "open -k keys blob.txt").fails(3, "does not open keys/locked");
    let sealed = format!("pqseal logs generate 20 | pqseal logs seal --to {PUBLIC_KEY} > sealed");
    dir.shell(&sealed).succeeds();
    for keys in ["-k locked", "--key-command 'cat armored'"] {
        let line = format!("logs open --strict --stats json {keys} sealed");
        let ran = with(&dir, "passphrase", &line);
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        assert!(ran.err.contains("zone a"), "{}", ran.err);
    }
    dir.chmod("passphrase", 0o644);
    let ran = with(&dir, "passphrase", "open -k locked blob.txt");
    assert_eq!((ran.code, ran.out()), (Some(0), PLAINTEXT));
    let warning = "others can read the passphrase file";
    assert!(ran.err.contains(warning), "{}", ran.err);
}

#[test]
fn what_we_encrypt_age_decrypts() {
    let dir = dir();
    let keygen = "keygen --kem x25519 --form raw --encrypt -o new";
    let made = with(&dir, "passphrase", keygen);
    assert_eq!(made.code, Some(0), "{}", made.err);
    assert_eq!(dir.mode("new"), 0o600);
    let key = age(&dir, &["unlock", "a passphrase"], &dir.read("new"));
    dir.write("plain", &key);
    dir.chmod("plain", 0o600);
    let line = made.out().lines().last();
    let pubkey = "pubkey --raw-private --form line";
    let public = dir.words(&format!("{pubkey} plain")).succeeds();
    assert_eq!(public.out().lines().last(), line);
    let public = with(&dir, "passphrase", &format!("{pubkey} new")).succeeds();
    assert_eq!(public.out().lines().last(), line);
    let again = with(&dir, "passphrase", "key convert --form raw new");
    assert_eq!(again.succeeds().out, key);
}

#[test]
fn each_problem_is_reported() {
    let dir = dir();
    let locked = dir.read("locked");
    dir.write("empty", "\n");
    dir.write("long", [b'x'; 5000]);
    dir.write("cut", &locked[..locked.len() - 1]);
    dir.write("header", &locked[..100]);
    let mut flipped = locked.clone();
    *flipped.last_mut().unwrap() ^= 1;
    dir.write("flipped", flipped);
    dir.write("later", [b"age-encryption.org/v1x", &locked[21..]].concat());
    // Nothing is computed for a file that asks for too much: a header is enough to say so.
    let text = String::from_utf8_lossy(&locked);
    let stanza = text.lines().nth(1).unwrap();
    let at = locked
        .windows(stanza.len())
        .position(|part| part == stanza.as_bytes());
    let (start, rest) = locked.split_at(at.unwrap() + stanza.len());
    dir.write("greedy", [&start[..start.len() - 2], b"63", rest].concat());
    // age files for recipients other than a passphrase.
    let made = age(&dir, &["encrypt"], PRIVATE_KEY.as_bytes());
    let made: serde_json::Value = serde_json::from_slice(&made).unwrap();
    let file = pqseal_keys::base64::decode(made["file"].as_str().unwrap().as_bytes());
    dir.write("identity", file.unwrap());
    let lines = [
        "wrong -k locked => the passphrase does not open locked; try again",
        "wrong -k locked --json => \"code\":\"wrong_passphrase\"",
        "missing -k locked => cannot read missing",
        "passphrase -k cut => it was cut within its last chunk, or altered there",
        "passphrase -k header => the header is incomplete: the file was cut; copy it again",
        "passphrase -k flipped => it was cut within its last chunk, or altered there",
        "passphrase -k later => of a later version of age",
        "passphrase -k greedy => steps of scrypt",
        "passphrase -k identity => pqseal file decrypt -i IDENTITY",
    ];
    let open = "pqseal open blob.txt --passphrase-file";
    each_fails(&dir, open, 3, &lines);
    let lines = [
        "empty -k locked => the passphrase is empty",
        "long -k locked => larger than 4 KiB",
    ];
    each_fails(&dir, open, 2, &lines);
    with(&dir, "-", "open -k locked").fails(2, "standard input");
    with(&dir, "passphrase", "keygen").fails(2, "--encrypt");
    dir.words("seal --to armored README.md")
        .fails(3, "give its public key instead");
    // Without a terminal nobody can be asked.
    dir.shell("setsid -w pqseal open -k locked blob.txt")
        .fails(3, "--passphrase-file");
    // An encrypted file counts as a key, whatever it contains.
    dir.words("open -k key.txt -o locked blob.txt")
        .fails(3, "holds a key");
}
