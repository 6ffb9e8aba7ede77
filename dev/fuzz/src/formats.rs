//! JWE in every serialization, COSE messages, JWK and COSE_Key: an opened message is one that was
//! sealed. Oblivious HTTP: key configurations, requests, and chunks split at any place.

use std::sync::LazyLock;

use pqseal_formats::{
    ALGORITHMS, PrivateKey, cose, cose_key, jwe,
    ohttp::{AES_128_GCM, CHACHA20_POLY1305, Client, Gateway, read_keys, write_keys},
};
use pqseal_hpke::Policy;
use pqseal_keys::KeyError;
use serde_json::json;
use test_vectors::{CoseVector, JoseVector, cose_hpke, jose_hpke, jose_hpke_pq};

use crate::samples::{Counter, PAIRS, PLAINTEXT};

/// The keys of the published messages, and their plaintexts.
static KNOWN: LazyLock<(Vec<PrivateKey>, Vec<Vec<u8>>)> = LazyLock::new(|| {
    let keys: Vec<_> = jwe_vectors().iter().map(key).collect();
    let plaintexts = jwe_vectors().into_iter().zip(&keys).map(|(vector, key)| {
        let opened = jwe::Opener::new(ALGORITHMS).key(key).open(&vector.compact);
        opened
            .expect("a published message opens")
            .plaintext
            .to_vec()
    });
    let plaintexts = plaintexts.collect();
    (keys, plaintexts)
});

fn jwe_vectors() -> Vec<JoseVector> {
    let (classical, post_quantum) = (jose_hpke().entries, jose_hpke_pq().entries);
    classical.into_iter().chain(post_quantum).collect()
}

fn key(vector: &JoseVector) -> PrivateKey {
    jwe::private_key(&vector.jwk.to_string(), ALGORITHMS).expect("a published key is read")
}

pub(crate) fn run_jwe(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    let (keys, plaintexts) = &*KNOWN;
    let opener = keys
        .iter()
        .fold(jwe::Opener::new(ALGORITHMS), jwe::Opener::key);
    match (jwe::inspect(text), opener.open(text)) {
        (Ok((_, recipients)), Ok(opened)) => {
            assert!(plaintexts.contains(&opened.plaintext));
            assert!(opened.recipient < recipients.len());
        }
        (Err(_), opened) => drop(opened.expect_err("it cannot be read")),
        (Ok(_), Err(_)) => {}
    }
    if let Ok(key) = jwe::private_key(text, ALGORITHMS) {
        let written =
            jwe::write_private(&key).expect("a key that was read as JWK is written as one");
        same(
            &key,
            &jwe::private_key(&written, ALGORITHMS).expect("and is read again"),
        );
    }
}

/// Asserts that two keys are the same, including `kid` and `alg`.
fn same(a: &PrivateKey, b: &PrivateKey) {
    assert_eq!((a.kid(), a.alg()), (b.kid(), b.alg()));
    let [a, b] = [a, b].map(|key| {
        let bytes = key.key().to_bytes();
        bytes.expect("a key that was read is written")
    });
    assert_eq!(a.as_ref(), b.as_ref());
}

pub(crate) fn jwe_seeds() -> Vec<Vec<u8>> {
    let texts = jwe_vectors().into_iter().flat_map(|vector| {
        let (flattened, key) = (vector.flattened.to_string(), vector.jwk.to_string());
        [vector.compact, flattened, key]
    });
    texts
        .chain(several_recipients())
        .map(String::into_bytes)
        .collect()
}

/// Returns a message with a second recipient, whose header is valid, and one whose header repeats a
/// member of the protected one. The latter is refused, although the first recipient's key would
/// open it.
fn several_recipients() -> [String; 2] {
    let mut vectors = jwe_vectors().into_iter();
    let vector = vectors.find(|vector| vector.alg.ends_with("-KE"));
    let message = vector
        .expect("a published message of Key Encryption")
        .flattened;
    [json!({"typ": "x"}), json!({"enc": "A128GCM"})].map(|header| {
        let mut message = message.clone();
        let key = message["encrypted_key"].take();
        let members = message.as_object_mut().expect("an object");
        members.remove("encrypted_key");
        message["recipients"] = json!([{ "encrypted_key": key }, { "header": header }]);
        message.to_string()
    })
}

const COSE_PLAINTEXT: &[u8] = b"hpke test payload";

