//! The accelerator compared with the portable libraries: 10,000 random messages, and bytes that are
//! not messages, give the same bytes and errors. So do 10,000 that are opened in batches and one by
//! one.

use pqseal_hpke::{
    AEADS, Aes128Gcm, Aes256Gcm, ChaCha20Poly1305, Error, HkdfSha256, HkdfSha384, HkdfSha512, Kem,
    Mode, OneStage, P256HkdfSha256, P384HkdfSha384, P521HkdfSha512, Recipient, Sealed, Sealing,
    Sender, Shake128, Suite, TwoStage, X25519HkdfSha256,
    dhkem::{Dalek, DhKem, Montgomery, Nist},
};
use pqseal_kem_pq::{MlKem768P256, MlKem768X25519, MlKem1024P384};

use crate::common::Replay;

/// The portable rows, whatever the features.
static X25519: DhKem<Montgomery<Dalek, 32>, HkdfSha256> = X25519HkdfSha256.on(HkdfSha256);
static P256: DhKem<Nist<p256::NistP256>, HkdfSha256> = P256HkdfSha256.on(HkdfSha256);
static P384: DhKem<Nist<p384::NistP384>, HkdfSha384> = P384HkdfSha384.on(HkdfSha384);
static P521: DhKem<Nist<p521::NistP521>, HkdfSha512> = P521HkdfSha512.on(HkdfSha512);

/// The same suite on two libraries.
struct Pair<A: Kem + 'static, B: Kem + 'static, D: 'static, X: 'static, Y: 'static> {
    fast: Suite<A, D, X>,
    portable: Suite<B, D, Y>,
    /// A seed, so that each pair has different random bytes.
    name: &'static [u8],
}

/// The inputs of one message, random but the same at every run.
struct Inputs {
    ikm: Vec<u8>,
    randomness: Vec<u8>,
    info: Vec<u8>,
    aad: Vec<u8>,
    message: Vec<u8>,
    /// One random byte at a random place of whatever has one.
    place: usize,
}

impl Inputs {
    fn new(name: &[u8], number: u32, n_random: usize) -> Self {
        let mut head = [0; 6];
        Shake128.derive(&[name, &number.to_be_bytes()], &mut [&mut head]);
        let [size, low, high, info, aad, place] = head.map(usize::from);
        // Most are short; one in 256 is longer than 64 KiB.
        let len = if size == 0 {
            0x1_0000 + low
        } else {
            (low << 8 | high) >> (size % 16)
        };
        let mut bytes = [n_random, n_random, info % 64, aad % 64, len].map(|len| vec![0; len]);
        let mut outs: Vec<&mut [u8]> = bytes.iter_mut().map(Vec::as_mut_slice).collect();
        Shake128.derive(&[name, b"inputs", &number.to_be_bytes()], &mut outs);
        let [ikm, randomness, info, aad, message] = bytes;
        Self {
            ikm,
            randomness,
            info,
            aad,
            message,
            place,
        }
    }

    fn alter(&self, bytes: &mut [u8]) {
        let place = self.place % bytes.len();
        bytes[place] ^= 1 << (self.place % 8);
    }
}

impl<A: Kem, B: Kem, D: TwoStage, X: Sealing, Y: Sealing> Pair<A, B, D, X, Y> {
    fn run(&self, count: u32) {
        for number in 0..count {
            self.message(&Inputs::new(
                self.name,
                number,
                self.fast.kem().info().n_random,
            ));
        }
    }

