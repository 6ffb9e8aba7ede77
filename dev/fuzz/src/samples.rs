//! Keys and blobs that the targets and their seeds share, the same in every process, and the values
//! that they read from their input.

use std::sync::LazyLock;

use pqseal_hpke::{AnyPrivateKey, AnyPublicKey, DynKem, Policy};
use pqseal_keys::{base64, kems};
use pqseal_matched_data::{KeyRing, OpenOptions, SealOptions, Sealer};
use rand_core::{Infallible, TryCryptoRng, TryRng};
use test_vectors::MatchedData;

/// The plaintext of each blob that is sealed here.
pub(crate) const PLAINTEXT: &[u8] = b"what was sealed";
/// The aad of each blob that is sealed here.
pub(crate) const AAD: &[u8] = b"record 1";

/// A key pair of one KEM.
pub(crate) struct Pair {
    pub(crate) kem: &'static DynKem,
    pub(crate) private: AnyPrivateKey,
    pub(crate) public: AnyPublicKey,
}

/// One key pair of every KEM.
pub(crate) static PAIRS: LazyLock<Vec<Pair>> = LazyLock::new(|| {
    kems()
        .map(|kem| {
            let (private, public) = kem.derive_key_pair(&[7; 66]).expect("enough key material");
            Pair {
                kem,
                private,
                public,
            }
        })
        .collect()
});

/// The keys of [`PAIRS`] and those of the published blobs.
pub(crate) static RING: LazyLock<KeyRing> = LazyLock::new(|| {
    let mut ring = KeyRing::new();
    for pair in PAIRS.iter() {
        ring.add(&pair.private).expect("a KEM of the registry");
    }
    for vector in published() {
        let key = pqseal_keys::read_private(&vector.private_key, None).expect("a private key");
        ring.add(&key).expect("an X25519 key");
    }
    ring
});

/// Returns the options that open [`blobs`].
pub(crate) fn options() -> OpenOptions<'static> {
    OpenOptions {
        aad: AAD,
        policy: everything(),
        ..OpenOptions::default()
    }
}

pub(crate) fn everything() -> Policy {
    Policy::draft().with_experimental()
}

/// Returns the blobs of versions 1 to 3 in the test vectors.
pub(crate) fn published() -> Vec<MatchedData> {
    test_vectors::matched_data().entries
}

/// Returns the bytes of [`published`], and a version 4 blob to each key of [`PAIRS`].
pub(crate) fn blobs() -> Vec<Vec<u8>> {
    let published = published().into_iter().map(|vector| {
        let blob = base64::decode(vector.blob.as_bytes()).expect("a blob in base64");
        blob.to_vec()
    });
    let sealed = PAIRS.iter().map(|pair| {
        let options = SealOptions {
            version: Some(4),
            with_aad: true,
            policy: everything(),
            ..SealOptions::default()
        };
        Sealer::new(&pair.public, &options)
            .and_then(|sealer| sealer.seal(AAD, PLAINTEXT, &mut Counter(0)))
            .expect("a suite that is here")
    });
    published.chain(sealed).collect()
}

/// Every plaintext of [`blobs`].
pub(crate) static PLAINTEXTS: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
    let published = published().into_iter().map(|vector| vector.plaintext);
    published.chain([PLAINTEXT.to_vec()]).collect()
});

/// A deterministic generator, so that a run can be repeated.
pub(crate) struct Counter(pub(crate) u64);

impl TryRng for Counter {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok(u32::from_le_bytes(self.next()))
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        Ok(u64::from_le_bytes(self.next()))
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        for byte in bytes {
            [*byte] = self.next();
        }
        Ok(())
    }
}

impl Counter {
    /// Returns bytes of a linear congruential generator (Knuth's MMIX).
    fn next<const N: usize>(&mut self) -> [u8; N] {
        std::array::from_fn(|_| {
            let next = self.0.wrapping_mul(6_364_136_223_846_793_005);
            self.0 = next.wrapping_add(1_442_695_040_888_963_407);
            self.0.to_be_bytes()[0]
        })
    }
}

impl TryCryptoRng for Counter {}

/// The rest of an input, which splits it into the values that a target needs. At the end everything
/// is zero or empty.
pub(crate) struct Input<'a>(&'a [u8]);

impl<'a> Input<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn byte(&mut self) -> u8 {
        let (first, rest) = self.0.split_first().unwrap_or((&0, &[]));
        self.0 = rest;
        *first
    }

    /// Returns a number below `end`, which is at most 256.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        usize::from(self.byte()) % end
    }

    /// Returns at most `len` bytes.
    pub(crate) fn bytes(&mut self, len: usize) -> &'a [u8] {
        let (taken, rest) = self.0.split_at(len.min(self.0.len()));
        self.0 = rest;
        taken
    }

    /// Returns as many bytes as the next one says.
    pub(crate) fn short(&mut self) -> &'a [u8] {
        let len = self.byte();
        self.bytes(len.into())
    }

    /// Returns exactly `N` bytes, padded with zeros.
    pub(crate) fn array<const N: usize>(&mut self) -> [u8; N] {
        let taken = self.bytes(N);
        let mut out = [0; N];
        out[..taken.len()].copy_from_slice(taken);
        out
    }

    /// Returns the rest.
    pub(crate) fn rest(&mut self) -> &'a [u8] {
        self.bytes(usize::MAX)
    }
}
