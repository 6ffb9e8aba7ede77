//! The suites and modes of the kit, and keys and randomness that are the same in every run.

use std::convert::Infallible;

use pqseal_hpke::{AnyPrivateKey, AnyPublicKey, DynKem, Mode, Policy, Psk, Suite, SuiteId};
use pqseal_keys::KEMS;
use rand_core::{TryCryptoRng, TryRng};

/// KEM, KDF, AEAD. The first suite of a KEM gets every case, the others a few.
pub(crate) const SUITES: [[u16; 3]; 29] = [
    [0x10, 1, 1],
    [0x10, 0x10, 3],
    [0x11, 2, 2],
    [0x11, 0x11, 2],
    [0x12, 3, 2],
    [0x20, 1, 1],
    [0x20, 1, 3],
    [0x20, 2, 2],
    [0x20, 3, 3],
    [0x20, 0x10, 1],
    [0x20, 0x11, 2],
    [0x20, 0x12, 3],
    [0x20, 0x13, 1],
    [0x21, 3, 3],
    [0x21, 0x13, 2],
    [0x40, 1, 1],
    [0x41, 1, 1],
    [0x41, 0x11, 2],
    [0x42, 2, 2],
    [0x42, 0x13, 3],
    [0x50, 1, 1],
    [0x50, 0x11, 2],
    [0x51, 2, 2],
    [0x51, 0x11, 2],
    [0x647a, 1, 3],
    [0x647a, 0x11, 2],
    [0x30, 1, 1],
    [0xff21, 3, 2],
    [0xff11, 3, 2],
];

/// Returns a policy that allows everything.
pub(crate) fn everything() -> Policy {
    Policy::draft().with_experimental()
}

pub(crate) fn suite([kem, kdf, aead]: [u16; 3]) -> Suite {
    Suite::from_id(KEMS, SuiteId::new(kem, kdf, aead), &everything()).expect("a suite we have")
}

/// Reports whether this is the first suite of its KEM.
pub(crate) fn is_first(ids: [u16; 3]) -> bool {
    SUITES.iter().find(|other| other[0] == ids[0]) == Some(&ids)
}

/// Derives a key pair of a KEM: 1 the recipient's, 2 the sender's, 3 another one.
pub(crate) fn pair(kem: &DynKem, number: u8) -> (AnyPrivateKey, AnyPublicKey) {
    kem.derive_key_pair(&[number; 66]).expect("enough material")
}

pub(crate) const PSK: &[u8] = b"a pre-shared key of the kit, 48 bytes in length.";
pub(crate) const PSK_ID: &[u8] = b"psk of the kit";

/// Returns a mode by its number.
pub(crate) fn mode<'a, Key>(number: u8, key: Option<&'a Key>, psk: [&'a [u8]; 2]) -> Mode<'a, Key> {
    let with_psk = || Psk::new(psk[0], psk[1]).expect("long enough");
    match (number, key) {
        (0, _) => Mode::Base,
        (1, _) => Mode::Psk(with_psk()),
        (2, Some(key)) => Mode::Auth(key),
        (3, Some(key)) => Mode::AuthPsk(key, with_psk()),
        _ => panic!("mode {number} needs the sender's key"),
    }
}

/// A deterministic generator: a multiplicative sequence modulo 2^64.
pub(crate) struct Repeatable(u64);

impl Repeatable {
    pub(crate) fn new(seed: u16) -> Self {
        Self(u64::from(seed) << 1 | 1)
    }

    pub(crate) fn bytes(&mut self, len: usize) -> Vec<u8> {
        let mut bytes = vec![0; len];
        let Ok(()) = self.try_fill_bytes(&mut bytes);
        bytes
    }
}

impl TryRng for Repeatable {
    type Error = Infallible;

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        self.0 = self.0.wrapping_mul(0xd134_2543_de82_ef95);
        Ok(self.0.rotate_left(32))
    }

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        let Ok(word) = self.try_next_u64();
        let [a, b, c, d, ..] = word.to_le_bytes();
        Ok(u32::from_le_bytes([a, b, c, d]))
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        for chunk in bytes.chunks_mut(4) {
            let word = self.try_next_u32()?.to_le_bytes();
            chunk.copy_from_slice(&word[..chunk.len()]);
        }
        Ok(())
    }
}

impl TryCryptoRng for Repeatable {}
