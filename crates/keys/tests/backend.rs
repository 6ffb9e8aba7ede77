//! A program of its own with one test: it chooses the back ends of the process.
//!
//! One name chooses a back end for all algorithms.
#![cfg(not(target_arch = "wasm32"))]

use backend_from_env as _;
use pqseal_hpke::x25519_batch::Backend as X25519Backend;
use pqseal_keys::{Backend, choose_backend};

#[test]
fn a_name_is_followed_by_each_crate_that_has_it() {
    choose_backend("portable").unwrap();
    assert_eq!(X25519Backend::chosen(), X25519Backend::Portable);
    assert_eq!(Backend::chosen(), Backend::Portable);
    for name in [
        "portable",
        "simd128",
        "avx2",
        "vpclmul256",
        "avx512",
        "vpclmul",
        "ifma",
    ] {
        let before = (X25519Backend::chosen(), Backend::chosen());
        let (x25519, kem_pq) = (X25519Backend::from_name(name), Backend::from_name(name));
        let available = x25519.is_none_or(X25519Backend::is_available)
            && kem_pq.is_none_or(Backend::is_available);
        let chosen = choose_backend(name);
        assert_eq!(chosen.is_ok(), available, "{name}");
        let after = (X25519Backend::chosen(), Backend::chosen());
        let Err(error) = chosen else {
            // A crate without the name goes back to its default.
            let x25519 = x25519.unwrap_or(X25519Backend::best());
            assert_eq!(after, (x25519, kem_pq.unwrap_or(Backend::best())));
            continue;
        };
        assert_eq!(after, before);
        let why = format!("this machine lacks the instructions of the back end {name}; ");
        assert!(error.to_string().starts_with(&why), "{error}");
    }
    for unknown in ["", "cray", "AVX2", "avx2 "] {
        let error = choose_backend(unknown).unwrap_err().to_string();
        let why = format!("there is no back end {unknown:?}; this machine has portable");
        assert!(error.starts_with(&why), "{error}");
    }
}
