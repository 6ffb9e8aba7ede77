//! The age test kit by `pqseal file decrypt`: valid files open, invalid ones end with an error, and
//! a failure leaves no file, neither under the output's name nor under a temporary one.

use std::io::Read;

use flate2::read::ZlibDecoder;
use sha2::{Digest, Sha256};
use test_vectors::{AgeExpect, AgeVector, age_kit};

use crate::common::{Dir, Ran};

#[test]
fn every_case_opens_or_leaves_nothing() {
    let cases = age_kit().entries;
    assert_eq!(cases.len(), 143);
    let dir = Dir::new();
    for name in ["id", "pass", "case"] {
        dir.write(name, "");
        dir.chmod(name, 0o600);
    }
    let names = dir.names();
    for case in &cases {
        let ran = decrypt(&dir, case);
        if case.expect == AgeExpect::Success {
            assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{}", case.name);
            let hash = Sha256::digest(dir.read("out"));
            let hash: String = hash.iter().map(|byte| format!("{byte:02x}")).collect();
            assert_eq!(Some(hash), case.payload_sha256, "{}", case.name);
            std::fs::remove_file(dir.path("out")).unwrap();
        } else {
            assert_eq!(ran.code, Some(1), "{}: {}", case.name, ran.err);
            assert!(ran.err.contains("case: "), "{}: {}", case.name, ran.err);
        }
        assert!(ran.out.is_empty(), "{}", case.name);
        assert_eq!(dir.names(), names, "{}", case.name);
    }
}

/// Decrypts with the case's keys, or with those of the case before it.
fn decrypt(dir: &Dir, case: &AgeVector) -> Ran {
    let mut file = case.file.clone();
    if case.compressed {
        file.clear();
        let mut whole = ZlibDecoder::new(&case.file[..]);
        whole.read_to_end(&mut file).unwrap();
    }
    dir.write("case", file);
    if !case.identities.is_empty() {
        dir.write("id", case.identities.join("\n"));
    }
    let mut arguments = vec!["file", "decrypt", "-o", "out", "-i", "id", "case"];
    if let Some(passphrase) = case.passphrases.first() {
        dir.write("pass", passphrase);
        arguments.extend(["--passphrase-file", "pass"]);
    }
    dir.pqseal(&arguments)
}
