//! `pqseal man`: the manual, made from the help.

use std::{fs, io, path::PathBuf};

use clap::{Args, CommandFactory};
use clap_mangen::Man as Page;

use crate::{args::Arguments, error::Error, escape, output::to_stdout};

/// Print the manual page, or write one page a command
#[derive(Args)]
pub struct Man {
    /// Write the pages of all commands into this directory, which is made if it is missing
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
}

impl Man {
    /// Runs it.
    ///
    /// # Errors
    /// See [`Error`].
    pub fn run(self) -> Result<(), Error> {
        match &self.output {
            Some(directory) => fs::create_dir_all(directory)
                .and_then(|()| clap_mangen::generate_to(Arguments::command(), directory))
                .map_err(|error| Error::io(format_args!("write manual pages to {}", escape::path(directory)), &error)),
            None => to_stdout(&page().map_err(|error| Error::io("make the manual page", &error))?),
        }
    }
}

fn page() -> io::Result<Vec<u8>> {
    let mut page = Vec::new();
    Page::new(Arguments::command()).render(&mut page)?;
    Ok(page)
}
