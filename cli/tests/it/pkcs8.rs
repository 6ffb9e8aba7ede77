//! PKCS#8 under a passphrase, in both directions with `openssl pkcs8`. A missing program is a
//! failure.

use crate::common::{Dir, each_fails, shell};

/// Creates a directory with `pass` and `wrong`, and `ID`, a key of X25519 in PEM, with its public
/// key in `ID.pub`.
fn dir() -> Dir {
    let dir = Dir::new();
    dir.write("pass", "a passphrase\n");
    dir.write("wrong", "another\n");
    shell(&dir, "openssl version > /dev/null && chmod 600 pass wrong");
    for kem in ["x25519", "p256", "p521", "mlkem768"] {
        dir.shell(&format!(
            "pqseal keygen --kem {kem} -o {kem} > /dev/null 2>&1 && pqseal pubkey {kem} > {kem}.pub"
        ))
        .succeeds();
    }
    dir
}

const KEMS: [&str; 3] = ["x25519", "p256", "p521"];

#[test]
fn we_open_what_openssl_encrypts() {
    let dir = dir();
    let schemes = [
        "",
        "-v2 aes-128-cbc",
        "-v2 aes-192-cbc -iter 5000",
        "-v2 aes-256-cbc -v2prf hmacWithSHA512",
        "-scrypt",
        "-scrypt -scrypt_N 1024 -scrypt_r 4 -scrypt_p 3",
    ];
    for kem in KEMS {
        let count = if kem == "x25519" { schemes.len() } else { 1 };
        for options in &schemes[..count] {
            let line = format!(
                "openssl pkcs8 -topk8 -in {kem} -out locked -passout file:pass {options} && chmod 600 locked && \
                 pqseal pubkey --passphrase-file pass locked | cmp - {kem}.pub"
            );
            shell(&dir, &line);
        }
        dir.shell("pqseal pubkey --passphrase-file wrong locked")
            .fails(1, "the passphrase does not open locked");
    }
    shell(&dir, "pqseal seal --to p521.pub < pass > blob");
    let opened = shell(&dir, "pqseal open -k locked --passphrase-file pass blob");
    assert_eq!(opened.out, dir.read("pass"));
}

#[test]
fn openssl_opens_what_we_encrypt() {
    let dir = dir();
    for kem in KEMS {
        let line = format!(
            "rm -f ours; pqseal key convert --encrypt=pkcs8 --passphrase-file pass -o ours {kem} && \
             openssl pkcs8 -in ours -passin file:pass -out plain && chmod 600 plain && \
             pqseal pubkey plain | cmp - {kem}.pub && \
             pqseal pubkey --passphrase-file pass ours | cmp - {kem}.pub"
        );
        shell(&dir, &line);
        assert_eq!(dir.mode("ours"), 0o600);
        let wrong = dir.shell("openssl pkcs8 -in ours -passin file:wrong");
        assert_ne!(wrong.code, Some(0), "{kem}");
    }
    let made = dir.shell(
        "pqseal keygen --kem mlkem768 --encrypt=pkcs8 --passphrase-file pass -o new > new.pub",
    );
    assert_eq!(made.code, Some(0), "{}", made.err);
    let public = shell(&dir, "pqseal pubkey --passphrase-file pass new");
    assert!(public.out == dir.read("new.pub"));
}

#[test]
fn each_problem_is_reported() {
    let dir = dir();
    let encrypt = |options: &str| {
        dir.shell(&format!("openssl pkcs8 -topk8 -in x25519 -out locked -passout file:pass {options} && chmod 600 locked"))
            .succeeds();
        dir.shell("pqseal pubkey --passphrase-file pass locked")
    };
    encrypt("-iter 10000001").fails(1, "more work than the limit");
    encrypt("-v2 aria-128-cbc").fails(1, "not supported");
    encrypt("-v2 des3").fails(1, "not supported");
    encrypt("").succeeds();
    let line = "head -n 2 locked > cut; tail -n 1 locked >> cut; chmod 600 cut; pqseal pubkey --form pem x25519 > public";
    shell(&dir, line);
    dir.shell("pqseal pubkey --passphrase-file pass cut")
        .fails(1, "malformed or was cut");
    let lines = [
        "key convert --form jwk x25519 => --encrypt=pkcs8 writes PEM",
        "key convert public => --encrypt is only for private keys",
        "keygen --kem mlkem768-x25519 => cannot hold keys of this KEM",
    ];
    let lines = lines.map(|line| line.replace(" =>", " --encrypt=pkcs8 --passphrase-file pass =>"));
    each_fails(&dir, "pqseal", 2, &lines.each_ref().map(String::as_str));
}
