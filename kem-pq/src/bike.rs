//! BIKE (specification v5.1, round 4 of NIST's process), **experimental**: a code-based KEM over
//! the ring GF(2)\[x\]/(x^r - 1).
//!
//! NIST did not select BIKE: the rate at which its decoder fails is estimated, not proven, and
//! failures that a sender can observe leak the private key. A static HPKE key is exactly where that
//! matters. So [`X25519BikeL1`] and its sisters join it with X25519, no id of theirs is registered
//! (they may collide, and may change), and a [`pqseal_hpke::Policy`] refuses them unless it says
//! `with_experimental`.
//!
//! | | r | w/2 | t | public key | ciphertext |
//! |---|---|---|---|---|---|
//! | L1 | 12,323 | 71 | 134 | 1,541 | 1,573 |
//! | L3 | 24,659 | 103 | 199 | 3,083 | 3,115 |
//! | L5 | 40,973 | 137 | 264 | 5,122 | 5,154 |
//!
//! The modules follow the specification: [`params`] section 4, `ring` and `inverse` the arithmetic
//! of section 3.1, `sampling` and `hash` section 2.3, `decoder` the BGF decoder, `kem` KeyGen,
//! Encaps and Decaps. `backend` has the few kernels that cost time.
//!
//! Public: r, w, t, keys' and ciphertexts' lengths, `h`, the ciphertext, and every loop bound and
//! address. Secret: seeds, `h0`, `h1`, their index lists, `sigma`, `m`, `e`, syndromes, counters,
//! thresholds, and whether a ciphertext decoded. Nothing branches on a secret or uses
//! one as an address, and all are wiped. On a 32-bit target that rests on its multiplication taking
//! constant time.
//!
//! `words`, `lanes`, `matrix`, `chain`, `multiply`, `counters`, `permute` and `keccak` are below
//! the back ends, which compile them for their instructions; `ring` is above. The kernels are a
//! table that is chosen once (`backend`), and `backend::portable` is their definition, or for
//! Keccak its `Lane` of one word. WebAssembly has no carry-less multiplication, so its kernel
//! multiplies 32 bits by 32 with zeros between the bits. `proofs` runs the kernels on formal words.

mod backend;
mod chain;
mod counters;
mod decoder;
mod hash;
mod hybrid;
mod inverse;
mod keccak;
mod kem;
mod lanes;
mod masks;
mod matrix;
mod multiply;
pub mod params;
mod permute;
#[cfg(all(test, not(target_arch = "wasm32")))]
mod proofs;
mod ring;
mod sampling;
#[cfg(test)]
mod tests;
mod words;
mod wrapped;

pub use hybrid::{
    HybridPrivateKey, HybridPublicKey, X25519Bike, X25519BikeL1, X25519BikeL3, X25519BikeL5,
};
pub use kem::{PublicKey, SecretKey};
pub use params::Params;
pub use wrapped::{Bike, BikeL1, BikeL3, BikeL5, PrivateKey};

use params::N_SS;
use pqseal_hpke::{Error, KemInfo, SharedSecret, Status};
use sha3::{Digest, Sha3_256};

/// The caution that users must read before they allow these KEMs, in plain words.
pub const CAUTION: &str = "NIST did not select BIKE (2025): how often its decoder fails is estimated, not proved. If the failure \
    rate is higher, an attacker who observes which of many ciphertexts to one key do not open can recover that private key. HPKE keys are \
    used many times, so use each key for few messages and replace it often. The X25519 of x25519-bike-* protects data from attackers \
    without a quantum computer; bike-* has no such second half. Their ids are not registered, and they may change.";

/// The length of a label. It is the same for all, so no label is the end of another's input.
const N_LABEL: usize = 31;

/// The entry of one level, in either of the two families: its ids, names, parameters and label.
#[derive(Clone, Debug)]
struct Row {
    info: KemInfo,
    params: &'static Params,
    label: &'static [u8; N_LABEL],
}

/// The part that the half beside BIKE adds, in bytes: to the keys on the wire, and to the
/// randomness of an encapsulation.
#[derive(Clone, Copy)]
struct Beside {
    n_pk: usize,
    n_random: usize,
}

impl Row {
    /// Makes an entry. `names` has the full name and the short one.
    const fn new(
        id: u16,
        names: [&'static str; 2],
        params: &'static Params,
        label: &'static [u8; N_LABEL],
        n_sk: usize,
        beside: Beside,
    ) -> Self {
        let info = KemInfo {
            id,
            name: names[0],
            short_name: names[1],
            n_secret: N_SS,
            n_enc: params.n_ct() + beside.n_pk,
            n_pk: params.n_pk() + beside.n_pk,
            n_sk,
            n_random: N_SS + beside.n_random,
            auth: false,
            status: Status::Experimental,
        };
        Self {
            info,
            params,
            label,
        }
    }

    /// Checks that a key belongs to this level.
    fn check(&self, pk: &PublicKey) -> Result<(), Error> {
        if pk.params().r == self.params.r {
            Ok(())
        } else {
            Err(Error::KeyMismatch)
        }
    }

    /// UniversalCombiner (draft-irtf-cfrg-hybrid-kems): computes `SHA3-256(ss_PQ || ss_T || ct_PQ
    /// || ct_T || ek_PQ || ek_T || label)`. It only relies on the secrecy of one half. The shorter
    /// combiners also require that the post-quantum half binds its key, which BIKE does not.
    fn combine(&self, ss: [&[u8]; 2], ct: [&[u8]; 2], ek: [&[u8]; 2]) -> SharedSecret {
        let mut hash = Sha3_256::new();
        [ss, ct, ek]
            .iter()
            .flatten()
            .for_each(|part| Digest::update(&mut hash, part));
        Digest::update(&mut hash, self.label);
        let mut shared_secret = SharedSecret::zeros(N_SS);
        Digest::finalize_into(
            hash,
            shared_secret
                .as_mut()
                .try_into()
                .expect("SHA3-256 has 32 bytes"),
        );
        shared_secret
    }
}
