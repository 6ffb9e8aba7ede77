//! Seals and opens matched data; see `pqseal --help`.

// Not `forbid`: the hook that runs before `main` is declared unsafe.
#![deny(unsafe_code)]

use std::process::ExitCode;

#[cfg(unix)]
ctor::declarative::ctor! {
    /// Looks at standard output before Rust opens `/dev/null` in place of a closed one.
    #[ctor(unsafe)]
    fn before_main() {
        pqseal_cli::output::look_at_stdout();
    }
}

fn main() -> ExitCode {
    pqseal_cli::process::prepare();
    pqseal_cli::process::exit_instead_of_abort();
    if let Err(error) = pqseal_cli::process::choose_backend() {
        error.report(false);
        return error.exit.into();
    }
    pqseal_cli::args::run(std::env::args_os().collect()).into()
}
