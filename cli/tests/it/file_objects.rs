//! `pqseal file encrypt --format cobblestone`: objects in every way that files are used, and what is
//! refused.

use std::fs;

use crate::common::{Dir, long_text, shell};

/// `id`, `pq` and `other` with recipients `to`, `to-pq` and `to-other`, and `text` of some chunks.
fn dir() -> Dir {
    let dir = Dir::new();
    for (id, to, pq) in [
        ("id", "to", ""),
        ("pq", "to-pq", "--pq"),
        ("other", "to-other", ""),
    ] {
        shell(
            &dir,
            &format!("pqseal file keygen {pq} -o {id} 2> /dev/null"),
        );
        shell(&dir, &format!("pqseal file keygen -y {id} > {to}"));
    }
    dir.write("text", long_text());
    dir
}

#[test]
fn objects_round_trip() {
    let dir = dir();
    shell(
        &dir,
        "pqseal keygen --kem mlkem1024-p384 -o k > /dev/null 2>&1; pqseal pubkey k > kp",
    );
    let encrypt = "pqseal file encrypt --format cobblestone";
    for line in [
        "-R to -o o text && pqseal file decrypt -i id o",
        "-R to -R to-other < text | pqseal file decrypt --threads 3 -i other",
        "--suite HKDF-SHA512,AES-256-GCM --threads 1 -R to-pq text | cat | pqseal file decrypt -i pq",
        "-R kp text | pqseal file decrypt -i k",
    ] {
        assert!(
            shell(&dir, &format!("{encrypt} {line}")).out == dir.read("text"),
            "{line}"
        );
    }
    let line =
        "pqseal file encrypt --format cobblestone-128 -R to text | pqseal file decrypt -i id";
    assert!(shell(&dir, line).out == dir.read("text"));

    shell(&dir, "mkdir folder; cp text folder/inner");
    shell(&dir, &format!("{encrypt} -R to -o sealed folder text"));
    shell(&dir, "ls sealed/text.pqseal sealed/folder/inner.pqseal");
    shell(&dir, "pqseal file decrypt -i id -o back sealed");
    assert!(dir.read("back/sealed/folder/inner") == dir.read("text"));
    assert!(dir.read("back/sealed/text") == dir.read("text"));
}

#[test]
fn ranges_and_inspect() {
    let dir = dir();
    let text = dir.read("text");
    shell(
        &dir,
        "pqseal file encrypt --format cobblestone -R to -o o text",
    );
    for (range, part) in [
        ("0-0", &text[..1]),
        ("16383-16384", &text[16_383..16_385]),
        ("-1000", &text[199_001..]),
        ("100000-", &text[100_000..]),
    ] {
        let line = format!("pqseal file decrypt -i id --range {range} o");
        assert!(shell(&dir, &line).out == part, "{range}");
    }
    let shown = shell(&dir, "pqseal file inspect o");
    for line in [
        "o: pqseal-object/v1\n",
        "(x25519,HKDF-SHA256,ChaCha20Poly1305)\n",
        "cipher: AES-256-GCM\n",
        "post-quantum: no",
        "header: 146 bytes",
        "plaintext: 200001 bytes in 13 chunks",
    ] {
        assert!(shown.out().contains(line), "{line}: {}", shown.out());
    }
    let shown = shell(
        &dir,
        "pqseal file encrypt --format cobblestone-128 -R to-pq text | pqseal --json file inspect",
    );
    let shown: serde_json::Value = serde_json::from_slice(&shown.out).unwrap();
    assert_eq!(shown["post_quantum"], true);
    assert_eq!(shown["cipher"], "AES-128-GCM");
    let suite = "mlkem768-x25519,HKDF-SHA256,ChaCha20Poly1305";
    assert_eq!(shown["recipients"][0]["suite"], suite);
}

#[test]
fn rekey_works_in_place_and_by_a_copy() {
    let dir = dir();
    for (name, reserve) in [("small", ""), ("roomy", "--reserve")] {
        let line =
            format!("pqseal file encrypt --format cobblestone {reserve} -R to -o {name} text");
        shell(&dir, &line);
        let payload = dir.read(name).split_off(dir.read(name).len() - 200_000);
        let inode = inode(&dir, name);
        let ran = dir.shell(&format!("pqseal file rekey -i id -R to-pq {name}"));
        assert!(ran.code == Some(0), "{}", ran.err);
        assert_eq!(self::inode(&dir, name) == inode, name == "roomy");
        assert!(dir.read(name).ends_with(&payload));
        let opened = shell(&dir, &format!("pqseal file decrypt -i pq {name}"));
        assert!(opened.out == dir.read("text"));
        dir.shell(&format!("pqseal file decrypt -i id {name}"))
            .fails(1, "no identity matches");
    }
}

#[cfg(unix)]
fn inode(dir: &Dir, name: &str) -> u64 {
    std::os::unix::fs::MetadataExt::ino(&fs::metadata(dir.path(name)).unwrap())
}

#[test]
fn what_is_not_for_objects_is_refused() {
    let dir = dir();
    let encrypt = "pqseal file encrypt --format cobblestone";
    for (arguments, why) in [
        ("-a -R to text", "-a is for the age format"),
        ("-p text", "-p is for the age format"),
        ("-R to -R to-pq text", "cannot be mixed"),
        ("text", "no recipient was given"),
        ("--suite HKDF-SHA256,none -R to text", "there is no AEAD"),
        (
            "--suite p256,HKDF-SHA256,AES-128-GCM -R to text",
            "the key is one of x25519",
        ),
    ] {
        dir.shell(&format!("{encrypt} {arguments}")).fails(2, why);
    }
    dir.shell("pqseal file encrypt --suite HKDF-SHA256,AES-128-GCM -R to text")
        .fails(2, "--suite is for --format cobblestone");
    shell(&dir, &format!("{encrypt} -R to -o o text"));
    dir.shell("pqseal file decrypt -i other o")
        .fails(1, "no identity matches");
    dir.shell("pqseal file decrypt o")
        .fails(2, "give an identity with -i");
    shell(&dir, "head -c 100000 o > cut");
    dir.shell("pqseal file decrypt -i id -o x cut")
        .fails(1, "copy it again");
    assert!(!dir.path("x").exists());
    shell(&dir, "printf '\\211pqseal\\n\\002' | cat - text > later");
    dir.shell("pqseal file inspect later")
        .fails(1, "decrypt it with a later release");
}

#[test]
fn experimental_kems_need_the_flag_on_both_sides() {
    let dir = dir();
    shell(
        &dir,
        "pqseal keygen --allow-experimental --kem bike-l1 -o k > /dev/null 2>&1; pqseal pubkey k > kp",
    );
    let encrypt = "pqseal file encrypt --format cobblestone";
    dir.shell(&format!("{encrypt} -R kp text"))
        .fails(3, "experimental");
    shell(
        &dir,
        &format!("{encrypt} --allow-experimental -R kp -o o text"),
    );
    dir.shell("pqseal file decrypt -i k o")
        .fails(1, "--allow-experimental");
    let opened = shell(&dir, "pqseal file decrypt --allow-experimental -i k o");
    assert!(opened.out == dir.read("text"));
}
