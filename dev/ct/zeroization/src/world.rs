//! A key pair, messages sealed to it, and every intermediate secret.
//!
//! One process makes a world and writes it with its secrets masked. Another reads it, runs an
//! operation, and can search for the secrets without ever having held them.

mod carried;
mod intermediate;

use data_encoding::HEXLOWER;
use pqseal_hpke::{
    AEADS, Aead, AnyAead, AnyPrivateKey, AnyPublicKey, DynKdf, DynKem, HkdfSha256, KDFS, Kdf, Mode,
    Policy, Psk, Sender, Suite,
};
use pqseal_keys::{KeyFormat, kem_by_name, kems};
use pqseal_matched_data::{SealOptions, Sealer};

pub(crate) use carried::{Carried, Kind, seal_jwe};

use crate::{
    draws::{self, Draws},
    masked::{Masked, Secrets},
};

/// The formats, and their names for users.
pub(crate) const FORMS: &[(&str, KeyFormat)] = &[
    ("raw text", KeyFormat::Raw),
    ("a JSON pair", KeyFormat::Json),
    ("PEM", KeyFormat::Pem),
    ("JWK", KeyFormat::Jwk),
    ("a line", KeyFormat::Line),
];

/// The number of messages: more than the vectors of any back end, and one more.
const MESSAGES: usize = 19;
/// The number of other keys that a ring holds.
pub(crate) const OTHER_KEYS: u64 = 9;

/// The numbers for [`draws::bytes`].
const RECIPIENT: u64 = 1;
const SENDER: u64 = 2;
const PSK: u64 = 3;
const OTHER: u64 = 100;
const MESSAGE: u64 = 1000;
const CARRIED: u64 = 5000;
const PLAINTEXT: u64 = 6000;

pub(crate) const INFO: &[u8] = b"the info of all messages";
pub(crate) const AAD: &[u8] = b"the aad of all messages";
const PSK_ID: &[u8] = b"psk id";
const TEXT: &[u8] = b"what is sealed is public here";

/// The algorithms and the mode.
#[derive(Clone, Copy)]
pub(crate) struct Choice {
    pub(crate) kem: &'static DynKem,
    pub(crate) kdf: &'static DynKdf,
    pub(crate) aead: &'static AnyAead,
    pub(crate) psk: bool,
    pub(crate) auth: bool,
}

/// The inputs of the operations.
pub(crate) struct World {
    pub(crate) choice: Choice,
    /// `enc` and `ct` of each message.
    pub(crate) messages: Vec<[Vec<u8>; 2]>,
    /// Blobs of version 4, then, for X25519, of version 3.
    pub(crate) blobs: Vec<Vec<u8>>,
    /// Messages whose plaintext is secret.
    pub(crate) carried: Vec<Carried>,
    pub(crate) secrets: Secrets,
}

impl Choice {
    /// Chooses HKDF-SHA256 and the first AEAD, in base mode.
    const fn new(kem: &'static DynKem) -> Self {
        Self {
            kem,
            kdf: &HkdfSha256,
            aead: &AEADS[0],
            psk: false,
            auth: false,
        }
    }

    /// Returns every KEM once, and for X25519 every KDF and AEAD; every mode of the KEMs that
    /// support them.
    pub(crate) fn all() -> Vec<Self> {
        let x25519 = Self::new(kem_by_name("x25519").expect("it is in the registry"));
        let mut all: Vec<_> = kems().map(Self::new).collect();
        all.extend(KDFS[1..].iter().map(|kdf| Self {
            kdf: *kdf,
            ..x25519
        }));
        let sealing = AEADS.iter().filter(|aead| aead.info().n_t > 0);
        all.extend(sealing.skip(1).map(|aead| Self { aead, ..x25519 }));
        for kem in kems().filter(|kem| kem.info().auth) {
            let modes = [(true, false), (false, true), (true, true)];
            all.extend(modes.map(|(psk, auth)| Self {
                psk,
                auth,
                ..Self::new(kem)
            }));
        }
        all
    }

    pub(crate) fn name(&self) -> String {
        let mut name = self.kem.info().short_name.to_owned();
        if self.kdf.info().id != HkdfSha256.info().id || self.aead.info().id != AEADS[0].info().id {
            name += &format!(", {}, {}", self.kdf.info().name, self.aead.info().name);
        }
        for (is, mode) in [(self.psk, "psk"), (self.auth, "auth")] {
            name += &if is {
                format!(", {mode}")
            } else {
                String::new()
            };
        }
        name
    }

