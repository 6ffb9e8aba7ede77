//! COSE messages and COSE_Key: an opened message is the one that was sealed.

use std::sync::LazyLock;

use pqseal_formats::{
    ALGORITHMS, PrivateKey,
    cose::{self, Opener},
    cose_key,
};
use pqseal_keys::KeyError;
use test_vectors::{CoseVector, cose_hpke};

use crate::jwe::same;

const PLAINTEXT: &[u8] = b"hpke test payload";

static KEYS: LazyLock<Vec<PrivateKey>> = LazyLock::new(|| {
    let mut keys: Vec<Vec<u8>> = vectors().into_iter().map(|vector| vector.key).collect();
    keys.sort();
    keys.dedup();
    let read = |key: &Vec<u8>| cose_key::private_key(key, ALGORITHMS);
    let keys = keys.iter().map(read).collect::<Result<_, _>>();
    keys.expect("a published key is read")
});

/// Returns the vectors without external data.
fn vectors() -> Vec<CoseVector> {
    let mut vectors = cose_hpke().entries;
    vectors.retain(|vector| !(vector.psk || vector.aad || vector.info || vector.hpke_aad));
    vectors
}

pub(crate) fn run(bytes: &[u8]) {
    let opener = KEYS.iter().fold(Opener::new(ALGORITHMS), Opener::key);
    match (cose::inspect(bytes), opener.open(bytes)) {
        (Ok((.., recipients)), Ok(opened)) => {
            assert_eq!(*opened.plaintext, PLAINTEXT);
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

pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let both = vectors()
        .into_iter()
        .flat_map(|vector| [vector.message, vector.key]);
    both.collect()
}
