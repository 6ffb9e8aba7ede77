//! Files: who may read them, what is never overwritten, and what is left when a command fails.

use std::{
    fs,
    io::{Read, Write},
    os::unix::fs::{FileTypeExt, symlink},
    process::Stdio,
};

use crate::common::{Dir, PLAINTEXT, PQSEAL, PUBLIC_KEY};

#[test]
fn only_the_owner_can_read_private_keys_and_plaintext() {
    let dir = Dir::new();
    let line = "umask 0; pqseal keygen --kem x25519 -o new.pem 2>&1 && pqseal key convert -o new.jwk --form jwk new.pem \
                && pqseal open -k key.txt -o opened blob.txt";
    dir.shell(line).succeeds();
    assert_eq!(
        ["new.pem", "new.jwk", "opened"].map(|name| dir.mode(name)),
        [0o600; 3]
    );
    assert_eq!(dir.read("opened"), PLAINTEXT.as_bytes());
}

#[test]
fn sealed_data_and_public_keys_follow_the_umask() {
    let dir = Dir::new();
    let line = format!("umask 027; pqseal seal --to {PUBLIC_KEY} -o sealed README.md");
    dir.shell(&line).succeeds();
    dir.shell("umask 027; pqseal key convert --public -o public.pem key.txt")
        .succeeds();
    assert_eq!(
        ["sealed", "public.pem"].map(|name| dir.mode(name)),
        [0o640; 2]
    );
}

#[test]
fn a_new_key_never_replaces_a_file() {
    let dir = Dir::new();
    dir.write("there", "precious");
    symlink("nowhere", dir.path("dangling")).unwrap();
    dir.pqseal(&["keygen", "-o", "there"])
        .fails(3, "there already exists");
    dir.pqseal(&["keygen", "-o", "dangling"])
        .fails(3, "dangling already exists");
    dir.pqseal(&["key", "convert", "-o", "there", "key.txt"])
        .fails(3, "there already exists");
    assert_eq!(dir.read("there"), b"precious");
}

#[test]
fn results_never_replace_a_key() {
    let dir = Dir::new();
    for (form, name) in [
        ("pem", "k.pem"),
        ("jwk", "k.jwk"),
        ("json", "k.json"),
        ("line", "k.line"),
        ("raw", "k.raw"),
    ] {
        dir.pqseal(&["key", "convert", "--form", form, "-o", name, "key.txt"])
            .succeeds();
        let before = dir.read(name);
        dir.pqseal(&["open", "-k", "key.txt", "-o", name, "blob.txt"])
            .fails(3, "holds a key");
        dir.pqseal(&["seal", "--to", PUBLIC_KEY, "-o", name, "README.md"])
            .fails(3, "holds a key");
        assert_eq!(dir.read(name), before);
    }
    symlink("key.txt", dir.path("link")).unwrap();
    dir.pqseal(&["open", "-k", "key.txt", "-o", "link", "blob.txt"])
        .fails(3, "holds a key");
    dir.write("cut.pem", "-----BEGIN PRIVATE KEY-----\nMC4CAQ");
    dir.pqseal(&["open", "-k", "key.txt", "-o", "cut.pem", "blob.txt"])
        .fails(3, "holds a key");
}

/// Two outputs of one command.
#[test]
#[cfg(feature = "cose")]
fn a_detached_ciphertext_has_its_own_place() {
    let dir = Dir::new();
    let seal = format!("pqseal cose seal --alg HPKE-3 --to {PUBLIC_KEY} README.md");
    dir.shell(&format!("{seal} -o x --detached ./x"))
        .fails(2, "-o and --detached would both write to ./x");
    dir.shell(&format!("{seal} -o x --detached key.txt"))
        .fails(3, "choose another name for --detached");
    assert!(!dir.path("x").exists());
    dir.shell(&format!(
        "{seal} -o x --detached y && test -s x && test -s y"
    ))
    .succeeds();
}

#[test]
fn other_files_are_replaced_whole_or_not_at_all() {
    let dir = Dir::new();
    dir.write("result", "before");
    symlink("result", dir.path("link")).unwrap();
    let names = dir.names();
    dir.pqseal(&["open", "-k", "key.txt", "-o", "link", "README.md"])
        .fails(1, "not base64");
    assert_eq!(dir.read("result"), b"before");
    dir.pqseal(&["open", "-k", "key.txt", "-o", "link", "blob.txt"])
        .succeeds();
    assert_eq!(dir.read("result"), PLAINTEXT.as_bytes());
    assert!(fs::symlink_metadata(dir.path("link")).unwrap().is_symlink());
    assert_eq!(dir.names(), names, "a temporary file was left");
}