    /// Reports whether it is the choice that represents its KEM in operations that depend only
    /// on the KEM.
    pub(crate) fn is_plain(&self) -> bool {
        self.name() == self.kem.info().short_name
    }

    pub(crate) fn suite(&self) -> Suite {
        Suite::new(self.kem, self.kdf, self.aead)
    }

    fn mode<'a, Key>(&self, key: &'a Key, psk: &'a [u8]) -> Mode<'a, Key> {
        let psk = Psk::new(psk, PSK_ID).expect("it is long enough");
        match (self.psk, self.auth) {
            (false, false) => Mode::Base,
            (true, false) => Mode::Psk(psk),
            (false, true) => Mode::Auth(key),
            (true, true) => Mode::AuthPsk(key, psk),
        }
    }

    /// Runs with the sender's mode.
    pub(crate) fn as_sender<T>(&self, run: impl FnOnce(Mode<'_, AnyPrivateKey>) -> T) -> T {
        let (psk, (key, _)) = (draws::bytes(PSK, 32), pair(self.kem, SENDER));
        run(self.mode(&key, &psk))
    }

    /// Runs with the recipient's mode.
    pub(crate) fn as_recipient<T>(&self, run: impl FnOnce(Mode<'_, AnyPublicKey>) -> T) -> T {
        let (psk, (_, key)) = (draws::bytes(PSK, 32), pair(self.kem, SENDER));
        run(self.mode(&key, &psk))
    }
}

/// Returns the secret parts of a private key. That of Kyber, round 3, contains its public key
/// and the hash of that.
fn secret_parts<'a>(kem: &DynKem, private: &'a [u8]) -> [&'a [u8]; 2] {
    match kem.info().short_name {
        "x25519-kyber768-draft00" => [&private[..32 + 1152], &private[private.len() - 32..]],
        _ => [private, b""],
    }
}

/// Derives the key pair of that number.
pub(crate) fn pair(kem: &DynKem, number: u64) -> (AnyPrivateKey, AnyPublicKey) {
    kem.derive_key_pair(&draws::bytes(number, kem.info().n_sk))
        .expect("the bytes give a key")
}

impl World {
    /// Makes the messages, and records all secrets.
    pub(crate) fn make(choice: Choice) -> Self {
        let kem = choice.kem;
        let (private, public) = pair(kem, RECIPIENT);
        let serialized = kem.serialize_private_key(&private).expect("it has a seed");
        let mut world = Self {
            choice,
            messages: vec![],
            blobs: vec![],
            carried: vec![],
            secrets: Secrets::default(),
        };
        world.add_keys(&private, serialized.as_ref());
        choice.as_sender(|mode| {
            let sender =
                Sender::new(choice.suite(), public.clone(), INFO, mode).expect("the info is short");
            for number in (MESSAGE..).take(MESSAGES) {
                let (enc, ct) = sender
                    .seal(AAD, TEXT, &mut Draws::new(number))
                    .expect("it seals");
                intermediate::add(&mut world, number, &private, &enc);
                world.messages.push([enc, ct]);
            }
        });
        if choice.is_plain() {
            world.add_blobs(&private, &public);
            carried::add(&mut world, public);
        }
        world
    }

    fn add_keys(&mut self, private: &AnyPrivateKey, serialized: &[u8]) {
        let kem = self.choice.kem;
        for part in secret_parts(kem, serialized) {
            self.secrets.add("private key", part);
        }
        self.secrets.add(
            "randomness of the private key",
            &draws::bytes(RECIPIENT, kem.info().n_sk),
        );
        intermediate::add_expanded(self, serialized);
        self.add_texts(private);
        for number in (OTHER..)
            .take(usize::try_from(OTHER_KEYS).expect("few"))
            .chain([SENDER])
        {
            let other = kem
                .serialize_private_key(&pair(kem, number).0)
                .expect("it has a seed");
            for part in secret_parts(kem, other.as_ref()) {
                self.secrets.add(format!("private key {number}"), part);
            }
        }
        if self.choice.psk {
            self.secrets.add("psk", &draws::bytes(PSK, 32));
        }
    }

