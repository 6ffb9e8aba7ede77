//! JOSE-HPKE's published examples: every one opens, and every one refuses an altered byte.

use pqseal_formats::{
    ALGORITHMS, Algorithm, Error, KeyManagement, PrivateKey,
    jwe::{self, Opener, Serialization},
};
use pqseal_hpke::SuiteId;
use test_vectors::JoseVector;

/// The plaintext of the first draft, with `-` between the words that the other one sets apart by a
/// dash.
const PLAINTEXT: &str = "You can trust us to stick with you through thick and thin-to the bitter end. And you can trust us to keep any secret of yours-closer than you keep it yourself. But you cannot trust us to let you face trouble alone, and go off without a word. We are your friends, Frodo.";
const AAD: &str = "The Fellowship of the Ring";

/// HPKE-8 to HPKE-17 as the draft numbered them first: five KEMs, each with AES-256-GCM and then
/// ChaCha20Poly1305.
fn first_numbering() -> Vec<Algorithm> {
    let kems = [0x0050, 0x647a, 0x0051, 0x0041, 0x0042];
    let suites = kems
        .into_iter()
        .flat_map(|kem| [0x0002, 0x0003].map(|aead| SuiteId::new(kem, 0x0011, aead)));
    let numbered = (8..).zip(suites);
    let both = numbered.flat_map(|(n, suite)| {
        let name = |end: &str| &*format!("HPKE-{n}{end}").leak();
        [
            Algorithm::new(name(""), 0, suite, KeyManagement::Integrated),
            Algorithm::new(name("-KE"), 0, suite, KeyManagement::KeyEncryption),
        ]
    });
    both.collect()
}

fn read(vector: &JoseVector) -> PrivateKey {
    jwe::private_key(&vector.jwk.to_string(), ALGORITHMS).expect(&vector.alg)
}

/// A key whose `alg` is a number of the first numbering.
fn read_first(vector: &JoseVector) -> PrivateKey {
    let alg = first_numbering()
        .into_iter()
        .find(|alg| alg.name() == vector.alg);
    let alg = alg.expect(&vector.alg);
    let bytes = pqseal_keys::base64::decode_url(vector.jwk["priv"].as_str().unwrap().as_bytes());
    let key = alg
        .kem()
        .unwrap()
        .deserialize_private_key(&bytes.unwrap())
        .unwrap();
    PrivateKey::new(key).with_alg(alg).unwrap()
}

/// Opens both messages of a vector; returns the number of files that it represents.
fn check(vector: &JoseVector, key: &PrivateKey) -> usize {
    let alg = key.alg().expect("every key names its algorithm");
    assert_eq!(alg.name(), vector.alg);
    let flattened = vector.flattened.to_string();
    for (message, serialization, aad) in [
        (&flattened, Serialization::Flattened, AAD),
        (&vector.compact, Serialization::Compact, ""),
    ] {
        let opened = Opener::new(&[alg]).key(key).open(message);
        let opened = opened.unwrap_or_else(|error| panic!("{alg} {serialization}: {error}"));
        let plaintext = str::from_utf8(&opened.plaintext).unwrap();
        assert_eq!(plaintext.replace('\u{2013}', "-"), PLAINTEXT);
        assert_eq!(opened.aad, aad.as_bytes());
        assert_eq!(
            (opened.algorithm, opened.key, opened.recipient),
            (alg, 0, 0)
        );
        assert_eq!(jwe::inspect(message).unwrap().0, serialization);
        refuse_altered(message, key, alg);
    }
    3
}

/// A message whose protected header, encrypted key or ciphertext has another first letter.
fn refuse_altered(message: &str, key: &PrivateKey, alg: Algorithm) {
    let parts: Vec<&str> = message
        .split(['.', '"'])
        .filter(|part| part.len() > 20)
        .collect();
    for part in parts {
        let other = if part.starts_with('A') { "B" } else { "A" };
        let altered = message.replacen(part, &[other, &part[1..]].concat(), 1);
        let error = Opener::new(&[alg]).key(key).open(&altered).unwrap_err();
        assert!(
            matches!(error, Error::Open | Error::Malformed(_)),
            "{alg}: {error:?}"
        );
    }
}

#[test]
fn the_draft() {
    let vectors = test_vectors::jose_hpke().entries;
    let files: usize = vectors
        .iter()
        .map(|vector| check(vector, &read(vector)))
        .sum();
    assert_eq!(files + 1, 49);
}

#[test]
fn the_post_quantum_draft() {
    let vectors = test_vectors::jose_hpke_pq().entries;
    let files: usize = vectors
        .iter()
        .map(|vector| check(vector, &read(vector)))
        .sum();
    assert_eq!(files, 30);
}

#[test]
fn the_post_quantum_draft_with_its_first_numbers() {
    let vectors = test_vectors::jose_hpke_pq_00().entries;
    let files: usize = vectors
        .iter()
        .map(|vector| check(vector, &read_first(vector)))
        .sum();
    assert_eq!(files, 60);
}

/// A vector's JWK equals the written one: the same members, in another order.
#[test]
fn keys_are_written_as_the_drafts_have_them() {
    let sets = [test_vectors::jose_hpke(), test_vectors::jose_hpke_pq()];
    for vector in sets.into_iter().flat_map(|set| set.entries) {
        let key = jwe::private_key(&vector.jwk.to_string(), ALGORITHMS).unwrap();
        let mut expected = vector.jwk.clone();
        expected["use"] = "enc".into();
        let parse = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
        assert_eq!(
            parse(&jwe::write_private(&key).unwrap()),
            expected,
            "{}",
            vector.alg
        );
        for secret in ["d", "priv"] {
            expected.as_object_mut().unwrap().remove(secret);
        }
        let public = key.public_key().unwrap();
        assert_eq!(parse(&jwe::write_public(&public).unwrap()), expected);
        assert_eq!(
            jwe::public_key(&vector.jwk.to_string(), ALGORITHMS)
                .unwrap()
                .key(),
            public.key()
        );
    }
}

/// The key of every KEM that has a JWK is read by pqseal-keys itself too.
#[test]
fn keys_of_hpke_algorithms_are_read_by_pqseal_keys() {
    for vector in test_vectors::jose_hpke_pq().entries {
        let key = pqseal_keys::read_private(vector.jwk.to_string(), None).unwrap();
        assert_eq!(
            key.kem().id,
            pqseal_formats::algorithm(&vector.alg)
                .unwrap()
                .suite_id()
                .kem
        );
    }
}
