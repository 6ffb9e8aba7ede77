//! `pqseal completions`: completion scripts for shells.

use clap::{Args, Command};
use clap_complete::Shell;

use crate::{error::Error, output::to_stdout};

/// The arguments of `pqseal completions`.
#[derive(Args)]
#[command(after_long_help = crate::examples::help(&crate::examples::COMPLETIONS))]
pub struct Completions {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

impl Completions {
    /// Prints the script for `command`, the whole command line.
    ///
    /// # Errors
    /// If standard output cannot be written.
    pub fn run(self, mut command: Command) -> Result<(), Error> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut command, "pqseal", &mut script);
        to_stdout(&script)
    }
}
