//! The intermediate values of a KEM and the key schedule: randomness, ephemeral keys,
//! Diffie-Hellman values, shared secrets, keys, expanded private keys.

use pqseal_hpke::{
    Aead, AnyPrivateKey, HPKE_V1, Kem, Labels, Mode,
    dhkem::{Group, P256, P384, P521, X448, X25519},
    kdf::{ScheduleInputs, ScheduleParts},
};
use pqseal_kem_pq::{MlKem768, MlKem1024};
use shake::{ExtendableOutput, Shake256, Update, XofReader};

use super::{INFO, PSK, PSK_ID, SENDER, World, pair};
use crate::{draws, memory};

/// Adds the secrets of the message that was sealed with the randomness of that number.
pub(super) fn add(world: &mut World, number: u64, private: &AnyPrivateKey, enc: &[u8]) {
    let kem = world.choice.kem;
    let randomness = draws::bytes(number, kem.info().n_random);
    let shared_secret = match world.choice.auth {
        true => kem.auth_decap(enc, private, &pair(kem, SENDER).1),
        false => kem.decap(enc, private),
    };
    let shared_secret = shared_secret.expect("it was sealed to that key");
    world.secrets.add("randomness", &randomness);
    world.secrets.add("shared secret", shared_secret.as_ref());
    // This is for a DHKEM. The ephemeral key of any other KEM is not found.
    if let Ok((ephemeral, _)) = kem.derive_key_pair(&randomness)
        && let Ok(bytes) = kem.serialize_private_key(&ephemeral)
    {
        world.secrets.add("ephemeral private key", bytes.as_ref());
    }
    let serialized = kem.serialize_private_key(private).expect("it has a seed");
    for (name, secret) in of_kem(kem.info().short_name, serialized.as_ref(), enc) {
        world.secrets.add(name, &secret);
    }
    add_schedule(world, shared_secret.as_ref());
}

/// Adds the key, nonce and exporter secret of a context, and its exported secrets.
fn add_schedule(world: &mut World, shared_secret: &[u8]) {
    let (choice, psk) = (world.choice, draws::bytes(PSK, 32));
    let id = choice.suite().id().to_bytes();
    let labels = Labels {
        version: HPKE_V1,
        suite_id: &id,
    };
    let mode = choice.as_sender(|mode| Mode::id(&mode));
    let (psk, psk_id) = if choice.psk {
        (&psk[..], PSK_ID)
    } else {
        (&b""[..], &b""[..])
    };
    let context = choice
        .kdf
        .key_schedule_context(&labels, mode, psk_id, INFO)
        .expect("short");
    let inputs = ScheduleInputs {
        key_schedule_context: &context,
        psk,
        shared_secret,
        aead: choice.aead.info(),
    };
    let secrets = choice
        .kdf
        .combine_secrets(&labels, &inputs, ScheduleParts::All)
        .expect("short");
    world.secrets.add("key", secrets.key.as_ref());
    world.secrets.add("base nonce", secrets.base_nonce.as_ref());
    world
        .secrets
        .add("exporter secret", secrets.exporter_secret.as_ref());
    let mut exported = [0; 32];
    choice
        .kdf
        .export(
            &labels,
            &secrets.exporter_secret,
            b"exported",
            &mut exported,
        )
        .expect("short");
    world.secrets.add("exported secret", &exported);
}

