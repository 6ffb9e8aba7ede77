//! Pre-shared keys, and KEMs without the auth modes.

use pqseal_hpke::{
    Aes128Gcm, Erased, Error, HkdfSha256, Kem, KemInfo, Message, Mode, Psk, Recipient, Sealed,
    Secret, Sender, SharedSecret, Status, Suite, X25519HkdfSha256,
};

use crate::common::Replay;

#[test]
fn a_psk_has_32_bytes_and_an_id() {
    assert!(Psk::new(&[1; 32], b"i").is_ok());
    for (psk, psk_id) in [
        (&[1; 31][..], &b"id"[..]),
        (&[1; 32], b""),
        (b"", b"id"),
        (b"", b""),
    ] {
        assert_eq!(
            Psk::new(psk, psk_id).unwrap_err(),
            Error::InvalidPsk,
            "{} bytes, id {psk_id:?}",
            psk.len()
        );
    }
}

/// A KEM with only the required methods of the trait, like every post-quantum KEM. It uses X25519's
/// keys under its own id.
#[derive(Clone, Debug)]
struct NoAuth;

static NO_AUTH: KemInfo = KemInfo {
    id: 0xFE01,
    name: "X25519 without auth",
    short_name: "x25519-no-auth",
    n_secret: 32,
    n_enc: 32,
    n_pk: 32,
    n_sk: 32,
    n_random: 32,
    auth: false,
    status: Status::Experimental,
};

type Private = <X25519HkdfSha256 as Kem>::PrivateKey;
type Public = <X25519HkdfSha256 as Kem>::PublicKey;

impl Kem for NoAuth {
    type PrivateKey = Private;
    type PublicKey = Public;
    type Enc = [u8; 32];

    fn info(&self) -> &KemInfo {
        &NO_AUTH
    }

    fn derive_key_pair(&self, ikm: &[u8]) -> Result<(Private, Public), Error> {
        X25519HkdfSha256.derive_key_pair(ikm)
    }

    fn deserialize_private_key(&self, bytes: &[u8]) -> Result<Private, Error> {
        X25519HkdfSha256.deserialize_private_key(bytes)
    }

    fn serialize_private_key(&self, sk: &Private) -> Result<Secret, Error> {
        X25519HkdfSha256.serialize_private_key(sk)
    }

    fn deserialize_public_key(&self, bytes: &[u8]) -> Result<Public, Error> {
        X25519HkdfSha256.deserialize_public_key(bytes)
    }

    fn public_key(&self, sk: &Private) -> Result<Public, Error> {
        X25519HkdfSha256.public_key(sk)
    }

    fn encap(&self, pk_r: &Public, randomness: &[u8]) -> Result<(SharedSecret, [u8; 32]), Error> {
        X25519HkdfSha256.encap(pk_r, randomness)
    }

    fn decap(&self, enc: &[u8], sk_r: &Private) -> Result<SharedSecret, Error> {
        X25519HkdfSha256.decap(enc, sk_r)
    }
}

#[test]
fn a_kem_without_auth_refuses_the_auth_modes_and_has_the_others() {
    let suite = Suite::new(&NoAuth, &HkdfSha256, &Aes128Gcm);
    let (sk, pk) = NoAuth.derive_key_pair(&[1; 32]).unwrap();
    let psk = Psk::new(&[1; 32], b"id").unwrap();
    for (sending, receiving) in [
        (Mode::Auth(&sk), Mode::Auth(&pk)),
        (Mode::AuthPsk(&sk, psk), Mode::AuthPsk(&pk, psk)),
    ] {
        let sent = suite.setup_s(&pk, b"", sending, &mut Replay(&[2; 32]));
        assert_eq!(sent.unwrap_err(), Error::AuthUnsupported);
        assert_eq!(
            suite.setup_r(pk.as_ref(), &sk, b"", receiving).unwrap_err(),
            Error::AuthUnsupported
        );
    }
    let (enc, ct) = suite
        .seal(
            &pk,
            b"",
            Mode::Psk(psk),
            b"",
            b"message",
            &mut Replay(&[2; 32]),
        )
        .unwrap();
    let recipient = Recipient::new(suite, sk, b"", Mode::Psk(psk)).unwrap();
    let records = [
        Sealed {
            enc: &enc,
            aad: b"",
            ct: &ct,
        },
        Sealed {
            enc: &[0; 32],
            aad: b"",
            ct: &ct,
        },
    ];
    assert_eq!(
        recipient.open_batch(&records),
        [Ok(b"message".to_vec()), Err(Error::Validation)]
    );
}

/// The two KEMs share their key types, so that only the id distinguishes their keys.
#[test]
fn a_key_of_the_same_type_and_another_kem_is_refused() {
    let (sk, pk) = Erased(X25519HkdfSha256).derive_key_pair(&[1; 32]).unwrap();
    assert_eq!(
        Erased(NoAuth).decap(pk.as_ref(), &sk).unwrap_err(),
        Error::KeyMismatch
    );
    assert_eq!(
        Erased(NoAuth).encap(&pk, &[2; 32]).unwrap_err(),
        Error::KeyMismatch
    );
    assert_ne!(
        Erased(NoAuth).deserialize_public_key(pk.as_ref()).unwrap(),
        pk
    );
}

/// A KEM whose encapsulation uses no randomness of its caller.
#[derive(Clone, Debug)]
struct NoRandomness;

static NO_RANDOMNESS: KemInfo = KemInfo {
    id: 0xFE02,
    n_random: 0,
    ..NO_AUTH
};

impl Kem for NoRandomness {
    type PrivateKey = Private;
    type PublicKey = Public;
    type Enc = [u8; 32];

    fn info(&self) -> &KemInfo {
        &NO_RANDOMNESS
    }

    fn derive_key_pair(&self, ikm: &[u8]) -> Result<(Private, Public), Error> {
        NoAuth.derive_key_pair(ikm)
    }

    fn deserialize_private_key(&self, bytes: &[u8]) -> Result<Private, Error> {
        NoAuth.deserialize_private_key(bytes)
    }

    fn serialize_private_key(&self, sk: &Private) -> Result<Secret, Error> {
        NoAuth.serialize_private_key(sk)
    }

    fn deserialize_public_key(&self, bytes: &[u8]) -> Result<Public, Error> {
        NoAuth.deserialize_public_key(bytes)
    }

    fn public_key(&self, sk: &Private) -> Result<Public, Error> {
        NoAuth.public_key(sk)
    }

    fn encap(&self, pk_r: &Public, randomness: &[u8]) -> Result<(SharedSecret, [u8; 32]), Error> {
        assert!(randomness.is_empty());
        NoAuth.encap(pk_r, &[9; 32])
    }

    fn decap(&self, enc: &[u8], sk_r: &Private) -> Result<SharedSecret, Error> {
        NoAuth.decap(enc, sk_r)
    }
}

#[test]
fn a_kem_without_randomness_seals_batches() {
    let suite = Suite::new(&NoRandomness, &HkdfSha256, &Aes128Gcm);
    let (sk, pk) = NoRandomness.derive_key_pair(&[1; 32]).unwrap();
    let sender = Sender::new(suite, pk, b"", Mode::Base).unwrap();
    let messages = [b"one", b"two"].map(|pt| Message { aad: b"", pt });
    let sealed = sender.seal_batch(&messages, &mut Replay(&[])).unwrap();
    for ((enc, ct), message) in sealed.iter().zip(messages) {
        assert_eq!(
            suite.open(enc, &sk, b"", Mode::Base, b"", ct).unwrap(),
            message.pt
        );
    }
}
