//! A test or a benchmark that links this crate (`use backend_from_env as _;`) runs on the back end
//! that the environment variable `PQSEAL_BACKEND` names. The libraries do not read it.
//!
//! A name that is unknown, or that this machine lacks, ends the program before `main`: otherwise
//! another back end would look tested.

use std::{env, process};

use envelope::choose_backend;

ctor::declarative::ctor! {
    /// Tests have no `main` of their own to do it in.
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
