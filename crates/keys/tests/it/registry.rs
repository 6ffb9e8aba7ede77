//! KEMs, KDFs and AEADs by name and id.

use getrandom::SysRng;
use pqseal_hpke::{Component, KemInfo, Policy, Suite, SuiteId};
use pqseal_keys::{
    DEFAULT_SUITE, KEMS, NameError, REFUSED_KEMS, kem_by_id, kem_by_name, kems, refused_kem_by_id,
    refused_kem_by_name,
};

#[test]
fn every_kem_by_name_and_id() {
    assert_eq!(kems().count(), 18);
    for kem in kems() {
        let info = kem.info();
        assert_eq!(
            kem_by_name(info.short_name).map(|kem| kem.info().id),
            Ok(info.id)
        );
        assert_eq!(
            kem_by_id(info.id).map(|kem| kem.info().name),
            Some(info.name)
        );
        assert_eq!(
            (
                refused_kem_by_name(info.short_name),
                refused_kem_by_id(info.id)
            ),
            (None, None)
        );
        assert_eq!(kems().filter(|other| other.info().id == info.id).count(), 1);
    }
    assert!(kem_by_name("").is_err() && kem_by_name("0").is_err() && kem_by_id(0).is_none());
}

/// No front end can forget to ask.
#[test]
fn a_key_pair_is_made_if_the_policy_allows_it() {
    let policies = [
        Policy::none(),
        Policy::standard(),
        Policy::draft(),
        Policy::draft().with_experimental(),
        Policy::none().allow(Component::Kem, 0xff21),
    ];
    let mut made = [0; 5];
    for kem in kems() {
        let KemInfo { id, status, .. } = *kem.info();
        for (policy, made) in policies.iter().zip(&mut made) {
            let pair = pqseal_keys::generate(kem, policy, &mut SysRng);
            let allowed = policy.check(Component::Kem, id, status);
            assert_eq!(pair.as_ref().err().copied(), allowed.err().map(Into::into));
            *made += usize::from(pair.is_ok());
        }
    }
    assert_eq!(made, [0, 5, 12, 18, 1]);
}

#[test]
fn refused_kems() {
    for refused in REFUSED_KEMS {
        assert_eq!(refused_kem_by_name(refused.short_name), Some(refused));
        let error = kem_by_name(&refused.short_name.to_uppercase()).err();
        assert_eq!(error, Some(NameError::Refused(refused)));
        assert!(!refused.reason.is_empty());
        assert!(
            refused
                .id
                .is_none_or(|id| refused_kem_by_id(id) == Some(refused))
        );
    }
    for name in ["SIKE", "sikep434", "SIKEp751"] {
        assert!(refused_kem_by_name(name).unwrap().reason.contains("broken"));
    }
    let error = NameError::of_id(Component::Kem, 0x0013);
    assert_eq!(Some(error), kem_by_name("0x0013").err());
    assert!(refused_kem_by_name("").is_none() && refused_kem_by_name("si").is_none());
}

/// Existing data does not say which suite was the default: it names its own. New keys would change.
#[test]
fn the_default_suite() {
    assert_eq!(DEFAULT_SUITE, SuiteId::new(0x647a, 1, 3));
    let suite = Suite::from_id(KEMS, DEFAULT_SUITE, &Policy::draft()).unwrap();
    assert_eq!(
        format!("{suite:?}"),
        "Suite(MLKEM768-X25519, HKDF-SHA256, ChaCha20Poly1305)"
    );
}