    /// Adds the secret texts of a private key: all runs that look like base64 and are not in the
    /// public key.
    fn add_texts(&mut self, private: &AnyPrivateKey) {
        let public = pqseal_keys::public_key(private).expect("the KEM is known");
        let of_public: String = FORMS
            .iter()
            .filter_map(|(_, form)| pqseal_keys::write_public(&public, *form).ok())
            .collect();
        for (name, form) in FORMS {
            let Ok(text) = pqseal_keys::write_private(private, *form) else {
                continue;
            };
            let runs = text.split(|c: char| !c.is_ascii_alphanumeric() && !"+/-_".contains(c));
            for run in runs.filter(|run| run.len() >= 24 && !of_public.contains(run)) {
                let secret = run
                    .len()
                    .min(secret_parts(self.choice.kem, run.as_bytes())[0].len());
                self.secrets
                    .add(format!("private key as {name}"), &run.as_bytes()[..secret]);
            }
        }
    }

    fn add_blobs(&mut self, private: &AnyPrivateKey, public: &AnyPublicKey) {
        let info = self.choice.suite().id();
        let v4 = SealOptions {
            version: Some(4),
            kdf: Some(info.kdf),
            aead: Some(info.aead),
            info: INFO,
            with_aad: true,
            policy: Policy::draft().with_experimental(),
        };
        let v4 = Sealer::new(public, &v4).expect("a suite that seals");
        let v3 = SealOptions {
            version: Some(3),
            ..SealOptions::default()
        };
        let v3 = Sealer::new(public, &v3).ok();
        for number in (MESSAGE + 500..).take(MESSAGES) {
            let blob = v4
                .seal(AAD, TEXT, &mut Draws::new(number))
                .expect("it seals");
            // The header has 15 bytes.
            intermediate::add(
                self,
                number,
                private,
                &blob[15..][..self.choice.kem.info().n_enc],
            );
            self.blobs.push(blob);
        }
        for number in (MESSAGE + 1000..).take(MESSAGES).filter(|_| v3.is_some()) {
            let blob = v3
                .as_ref()
                .expect("just asked")
                .seal(b"", TEXT, &mut Draws::new(number))
                .expect("it seals");
            intermediate::add(self, number, private, &blob[1..33]);
            self.blobs.push(blob);
        }
    }

    /// Returns the private key, which the caller drops.
    pub(crate) fn private(&self) -> AnyPrivateKey {
        pair(self.choice.kem, RECIPIENT).0
    }

    pub(crate) fn public(&self) -> AnyPublicKey {
        pqseal_keys::public_key(&self.private()).expect("the KEM is known")
    }

    /// Iterates over the other private keys.
    pub(crate) fn others(&self) -> impl Iterator<Item = AnyPrivateKey> + '_ {
        (OTHER..OTHER + OTHER_KEYS).map(|number| pair(self.choice.kem, number).0)
    }

    /// Iterates over the randomness of the messages, in order.
    pub(crate) fn draws() -> impl Iterator<Item = Draws> {
        (MESSAGE..).take(MESSAGES).map(Draws::new)
    }

    /// Returns the randomness of the recipient's key pair.
    pub(crate) fn generating() -> Draws {
        Draws::new(RECIPIENT)
    }

    /// Returns randomness that is not secret.
    pub(crate) const fn public_draws() -> Draws {
        Draws::new(0)
    }
}

/// The text format of a world, in which all secrets are masked.
impl World {
    pub(crate) fn write(&self) -> String {
        let mut text = String::new();
        for [enc, ct] in &self.messages {
            text += &format!("message {} {}\n", HEXLOWER.encode(enc), HEXLOWER.encode(ct));
        }
        for blob in &self.blobs {
            text += &format!("blob {}\n", HEXLOWER.encode(blob));
        }
        self.carried.iter().for_each(|one| text += &one.write());
        for (name, secret) in self.secrets.iter() {
            text += &format!("{} {name}\n", secret.to_hex());
        }
        text
    }

    pub(crate) fn read(choice: Choice, text: &str) -> Self {
        let mut world = Self {
            choice,
            messages: vec![],
            blobs: vec![],
            carried: vec![],
            secrets: Secrets::default(),
        };
        for line in text.lines() {
            let (first, rest) = line.split_once(' ').expect("two words at least");
            match first {
                "message" => {
                    let (enc, ct) = rest.split_once(' ').expect("three words");
                    world.messages.push([decoded(enc), decoded(ct)]);
                }
                "blob" => world.blobs.push(decoded(rest)),
                "carried" => world.carried.push(Carried::read(rest)),
                secret => world.secrets.push(rest, Masked::from_hex(secret)),
            }
        }
        world
    }
}

fn decoded(hex: &str) -> Vec<u8> {
    HEXLOWER.decode(hex.as_bytes()).expect("written above")
}
