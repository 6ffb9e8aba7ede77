//! The suites that are found by their ids, and the errors of the others.

use pqseal_hpke::{AEADS, Aead, Component, Error, KDFS, KEMS, Policy, Status, Suite, SuiteId};

const GOOD: SuiteId = SuiteId::new(0x0020, 0x0001, 0x0003);
const DRAFT_KDF: SuiteId = SuiteId::new(0x0020, 0x0011, 0x0003);

fn refusal(id: SuiteId, policy: &Policy) -> String {
    match Suite::from_id(&[KEMS], id, policy) {
        Err(Error::UnsupportedSuite(why)) => why.to_string(),
        other => panic!("{id} gives {other:?}"),
    }
}

#[test]
fn every_suite_of_the_registries_is_found_by_its_ids() {
    let mut found = 0;
    for kem in KEMS {
        for (kdf, aead) in KDFS
            .iter()
            .flat_map(|kdf| AEADS.iter().map(move |aead| (kdf, aead)))
        {
            let id = SuiteId::new(kem.info().id, kdf.info().id, aead.info().id);
            assert_eq!(
                Suite::from_id(&[KEMS], id, &Policy::draft()).unwrap().id(),
                id
            );
            found += 1;
        }
    }
    assert_eq!(found, 5 * 7 * 4);
}

#[test]
fn an_unknown_id_is_named() {
    let policy = Policy::draft().with_experimental();
    assert_eq!(
        refusal(
            SuiteId {
                kem: 0x0013,
                ..GOOD
            },
            &policy
        ),
        "KEM 0x0013 is unknown"
    );
    assert_eq!(
        refusal(
            SuiteId {
                kdf: 0x0004,
                ..GOOD
            },
            &policy
        ),
        "KDF 0x0004 is unknown"
    );
    assert_eq!(
        refusal(
            SuiteId {
                aead: 0x0000,
                ..GOOD
            },
            &policy
        ),
        "AEAD 0x0000 is unknown"
    );
    let no_registry = Suite::from_id(&[], GOOD, &policy).unwrap_err();
    assert_eq!(no_registry.to_string(), "KEM 0x0020 is unknown");
}

/// An allowance is no algorithm.
#[test]
fn an_unknown_id_stays_unknown_when_it_is_allowed() {
    let policy = Policy::draft().allow(Component::Kem, 0x0013);
    assert_eq!(
        refusal(
            SuiteId {
                kem: 0x0013,
                ..GOOD
            },
            &policy
        ),
        "KEM 0x0013 is unknown"
    );
}

#[test]
fn the_standard_policy_refuses_a_draft_kdf_and_names_the_draft() {
    assert!(Suite::from_id(&[KEMS], GOOD, &Policy::standard()).is_ok());
    assert!(Suite::from_id(&[KEMS], DRAFT_KDF, &Policy::draft()).is_ok());
    let expected =
        "KDF 0x0011 is not allowed by the policy: its status is draft (draft-ietf-hpke-pq-05)";
    assert_eq!(refusal(DRAFT_KDF, &Policy::standard()), expected);
    assert_eq!(
        refusal(DRAFT_KDF, &Policy::standard().with_experimental()),
        expected
    );
}

#[test]
fn a_denied_id_is_refused_only_in_its_component() {
    let denied = [
        (
            Policy::draft().deny(Component::Kem, 0x0020),
            "KEM 0x0020 is denied by the policy",
        ),
        (
            Policy::draft().deny(Component::Kdf, 0x0001),
            "KDF 0x0001 is denied by the policy",
        ),
        (
            Policy::draft().deny(Component::Aead, 0x0003),
            "AEAD 0x0003 is denied by the policy",
        ),
    ];
    for (policy, expected) in denied {
        assert_eq!(refusal(GOOD, &policy), expected);
    }
    let other_components = Policy::standard()
        .deny(Component::Kdf, 0x0020)
        .deny(Component::Aead, 0x0001);
    assert!(Suite::from_id(&[KEMS], GOOD, &other_components).is_ok());
}

#[test]
fn the_last_exception_decides() {
    let allowed_again = Policy::standard()
        .deny(Component::Kem, 0x0020)
        .allow(Component::Kem, 0x0020);
    assert!(Suite::from_id(&[KEMS], GOOD, &allowed_again).is_ok());
    let denied_again = Policy::standard()
        .allow(Component::Kem, 0x0020)
        .deny(Component::Kem, 0x0020);
    assert_eq!(
        refusal(GOOD, &denied_again),
        "KEM 0x0020 is denied by the policy"
    );
}

#[test]
fn an_empty_policy_allows_what_it_names() {
    assert_eq!(
        refusal(GOOD, &Policy::none()),
        "KEM 0x0020 is not allowed by the policy: its status is standard"
    );
    let named = Policy::none()
        .allow(Component::Kem, 0x0020)
        .allow(Component::Kdf, 0x0001)
        .allow(Component::Aead, 0x0003);
    assert!(Suite::from_id(&[KEMS], GOOD, &named).is_ok());
    assert!(
        Suite::from_id(
            &[KEMS],
            SuiteId {
                aead: 0x0001,
                ..GOOD
            },
            &named
        )
        .is_err()
    );
}

#[test]
fn a_policy_is_read_as_it_is_written() {
    for name in ["standard", "draft", "experimental"] {
        assert_eq!(name.parse::<Policy>().unwrap().to_string(), name);
    }
    let statuses = [
        Status::Standard,
        Status::Draft("a document"),
        Status::Experimental,
    ];
    for (allowed, name) in [(1, "standard"), (2, "draft"), (3, "experimental")] {
        let policy: Policy = name.parse().unwrap();
        let passes = |status: &Status| policy.check(Component::Kem, 1, *status).is_ok();
        assert_eq!(statuses.iter().filter(|s| passes(s)).count(), allowed);
    }
    for other in ["", "Draft", "drafts", "none"] {
        let error = other.parse::<Policy>().unwrap_err();
        assert_eq!(
            error.to_string(),
            "it must be standard, draft or experimental"
        );
    }
    let custom = Policy::standard()
        .deny(Component::Kem, 0x10)
        .allow(Component::Aead, 7);
    let words = "standard, but not KEM 0x0010, and AEAD 0x0007";
    assert_eq!(custom.to_string(), words);
    assert_eq!(Policy::none().to_string(), "none");
}
