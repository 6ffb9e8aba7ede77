//! Messages with a secret plaintext: of HPKE, matched data, JWE and COSE.

use std::cell::RefCell;

use data_encoding::HEXLOWER;
use pqseal_formats::{
    ALGORITHMS, Algorithm, KeyManagement, PublicKey, algorithm, cose,
    jwe::{self, Serialization},
};
use pqseal_hpke::{AnyPublicKey, Mode, Policy};
use pqseal_matched_data::{SealOptions, Sealer};
use serde_json::json;
use zeroize::Zeroizing;

use super::{AAD, CARRIED, INFO, PLAINTEXT, World};
use crate::{
    draws::{self, Draws},
    masked::Masked,
};

/// A message and its kind.
pub(crate) struct Carried {
    pub(crate) kind: Kind,
    pub(crate) bytes: Vec<u8>,
}

/// The kind of a message.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// `enc` and `ct` of the world's suite, one after the other.
    Hpke,
    Blob,
    Jwe(Algorithm),
    Cose(Algorithm),
}

impl Carried {
    pub(crate) fn write(&self) -> String {
        let (kind, name) = match self.kind {
            Kind::Hpke => ("hpke", "-"),
            Kind::Blob => ("matched", "-"),
            Kind::Jwe(alg) => ("jwe", alg.name()),
            Kind::Cose(alg) => ("cose", alg.name()),
        };
        format!("carried {kind} {name} {}\n", HEXLOWER.encode(&self.bytes))
    }

    /// Parses the output of `write`, without its first word.
    pub(crate) fn read(text: &str) -> Self {
        let words: Vec<_> = text.split(' ').collect();
        let alg = algorithm(words[1]);
        let kind = match words[0] {
            "hpke" => Kind::Hpke,
            "matched" => Kind::Blob,
            "jwe" => Kind::Jwe(alg.expect("written above")),
            _ => Kind::Cose(alg.expect("written above")),
        };
        let bytes = HEXLOWER.decode(words[2].as_bytes());
        Self {
            kind,
            bytes: bytes.expect("written above"),
        }
    }
}

impl World {
    /// Iterates over the algorithms of JOSE and COSE for the world's keys.
    pub(crate) fn algorithms(&self) -> impl Iterator<Item = Algorithm> {
        let id = self.choice.kem.info().id;
        ALGORITHMS
            .iter()
            .copied()
            .filter(move |alg| alg.kem().is_ok_and(|kem| kem.info().id == id))
    }

    /// Returns the plaintext of the messages in [`World::carried`].
    pub(crate) fn plaintext() -> Zeroizing<Vec<u8>> {
        draws::bytes(PLAINTEXT, 256)
    }

    /// Returns the randomness of JWE and COSE.
    pub(crate) fn carrying() -> Draws {
        Draws::new(CARRIED)
    }
}

/// Makes the messages and records their secrets.
pub(super) fn add(world: &mut World, public: AnyPublicKey) {
    let plaintext = World::plaintext();
    world.secrets.add("plaintext", &plaintext);
    let suite = world.choice.suite();
    let sealed = suite.seal(
        &public,
        INFO,
        Mode::Base,
        AAD,
        &plaintext,
        &mut World::carrying(),
    );
    let (enc, ct) = sealed.expect("it seals");
    push(world, Kind::Hpke, [enc, ct].concat());
    let options = SealOptions {
        version: Some(4),
        info: INFO,
        with_aad: true,
        policy: Policy::draft().with_experimental(),
        ..SealOptions::default()
    };
    let sealer = Sealer::new(&public, &options).expect("a suite that seals");
    let blob = sealer.seal(AAD, &plaintext, &mut World::carrying());
    push(world, Kind::Blob, blob.expect("it seals"));
    let key = PublicKey::new(public);
    for alg in world.algorithms().collect::<Vec<_>>() {
        let ceks = RefCell::default();
        let message = seal_jwe(alg, &key, &plaintext, &ceks);
        push(world, Kind::Jwe(alg), message.into_bytes());
        for cek in ceks.into_inner() {
            world.secrets.push("CEK", cek);
        }
        let sealer = cose::Sealer::new(cose::Recipient::new(alg, &key).expect("its KEM"));
        let message = sealer.seal(&plaintext, &mut World::carrying());
        push(world, Kind::Cose(alg), message.expect("it seals"));
    }
}

fn push(world: &mut World, kind: Kind, bytes: Vec<u8>) {
    world.carried.push(Carried { kind, bytes });
}

/// Seals a message. With Key Encryption it has a recipient of another algorithm too, which is
/// given the CEK.
pub(crate) fn seal_jwe(
    alg: Algorithm,
    key: &PublicKey,
    plaintext: &[u8],
    ceks: &RefCell<Vec<Masked>>,
) -> String {
    let sealer = jwe::Sealer::new(jwe::Recipient::new(alg, key).expect("its KEM"));
    let (serialization, sealer) = match alg.mode() {
        KeyManagement::Integrated => (Serialization::Compact, sealer),
        KeyManagement::KeyEncryption => {
            let header = serde_json::from_value(json!({"alg": "other"})).expect("an object");
            let sealer = sealer.and_other(header, alg.is_post_quantum(), |cek| {
                ceks.borrow_mut().push(Masked::new(cek));
                Ok(b"encrypted".to_vec())
            });
            (Serialization::General, sealer)
        }
    };
    let sealed = sealer.seal(serialization, plaintext, &mut World::carrying());
    sealed.expect("it seals")
}