static COSE_KEYS: LazyLock<Vec<PrivateKey>> = LazyLock::new(|| {
    let mut keys: Vec<Vec<u8>> = cose_vectors()
        .into_iter()
        .map(|vector| vector.key)
        .collect();
    keys.sort();
    keys.dedup();
    let keys = keys
        .iter()
        .map(|key| cose_key::private_key(key, ALGORITHMS));
    keys.collect::<Result<_, _>>()
        .expect("a published key is read")
});

/// Returns the vectors without external data.
fn cose_vectors() -> Vec<CoseVector> {
    let mut vectors = cose_hpke().entries;
    vectors.retain(|vector| !(vector.psk || vector.aad || vector.info || vector.hpke_aad));
    vectors
}

pub(crate) fn run_cose(bytes: &[u8]) {
    let opener = COSE_KEYS
        .iter()
        .fold(cose::Opener::new(ALGORITHMS), cose::Opener::key);
    match (cose::inspect(bytes), opener.open(bytes)) {
        (Ok((.., recipients)), Ok(opened)) => {
            assert_eq!(*opened.plaintext, COSE_PLAINTEXT);
            assert!(opened.recipient < recipients.len());
        }
        (Err(_), opened) => drop(opened.expect_err("it cannot be read")),
        (Ok(_), Err(_)) => {}
    }
    if let Ok(key) = cose_key::private_key(bytes, ALGORITHMS) {
        match cose_key::write_private(&key) {
            Ok(written) => same(
                &key,
                &cose_key::private_key(&written, ALGORITHMS).expect("it is read again"),
            ),
            // AKP needs an alg, and such a key is not read without one.
            Err(error) => assert_ne!(error, KeyError::Alg),
        }
    }
}

pub(crate) fn cose_seeds() -> Vec<Vec<u8>> {
    let both = cose_vectors()
        .into_iter()
        .flat_map(|vector| [vector.message, vector.key]);
    both.collect()
}

/// A gateway with a key of X25519 and one of X-Wing.
static GATEWAY: LazyLock<Gateway> = LazyLock::new(|| {
    let keys = PAIRS
        .iter()
        .filter(|pair| ["x25519", "mlkem768-x25519"].contains(&pair.kem.info().short_name));
    keys.zip(1..).fold(Gateway::new(), |gateway, (pair, id)| {
        let algorithms = [AES_128_GCM, CHACHA20_POLY1305];
        let added = gateway.key(id, pair.private.clone(), &algorithms, &Policy::draft());
        added.expect("a key with an id of its own")
    })
});

pub(crate) fn run_ohttp(bytes: &[u8]) {
    if let Ok(keys) = read_keys(bytes) {
        let written = write_keys(&keys.configs);
        assert!(!keys.unsupported.is_empty() || written == bytes);
    }
    if let Ok((opened, _)) = GATEWAY.decapsulate(bytes) {
        assert_eq!(opened, PLAINTEXT);
    }
    let whole = in_pieces(bytes, bytes.len().max(1));
    assert_eq!(whole, in_pieces(bytes, 7), "the pieces do not matter");
    assert!(whole.is_none_or(|opened| opened == PLAINTEXT));
}

/// Opens a message in chunks, given in pieces; `None` if it does not open.
fn in_pieces(bytes: &[u8], size: usize) -> Option<Vec<u8>> {
    let (mut chunks, mut opened) = (GATEWAY.chunked(), Vec::new());
    for piece in bytes.chunks(size) {
        opened.extend_from_slice(&chunks.open(piece).ok()?);
    }
    opened.extend_from_slice(&chunks.finish().ok()?);
    Some(opened)
}

pub(crate) fn ohttp_seeds() -> Vec<Vec<u8>> {
    let keys = GATEWAY.keys();
    let requests = GATEWAY.configs().flat_map(|config| {
        let config = std::slice::from_ref(config);
        let client = Client::new(config, &Policy::draft()).expect("algorithms that are here");
        let (whole, _) = client
            .encapsulate(PLAINTEXT, &mut Counter(0))
            .expect("it seals");
        let (mut sealer, _) = client.chunked(&mut Counter(0)).expect("it seals");
        let (first, last) = PLAINTEXT.split_at(4);
        let first = sealer.seal(first).expect("it seals");
        let chunked = [first, sealer.finish(last).expect("it seals")].concat();
        [whole, chunked]
    });
    [keys].into_iter().chain(requests).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_recipient_counts() {
        let opener = KNOWN
            .0
            .iter()
            .fold(jwe::Opener::new(ALGORITHMS), jwe::Opener::key);
        let opened = several_recipients().map(|text| {
            assert_eq!(opener.open(&text).is_ok(), jwe::inspect(&text).is_ok());
            opener.open(&text).is_ok()
        });
        assert_eq!(opened, [true, false]);
    }
}
