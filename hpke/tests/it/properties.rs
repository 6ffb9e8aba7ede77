//! Properties over random suites and random inputs: sealed messages open, types and ids give the
//! same bytes, and no bytes make a parser panic.

use pqseal_hpke::{
    AEADS, Aes128Gcm, Aes256Gcm, AnyPublicKey, ChaCha20Poly1305, Error, HkdfSha256, HkdfSha384,
    HkdfSha512, KDFS, KEMS, Kdf, Kem, Mode, P256HkdfSha256, P384HkdfSha384, P521HkdfSha512, Policy,
    Psk, Response, Secret, Shake128, Shake256, Suite, TurboShake128, TurboShake256, X448HkdfSha512,
    X25519HkdfSha256, aead::Sealing,
};
use proptest::{collection::vec, prelude::*, sample::Index};

use crate::common::Replay;

/// Any suite that seals: the first three rows of [`AEADS`].
fn suites() -> impl Strategy<Value = Suite> {
    (0..KEMS.len(), 0..KDFS.len(), 0..3usize)
        .prop_map(|(kem, kdf, aead)| Suite::new(KEMS[kem], KDFS[kdf], &AEADS[aead]))
}

fn bytes(longest: usize) -> impl Strategy<Value = Vec<u8>> {
    vec(any::<u8>(), 0..=longest)
}

/// The inputs of a conversation.
#[derive(Clone, Debug)]
struct Inputs {
    mode: usize,
    info: Vec<u8>,
    aad: Vec<u8>,
    pt: Vec<u8>,
    psk: Vec<u8>,
    psk_id: Vec<u8>,
    seed: [u8; 66],
}

fn inputs() -> impl Strategy<Value = Inputs> {
    let texts = (0..4usize, bytes(200), bytes(100), bytes(1000));
    let keys = (
        vec(any::<u8>(), 32..100),
        vec(any::<u8>(), 1..50),
        any::<[u8; 32]>(),
        any::<[u8; 32]>(),
    );
    (texts, keys).prop_map(|((mode, info, aad, pt), (psk, psk_id, a, b))| {
        let mut seed = [0; 66];
        seed[..32].copy_from_slice(&a);
        seed[32..64].copy_from_slice(&b);
        Inputs {
            mode,
            info,
            aad,
            pt,
            psk,
            psk_id,
            seed,
        }
    })
}

impl Inputs {
    fn mode<'a, Key>(&'a self, key: &'a Key) -> Mode<'a, Key> {
        let psk = Psk::new(&self.psk, &self.psk_id).unwrap();
        [
            Mode::Base,
            Mode::Psk(psk),
            Mode::Auth(key),
            Mode::AuthPsk(key, psk),
        ][self.mode]
    }

    /// Returns everything that a conversation sends, and opens it.
    fn converse<K: Kem + ?Sized, D: Kdf + ?Sized, A: Sealing>(
        &self,
        suite: Suite<K, D, A>,
    ) -> [Vec<u8>; 4] {
        let (sk_r, pk_r) = suite.kem().derive_key_pair(&self.seed).unwrap();
        let (sk_s, pk_s) = suite.kem().derive_key_pair(&self.seed[..40]).unwrap();
        let mut rng = Replay(&self.seed[..suite.kem().info().n_random]);
        let (enc, mut sender) = suite
            .setup_s(&pk_r, &self.info, self.mode(&sk_s), &mut rng)
            .unwrap();
        let mut recipient = suite
            .setup_r(enc.as_ref(), &sk_r, &self.info, self.mode(&pk_s))
            .unwrap();
        let ct = sender.seal(&self.aad, &self.pt).unwrap();
        assert_eq!(recipient.open(&self.aad, &ct).unwrap(), self.pt);
        let exported = sender.export(&self.aad, 77).unwrap();
        assert_eq!(recipient.export(&self.aad, 77).unwrap(), exported);
        let form = Response::new(&self.psk_id);
        let rng = &mut Replay(&self.seed);
        let answer = recipient
            .seal_response(form, enc.as_ref(), &self.aad, &self.pt, rng)
            .unwrap();
        assert_eq!(
            sender
                .open_response(form, enc.as_ref(), &self.aad, &answer)
                .unwrap(),
            self.pt
        );
        [
            enc.as_ref().to_vec(),
            ct,
            exported.as_ref().to_vec(),
            answer,
        ]
    }
}

