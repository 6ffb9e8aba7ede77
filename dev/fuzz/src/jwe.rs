//! JWE in every serialization, and JWK: an opened message is one that was sealed.

use std::sync::LazyLock;

use pqseal_formats::{
    ALGORITHMS, PrivateKey,
    jwe::{self, Opener},
};
use serde_json::json;
use test_vectors::{JoseVector, jose_hpke, jose_hpke_pq};

/// The keys of the published messages, and their plaintexts.
static KNOWN: LazyLock<(Vec<PrivateKey>, Vec<Vec<u8>>)> = LazyLock::new(|| {
    let keys: Vec<_> = vectors().iter().map(key).collect();
    let plaintexts = vectors().into_iter().zip(&keys).map(|(vector, key)| {
        let opened = Opener::new(ALGORITHMS).key(key).open(&vector.compact);
        opened
            .expect("a published message opens")
            .plaintext
            .to_vec()
    });
    let plaintexts = plaintexts.collect();
    (keys, plaintexts)
});

fn vectors() -> Vec<JoseVector> {
    let (classical, post_quantum) = (jose_hpke().entries, jose_hpke_pq().entries);
    classical.into_iter().chain(post_quantum).collect()
}

fn key(vector: &JoseVector) -> PrivateKey {
    jwe::private_key(&vector.jwk.to_string(), ALGORITHMS).expect("a published key is read")
}

pub(crate) fn run(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    let (keys, plaintexts) = &*KNOWN;
    let opener = keys.iter().fold(Opener::new(ALGORITHMS), Opener::key);
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
pub(crate) fn same(a: &PrivateKey, b: &PrivateKey) {
    let bytes = |key: &PrivateKey| {
        let bytes = key
            .key()
            .to_bytes()
            .expect("a key that was read is written");
        bytes.as_ref().to_vec()
    };
    assert_eq!((a.kid(), a.alg()), (b.kid(), b.alg()));
    assert_eq!(bytes(a), bytes(b));
}

pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let texts = vectors().into_iter().flat_map(|vector| {
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
    let mut vectors = vectors().into_iter();
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_recipient_counts() {
        let opener = KNOWN.0.iter().fold(Opener::new(ALGORITHMS), Opener::key);
        let opened = several_recipients().map(|text| {
            assert_eq!(opener.open(&text).is_ok(), jwe::inspect(&text).is_ok());
            opener.open(&text).is_ok()
        });
        assert_eq!(opened, [true, false]);
    }
}
