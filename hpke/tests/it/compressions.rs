//! The number of SHA-256 compressions of a whole open, measured with a counting hash in the KDF.

use std::cell::Cell;

use pqseal_hpke::{
    ChaCha20Poly1305, HkdfSha256, Kem, Mode, Recipient, Sender, Suite, X25519HkdfSha256,
    dhkem::{DhKem, X25519},
    kdf::Hkdf,
};
use pqseal_kem_pq::MlKem768X25519;
use sha2::digest::{
    HashMarker, Output, OutputSizeUser,
    block_api::{Block, BlockSizeUser, Buffer, BufferKindUser, Eager, FixedOutputCore, UpdateCore},
    common::hazmat::{DeserializeStateError, SerializableState, SerializedState},
    consts::{U32, U40, U64},
};

use crate::common::Replay;

thread_local!(static COMPRESSIONS: Cell<u32> = const { Cell::new(0) });

/// The compressions of `body`.
fn count<T>(body: impl FnOnce() -> T) -> u32 {
    COMPRESSIONS.set(0);
    body();
    COMPRESSIONS.get()
}

/// SHA-256 (FIPS 180-4) over the compression function of `sha2`.
#[derive(Clone)]
struct Core {
    state: [u32; 8],
    blocks: u64,
}

impl Default for Core {
    /// The initial value of section 5.3.3.
    fn default() -> Self {
        let state = [
            0x6a09_e667,
            0xbb67_ae85,
            0x3c6e_f372,
            0xa54f_f53a,
            0x510e_527f,
            0x9b05_688c,
            0x1f83_d9ab,
            0x5be0_cd19,
        ];
        Self { state, blocks: 0 }
    }
}

impl HashMarker for Core {}

impl BlockSizeUser for Core {
    type BlockSize = U64;
}

impl BufferKindUser for Core {
    type BufferKind = Eager;
}

impl OutputSizeUser for Core {
    type OutputSize = U32;
}

impl UpdateCore for Core {
    fn update_blocks(&mut self, blocks: &[Block<Self>]) {
        for block in blocks {
            self.blocks += 1;
            COMPRESSIONS.set(COMPRESSIONS.get() + 1);
            sha2::block_api::compress256(&mut self.state, &[block.0]);
        }
    }
}

impl FixedOutputCore for Core {
    fn finalize_fixed_core(&mut self, buffer: &mut Buffer<Self>, out: &mut Output<Self>) {
        let bits = 8 * (buffer.get_pos() as u64 + 64 * self.blocks);
        buffer.len64_padding_be(bits, |block| {
            self.update_blocks(std::slice::from_ref(block))
        });
        out.chunks_exact_mut(4)
            .zip(self.state)
            .for_each(|(chunk, word)| chunk.copy_from_slice(&word.to_be_bytes()));
    }
}

/// Serializes like `sha2`: words and blocks, little-endian.
impl SerializableState for Core {
    type SerializedStateSize = U40;

    fn serialize(&self) -> SerializedState<Self> {
        let words = self.state.iter().flat_map(|word| word.to_le_bytes());
        words.chain(self.blocks.to_le_bytes()).collect()
    }

    fn deserialize(bytes: &SerializedState<Self>) -> Result<Self, DeserializeStateError> {
        let (words, blocks) = bytes.split_at(32);
        let word = |at| u32::from_le_bytes(*words[4 * at..].first_chunk().expect("eight words"));
        Ok(Self {
            state: std::array::from_fn(word),
            blocks: u64::from_le_bytes(*blocks.first_chunk().expect("eight bytes")),
        })
    }
}

sha2::digest::buffer_fixed!(
    struct CountingSha256(Core);
    impl: BaseFixedTraits Default Clone HashMarker SerializableState;
);

static KDF: Hkdf<CountingSha256> = HkdfSha256.on();
static DHKEM: DhKem<X25519, Hkdf<CountingSha256>> = X25519HkdfSha256.on(HkdfSha256.on());

/// Counts the compressions of `(seal, open)` with keys that are already bound. Sealed messages also
/// open with the library's own KDF.
fn of_one_message<K: Kem, L: Kem>(counting: &'static K, own: &'static L) -> (u32, u32) {
    let suite = Suite::new(counting, &KDF, &ChaCha20Poly1305);
    let (sk, pk) = suite.kem().derive_key_pair(&[1; 32]).unwrap();
    let sender = Sender::new(suite, pk, b"info", Mode::Base).unwrap();
    let recipient = Recipient::new(suite, sk, b"info", Mode::Base).unwrap();
    let randomness = vec![2; counting.info().n_random];

    let mut sealed = None;
    let seal = count(|| {
        sealed = Some(
            sender
                .seal(b"aad", b"message", &mut Replay(&randomness))
                .unwrap(),
        )
    });
    let (enc, ct) = sealed.unwrap();
    let open = count(|| assert_eq!(recipient.open(&enc, b"aad", &ct).unwrap(), b"message"));

    let (sk, _) = own.derive_key_pair(&[1; 32]).unwrap();
    let suite = Suite::new(own, &HkdfSha256, &ChaCha20Poly1305);
    assert_eq!(
        suite
            .open(&enc, &sk, b"info", Mode::Base, b"aad", &ct)
            .unwrap(),
        b"message"
    );
    (seal, open)
}

/// ExtractAndExpand 2 + 5, as the state of an empty salt is a constant; secret 4, key 5, base_nonce
/// 3, of which the key's has made the state that the nonce's begins with. No info_hash, no
/// psk_id_hash, no exporter secret. Sealing derives a key pair too: 2 + 4.
#[test]
fn x25519() {
    assert_eq!(of_one_message(&DHKEM, &X25519HkdfSha256), (25, 19));
}

/// The same, plus psk_id_hash 2 and info_hash 2.
#[test]
fn x25519_with_info_that_is_not_bound() {
    let suite = Suite::new(&DHKEM, &KDF, &ChaCha20Poly1305);
    let (sk, pk) = suite.kem().derive_key_pair(&[1; 32]).unwrap();
    let (enc, ct) = suite
        .seal(
            &pk,
            b"info",
            Mode::Base,
            b"aad",
            b"message",
            &mut Replay(&[2; 32]),
        )
        .unwrap();
    let open = count(|| {
        assert_eq!(
            suite
                .open(&enc, &sk, b"info", Mode::Base, b"aad", &ct)
                .unwrap(),
            b"message"
        )
    });
    assert_eq!(open, 23);
}

/// The hybrid's combiner is SHA3.
#[test]
fn x_wing() {
    assert_eq!(of_one_message(&MlKem768X25519, &MlKem768X25519), (12, 12));
}
