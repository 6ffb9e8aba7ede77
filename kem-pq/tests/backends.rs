//! A separate program, since it chooses the back end of the process.
//!
//! The choice of a back end. Also prints which one the other tests ran on: `tools/test` runs all of
//! them on several.

use std::io::Write;

use backend_from_env as _;
use pqseal_kem_pq::{Backend, Unavailable};

/// Prints the back ends that this machine can test, past the capture of test output. The choice
/// belongs to the process, so this is one test.
#[test]
fn a_program_chooses_what_the_machine_has() {
    let (has, lacks): (Vec<Backend>, Vec<Backend>) = Backend::ALL
        .iter()
        .partition(|backend| backend.is_available());
    let running = Backend::chosen();
    let text = format!("back ends: running {running:?}, has {has:?}, lacks {lacks:?}");
    writeln!(std::io::stdout(), "{text}").unwrap();
    assert_eq!(running, asked().unwrap_or(Backend::best()));
    assert_eq!(has.last(), Some(&Backend::best()));
    for backend in has {
        assert_eq!(backend.choose(), Ok(()));
        assert_eq!(Backend::chosen(), backend);
    }
    for backend in lacks {
        assert_eq!(backend.choose(), Err(Unavailable(backend)));
        assert_eq!(Backend::chosen(), Backend::best());
    }
}

/// Returns the back end that the environment names. A name that only x25519-batch has leaves the
/// default.
fn asked() -> Option<Backend> {
    Backend::from_name(&std::env::var("PQSEAL_BACKEND").ok()?)
}

#[test]
fn names_are_exact() {
    for &backend in Backend::ALL {
        assert_eq!(Backend::from_name(backend.name()), Some(backend));
    }
    for unknown in ["", "AVX2", "avx2 ", "neon", "ifma"] {
        assert_eq!(Backend::from_name(unknown), None);
    }
    let error = Unavailable(Backend::Avx2).to_string();
    assert_eq!(
        error,
        "this machine lacks the instructions of the back end avx2"
    );
}