    /// Checks that each opens the other's messages, and that both refuse altered ones with the
    /// same error.
    fn message(&self, inputs: &Inputs) {
        let (fast, portable) = (self.fast, self.portable);
        let (sk, pk) = fast.kem().derive_key_pair(&inputs.ikm).unwrap();
        let (portable_sk, portable_pk) = portable.kem().derive_key_pair(&inputs.ikm).unwrap();
        assert_eq!(pk.as_ref(), portable_pk.as_ref());
        let serialized = fast.kem().serialize_private_key(&sk).unwrap();
        assert_eq!(
            serialized,
            portable.kem().serialize_private_key(&portable_sk).unwrap()
        );

        let Inputs {
            info,
            aad,
            message,
            randomness,
            ..
        } = inputs;
        let (enc, ct) = fast
            .seal(&pk, info, Mode::Base, aad, message, &mut Replay(randomness))
            .unwrap();
        let other = portable
            .seal(
                &portable_pk,
                info,
                Mode::Base,
                aad,
                message,
                &mut Replay(randomness),
            )
            .unwrap();
        assert_eq!((enc.as_ref(), &ct), (other.0.as_ref(), &other.1));

        let open = |enc: &[u8], ct: &[u8]| {
            let opened = fast.open(enc, &sk, info, Mode::Base, aad, ct);
            assert_eq!(
                opened,
                portable.open(enc, &portable_sk, info, Mode::Base, aad, ct)
            );
            opened
        };
        assert_eq!(open(enc.as_ref(), &ct).as_ref(), Ok(message));
        let (mut bad_enc, mut bad_ct) = (enc.as_ref().to_vec(), ct.clone());
        inputs.alter(&mut bad_enc);
        inputs.alter(&mut bad_ct);
        assert_eq!(open(enc.as_ref(), &bad_ct), Err(Error::Open));
        assert!(open(&bad_enc, &ct).is_err());
    }
}

/// A record, or bytes that are not one.
struct Record {
    enc: Vec<u8>,
    aad: Vec<u8>,
    ct: Vec<u8>,
}

impl Record {
    fn as_sealed(&self) -> Sealed<'_> {
        Sealed {
            enc: &self.enc,
            aad: &self.aad,
            ct: &self.ct,
        }
    }
}

impl<A: Kem, B: Kem, D: TwoStage, X: Sealing, Y: Sealing> Pair<A, B, D, X, Y> {
    /// `count` records under one key, four in eight damaged, in batches of 1 to 40.
    fn batches(&self, count: u32) {
        let n_random = self.fast.kem().info().n_random;
        let first = Inputs::new(self.name, 0, n_random);
        let (sk, pk) = self.fast.kem().derive_key_pair(&first.ikm).unwrap();
        let (portable_sk, _) = self.portable.kem().derive_key_pair(&first.ikm).unwrap();
        let sender = Sender::new(self.fast, pk, b"info", Mode::Base).unwrap();
        let fast = Recipient::new(self.fast, sk, b"info", Mode::Base).unwrap();
        let portable = Recipient::new(self.portable, portable_sk, b"info", Mode::Base).unwrap();

        let (mut batch, mut opened, mut size) = (Vec::new(), 0, 1);
        for number in 0..count {
            let inputs = Inputs::new(self.name, number, n_random);
            let (enc, ct) = sender
                .seal(
                    &inputs.aad,
                    &inputs.message,
                    &mut Replay(&inputs.randomness),
                )
                .unwrap();
            let mut record = Record {
                enc: enc.as_ref().to_vec(),
                aad: inputs.aad.clone(),
                ct,
            };
            match number % 8 {
                3 => inputs.alter(&mut record.enc),
                5 => inputs.alter(&mut record.ct),
                6 => record.enc.truncate(inputs.place % record.enc.len()),
                // Of low order for X25519, whose part a hybrid has at its end.
                7 => record
                    .enc
                    .iter_mut()
                    .rev()
                    .take(32)
                    .for_each(|byte| *byte = 0),
                _ => {}
            }
            batch.push(record);
            if batch.len() == size || number == count - 1 {
                opened += same_in_batches(&fast, &portable, &batch);
                batch.clear();
                size = 1 + inputs.place % 40;
            }
        }
        assert_eq!(opened, count.div_ceil(2), "what is not damaged opens");
    }
}

/// Counts the records that open. All four ways must open the same ones to the same bytes, with the
/// same errors for the others.
fn same_in_batches<A: Kem, B: Kem, D: TwoStage, X: Sealing, Y: Sealing>(
    fast: &Recipient<A, D, X>,
    portable: &Recipient<B, D, Y>,
    records: &[Record],
) -> u32 {
    let sealed: Vec<Sealed<'_>> = records.iter().map(Record::as_sealed).collect();
    let opened = fast.open_batch(&sealed);
    assert_eq!(opened, portable.open_batch(&sealed));
    for (opened, record) in opened.iter().zip(records) {
        assert_eq!(opened, &fast.open(&record.enc, &record.aad, &record.ct));
        assert_eq!(opened, &portable.open(&record.enc, &record.aad, &record.ct));
    }
    opened.iter().map(|opened| u32::from(opened.is_ok())).sum()
}

