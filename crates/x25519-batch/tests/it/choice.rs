//! The choice of a back end. Only one test makes it, since it applies to the whole process. The
//! other tests of this program name a back end, or do not depend on it.

use x25519_batch::{Backend, Unavailable};

use crate::common::backends;

/// The list is in the order of their speed.
fn best() -> Backend {
    backends().last().expect("the portable one is everywhere")
}

#[test]
fn a_program_chooses_what_the_machine_has() {
    assert_eq!(Backend::best(), best());
    assert_eq!(Backend::chosen(), best());
    for &backend in Backend::ALL {
        let before = Backend::chosen();
        if backend.is_available() {
            assert_eq!(backend.choose(), Ok(()));
            assert_eq!(Backend::chosen(), backend);
        } else {
            assert_eq!(backend.choose(), Err(Unavailable(backend)));
            assert_eq!(Backend::chosen(), before);
        }
    }
}

#[test]
fn names_are_exact() {
    for &backend in Backend::ALL {
        assert_eq!(Backend::from_name(backend.name()), Some(backend));
    }
    for unknown in ["", "AVX2", "avx2 ", "vpclmul"] {
        assert_eq!(Backend::from_name(unknown), None);
    }
    let error = Unavailable(Backend::Ifma).to_string();
    assert_eq!(
        error,
        "this machine lacks the instructions of the back end ifma"
    );
}

/// All tests run on each back end of the machine. A run that names one fails where the machine
/// lacks it.
#[test]
fn the_machine_has_the_one_that_was_asked_for() {
    let asked = std::env::var("PQSEAL_BACKEND").unwrap_or_default();
    assert!(
        Backend::from_name(&asked).is_none_or(Backend::is_available),
        "{asked}"
    );
}
