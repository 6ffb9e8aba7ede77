//! `pqseal file encrypt --format cobblestone`: objects in every way that files are used, and
//! refusals.

use crate::{
    common::{each_fails, shell},
    file::dir,
};

#[test]
fn objects_round_trip() {
    let dir = dir();
    shell(
        &dir,
        "pqseal keygen --kem mlkem1024-p384 -o k > /dev/null 2>&1; pqseal pubkey k > kp",
    );
    for line in [
        " -R to -o o text && pqseal file decrypt -i id o",
        " -R to -R to-other < text | pqseal file decrypt --threads 3 -i other",
        " --suite HKDF-SHA512,AES-256-GCM --threads 1 -R to-pq text | cat | pqseal file decrypt -i pq",
        " -R kp text | pqseal file decrypt -i k",
        "-128 -R to text | pqseal file decrypt -i id",
    ] {
        let line = format!("pqseal file encrypt --format cobblestone{line}");
        assert!(shell(&dir, &line).out == dir.read("text"), "{line}");
    }
    let line = "mkdir folder; cp text folder/inner; \
                pqseal file encrypt --format cobblestone -R to -o sealed folder text && \
                ls sealed/text.pqseal sealed/folder/inner.pqseal && \
                pqseal file decrypt -i id -o back sealed && \
                cmp back/sealed/folder/inner text && cmp back/sealed/text text";
    shell(&dir, line);
}

#[test]
fn what_is_not_for_objects_is_refused() {
    let dir = dir();
    let encrypt = "pqseal file encrypt --format cobblestone";
    let lines = [
        "-a -R to text => -a is for the age format",
        "-p text => -p is for the age format",
        "-R to -R to-pq text => cannot be mixed",
        "text => no recipient was given",
        "--suite HKDF-SHA256,none -R to text => there is no such AEAD",
        "--suite p256,HKDF-SHA256,AES-128-GCM -R to text => the key is one of x25519",
    ];
    each_fails(&dir, encrypt, 2, &lines);
    let line = format!(
        "{encrypt} -R to -o o text; head -c 100000 o > cut; printf '\\211pqseal\\n\\002' | cat - text > later"
    );
    shell(&dir, &line);
    let lines = [
        "encrypt --suite HKDF-SHA256,AES-128-GCM -R to text => --suite is for --format cobblestone",
        "decrypt o => give an identity with -i",
    ];
    each_fails(&dir, "pqseal file", 2, &lines);
    let lines = [
        "decrypt -i other o => no identity matches",
        "decrypt -i id -o x cut => copy it again",
        "inspect later => decrypt it with a later release",
    ];
    each_fails(&dir, "pqseal file", 1, &lines);
    assert!(!dir.path("x").exists());
}

#[test]
fn experimental_kems_need_the_flag_on_both_sides() {
    let dir = dir();
    shell(
        &dir,
        "pqseal keygen --allow-experimental --kem bike-l1 -o k > /dev/null 2>&1; pqseal pubkey k > kp",
    );
    let encrypt = "pqseal file encrypt --format cobblestone -R kp";
    dir.shell(&format!("{encrypt} text"))
        .fails(3, "experimental");
    shell(&dir, &format!("{encrypt} --allow-experimental -o o text"));
    dir.shell("pqseal file decrypt -i k o")
        .fails(1, "--allow-experimental");
    let opened = shell(&dir, "pqseal file decrypt --allow-experimental -i k o");
    assert!(opened.out == dir.read("text"));
}
