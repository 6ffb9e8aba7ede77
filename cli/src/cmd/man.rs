//! `pqseal man`: the manual, made from the help.

use std::{fs, io, path::PathBuf};

use clap::Args;
use clap_mangen::Man as Page;

use crate::{args::Arguments, error::Error, escape, output::to_stdout, parse::whole};

/// The arguments of `pqseal man`.
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
                .and_then(|()| clap_mangen::generate_to(whole::<Arguments>(), directory))
                .map_err(|error| {
                    Error::io(
                        format_args!("write manual pages to {}", escape::path(directory)),
                        &error,
                    )
                }),
            None => to_stdout(&page().map_err(|error| Error::io("make the manual page", &error))?),
        }
    }
}

fn page() -> io::Result<Vec<u8>> {
    let mut page = Vec::new();
    Page::new(whole::<Arguments>()).render(&mut page)?;
    Ok(page)
}
