//! Private keys that are held elsewhere: every KEM, both sealed versions, one by one and in
//! batches; what a holder that fails or lies gives.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use pqseal_hpke::{AnyPrivateKey, Decapsulator, SharedSecret, SharedSecrets};
use pqseal_matched_data::{Blob, Error, KeyRing, SealedRecord, Trailing, Version};

use crate::common::{self, Pair, application, entry, kem, key_and_blob, pair, pairs, seal_v4};

/// A holder of a private key that counts its requests.
struct Holder {
    pair: Pair,
    singles: AtomicUsize,
    batches: AtomicUsize,
}

impl Decapsulator for Holder {
    fn decap(&self, enc: &[u8]) -> Result<SharedSecret, pqseal_hpke::Error> {
        self.singles.fetch_add(1, Ordering::Relaxed);
        self.pair.kem.decap(enc, &self.pair.private)
    }

    fn decap_batch(&self, encs: &[&[u8]]) -> SharedSecrets {
        self.batches.fetch_add(1, Ordering::Relaxed);
        self.pair.kem.decap_batch(encs, &self.pair.private)
    }
}

fn held(pair: &Pair) -> (AnyPrivateKey, Arc<Holder>) {
    let holder = Arc::new(Holder {
        pair: pair.clone(),
        singles: AtomicUsize::new(0),
        batches: AtomicUsize::new(0),
    });
    let key = AnyPrivateKey::external(pair.public.clone(), holder.clone());
    (key, holder)
}

/// A decapsulator that returns a fixed answer.
struct Answers(fn() -> Result<SharedSecret, pqseal_hpke::Error>);

impl Decapsulator for Answers {
    fn decap(&self, _: &[u8]) -> Result<SharedSecret, pqseal_hpke::Error> {
        (self.0)()
    }
}

fn ring(key: &AnyPrivateKey) -> KeyRing {
    let mut ring = KeyRing::new();
    ring.add(key).unwrap();
    ring
}

#[test]
fn every_kem_opens_with_a_key_that_is_held_elsewhere() {
    for pair in pairs() {
        let (key, holder) = held(&pair);
        let ring = ring(&key);
        let blobs: Vec<_> = (0..3_u8)
            .map(|n| seal_v4(&pair, 1, 3, [b"", b""], &[n]))
            .collect();
        let parsed = blobs
            .iter()
            .map(|blob| Blob::parse(blob, Trailing::Refuse).unwrap());
        let records: Vec<_> = parsed
            .map(|blob| SealedRecord {
                blob,
                aad: None,
                hint: None,
            })
            .collect();
        let one = ring.open(&records[1].blob, &application()).unwrap();
        assert_eq!(one.plaintext, [1]);
        for (n, opened) in (0..).zip(ring.open_batch(&records, &application())) {
            assert_eq!(opened.unwrap().plaintext, [n]);
        }
        assert_eq!(holder.singles.load(Ordering::Relaxed), 1);
        assert_eq!(holder.batches.load(Ordering::Relaxed), 1);
        assert!(matches!(key.to_bytes(), Err(pqseal_hpke::Error::NoSeed)));
    }
}

/// The drafts of versions 1 and 2 need the Diffie-Hellman value. Another key may still open them.
#[test]
fn versions_1_and_2_say_that_they_need_the_bytes_of_the_key() {
    for (name, version) in [
        ("public_v1_readme", Version::V1),
        ("public_v2_test", Version::V2),
    ] {
        let (private, blob) = key_and_blob(&entry(name));
        let owner = Pair {
            kem: kem("x25519"),
            public: private.public_key().unwrap(),
            private,
        };
        let mut ring = ring(&held(&owner).0);
        let blob = Blob::parse(&blob, Trailing::Refuse).unwrap();
        let record = [SealedRecord {
            blob,
            aad: None,
            hint: None,
        }];
        let refused = Err(Error::KeyHeldElsewhere(version));
        assert_eq!(ring.open(&blob, &application()), refused);
        assert_eq!(ring.open_batch(&record, &application()), [refused]);
        ring.add(&owner.private).unwrap();
        assert_eq!(ring.open(&blob, &application()).unwrap().key, 1);
        let [Ok(opened)] = &ring.open_batch(&record, &application())[..] else {
            panic!("it did not open");
        };
        assert_eq!(opened.key, 1);
    }
}

#[test]
fn a_holder_that_fails_or_gives_another_length_is_unavailable() {
    let pair = pair(kem("mlkem768-x25519"), 1);
    let blob = seal_v4(&pair, 1, 3, [b"", b""], b"hello");
    let blob = Blob::parse(&blob, Trailing::Refuse).unwrap();
    let record = SealedRecord {
        blob,
        aad: None,
        hint: None,
    };
    let unavailable = Error::Hpke(pqseal_hpke::Error::KeyUnavailable);
    assert_eq!(unavailable.code(), "key_unavailable");
    for (answers, expected) in [
        (
            Answers(|| Err(pqseal_hpke::Error::KeyUnavailable)),
            unavailable.clone(),
        ),
        (Answers(|| Ok(SharedSecret::zeros(16))), unavailable),
        (Answers(|| Ok(SharedSecret::zeros(32))), Error::Altered),
        (Answers(|| Err(pqseal_hpke::Error::Decap)), Error::Altered),
    ] {
        let key = AnyPrivateKey::external(pair.public.clone(), Arc::new(answers));
        let ring = ring(&key);
        assert_eq!(ring.open(&blob, &application()), Err(expected.clone()));
        for answer in ring.open_batch(&[record; 2], &application()) {
            assert_eq!(answer, Err(expected.clone()));
        }
    }
}

/// A key that is held elsewhere works with suites of its own KEM only, and proves nothing about its
/// owner.
#[test]
fn other_kems_and_auth_modes_are_refused() {
    let (key, _) = held(&pair(kem("x25519"), 1));
    let other = pair(kem("p256"), 1);
    assert!(matches!(
        other.kem.decap(other.public.as_ref(), &key),
        Err(pqseal_hpke::Error::KeyMismatch)
    ));
    let same = pair(kem("x25519"), 2);
    let sent = same.kem.auth_encap(&same.public, &key, &[7; 32]);
    assert!(matches!(sent, Err(pqseal_hpke::Error::AuthUnsupported)));
}

/// A key that does not answer is not a wrong key: the next one is not tried instead.
#[test]
fn a_holder_that_fails_ends_the_search_for_a_key() {
    let (right, other) = (pair(kem("x25519"), 1), pair(kem("x25519"), 2));
    let v3 = common::v3_sealer(&right.public).unwrap();
    let blob = v3.seal(b"", b"v3", &mut pqseal_keys::SysRng).unwrap();
    let fails = Arc::new(Answers(|| Err(pqseal_hpke::Error::KeyUnavailable)));
    let mut ring = ring(&AnyPrivateKey::external(other.public, fails));
    ring.add(&right.private).unwrap();
    let blob = Blob::parse(&blob, Trailing::Refuse).unwrap();
    let unavailable = Err(Error::Hpke(pqseal_hpke::Error::KeyUnavailable));
    assert_eq!(ring.open(&blob, &application()), unavailable);
    let record = SealedRecord {
        blob,
        aad: None,
        hint: None,
    };
    assert_eq!(ring.open_batch(&[record], &application()), [unavailable]);
}
