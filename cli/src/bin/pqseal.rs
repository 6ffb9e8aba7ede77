//! Seals and opens matched data; see `pqseal --help`.

// Not `forbid`: the hook that runs before `main` is declared unsafe.
#![deny(unsafe_code)]

use std::process::ExitCode;

use pqseal_cli::{args, output, process};

#[cfg(unix)]
ctor::declarative::ctor! {
    /// Looks at standard output before Rust opens `/dev/null` in place of a closed one.
    #[ctor(unsafe)]
    fn before_main() {
        output::look_at_stdout();
    }
}

fn main() -> ExitCode {
    process::exit_instead_of_abort();
    process::run(|arguments| args::run(arguments).into())
}
