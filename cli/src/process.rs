//! What concerns the process as a whole.

use envelope::Backend;

use crate::error::warn;

/// Turns core dumps off: one would hold private keys and plaintext. A system that refuses is no reason to stop.
pub fn disable_core_dumps() {
    #[cfg(unix)]
    let _ = rlimit::Resource::CORE.set(0, 0);
}

/// Says so if the environment asks for a back end that is not to be had: without a word it would look tested.
pub fn check_backend() {
    if let Err(error) = Backend::from_env() {
        warn(format_args!("{error}; going on with {}", Backend::chosen().name()));
    }
}
