//! Known answers: a check that this build computes the right results on this machine and back end.

mod answers;

use std::convert::Infallible;

use pqseal_hpke::{
    AEADS, Aead, AnyAead, DynKdf, DynKem, Error, KDFS, Kem, Mode, Suite, X25519HkdfSha256,
    rand_core::{TryCryptoRng, TryRng},
};
use sha2::{Digest, Sha256};

use crate::{kem_by_id, kems};
use answers::{KEM_ANSWERS, SCHEDULE_ANSWERS};

/// The first 8 bytes of a SHA-256.
type Answer = u64;

/// The result of one known-answer test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownAnswer {
    /// The algorithms tested: a KEM, or a KDF and an AEAD, by their registered names.
    pub name: String,
    /// Set if the result was right.
    pub passed: bool,
}

/// Computes a known answer for every KEM, and for every KDF with every AEAD, on the back ends that
/// are chosen now ([`choose_backend`](crate::choose_backend)). Takes some tens of milliseconds.
///
/// A KEM derives a key pair, encapsulates with fixed randomness and decapsulates. A KDF and an AEAD
/// seal, export and open under X25519. The answers come from a build that passed the official
/// vectors.
///
/// ```
/// use pqseal_keys::self_test;
///
/// assert!(self_test().iter().all(|answer| answer.passed));
/// ```
#[must_use]
pub fn self_test() -> Vec<KnownAnswer> {
    let of_kem = |kem: &'static DynKem| KnownAnswer {
        name: kem.info().name.to_owned(),
        passed: is_known(KEM_ANSWERS, kem.info().id, kem_answer(kem)),
    };
    let of_schedule = |(kdf, aead): (&'static DynKdf, &'static AnyAead)| KnownAnswer {
        name: format!("{} with {}", kdf.info().name, aead.info().name),
        passed: is_known(
            SCHEDULE_ANSWERS,
            (kdf.info().id, aead.info().id),
            schedule_answer(kdf, aead),
        ),
    };
    let schedules = KDFS
        .iter()
        .flat_map(|kdf| AEADS.iter().map(|aead| (*kdf, aead)));
    kems()
        .map(of_kem)
        .chain(schedules.map(of_schedule))
        .collect()
}

fn is_known<I: PartialEq>(answers: &[(I, Answer)], id: I, found: Result<Answer, Error>) -> bool {
    let known = answers.iter().find(|(known, _)| *known == id);
    matches!((known, found), (Some((_, known)), Ok(found)) if *known == found)
}

/// Computes `SHA-256(pk || enc || shared_secret)`, after a check that decapsulation gives the same
/// secret.
fn kem_answer(kem: &DynKem) -> Result<Answer, Error> {
    let info = kem.info();
    let (private, public) = kem.derive_key_pair(&counted(info.n_sk))?;
    let (shared_secret, enc) = kem.encap(&public, &counted(info.n_random))?;
    let again = kem.decap(&enc, &private)?;
    if again.as_ref() != shared_secret.as_ref() {
        return Err(Error::Decap);
    }
    Ok(digest(&[public.as_ref(), &enc, shared_secret.as_ref()]))
}

/// Computes `SHA-256(enc || ct || exported)`, with an empty `ct` for export-only.
fn schedule_answer(kdf: &'static DynKdf, aead: &'static AnyAead) -> Result<Answer, Error> {
    let kem = kem_by_id(X25519HkdfSha256.info().id).ok_or(Error::Deserialize)?;
    let suite = Suite::new(kem, kdf, aead);
    let (private, public) = kem.derive_key_pair(&counted(kem.info().n_sk))?;
    let (enc, mut sender) = suite.setup_s(&public, b"info", Mode::Base, &mut Counted)?;
    let mut recipient = suite.setup_r(&enc, &private, b"info", Mode::Base)?;
    let exported = sender.export(b"context", 32)?;
    let ct = match sender.seal(b"aad", b"known answer") {
        Err(Error::ExportOnly) => Vec::new(),
        ct => ct?,
    };
    if !ct.is_empty() && recipient.open(b"aad", &ct)? != b"known answer" {
        return Err(Error::Open);
    }
    Ok(digest(&[&enc, &ct, exported.as_ref()]))
}

fn digest(parts: &[&[u8]]) -> Answer {
    let hash = parts
        .iter()
        .fold(Sha256::new(), |hash, part| hash.chain_update(part));
    let [a, b, c, d, e, f, g, h, ..]: [u8; 32] = hash.finalize().into();
    u64::from_be_bytes([a, b, c, d, e, f, g, h])
}

/// Returns the bytes 0, 1, 2, ... modulo 251.
fn counted(len: usize) -> Vec<u8> {
    (0..=250).cycle().take(len).collect()
}

/// A random number generator of which every call returns [`counted`].
struct Counted;

impl TryRng for Counted {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok(u32::from_le_bytes([0, 1, 2, 3]))
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        Ok(u64::from_le_bytes([0, 1, 2, 3, 4, 5, 6, 7]))
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        bytes.copy_from_slice(&counted(bytes.len()));
        Ok(())
    }
}

impl TryCryptoRng for Counted {}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks that no algorithm lacks its answer. A failure prints the entry to add to the tables.
    #[test]
    fn every_algorithm_has_its_answer() {
        for kem in kems() {
            let (id, found) = (kem.info().id, kem_answer(kem).unwrap());
            assert!(
                is_known(KEM_ANSWERS, id, Ok(found)),
                "({id:#06x}, {found:#018x}),"
            );
        }
        for (kdf, aead) in KDFS.iter().flat_map(|kdf| AEADS.iter().map(|a| (*kdf, a))) {
            let id = (kdf.info().id, aead.info().id);
            let found = schedule_answer(kdf, aead).unwrap();
            assert!(
                is_known(SCHEDULE_ANSWERS, id, Ok(found)),
                "({id:#06x?}, {found:#018x}),"
            );
        }
    }

    #[test]
    fn another_answer_fails() {
        assert!(is_known(&[(1, 7)], 1, Ok(7)));
        assert!(!is_known(&[(1, 7)], 1, Ok(8)));
        assert!(!is_known(&[(1, 7)], 2, Ok(7)));
        assert!(!is_known(&[(1, 7)], 1, Err(Error::Open)));
    }
}
