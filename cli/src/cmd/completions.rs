//! `pqseal completions`: scripts for shells.

use clap::{Args, CommandFactory};
use clap_complete::Shell;

use crate::{args::Arguments, error::Error, output::to_stdout};

/// Print a completion script for a shell
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
        clap_complete::generate(self.shell, &mut Arguments::command(), "pqseal", &mut script);
        to_stdout(&script)
    }
}
