//! `pqseal man`: the manual pages, and `pqseal completions`: scripts for shells. Both follow from the
//! help.

use std::{fs, io, path::Path};

use clap::{Args, Command};
use clap_complete::Shell;
use clap_mangen::Man as Page;

use crate::{
    error::Error,
    escape,
    output::{Target, to_stdout},
};

/// The arguments of `pqseal man`.
#[derive(Args)]
#[command(after_long_help = crate::parse::help(&[
    ("Read it", "pqseal man | man -l -"),
    ("The pages of all commands", "pqseal man -o man1"),
    ("One of them", "pqseal man -o man1 && man ./man1/pqseal-open.1"),
]))]
pub struct Man {
    /// Write the pages of all commands into this directory, which is created if it does not exist
    #[arg(short, long, value_name = "DIR")]
    output: Option<Target>,
}

impl Man {
    /// Writes the manual of `command`, the whole command line.
    ///
    /// # Errors
    /// See [`Error`].
    pub fn run(self, command: Command) -> Result<(), Error> {
        match &self.output {
            Some(Target::File(directory)) => fs::create_dir_all(directory)
                .and_then(|()| clap_mangen::generate_to(command, directory))
                .and_then(|()| of_the_proxy(directory))
                .map_err(|error| {
                    Error::io(
                        format_args!("write manual pages to {}", escape::path(directory)),
                        &error,
                    )
                }),
            Some(Target::Stdout) | None => to_stdout(
                &page(command).map_err(|error| Error::io("make the manual page", &error))?,
            ),
        }
    }
}

/// Writes the page of `pqseal-edge`, in builds that have it.
#[cfg(feature = "edge")]
fn of_the_proxy(directory: &Path) -> io::Result<()> {
    use clap::CommandFactory;

    clap_mangen::generate_to(crate::edge::Options::command(), directory)
}

#[cfg(not(feature = "edge"))]
fn of_the_proxy(_directory: &Path) -> io::Result<()> {
    Ok(())
}

fn page(command: Command) -> io::Result<Vec<u8>> {
    let mut page = Vec::new();
    Page::new(command).render(&mut page)?;
    Ok(page)
}

/// The arguments of `pqseal completions`.
#[derive(Args)]
#[command(after_long_help = crate::parse::help(&[
    ("For this bash", "eval \"$(pqseal completions bash)\""),
    ("For zsh", "pqseal completions zsh > ~/.zfunc/_pqseal"),
    ("For fish", "pqseal completions fish > ~/.config/fish/completions/pqseal.fish"),
]))]
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
