//! The back ends compared with the portable one: X25519, ML-KEM with its hybrids, and the decoder of
//! BIKE.

use std::sync::LazyLock;

use pqseal_hpke::{DynKem, Error};
use pqseal_kem_pq::{
    Backend, KEMS,
    bike::{
        PublicKey, SecretKey,
        params::{L1, N_SEED, N_SS},
    },
};
use test_vectors::{BikeLevel, Curve};
use x25519_batch::Backend as X25519;

use crate::samples::Input;

pub(crate) fn run_backend(bytes: &[u8]) {
    let mut input = Input::new(bytes);
    match input.below(KEMS.len() + 4) {
        number if number < KEMS.len() => ml_kem(KEMS[number], &mut input),
        _ => x25519(&mut input),
    }
}

/// Reads a scalar and points.
fn x25519(input: &mut Input<'_>) {
    let scalar = input.array();
    let mut points = Vec::new();
    while !input.is_empty() && points.len() < 20 {
        points.push(input.array());
    }
    let expected = X25519::Portable.x25519(&scalar, &points);
    for backend in X25519::ALL {
        let results = backend.x25519(&scalar, &points);
        assert_eq!(
            results.as_bytes(),
            expected.as_bytes(),
            "{}",
            backend.name()
        );
        for (point, expected) in points.iter().zip(expected.as_bytes()) {
            assert_eq!(*backend.x25519_one(&scalar, point), *expected);
        }
    }
}

/// Reads a key, the randomness of an encapsulation, and changes to the encapsulated key.
fn ml_kem(kem: &DynKem, input: &mut Input<'_>) {
    let (ikm, randomness) = (input.array::<64>(), input.array::<128>());
    let changes: Vec<_> = std::iter::from_fn(|| {
        let more = !input.is_empty();
        more.then(|| (u16::from_le_bytes(input.array()), input.byte()))
    })
    .collect();
    let here = Backend::ALL.iter().filter(|backend| backend.is_available());
    let results = here.map(|backend| {
        backend.choose().expect("it is available");
        exchange(kem, &ikm, &randomness, &changes)
    });
    let results: Vec<_> = results.collect();
    Backend::best().choose().expect("it is available");
    assert!(results.iter().all(|result| *result == results[0]));
}

/// The public key, the encapsulated key, and the decapsulated secret after the changes.
type Exchange = Result<[Vec<u8>; 3], Error>;

fn exchange(kem: &DynKem, ikm: &[u8], randomness: &[u8], changes: &[(u16, u8)]) -> Exchange {
    let (private, public) = kem.derive_key_pair(ikm)?;
    let (sent, enc) = kem.encap(&public, &randomness[..kem.info().n_random])?;
    let mut altered = enc.clone();
    for (place, change) in changes {
        let place = usize::from(*place) % altered.len();
        altered[place] ^= change;
    }
    let received = kem.decap(&altered, &private)?;
    assert_eq!(sent.as_ref() == received.as_ref(), altered == enc);
    Ok([public.as_ref().to_vec(), enc, received.as_ref().to_vec()])
}

pub(crate) fn backend_seeds() -> Vec<Vec<u8>> {
    let count = u8::try_from(KEMS.len()).expect("a few KEMs");
    let kems = (0..count).flat_map(|number| {
        let whole = [&[number][..], &[number; 192]].concat();
        [whole.clone(), [whole.as_slice(), &[1, 0, 1]].concat()]
    });
    let vectors = test_vectors::wycheproof_dh(Curve::X25519).entries;
    let points = vectors.chunks(5).map(|vectors| {
        let points = vectors.iter().map(|vector| vector.public.as_slice());
        let parts = [&[count][..], vectors[0].private.as_slice()];
        parts.into_iter().chain(points).collect::<Vec<_>>().concat()
    });
    kems.chain(points).collect()
}

/// The key on each back end of this machine, the portable one first.
static BIKE_KEYS: LazyLock<Vec<SecretKey>> = LazyLock::new(|| {
    let here = Backend::ALL.iter().filter(|backend| backend.is_available());
    here.map(|backend| SecretKey::generate(&L1, *backend, &[7; N_SEED]))
        .collect()
});

/// Reads a message to encapsulate, and changes to the ciphertext of three bytes each: a place and a
/// mask. Few changes are errors that the decoder corrects.
pub(crate) fn run_bike(bytes: &[u8]) {
    let mut input = Input::new(bytes);
    let m = input.array::<N_SS>();
    let (mut ciphertext, sent) = BIKE_KEYS[0].public().encaps(&m);
    let whole = ciphertext.clone();
    while !input.is_empty() {
        let place = usize::from(u16::from_le_bytes(input.array())) % ciphertext.len();
        ciphertext[place] ^= input.byte();
    }
    let received: Vec<_> = BIKE_KEYS
        .iter()
        .map(|key| key.decaps(&ciphertext).map(|secret| *secret.bytes()))
        .collect();
    assert!(received.iter().all(|each| *each == received[0]));
    // The hash of the secret covers the ciphertext.
    let is_sent = received[0].as_ref() == Ok(sent.bytes());
    assert_eq!(is_sent, ciphertext == whole);
    assert!(BIKE_KEYS[0].decaps(&ciphertext[1..]).is_err());
    for key in &*BIKE_KEYS {
        let public = PublicKey::parse(&L1, Backend::Portable, key.public().as_ref());
        assert_eq!(
            public.expect("a public key").as_ref(),
            BIKE_KEYS[0].public().as_ref()
        );
    }
}

pub(crate) fn bike_seeds() -> Vec<Vec<u8>> {
    let vectors = test_vectors::bike(BikeLevel::L1).entries;
    let messages = vectors.iter().take(3).map(|vector| vector.m.clone());
    messages
        .flat_map(|m| [m.clone(), [m.as_slice(), &[1, 0, 1, 0, 4, 8]].concat()])
        .collect()
}