/// The typed suite and the one found by its ids.
fn same_bytes<K: Kem, D: Kdf, A: Sealing>(suite: Suite<K, D, A>, inputs: &Inputs) {
    let agile = Suite::from_id(&[KEMS], suite.id(), &Policy::draft()).unwrap();
    assert_eq!(inputs.converse(suite), inputs.converse(agile));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn what_is_sealed_opens(suite in suites(), inputs in inputs()) {
        inputs.converse(suite);
    }

    #[test]
    fn a_changed_byte_of_the_ciphertext_does_not_open(
        suite in suites(), inputs in inputs(), at in any::<Index>(), change in 1..=255u8,
    ) {
        let (sk, pk) = suite.kem().derive_key_pair(&inputs.seed).unwrap();
        let mut rng = Replay(&inputs.seed[..suite.kem().info().n_random]);
        let (enc, mut ct) = suite.seal(&pk, &inputs.info, Mode::Base, &inputs.aad, &inputs.pt, &mut rng).unwrap();
        let at = at.index(ct.len());
        ct[at] ^= change;
        prop_assert_eq!(suite.open(&enc, &sk, &inputs.info, Mode::Base, &inputs.aad, &ct), Err(Error::Open));
    }

    /// Key bytes that parse come out as they went in; all others are one error.
    #[test]
    fn parsed_keys_keep_their_bytes(suite in suites(), bytes in key_bytes()) {
        let kem = suite.kem();
        for len in [bytes.len(), kem.info().n_sk.min(bytes.len())] {
            match kem.deserialize_private_key(&bytes[..len]) {
                Ok(sk) => prop_assert_eq!(kem.serialize_private_key(&sk), Ok(Secret::from_bytes(&bytes[..len]))),
                Err(error) => prop_assert_eq!(error, Error::Deserialize),
            }
        }
        for len in [bytes.len(), kem.info().n_pk.min(bytes.len())] {
            match kem.deserialize_public_key(&bytes[..len]) {
                Ok(pk) => prop_assert_eq!(pk.as_ref(), &bytes[..len]),
                Err(error) => prop_assert_eq!(error, Error::Deserialize),
            }
        }
    }

    /// Hostile input with real keys gives an error, never a panic, never a plaintext.
    #[test]
    fn arbitrary_bytes_do_not_open(suite in suites(), inputs in inputs(), enc in key_bytes(), ct in bytes(100)) {
        let (sk, pk) = suite.kem().derive_key_pair(&inputs.seed).unwrap();
        let whole = enc.len().min(suite.kem().info().n_enc);
        for enc in [&enc[..], &enc[..whole], pk.as_ref()] {
            prop_assert!(suite.open(enc, &sk, &inputs.info, inputs.mode(&pk), &inputs.aad, &ct).is_err());
            let export = suite.receive_export(enc, &sk, &inputs.info, Mode::<AnyPublicKey>::Base, &ct, 32);
            prop_assert!(export.is_ok() || matches!(export, Err(Error::Deserialize | Error::Validation)));
        }
        let mut rng = Replay(&inputs.seed[..suite.kem().info().n_random]);
        let (enc, sender) = suite.setup_s(&pk, &inputs.info, Mode::Base, &mut rng).unwrap();
        let recipient = suite.setup_r(&enc, &sk, &inputs.info, Mode::Base).unwrap();
        prop_assert_eq!(recipient.open_at(ct.len() as u64, &inputs.aad, &ct), Err(Error::Open));
        prop_assert_eq!(sender.open_response(Response::new(b"x"), &enc, &inputs.aad, &ct), Err(Error::Open));
    }
}

/// Half of them begin as an uncompressed point does.
fn key_bytes() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        bytes(150),
        bytes(150).prop_map(|rest| [&[4], &rest[..]].concat())
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20))]

    /// Each KEM, KDF and AEAD at least once by its type.
    #[test]
    fn types_and_ids_give_the_same_bytes(inputs in inputs()) {
        same_bytes(Suite::new(&P256HkdfSha256, &HkdfSha256, &Aes128Gcm), &inputs);
        same_bytes(Suite::new(&P384HkdfSha384, &HkdfSha384, &Aes256Gcm), &inputs);
        same_bytes(Suite::new(&P521HkdfSha512, &HkdfSha512, &ChaCha20Poly1305), &inputs);
        same_bytes(Suite::new(&X25519HkdfSha256, &Shake128, &Aes128Gcm), &inputs);
        same_bytes(Suite::new(&X448HkdfSha512, &Shake256, &Aes256Gcm), &inputs);
        same_bytes(Suite::new(&X25519HkdfSha256, &TurboShake128, &ChaCha20Poly1305), &inputs);
        same_bytes(Suite::new(&P256HkdfSha256, &TurboShake256, &Aes128Gcm), &inputs);
    }
}
