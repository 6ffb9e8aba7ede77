//! Wycheproof's JSON: groups of tests that share sizes.

use crate::sources::{Source, Sources, rename};
use crate::{Output, Result};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use test_vectors::{AeadVector, CobblestoneVector, DhVector, HkdfVector};

pub(crate) fn import(sources: &Sources) -> Result<Vec<Output>> {
    let mut outputs = Vec::new();
    for name in ["x25519", "x448"] {
        outputs.push(xdh(sources, name)?);
    }
    for (name, curve, length) in [
        ("p256", "secp256r1", 32),
        ("p384", "secp384r1", 48),
        ("p521", "secp521r1", 66),
    ] {
        outputs.push(ecdh(sources, name, curve, length)?);
    }
    for (name, file) in [
        ("aes-gcm", "aes_gcm"),
        ("chacha20-poly1305", "chacha20_poly1305"),
    ] {
        outputs.push(aead(sources, name, file)?);
    }
    for hash in ["sha256", "sha384", "sha512"] {
        outputs.push(hkdf(sources, hash)?);
    }
    for bits in ["128", "256"] {
        outputs.push(cobblestone(sources, bits)?);
    }
    Ok(outputs)
}

fn xdh(sources: &Sources, name: &str) -> Result<Output> {
    let source = open(sources, name)?;
    let tests: Vec<DhVector> = all_tests(&source)?;
    let zero = tests
        .iter()
        .filter(|test| flagged(test, "ZeroSharedSecret"))
        .count();
    let note = format!(
        "HPKE must reject the {zero} acceptable tests with the flag ZeroSharedSecret (RFC 9180 section 7.1.4) and give the \
        shared secret of every other valid or acceptable test. A private key may come unclamped."
    );
    Output::new(&source.set(&format!("wycheproof-{name}"), &note, tests))
}

fn flagged(test: &DhVector, flag: &str) -> bool {
    test.flags.iter().any(|found| found == flag)
}

fn ecdh(sources: &Sources, name: &str, curve: &str, length: usize) -> Result<Output> {
    let source = open(sources, &format!("ecdh_{curve}_ecpoint"))?;
    let tests: Vec<DhVector> = all_tests(&source)?;
    let total = tests.len();
    let tests: Vec<DhVector> = tests
        .into_iter()
        .filter_map(|test| with_fixed_private(test, length))
        .collect();
    let dropped = total - tests.len();
    let compressed = tests
        .iter()
        .filter(|test| flagged(test, "CompressedPoint"))
        .count();
    let note = format!(
        "The source's private key is an integer with leading zeros or without; here it has the curve's {length} bytes, and \
        {dropped} tests that do not fit were dropped. The {compressed} tests with the flag CompressedPoint, one of them acceptable, \
        have a form that HPKE does not allow. An x coordinate of zero is a valid shared secret here, unlike on X25519 and X448."
    );
    Output::new(&source.set(&format!("wycheproof-{name}"), &note, tests))
}

/// Returns the same integer in `length` bytes, or `None` if it does not fit.
fn with_fixed_private(mut test: DhVector, length: usize) -> Option<DhVector> {
    let digits: Vec<u8> = test
        .private
        .iter()
        .copied()
        .skip_while(|byte| *byte == 0)
        .collect();
    let padding = length.checked_sub(digits.len())?;
    test.private = [vec![0; padding], digits].concat();
    Some(test)
}

fn aead(sources: &Sources, name: &str, file: &str) -> Result<Output> {
    let source = open(sources, file)?;
    let tests: Vec<AeadVector> = all_tests(&source)?;
    let (tests, others): (Vec<_>, Vec<_>) = tests.into_iter().partition(has_hpke_sizes);
    let nonces = others.iter().filter(|test| test.nonce.len() != 12).count();
    let note = format!(
        "Only the sizes of HPKE: nonce 96 bits, tag 128, key 128 (AES) or 256. Left out are {nonces} tests with another nonce \
        and {} with another key. ct is without the tag.",
        others.len() - nonces
    );
    Output::new(&source.set(&format!("wycheproof-{name}"), &note, tests))
}

fn has_hpke_sizes(test: &AeadVector) -> bool {
    test.nonce.len() == 12 && test.tag.len() == 16 && [16, 32].contains(&test.key.len())
}

fn hkdf(sources: &Sources, hash: &str) -> Result<Output> {
    let source = open(sources, &format!("hkdf_{hash}"))?;
    let tests: Vec<HkdfVector> = all_tests(&source)?;
    let note =
        "Invalid tests ask for more than 255 hash lengths (flag SizeTooLarge) and have no okm.";
    Output::new(&source.set(&format!("wycheproof-hkdf-{hash}"), note, tests))
}

/// Reads the tests of C2SP chunked encryption (Cobblestone).
fn cobblestone(sources: &Sources, bits: &str) -> Result<Output> {
    let file = format!("cobblestone/c2sp_chunked_encryption_aes_{bits}_gcm_test.json");
    let source = sources.file(&file)?;
    let tests = objects(&source)?.into_iter().map(|mut test| {
        rename(
            &mut test,
            &[
                ("tcId", "id"),
                ("ctx", "context"),
                ("aeadKey", "aead_key"),
                ("baseNonce", "base_nonce"),
                ("msgLength", "message_length"),
                ("msgSha512", "message_sha512"),
            ],
        );
        source.entry(test)
    });
    let tests: Result<Vec<CobblestoneVector>> = tests.collect();
    let note = "ct is compressed (zlib). Invalid tests with the flag PartialPlaintext begin with valid chunks: \
        message_length and message_sha512 are those of the longest prefix that may be released.";
    Output::new(&source.set(&format!("cobblestone-{bits}"), note, tests?))
}

/// Opens a file. The larger ones are stored compressed.
pub(crate) fn open(sources: &Sources, name: &str) -> Result<Source> {
    let compressed = if name.starts_with("hkdf") { "" } else { ".gz" };
    sources.file(&format!("wycheproof/{name}_test.json{compressed}"))
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct File {
    number_of_tests: usize,
    test_groups: Vec<Group>,
}

/// A group of tests. Its sizes and curve are implied by its tests.
#[derive(Deserialize)]
struct Group {
    tests: Vec<Map<String, Value>>,
}

fn all_tests<T: DeserializeOwned>(source: &Source) -> Result<Vec<T>> {
    objects(source)?
        .into_iter()
        .map(|test| our_test(source, test))
        .collect()
}

/// Returns the tests of all groups without changes.
pub(crate) fn objects(source: &Source) -> Result<Vec<Map<String, Value>>> {
    let file: File = source.json()?;
    let tests: Vec<_> = file
        .test_groups
        .into_iter()
        .flat_map(|group| group.tests)
        .collect();
    source.expect_count(tests.len())?;
    if tests.len() != file.number_of_tests {
        return Err(source.error(format!(
            "{} tests, numberOfTests is {}",
            tests.len(),
            file.number_of_tests
        )));
    }
    Ok(tests)
}

fn our_test<T: DeserializeOwned>(source: &Source, mut test: Map<String, Value>) -> Result<T> {
    rename(&mut test, &[("tcId", "id"), ("iv", "nonce"), ("msg", "pt")]);
    source.entry(test)
}
