//! What concerns the process as a whole.

use std::{fmt::Write, sync::LazyLock};

use envelope::{Backend, hpke::LIBRARIES};

use crate::error::warn;

/// Turns core dumps off: one would hold private keys and plaintext. A system that refuses is no
/// reason to stop.
pub fn disable_core_dumps() {
    #[cfg(unix)]
    let _ = rlimit::Resource::CORE.set(0, 0);
}

/// Says so if the environment asks for a back end that is not to be had: without a word it would
/// look tested.
pub fn check_backend() {
    if let Err(error) = Backend::from_env() {
        warn(format_args!(
            "{error}; going on with {}",
            Backend::chosen().name()
        ));
    }
}

/// The version, and for support which libraries do the work in this build and on this machine.
pub fn version() -> &'static str {
    static VERSION: LazyLock<String> = LazyLock::new(|| {
        let mut text = env!("CARGO_PKG_VERSION").to_owned();
        let ml_kem = format!("libcrux, {} back end", Backend::chosen().name());
        for (primitives, library) in LIBRARIES
            .iter()
            .copied()
            .chain([("ML-KEM", ml_kem.as_str())])
        {
            write!(text, "\n{primitives}: {library}").expect("a string takes text");
        }
        text
    });
    &VERSION
}
