//! `pqseal man`: the manual pages, generated from the help.

use std::{fs, io, path::Path};

use clap::{Args, Command};
use clap_mangen::Man as Page;

use crate::{
    error::Error,
    escape,
    output::{Target, to_stdout},
};

/// The arguments of `pqseal man`.
#[derive(Args)]
#[command(after_long_help = crate::examples::help(&crate::examples::MAN))]
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

    clap_mangen::generate_to(crate::proxy::Options::command(), directory)
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