#[test]
fn a_file_over_a_blob_is_no_key() {
    let dir = Dir::new();
    // 57 bytes around 7 are 64: as long as an ML-KEM private key.
    dir.run(
        PQSEAL,
        &["seal", "--to", PUBLIC_KEY, "-o", "sealed"],
        b"7 bytes",
    )
    .succeeds();
    dir.run(
        PQSEAL,
        &["seal", "--to", PUBLIC_KEY, "-o", "sealed"],
        b"another",
    )
    .succeeds();
    assert_eq!(
        dir.pqseal(&["open", "-k", "key.txt", "sealed"]).out,
        b"another"
    );
}

#[test]
fn devices_are_written_to_and_stay_devices() {
    let dir = Dir::new();
    dir.pqseal(&["open", "-k", "key.txt", "-o", "/dev/null", "blob.txt"])
        .succeeds();
    assert!(
        fs::metadata("/dev/null")
            .unwrap()
            .file_type()
            .is_char_device()
    );
    dir.pqseal(&["open", "-k", "key.txt", "-o", "/dev/full", "blob.txt"])
        .fails(3, "no space left");
    dir.pqseal(&["open", "-k", "key.txt", "-o", ".", "blob.txt"])
        .fails(3, "directory");
}

#[test]
fn a_full_disk_is_an_error_of_every_command() {
    let dir = Dir::new();
    let seal = format!("seal --to {PUBLIC_KEY} README.md");
    let commands = [
        "keygen 2>/dev/null",
        "pubkey key.txt",
        &seal,
        "open -k key.txt blob.txt",
        "inspect blob.txt",
        "suites",
    ];
    for command in commands
        .into_iter()
        .chain(["key convert key.txt", "completions bash", "man"])
    {
        let ran = dir.shell(&format!("pqseal {command} > /dev/full"));
        assert_eq!(ran.code, Some(3), "{command}");
        assert!(
            command.contains("2>") || ran.err.contains("no space left"),
            "{command}: {}",
            ran.err
        );
    }
}

#[test]
fn a_reader_who_has_gone_is_no_error() {
    let dir = Dir::new();
    let plaintext = vec![b'x'; 1 << 20];
    dir.write(
        "sealed",
        dir.run(PQSEAL, &["seal", "--to", PUBLIC_KEY], &plaintext)
            .succeeds()
            .out,
    );
    let mut child = dir
        .command(PQSEAL)
        .args(["open", "-k", "key.txt", "-"])
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    child
        .stdin
        .take()
        .unwrap()
        .write_all(&dir.read("sealed"))
        .unwrap();
    let mut err = String::new();
    child
        .stderr
        .take()
        .unwrap()
        .read_to_string(&mut err)
        .unwrap();
    assert_eq!((child.wait().unwrap().code(), err.as_str()), (Some(0), ""));
}

#[test]
fn key_files_that_others_can_read_are_warned_of() {
    let dir = Dir::new();
    for (mode, warned) in [(0o600, false), (0o400, false), (0o640, true), (0o604, true)] {
        dir.chmod("key.txt", mode);
        let ran = dir.pqseal(&["open", "-k", "key.txt", "blob.txt"]);
        assert_eq!((ran.code, ran.out()), (Some(0), PLAINTEXT));
        assert_eq!(
            ran.err.contains("chmod 600 key.txt"),
            warned,
            "{mode:o}: {}",
            ran.err
        );
    }
}

#[test]
fn key_files_have_a_limit() {
    let dir = Dir::new();
    dir.write("large", vec![b'A'; 64 * 1024 + 1]);
    dir.pqseal(&["open", "-k", "large", "blob.txt"])
        .fails(3, "larger than 64 KiB");
    dir.pqseal(&["pubkey", "/dev/zero"])
        .fails(1, "larger than 64 KiB");
}

#[test]
#[cfg(target_os = "linux")]
fn no_core_dumps() {
    let dir = Dir::new();
    let mut child = dir
        .command(PQSEAL)
        .args(["inspect"])
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    let limits = format!("/proc/{}/limits", child.id());
    let off = |text: String| {
        let line = text
            .lines()
            .find(|line| line.starts_with("Max core file size"))
            .unwrap()
            .to_owned();
        line.split_whitespace()
            .skip(4)
            .take(2)
            .all(|limit| limit == "0")
    };
    // The process waits for its input; it needs a moment to get there.
    let found = (0..500).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(10));
        off(fs::read_to_string(&limits).unwrap())
    });
    drop(child.stdin.take());
    child.wait().unwrap();
    assert!(found);
}
