//! Runs a test or a benchmark that links this crate (`use backend_from_env as _;`) on the back end
//! that the environment variable `PQSEAL_BACKEND` names. The libraries do not read it.
//!
//! A name that is unknown, or that this machine lacks, ends the program before `main`. Otherwise a
//! test run could silently use another back end.

use std::{env, process};

use pqseal_keys::choose_backend;

ctor::declarative::ctor! {
    /// Runs before `main`, since tests have none of their own.
    #[ctor(unsafe)]
    fn choose() {
        let Some(name) = env::var_os("PQSEAL_BACKEND") else {
            return;
        };
        if let Err(error) = choose_backend(&name.to_string_lossy()) {
            eprintln!("error: PQSEAL_BACKEND: {error}");
            process::exit(2);
        }
    }
}
