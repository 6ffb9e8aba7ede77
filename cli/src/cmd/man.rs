//! `pqseal man`: the manual, made from the help.

use std::{fs, io, path::PathBuf};

use clap::{Args, Command};
use clap_mangen::Man as Page;

use crate::{error::Error, escape, output::to_stdout};

/// The arguments of `pqseal man`.
#[derive(Args)]
pub struct Man {
    /// Write the pages of all commands into this directory, which is made if it is missing
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
}

impl Man {
    /// Runs it for `command`, the whole command line.
    ///
    /// # Errors
    /// See [`Error`].
    pub fn run(self, command: Command) -> Result<(), Error> {
        match &self.output {
            Some(directory) => fs::create_dir_all(directory)
                .and_then(|()| clap_mangen::generate_to(command, directory))
                .map_err(|error| {
                    Error::io(
                        format_args!("write manual pages to {}", escape::path(directory)),
                        &error,
                    )
                }),
            None => to_stdout(
                &page(command).map_err(|error| Error::io("make the manual page", &error))?,
            ),
        }
    }
}

fn page(command: Command) -> io::Result<Vec<u8>> {
    let mut page = Vec::new();
    Page::new(command).render(&mut page)?;
    Ok(page)
}