type Named = (&'static str, Vec<u8>);

/// Returns the components of a shared secret, by the KEM.
fn of_kem(kem: &str, private: &[u8], enc: &[u8]) -> Vec<Named> {
    match kem {
        "x25519" => vec![dh::<X25519>(private, enc)],
        "x448" => vec![dh::<X448>(private, enc)],
        "p256" => vec![dh::<P256>(private, enc)],
        "p384" => vec![dh::<P384>(private, enc)],
        "p521" => vec![dh::<P521>(private, enc)],
        "mlkem768-x25519" => halves::<X25519>(&MlKem768, private, enc),
        "mlkem768-p256" => halves::<P256>(&MlKem768, private, enc),
        "mlkem1024-p384" => halves::<P384>(&MlKem1024, private, enc),
        _ => vec![],
    }
}

fn dh<G: Group>(scalar: &[u8], point: &[u8]) -> Named {
    let (scalar, point) = (
        G::scalar(scalar).expect("valid"),
        G::point(point).ok().expect("valid"),
    );
    (
        "Diffie-Hellman value",
        G::dh(&scalar, &point).expect("not zero").as_ref().to_vec(),
    )
}

/// Expands a hybrid's seed as `kem-pq` does: ML-KEM's, then the curve's.
fn halves<G: Group>(ml_kem: &impl Kem, seed: &[u8], enc: &[u8]) -> Vec<Named> {
    let mut stream = Shake256::default().chain(seed).finalize_xof();
    let (mut pq, mut t) = (vec![0; 64], vec![0; G::N_SK]);
    stream.read(&mut pq);
    stream.read(&mut t);
    let (ct_pq, ct_t) = enc.split_at(ml_kem.info().n_enc);
    let key = ml_kem.deserialize_private_key(&pq).expect("64 bytes");
    let ss_pq = ml_kem.decap(ct_pq, &key).expect("of that length");
    let ss_pq = ("ML-KEM's shared secret", ss_pq.as_ref().to_vec());
    vec![
        ("ML-KEM's seed", pq),
        ss_pq,
        dh::<G>(&t, ct_t),
        ("the curve's private key", t),
    ]
}

/// Adds the expanded private key of ML-KEM-768, as libcrux holds it in memory.
pub(super) fn add_expanded(world: &mut World, private: &[u8]) {
    let seed: [u8; 64] = match world.choice.kem.info().short_name {
        "mlkem768" => private.try_into().expect("a seed"),
        "mlkem768-x25519" | "mlkem768-p256" => {
            let mut seed = [0; 64];
            Shake256::default()
                .chain(private)
                .finalize_xof()
                .read(&mut seed);
            seed
        }
        _ => return,
    };
    use libcrux_ml_kem::mlkem768::portable::unpacked::{self, MlKem768KeyPairUnpacked};
    let mut pair = MlKem768KeyPairUnpacked::default();
    unpacked::generate_key_pair_mut(seed, &mut pair);
    let bytes = memory::bytes_of(&pair.private_key).expect("own memory can be read");
    world.secrets.add("expanded private key, portable", &bytes);
    let dk = libcrux_ml_kem::mlkem768::portable::generate_key_pair(seed);
    let of_vectors = in_vectors(dk.private_key().as_slice());
    (world.secrets).add("expanded private key, vectorized", &of_vectors);
}

/// Of each pair of coefficients of s, both in the last two polynomials, as they are multiplied
/// with: times 2^16 / 128, and the second first.
fn in_vectors(dk: &[u8]) -> Vec<u8> {
    (0..256)
        .step_by(2)
        .flat_map(|n| {
            [
                scaled(dk, 1, n + 1),
                scaled(dk, 1, n),
                scaled(dk, 2, n + 1),
                scaled(dk, 2, n),
            ]
        })
        .flatten()
        .collect()
}

/// Returns coefficient `n` of a polynomial, times 2^16 / 128.
fn scaled(dk: &[u8], poly: usize, n: usize) -> [u8; 2] {
    let at = 384 * poly + n / 2 * 3;
    let both = u32::from_le_bytes([dk[at], dk[at + 1], dk[at + 2], 0]);
    let number = i32::try_from(both >> (12 * (n % 2)) & 0xfff).expect("twelve bits");
    let scaled = number * 512 - ((number * 5040 + 0x4000) >> 15) * 3329;
    i16::try_from(scaled).expect("below q").to_le_bytes()
}
