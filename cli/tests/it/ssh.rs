//! `pqseal file` with SSH keys of ssh-keygen: `age` and `rage` on the other side, passphrases, and
//! refusals. A missing program is a failure.

use crate::common::{Dir, age_and_rage, each_fails, long_text, shell};

/// The kinds that this build supports. RSA needs AWS-LC.
const KINDS: &[&str] = match cfg!(feature = "aws-lc") {
    true => &["ed25519", "rsa"],
    false => &["ed25519"],
};

/// The reason why an RSA key of 1,024 bits is refused.
const SMALL: &str = match cfg!(feature = "aws-lc") {
    true => "2,048 to 8,192 bits",
    false => "needs a build with the feature `aws-lc`",
};

/// Creates a directory with keys of both kinds, `locked` under the passphrase in `pass`, and
/// `text`.
fn dir() -> Dir {
    let dir = Dir::new();
    assert_eq!(
        dir.shell("command -v ssh-keygen").code,
        Some(0),
        "this test needs ssh-keygen; run: tools/setup (Debian: apt install openssh-client)"
    );
    for (name, options) in [
        ("ed25519", "-t ed25519 -N ''"),
        ("rsa", "-t rsa -b 2048 -N ''"),
        ("locked", "-t ed25519 -N 'correct horse' -a 2"),
        ("other", "-t ed25519 -N ''"),
        ("small", "-t rsa -b 1024 -N ''"),
        ("ecdsa", "-t ecdsa -N ''"),
    ] {
        shell(&dir, &format!("ssh-keygen -q {options} -f {name}"));
    }
    dir.write("pass", "correct horse\n");
    dir.write("wrong", "battery staple\n");
    shell(&dir, "chmod 600 pass wrong");
    dir.write("text", long_text());
    dir
}

#[test]
fn age_and_rage_open_ours_and_we_open_theirs() {
    let dir = dir();
    let text = dir.read("text");
    let to: String = KINDS.iter().map(|kind| format!(" -R {kind}.pub")).collect();
    shell(&dir, &format!("pqseal file encrypt {to} -o ours text"));
    for (peer, number) in age_and_rage().iter().zip(1..) {
        shell(&dir, &format!("{peer} {to} -o theirs{number} text"));
        for identity in KINDS {
            for line in [
                format!("{peer} -d -i {identity} ours"),
                format!("pqseal file decrypt -i {identity} theirs{number}"),
                format!("pqseal file decrypt -i other -i {identity} ours"),
            ] {
                assert!(shell(&dir, &line).out == text, "{line}");
            }
        }
        dir.shell(&format!("pqseal file decrypt -i other theirs{number}"))
            .fails(1, "no identity matches a recipient of the file");
    }
}

#[test]
fn a_private_key_may_be_under_a_passphrase() {
    let dir = dir();
    shell(&dir, "pqseal file encrypt -R locked.pub -o f text");
    let line = "pqseal file decrypt -i locked --passphrase-file";
    assert!(shell(&dir, &format!("{line} pass f")).out == dir.read("text"));
    dir.shell(&format!("{line} wrong f"))
        .fails(1, "the passphrase does not open locked");
    let public = shell(&dir, "pqseal file keygen -y locked --passphrase-file pass").out;
    assert!(dir.read("locked.pub").starts_with(public.trim_ascii_end()));
}

/// A wrong passphrase ends a run that asks for one.
#[test]
fn passphrases_are_asked_for_only_if_a_key_may_open_the_file() {
    let dir = dir();
    shell(
        &dir,
        "pqseal file encrypt -R ed25519.pub -o f text; pqseal file encrypt -R locked.pub -o g text; \
         pqseal file keygen -o me 2> /dev/null; pqseal file encrypt -p --passphrase-file pass -o id me; chmod 600 id",
    );
    let line = "pqseal file decrypt --passphrase-file";
    for identities in ["-i locked -i ed25519", "-i ed25519 -i id"] {
        assert!(shell(&dir, &format!("{line} wrong {identities} f")).out == dir.read("text"));
    }
    let lines = [
        "wrong -i locked f => no identity matches",
        "wrong -i ed25519 -i locked g => the passphrase does not open locked",
        "wrong -i ed25519 -i id g => the passphrase does not open id",
        "pass -i ed25519 -i id f g => no identity matches",
    ];
    for line in lines {
        let (arguments, message) = line.split_once(" => ").unwrap();
        let ran = dir.shell(&format!(
            "pqseal file decrypt -o out.d/ --force --passphrase-file {arguments}"
        ));
        assert!(
            ran.code != Some(0) && ran.err.contains(message),
            "{}",
            ran.err
        );
    }
    let line = format!("{line} pass -i ed25519 -i id -i locked g");
    assert!(shell(&dir, &line).out == dir.read("text"));
}

#[test]
fn keys_that_cannot_encrypt_are_named() {
    let dir = dir();
    shell(&dir, "cat ecdsa.pub ed25519.pub other.pub ecdsa.pub > many");
    let ran = dir.shell("pqseal file encrypt -R many -o f text");
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    for words in ["many, line 1: skipped", "many, line 4: skipped"] {
        assert!(ran.err.contains(words), "{}", ran.err);
    }
    let line = "pqseal file decrypt -i ed25519 f | cmp - text; pqseal file inspect f | grep -q ssh-ed25519; \
                pqseal file keygen --pq -o pq 2> /dev/null; pqseal file keygen -y pq > to-pq";
    shell(&dir, line);
    let lines = [
        "encrypt -R ecdsa.pub text => this kind of SSH key cannot encrypt",
        &format!("encrypt -r \"$(cat small.pub)\" text => {SMALL}"),
        "decrypt -i ed25519.pub f => give the identity (private key)",
        "encrypt -R ed25519 text => it is a private key",
    ];
    each_fails(&dir, "pqseal file", 3, &lines);
    let lines = ["encrypt -R ed25519.pub -R to-pq text => post-quantum and classical"];
    each_fails(&dir, "pqseal file", 2, &lines);
}
