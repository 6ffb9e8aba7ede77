//! Known answers: a check that this build computes the right results on this machine and back end.

use std::convert::Infallible;

use pqseal_hpke::{
    AEADS, Aead, AnyAead, DynKdf, DynKem, Error, KDFS, Kem, Mode, Suite, X25519HkdfSha256,
    rand_core::{TryCryptoRng, TryRng},
};
use sha2::{Digest, Sha256};

use crate::{kem_by_id, kems};

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
    let mut answers = Vec::new();
    for kem in kems() {
        let info = kem.info();
        answers.push(KnownAnswer {
            name: info.name.to_owned(),
            passed: is_known(KEM_ANSWERS, info.id, kem_answer(kem)),
        });
    }
    for (kdf, aead) in KDFS.iter().flat_map(|kdf| AEADS.iter().map(|a| (*kdf, a))) {
        let ids = (kdf.info().id, aead.info().id);
        answers.push(KnownAnswer {
            name: format!("{} with {}", kdf.info().name, aead.info().name),
            passed: is_known(SCHEDULE_ANSWERS, ids, schedule_answer(kdf, aead)),
        });
    }
    answers
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

/// The answers by KEM.
const KEM_ANSWERS: &[(u16, Answer)] = &[
    (0x0010, 0x5b8b_7c96_9a40_e287),
    (0x0011, 0xdaae_0cf7_031c_579b),
    (0x0012, 0x36a4_a8a6_9758_c476),
    (0x0020, 0x3091_4168_bd67_97c9),
    (0x0021, 0x062d_99d6_d9f9_b98e),
    (0x647a, 0xd637_3c92_220d_d034),
    (0x0050, 0x1565_be04_2499_5863),
    (0x0051, 0xdccb_dda3_e1cd_6c5f),
    (0x0040, 0x6fbf_8766_7e57_c9fe),
    (0x0041, 0xe99a_70a2_d777_05ef),
    (0x0042, 0x0d02_f6dd_9d33_5941),
    (0x0030, 0xf935_c916_1d0c_6789),
    (0xff21, 0xcac1_dd98_2426_a71b),
    (0xff23, 0xdce6_a2d7_9d4c_6ac2),
    (0xff25, 0xc2f2_1d5d_0f33_cef1),
    (0xff11, 0x7f97_fa99_b711_e54b),
    (0xff13, 0x4db8_8a24_b17b_6578),
    (0xff15, 0x53c4_37dd_9779_3dbc),
];

/// The answers by KDF and AEAD.
const SCHEDULE_ANSWERS: &[((u16, u16), Answer)] = &[
    ((0x0001, 0x0001), 0xd04b_37c1_f0a0_f56f),
    ((0x0001, 0x0002), 0x9c36_7dc8_b297_0b82),
    ((0x0001, 0x0003), 0x8707_c51c_c5c4_5853),
    ((0x0001, 0xffff), 0xa1be_dabf_c33b_3391),
    ((0x0002, 0x0001), 0x903b_16f9_6f74_3ae5),
    ((0x0002, 0x0002), 0xbc3b_8f34_1cf1_5f8e),
    ((0x0002, 0x0003), 0x6172_2162_8dad_7e0b),
    ((0x0002, 0xffff), 0xe029_798c_98d7_4415),
    ((0x0003, 0x0001), 0x7a2e_5791_da87_bdf9),
    ((0x0003, 0x0002), 0x7e92_6502_e2dd_b533),
    ((0x0003, 0x0003), 0xd4c3_36d1_26b0_4ba1),
    ((0x0003, 0xffff), 0xc401_eeeb_634b_259b),
    ((0x0010, 0x0001), 0x6928_9df1_1a08_cc59),
    ((0x0010, 0x0002), 0x058c_dd16_1efc_b6e3),
    ((0x0010, 0x0003), 0xe98d_83bb_d603_efe7),
    ((0x0010, 0xffff), 0x63ec_b1a3_3547_5a81),
    ((0x0011, 0x0001), 0x0caa_a6d3_89b9_440e),
    ((0x0011, 0x0002), 0x4e7d_ebaa_4e5f_6ff4),
    ((0x0011, 0x0003), 0xac0d_724e_d517_0fa5),
    ((0x0011, 0xffff), 0x3fc9_83b7_2454_93e3),
    ((0x0012, 0x0001), 0x01c2_bd22_848a_2383),
    ((0x0012, 0x0002), 0x564d_223c_e37d_a6bb),
    ((0x0012, 0x0003), 0xd3ab_d102_0c2e_ff6d),
    ((0x0012, 0xffff), 0xdfb4_0820_8de3_7d57),
    ((0x0013, 0x0001), 0x3742_3099_ffd0_2adf),
    ((0x0013, 0x0002), 0x8bbd_b89c_aee6_ee99),
    ((0x0013, 0x0003), 0xdd77_667c_2730_0554),
    ((0x0013, 0xffff), 0x8058_2d64_8876_d678),
];

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
