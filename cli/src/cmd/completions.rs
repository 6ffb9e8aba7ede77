//! `pqseal completions`: scripts for shells.

use clap::Args;
use clap_complete::Shell;

use crate::{args::Arguments, error::Error, output::to_stdout, parse::whole};

/// The arguments of `pqseal completions`.
#[derive(Args)]
pub struct Completions {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

impl Completions {
    /// Runs it.
    ///
    /// # Errors
    /// See [`Error`].
    pub fn run(self) -> Result<(), Error> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut whole::<Arguments>(), "pqseal", &mut script);
        to_stdout(&script)
    }
}
