//! The decoder of BIKE: every back end computes the same secret for an altered ciphertext.

use std::sync::LazyLock;

use pqseal_kem_pq::{
    Backend,
    bike::{
        PublicKey, SecretKey,
        params::{L1, N_SEED, N_SS},
    },
};
use test_vectors::BikeLevel;

use crate::input::Input;

/// The key on each back end of this machine, the portable one first.
static KEYS: LazyLock<Vec<SecretKey>> = LazyLock::new(|| {
    let here = Backend::ALL.iter().filter(|backend| backend.is_available());
    here.map(|backend| SecretKey::generate(&L1, *backend, &[7; N_SEED]))
        .collect()
});

/// Reads a message to encapsulate, and changes to the ciphertext of three bytes each: a place and a
/// mask. Few changes are errors that the decoder corrects.
pub(crate) fn run(bytes: &[u8]) {
    let mut input = Input::new(bytes);
    let m = input.array::<N_SS>();
    let (mut ciphertext, sent) = KEYS[0].public().encaps(&m);
    let whole = ciphertext.clone();
    while !input.is_empty() {
        let place = usize::from(u16::from_le_bytes(input.array())) % ciphertext.len();
        ciphertext[place] ^= input.byte();
    }
    let received: Vec<_> = KEYS
        .iter()
        .map(|key| key.decaps(&ciphertext).map(|secret| *secret.bytes()))
        .collect();
    assert!(received.iter().all(|each| *each == received[0]));
    // The hash of the secret covers the ciphertext.
    let is_sent = received[0].as_ref() == Ok(sent.bytes());
    assert_eq!(is_sent, ciphertext == whole);
    assert!(KEYS[0].decaps(&ciphertext[1..]).is_err());
    for key in &*KEYS {
        let public = PublicKey::parse(&L1, Backend::Portable, key.public().as_ref());
        assert_eq!(
            public.expect("a public key").as_ref(),
            KEYS[0].public().as_ref()
        );
    }
}

pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let vectors = test_vectors::bike(BikeLevel::L1).entries;
    let messages = vectors.iter().take(3).map(|vector| vector.m.clone());
    messages
        .flat_map(|m| [m.clone(), [m.as_slice(), &[1, 0, 1, 0, 4, 8]].concat()])
        .collect()
}
