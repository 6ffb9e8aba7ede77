//! AEADs from one buffer into another, as contexts use them: the same bytes as in place.

use pqseal_hpke::{Aes128Gcm, Aes256Gcm, ChaCha20Poly1305, Error, Sealing};

const NONCE: [u8; 12] = [9; 12];

fn message(len: usize) -> Vec<u8> {
    (0..=250).cycle().take(len).collect()
}

/// Tests each length around the blocks that assembly code processes at once.
fn from_one_buffer_into_another<A: Sealing>(aead: &A) {
    let key = aead.key(&vec![7; aead.info().n_k]).unwrap();
    for len in (0..=1100).chain([4095, 65_537]) {
        let message = message(len);
        let mut in_place = message.clone();
        let tag = A::seal_in_place(&key, &NONCE, b"aad", &mut in_place).unwrap();
        let sealed = A::seal(&key, &NONCE, b"aad", &message).unwrap();
        assert_eq!(sealed, [&in_place[..], &tag].concat(), "{len}");
        assert_eq!(A::open(&key, &NONCE, b"aad", &sealed).unwrap(), message);
    }
}

/// Alters each bit of the tag, and a bit of each block.
fn altered<A: Sealing>(aead: &A) {
    let key = aead.key(&vec![7; aead.info().n_k]).unwrap();
    let sealed = A::seal(&key, &NONCE, b"aad", &message(100)).unwrap();
    let tag = 8 * 100..8 * sealed.len();
    for bit in (0..8 * 100).step_by(129).chain(tag) {
        let mut altered = sealed.clone();
        altered[bit / 8] ^= 1 << (bit % 8);
        let opened = A::open(&key, &NONCE, b"aad", &altered);
        assert_eq!(opened, Err(Error::Open), "bit {bit}");
    }
    for (aad, nonce) in [(&b"other"[..], NONCE), (b"aad", [8; 12])] {
        assert_eq!(A::open(&key, &nonce, aad, &sealed), Err(Error::Open));
    }
    for len in 0..16 {
        let opened = A::open(&key, &NONCE, b"aad", &sealed[..len]);
        assert_eq!(opened, Err(Error::Open), "{len} bytes");
    }
}

fn all<A: Sealing>(aead: &A) {
    from_one_buffer_into_another(aead);
    altered(aead);
}

#[test]
fn of_the_library_that_is_chosen() {
    all(&Aes128Gcm);
    all(&Aes256Gcm);
    all(&ChaCha20Poly1305);
}

#[test]
fn of_the_portable_library() {
    all(&Aes128Gcm.on::<aes_gcm::Aes128Gcm>());
    all(&Aes256Gcm.on::<aes_gcm::Aes256Gcm>());
    all(&ChaCha20Poly1305.on::<chacha20poly1305::ChaCha20Poly1305>());
}
