//! Settings of the process.

use std::{env, ffi::OsString, fmt::Write, process::ExitCode, sync::LazyLock};

use pqseal_hpke::LIBRARIES;
use pqseal_keys::Backend;

use crate::error::Error;

/// Runs a program with the arguments of the process. First it disables core dumps, which would
/// contain private keys and plaintext, and makes a file that reaches the size limit (`ulimit -f`)
/// an error instead of a signal; errors of the system are ignored. Then it uses the back end that
/// `PQSEAL_BACKEND` names, and reports an error in that name.
pub fn run(program: impl FnOnce(Vec<OsString>) -> ExitCode) -> ExitCode {
    #[cfg(unix)]
    {
        let _ = rlimit::Resource::CORE.set(0, 0);
        let _ =
            signal_hook::flag::register(signal_hook::consts::SIGXFSZ, std::sync::Arc::default());
    }
    if let Err(error) = choose_backend() {
        error.report(false);
        return error.exit.into();
    }
    program(env::args_os().collect())
}

/// Returns whether [`run`] turned core dumps off.
pub fn are_core_dumps_off() -> bool {
    #[cfg(unix)]
    return matches!(rlimit::Resource::CORE.get(), Ok((0, _)));
    #[cfg(not(unix))]
    false
}

/// Exits with the code of a run that could not continue where the system would end the process with
/// SIGABRT, as Rust does when memory is exhausted. Rust has printed the reason by then.
#[cfg(unix)]
pub fn exit_instead_of_abort() {
    use std::sync::{Arc, atomic::AtomicBool};
    let always = Arc::new(AtomicBool::new(true));
    // Errors of the system are ignored.
    let _ = signal_hook::flag::register_conditional_shutdown(
        signal_hook::consts::SIGABRT,
        crate::error::Exit::Stopped as i32,
        always,
    );
}

/// Does nothing, because other systems have no such signal.
#[cfg(not(unix))]
pub fn exit_instead_of_abort() {}

/// Returns how many files this process may have open, after asking for `wanted`.
#[cfg(unix)]
pub fn open_files(wanted: u64) -> u64 {
    rlimit::increase_nofile_limit(wanted).unwrap_or(64)
}

/// Returns `wanted`, because other systems have no such limit, or a high one.
#[cfg(not(unix))]
pub const fn open_files(wanted: u64) -> u64 {
    wanted
}

/// Uses the back end that the environment variable `PQSEAL_BACKEND` names, if it is set. The
/// libraries do not read it.
///
/// # Errors
/// For an unknown name, or one that this machine lacks; otherwise a test run could silently use
/// another one.
fn choose_backend() -> Result<(), Error> {
    let Some(name) = env::var_os("PQSEAL_BACKEND") else {
        return Ok(());
    };
    pqseal_keys::choose_backend(&name.to_string_lossy())
        .map_err(|error| Error::usage(format!("PQSEAL_BACKEND: {error}")))
}

/// Returns each primitive and the library that computes it in this build, on the back end in use.
pub fn libraries() -> impl Iterator<Item = (&'static str, &'static str)> {
    let ml_kem = Backend::chosen().ml_kem_libraries();
    LIBRARIES.iter().copied().chain(ml_kem)
}

/// Returns the version and, for support, the libraries that this build uses on this machine.
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
