//! Raw keys, which do not say which half of a key pair they are, and the line that `pqseal keygen`
//! writes instead.

use crate::common::{Dir, PUBLIC_KEY, Ran, shell};

const NEEDED: &str = "add --raw-private or --raw-public";

/// KEMs whose halves have the same size, other sizes, and the size of another KEM's half.
const KEMS: [&str; 5] = ["x25519", "x448", "p256", "mlkem768", "mlkem768-x25519"];

/// Creates raw key pairs, in `KEM.key` and `KEM.pub`, and the public key's line in `KEM.line`.
fn dir() -> Dir {
    let dir = Dir::new();
    for kem in KEMS {
        let line = format!(
            "pqseal keygen --form line --kem {kem} -o k > /dev/null 2>&1 && pqseal pubkey --form raw k > {kem}.pub \
             && pqseal key convert --form raw -o {kem}.key k && pqseal pubkey --form line k > {kem}.line && rm k"
        );
        shell(&dir, &line);
    }
    dir
}

/// Runs the commands that need the public half of the key in a file.
fn asks(dir: &Dir, options: &str, file: &str) -> Vec<Ran> {
    let ask = |command: &str| dir.shell(&format!("pqseal {command} {options} {file}"));
    let mut all = vec![
        ask("pubkey"),
        ask("pubkey --json"),
        ask("pubkey --form line"),
        ask("pubkey --fingerprint"),
        ask("key convert --public"),
        ask("key convert --public --form line"),
        ask("key inspect"),
    ];
    if options.contains("x25519") {
        let holding_it = ["jwk", "json", "cose-key"];
        all.extend(holding_it.map(|form| ask(&format!("key convert --form {form}"))));
    }
    all
}

#[test]
fn the_public_half_of_a_raw_key_needs_its_half() {
    let dir = dir();
    for kem in KEMS {
        let options = format!("--kem {kem}");
        for half in ["key", "pub"] {
            for ran in asks(&dir, &options, &format!("{kem}.{half}")) {
                assert_eq!((ran.code, ran.out()), (Some(2), ""), "{kem}.{half}");
                assert!(ran.err.contains(NEEDED), "{}", ran.err);
            }
        }
        let expected = dir.read(&format!("{kem}.line"));
        for (half, option) in [("key", "--raw-private"), ("pub", "--raw-public")] {
            for command in ["pubkey --form line", "key convert --public --form line"] {
                let line = format!("pqseal {command} {option} {options} {kem}.{half} 2> err");
                assert!(dir.shell(&line).out == expected, "{line}");
            }
        }
    }
}

/// These commands take a raw key for the half that they need, without an option.
#[test]
fn other_commands_read_raw_keys_without_it() {
    let dir = Dir::new();
    for line in [
        "pqseal open -k key.txt blob.txt",
        "pqseal open -k - blob.txt < key.txt",
        "matched-data-cli decrypt -k key.txt blob.txt",
        &format!("echo x | pqseal seal --to {PUBLIC_KEY} | pqseal open -k key.txt"),
        "pqseal key convert key.txt | pqseal open -k - blob.txt",
        "pqseal key convert --form line key.txt | pqseal open -k - blob.txt",
        "pqseal key convert --form raw key.txt | cmp - key.txt",
    ] {
        dir.shell(line).succeeds();
    }
}

/// Keys in other formats name their KEM.
#[test]
fn only_of_raw_keys_the_kem_may_be_another() {
    let dir = Dir::new();
    dir.write("raw", "AAAA");
    dir.write("jwk", r#"{"kty":"OKP","crv":"X25519","x":"AAAA"}"#);
    for (file, advised) in [("raw", true), ("jwk", false)] {
        let error = dir.pqseal(&["seal", "--to", file, "blob.txt"]).err;
        assert!(error.contains("this one has 3"), "{error}");
        assert_eq!(error.contains("key convert --kem"), advised, "{error}");
    }
}

#[test]
fn every_reader_reads_what_keygen_writes() {
    let dir = Dir::new();
    let made = dir
        .shell("pqseal keygen --kem x25519 -o k 2> id")
        .succeeds();
    let raw = shell(&dir, "pqseal pubkey --form raw k");
    let line = shell(&dir, "pqseal pubkey --form line k");
    let expected = format!("# for dashboards: {}{}", raw.out(), line.out());
    assert_eq!(made.out(), expected);
    dir.write("k.pub", made.out());
    for line in [
        "echo x | pqseal seal --to k.pub | pqseal open -k k",
        "echo x | pqseal seal --to \"$(cat k.pub)\" | pqseal open -k k",
        "pqseal seal --to - blob.txt < k.pub | pqseal open -k k | cmp - blob.txt",
        "pqseal logs generate 1 | pqseal logs seal --to k.pub | pqseal logs open --strict -k k",
        "pqseal file encrypt -R k.pub blob.txt | pqseal file decrypt -i k | cmp - blob.txt",
        "pqseal file encrypt -r \"$(cat k.pub)\" blob.txt | pqseal file decrypt -i k | cmp - blob.txt",
        "pqseal pubkey --form line k.pub | grep -qxFf - k.pub",
        "pqseal key convert --form pem k.pub | pqseal pubkey --form line - | grep -qxFf - k.pub",
    ] {
        dir.shell(line).succeeds();
    }
    dir.pqseal(&["open", "-k", "k.pub", "blob.txt"])
        .fails(3, "it is a public key; the private key is needed");
    let ran = dir.pqseal(&["--json", "doctor", "k.pub"]);
    assert!(
        ran.out().contains("\"kind\":\"public_key\""),
        "{}",
        ran.out()
    );
    // A comment may be above a private key too.
    shell(
        &dir,
        "(head -n 1 k.pub; pqseal key convert --form line k) > both && chmod 600 both",
    );
    shell(
        &dir,
        "echo x | pqseal seal --to k.pub | pqseal open -k both",
    );
    shell(&dir, "pqseal pubkey --form line both | grep -qxFf - k.pub");
}

#[test]
fn the_keys_of_a_file_are_shown_without_a_secret() {
    let dir = Dir::new();
    for kem in ["p256", "x25519"] {
        let make = "pqseal keygen --form line --kem KEM -o KEM > KEM.pub 2> KEM.err";
        shell(
            &dir,
            &format!("{make}; (echo '# of KEM'; cat KEM) >> keys").replace("KEM", kem),
        );
    }
    let id = |kem: &str| {
        let ran = dir.shell(&format!("pqseal pubkey --fingerprint {kem} | tac"));
        ran.out().to_owned()
    };
    let expected = format!(
        "half:        private\nkem:         p256 (DHKEM(P-256, HKDF-SHA256), 0x0010)\n{}label:       of p256\n\n\
         half:        private\nkem:         x25519 (DHKEM(X25519, HKDF-SHA256), 0x0020)\n{}label:       of x25519\n",
        id("p256"),
        id("x25519"),
    );
    let shown = dir.shell("chmod 600 keys && pqseal key inspect keys");
    assert_eq!(shown.succeeds().out(), expected);
    let one = dir.shell("(echo '# edge'; cat p256) > one; chmod 600 one && pqseal key inspect one");
    assert!(
        one.out().ends_with("\nlabel:       edge\n"),
        "{}",
        one.out()
    );
    let public = dir.shell("pqseal key inspect --json p256.pub");
    let facts = "\"half\":\"public\",\"kem\":\"p256\"";
    assert!(public.out().contains(facts), "{}", public.out());
}
