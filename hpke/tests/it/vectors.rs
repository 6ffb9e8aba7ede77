//! The published HPKE vectors, from the key pairs to the last export. One body checks a vector; it
//! runs on the suite found by ids and on the suite fixed by types.

mod accumulated;
mod key_schedule;
mod keys;
mod messages;
mod mls;
mod typed;

use pqseal_hpke::{Aead, KEMS, Kdf, Kem, Policy, Suite, SuiteId, aead::Sealing};
use test_vectors::HpkeVector;

/// Runs every vector on the agile suite and on the typed one, and gives how many there were.
fn check_all(vectors: &[HpkeVector]) -> usize {
    for vector in vectors {
        let name = Named(vector);
        let id = SuiteId::new(vector.kem_id, vector.kdf_id, vector.aead_id);
        sealing(
            &Suite::from_id(&[KEMS], id, &Policy::draft()).unwrap(),
            vector,
        );
        typed::check(vector);
        drop(name);
    }
    vectors.len()
}

/// A vector of a suite that has messages. (Agile export-only suites compile here too; their vectors
/// have no messages.)
fn sealing<K: Kem + ?Sized, D: Kdf + ?Sized, A: Sealing>(
    suite: &Suite<K, D, A>,
    vector: &HpkeVector,
) {
    exporting(suite, vector);
    messages::check(suite, vector);
}

/// Checks the operations of every suite: keys, encapsulation, key schedule, exports.
fn exporting<K: Kem + ?Sized, D: Kdf + ?Sized, A: Aead>(
    suite: &Suite<K, D, A>,
    vector: &HpkeVector,
) {
    keys::check(suite.kem(), vector);
    key_schedule::check(suite, vector);
    messages::check_exports(suite, vector);
}

/// A guard that prints which vector failed.
struct Named<'a>(&'a HpkeVector);

impl Drop for Named<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let HpkeVector {
                title,
                mode,
                kem_id,
                kdf_id,
                aead_id,
                ..
            } = self.0;
            eprintln!(
                "vector {title:?}: mode {mode}, KEM {kem_id:#06x}, KDF {kdf_id:#06x}, AEAD {aead_id:#06x}"
            );
        }
    }
}

#[test]
fn rfc_9180_all_modes() {
    assert_eq!(check_all(&test_vectors::rfc9180().entries), 128);
}

/// The DHKEMs with one-stage KDFs, P-384 among them. The other vectors of the file belong to KEMs
/// that are not in [`KEMS`].
#[test]
fn draft_ietf_hpke_pq_with_dhkem() {
    let mut vectors = test_vectors::hpke_pq().entries;
    vectors.retain(|vector| [0x10, 0x11, 0x20, 0x21].contains(&vector.kem_id));
    assert_eq!(check_all(&vectors), 4);
}

#[test]
fn draft_ietf_hpke_hpke_edge_cases() {
    assert_eq!(check_all(&test_vectors::hpke_edge().entries), 5);
}

#[test]
fn a_rejected_candidate_is_no_private_key_and_the_next_one_is_taken() {
    let mut checked = 0;
    for vector in test_vectors::hpke_edge().entries {
        if let Some(candidate) = &vector.rejected_candidate {
            keys::check_rejected(candidate, &vector);
            checked += 1;
        }
    }
    assert_eq!(checked, 1);
}
