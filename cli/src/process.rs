//! What concerns the process as a whole.

use std::{env, fmt::Write, sync::LazyLock};

use envelope::{Backend, hpke::LIBRARIES};

use crate::error::Error;

/// Turns core dumps off, since one would hold private keys and plaintext, and makes a file that reaches the
/// limit for files (`ulimit -f`) an error instead of a signal. A system that refuses is no reason to stop.
pub fn prepare() {
    #[cfg(unix)]
    {
        let _ = rlimit::Resource::CORE.set(0, 0);
        let _ =
            signal_hook::flag::register(signal_hook::consts::SIGXFSZ, std::sync::Arc::default());
    }
}

/// Returns whether [`prepare`] turned core dumps off.
pub fn are_core_dumps_off() -> bool {
    #[cfg(unix)]
    return matches!(rlimit::Resource::CORE.get(), Ok((0, _)));
    #[cfg(not(unix))]
    false
}

/// Where the system ends a process with SIGABRT, as Rust does when there is no memory, it ends with
/// the exit code of a run that could not continue. Rust has said why by then.
#[cfg(unix)]
pub fn exit_instead_of_abort() {
    use std::sync::{Arc, atomic::AtomicBool};
    let always = Arc::new(AtomicBool::new(true));
    // A system that refuses is no reason to stop.
    let _ = signal_hook::flag::register_conditional_shutdown(
        signal_hook::consts::SIGABRT,
        crate::error::Exit::Stopped as i32,
        always,
    );
}

/// Other systems have no such signal.
#[cfg(not(unix))]
pub fn exit_instead_of_abort() {}

/// How many files this process may have open, after asking for this many.
#[cfg(unix)]
pub fn open_files(wanted: u64) -> u64 {
    rlimit::increase_nofile_limit(wanted).unwrap_or(64)
}

/// Other systems have no such limit, or a high one.
#[cfg(not(unix))]
pub const fn open_files(wanted: u64) -> u64 {
    wanted
}

/// Computes with the back end that the environment variable `PQSEAL_BACKEND` names, if it is set.
/// The libraries do not read it.
///
/// # Errors
/// For an unknown name, or one that this machine lacks: otherwise another would look tested.
pub fn choose_backend() -> Result<(), Error> {
    let Some(name) = env::var_os("PQSEAL_BACKEND") else {
        return Ok(());
    };
    envelope::choose_backend(&name.to_string_lossy())
        .map_err(|error| Error::usage(format!("PQSEAL_BACKEND: {error}")))
}

/// Which library has which primitives, in this build and on the back end in use.
pub(crate) fn libraries() -> impl Iterator<Item = (&'static str, &'static str)> {
    let ml_kem = Backend::chosen().ml_kem_libraries();
    LIBRARIES.iter().copied().chain(ml_kem)
}

/// The version, and for support which libraries do the work in this build and on this machine.
pub fn version() -> &'static str {
    static VERSION: LazyLock<String> = LazyLock::new(|| {
        let mut text = env!("CARGO_PKG_VERSION").to_owned();
        for (primitives, library) in libraries() {
            write!(text, "\n{primitives}: {library}").expect("a string takes text");
        }
        text
    });
    &VERSION
}