fn all<A: Kem, B: Kem, D: TwoStage>(
    fast: &'static A,
    portable: &'static B,
    kdf: &'static D,
    count: u32,
) {
    macro_rules! pair {
        ($aead:ident, $portable:ty) => {{
            let portable = Suite::new(portable, kdf, &const { $aead.on::<$portable>() });
            Pair {
                fast: Suite::new(fast, kdf, &$aead),
                portable,
                name: stringify!($aead).as_bytes(),
            }
            .run(count);
        }};
    }
    pair!(Aes128Gcm, aes_gcm::Aes128Gcm);
    pair!(Aes256Gcm, aes_gcm::Aes256Gcm);
    pair!(ChaCha20Poly1305, chacha20poly1305::ChaCha20Poly1305);
    assert_eq!(AEADS.len(), 4, "three that seal, and export-only");
}

#[test]
fn x25519_messages() {
    all(&X25519HkdfSha256, &X25519, &HkdfSha256, 2600);
}

#[test]
fn p256_messages() {
    all(&P256HkdfSha256, &P256, &HkdfSha256, 500);
}

#[test]
fn p384_messages() {
    all(&P384HkdfSha384, &P384, &HkdfSha384, 160);
}

#[test]
fn p521_messages() {
    all(&P521HkdfSha512, &P521, &HkdfSha512, 80);
}

#[test]
fn hybrid_messages() {
    all(
        &MlKem768X25519,
        &const { MlKem768X25519.on::<Montgomery<Dalek, 32>>() },
        &HkdfSha256,
        100,
    );
    all(
        &MlKem768P256,
        &const { MlKem768P256.on::<Nist<p256::NistP256>>() },
        &HkdfSha256,
        30,
    );
    all(
        &MlKem1024P384,
        &const { MlKem1024P384.on::<Nist<p384::NistP384>>() },
        &HkdfSha384,
        30,
    );
}

#[test]
fn batches() {
    let portable = Suite::new(
        &X25519,
        &HkdfSha256,
        &const { Aes128Gcm.on::<aes_gcm::Aes128Gcm>() },
    );
    let fast = Suite::new(&X25519HkdfSha256, &HkdfSha256, &Aes128Gcm);
    Pair {
        fast,
        portable,
        name: b"batches",
    }
    .batches(9000);

    let kem = &const { MlKem768X25519.on::<Montgomery<Dalek, 32>>() };
    let portable = Suite::new(
        kem,
        &HkdfSha256,
        &const { ChaCha20Poly1305.on::<chacha20poly1305::ChaCha20Poly1305>() },
    );
    let fast = Suite::new(&MlKem768X25519, &HkdfSha256, &ChaCha20Poly1305);
    Pair {
        fast,
        portable,
        name: b"hybrid batches",
    }
    .batches(1000);
}

/// Random bytes as keys, of every length around the right one: refused or taken by both.
#[test]
fn random_bytes_as_keys() {
    fn check<A: Kem, B: Kem>(fast: &A, portable: &B) {
        let info = fast.info();
        for number in 0..2000_u32 {
            let mut bytes = vec![0; info.n_pk];
            Shake128.derive(
                &[info.name.as_bytes(), &number.to_be_bytes()],
                &mut [&mut bytes],
            );
            bytes[0] = [bytes[0], 0, 2, 3, 4, 4, 6, 7, 0xff][number as usize % 9];
            for len in [
                info.n_sk - 1,
                info.n_sk,
                info.n_sk + 1,
                info.n_pk - 1,
                info.n_pk,
            ] {
                let Some(bytes) = bytes.get(..len) else {
                    continue;
                };
                let keys = (
                    fast.deserialize_private_key(bytes),
                    portable.deserialize_private_key(bytes),
                );
                assert_eq!(
                    keys.0.as_ref().map(drop).err(),
                    keys.1.as_ref().map(drop).err(),
                    "{bytes:02x?}"
                );
                let keys = (
                    fast.deserialize_public_key(bytes),
                    portable.deserialize_public_key(bytes),
                );
                assert_eq!(
                    keys.0.as_ref().map(drop).err(),
                    keys.1.as_ref().map(drop).err(),
                    "{bytes:02x?}"
                );
            }
        }
    }
    check(&X25519HkdfSha256, &X25519);
    check(&P256HkdfSha256, &P256);
    check(&P384HkdfSha384, &P384);
    check(&P521HkdfSha512, &P521);
}
