//! Ciphersuites.

use pqseal_hpke::{Policy, SuiteId};
use pqseal_keys::KEMS;

use crate::{
    pqseal_status::{self, PQSEAL_ERROR_ARGUMENT},
    raw::{Place, free, guard, reference},
};

/// A policy for algorithms.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum pqseal_policy {
    /// Algorithms that a published RFC defines.
    PQSEAL_POLICY_STANDARD = 0,
    /// Also algorithms that Internet-Drafts define: ML-KEM, its hybrids, one-stage KDFs.
    PQSEAL_POLICY_DRAFT = 1,
    /// Also algorithms without a registered id.
    PQSEAL_POLICY_EXPERIMENTAL = 2,
}

/// A KEM, a KDF and an AEAD.
pub struct pqseal_suite(pub(crate) pqseal_hpke::Suite);

/// Sizes in bytes, named as in RFC 9180.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pqseal_sizes {
    /// Nsk, the size of a serialized private key.
    pub n_sk: usize,
    /// Npk, the size of a public key.
    pub n_pk: usize,
    /// Nenc, the size of an encapsulated key.
    pub n_enc: usize,
    /// Nt, the difference between the sizes of a ciphertext and its plaintext. 0 for export-only.
    pub n_t: usize,
}

/// Creates a suite from the ids of KEM, KDF and AEAD (sections 7.1 to 7.3 of RFC 9180). `policy` is
/// one of pqseal_policy.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pqseal_suite_new(
    kem: u16,
    kdf: u16,
    aead: u16,
    policy: i32,
    suite: *mut *mut pqseal_suite,
) -> pqseal_status {
    guard(|| {
        // SAFETY: by the header's rules.
        let place = unsafe { Place::new(suite) }?;
        let policy = match policy {
            0 => Policy::standard(),
            1 => Policy::draft(),
            2 => Policy::draft().with_experimental(),
            _ => return Err(PQSEAL_ERROR_ARGUMENT),
        };
        let suite = pqseal_hpke::Suite::from_id(KEMS, SuiteId::new(kem, kdf, aead), &policy)?;
        place.give(pqseal_suite(suite));
        Ok(())
    })
}

/// Writes the sizes of a suite.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pqseal_suite_sizes(
    suite: *const pqseal_suite,
    sizes: *mut pqseal_sizes,
) -> pqseal_status {
    guard(|| {
        // SAFETY: by the header's rules.
        let (suite, place) = unsafe { (reference(suite)?, Place::new(sizes)?) };
        let kem = suite.0.kem().info();
        place.set(pqseal_sizes {
            n_sk: kem.n_sk,
            n_pk: kem.n_pk,
            n_enc: kem.n_enc,
            n_t: suite.tag_len(),
        });
        Ok(())
    })
}

/// Frees a suite.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pqseal_suite_free(suite: *mut pqseal_suite) {
    // SAFETY: by the header's rules.
    unsafe { free(suite) }
}

impl pqseal_suite {
    pub(crate) fn tag_len(&self) -> usize {
        pqseal_hpke::Aead::info(self.0.aead()).n_t
    }
}
