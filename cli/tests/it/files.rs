//! Files: their permissions, those that are never overwritten, and those left by a command
//! that fails.

use std::{
    fs,
    os::unix::fs::{FileTypeExt, symlink},
    process::Stdio,
    thread,
    time::Duration,
};

use crate::common::{Dir, PLAINTEXT, PQSEAL, PUBLIC_KEY};

/// Sealed data and public keys follow the umask.
#[test]
fn only_the_owner_can_read_private_keys_and_plaintext() {
    let dir = Dir::new();
    let line = "umask 027; pqseal keygen --kem x25519 -o new.pem 2>&1 && pqseal key convert -o new.jwk --form jwk new.pem \
                && pqseal open -k key.txt -o opened blob.txt && pqseal seal --to PUBLIC -o sealed README.md \
                && pqseal key convert --raw-private --public -o public.pem key.txt";
    dir.shell(&line.replace("PUBLIC", PUBLIC_KEY)).succeeds();
    let modes = ["new.pem", "new.jwk", "opened", "sealed", "public.pem"].map(|name| dir.mode(name));
    assert_eq!(modes, [0o600, 0o600, 0o600, 0o640, 0o640]);
    assert_eq!(dir.read("opened"), PLAINTEXT.as_bytes());
}

#[test]
fn a_new_key_never_replaces_a_file() {
    let dir = Dir::new();
    dir.write("there", "precious");
    symlink("nowhere", dir.path("dangling")).unwrap();
    for line in [
        "keygen -o there",
        "keygen -o dangling",
        "key convert key.txt -o there",
    ] {
        dir.words(line).fails(3, "already exists");
    }
    assert_eq!(dir.read("there"), b"precious");
}

#[test]
fn results_never_replace_a_key() {
    let dir = Dir::new();
    let seal = format!("seal --to {PUBLIC_KEY} README.md");
    for form in ["pem", "jwk", "json", "line", "raw"] {
        dir.words(&format!(
            "key convert --raw-private --form {form} -o {form} key.txt"
        ))
        .succeeds();
        let before = dir.read(form);
        for command in ["open -k key.txt blob.txt", &seal] {
            dir.words(&format!("{command} -o {form}"))
                .fails(3, "holds a key");
        }
        assert_eq!(dir.read(form), before);
    }
    symlink("key.txt", dir.path("link")).unwrap();
    dir.write("cut.pem", "-----BEGIN PRIVATE KEY-----\nMC4CAQ");
    for name in ["link", "cut.pem"] {
        dir.words(&format!("open -k key.txt -o {name} blob.txt"))
            .fails(3, "holds a key");
    }
}

/// Two outputs of one command are separate files.
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

/// The target of a link is replaced, and the link stays.
#[test]
fn links_stay_links() {
    let dir = Dir::new();
    dir.write("result", "before");
    symlink("result", dir.path("link")).unwrap();
    dir.words("open -k key.txt -o link blob.txt").succeeds();
    assert_eq!(dir.read("result"), PLAINTEXT.as_bytes());
    assert!(fs::symlink_metadata(dir.path("link")).unwrap().is_symlink());
}

#[test]
fn a_file_over_a_blob_is_no_key() {
    let dir = Dir::new();
    // 57 bytes around 7 are 64: as long as an ML-KEM private key.
    for text in ["7 bytes", "another"] {
        let seal = ["seal", "--to", PUBLIC_KEY, "-o", "sealed"];
        dir.run(PQSEAL, &seal, text.as_bytes()).succeeds();
        assert_eq!(dir.words("open -k key.txt sealed").out(), text);
    }
}

#[test]
fn devices_are_written_to_and_stay_devices() {
    let dir = Dir::new();
    let open = |to: &str| dir.words(&format!("open -k key.txt -o {to} blob.txt"));
    open("/dev/null").succeeds();
    let kind = fs::metadata("/dev/null").unwrap().file_type();
    assert!(kind.is_char_device());
    open("/dev/full").fails(3, "no space left");
    open(".").fails(3, "directory");
}

#[test]
fn a_full_disk_is_an_error_of_every_command() {
    let dir = Dir::new();
    for command in [
        "--help",
        "open --help",
        "--version",
        "keygen",
        "pubkey --raw-private key.txt",
        &format!("seal --to {PUBLIC_KEY} README.md"),
        "open -k key.txt blob.txt",
        "inspect blob.txt",
        "suites",
        "key convert key.txt",
        "completions bash",
        "man",
    ] {
        let ran = dir.shell(&format!("pqseal {command} > /dev/full"));
        assert_eq!(ran.code, Some(3), "{command}");
        let message = "cannot write to standard output: no space left";
        assert!(ran.err.contains(message), "{command}: {}", ran.err);
    }
}

#[test]
fn a_reader_who_has_gone_is_no_error() {
    let dir = Dir::new();
    let line = format!(
        "head -c 1000000 /dev/zero | pqseal seal --to {PUBLIC_KEY} > sealed; \
         (pqseal open -k key.txt sealed 2> err; echo $? > code) | true; cat code err"
    );
    assert_eq!(dir.shell(&line).succeeds().out(), "0\n");
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
    let mut command = dir.command(PQSEAL);
    let mut child = command
        .arg("inspect")
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    let limits = format!("/proc/{}/limits", child.id());
    let off = |text: String| {
        let line = text
            .lines()
            .find(|line| line.starts_with("Max core file size"));
        let limits: Vec<_> = line.unwrap().split_whitespace().skip(4).take(2).collect();
        limits == ["0", "0"]
    };
    // The process waits for its input; it needs a moment to get there.
    let found = (0..500).any(|_| {
        thread::sleep(Duration::from_millis(10));
        off(fs::read_to_string(&limits).unwrap())
    });
    drop(child.stdin.take());
    child.wait().unwrap();
    assert!(found);
}
