//! From arguments to a command, or to what is wrong with them.

use std::ffi::OsString;

use clap::{Parser, error::ErrorKind};

use crate::{
    error::{Error, Exit},
    keyfile,
};

/// Parses `arguments`. Help, the version and errors are printed here, errors as JSON if that is wanted.
///
/// # Errors
/// What the process should exit with.
pub fn parse<P: Parser>(arguments: &[OsString], json: bool) -> Result<P, Exit> {
    P::try_parse_from(arguments).map_err(|error| match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            let _ = error.print();
            Exit::Done
        }
        _ => {
            refuse(&error, arguments, json);
            Exit::Usage
        }
    })
}

/// clap repeats what it does not understand, which a key must not be.
fn refuse(error: &clap::Error, arguments: &[OsString], json: bool) {
    let text = error.to_string();
    let repeats_key = |argument: &OsString| {
        argument.to_str().is_some_and(|argument| keyfile::looks_like_a_key(argument) && text.contains(argument))
    };
    if arguments.iter().any(repeats_key) {
        keyfile::key_as_argument().report(json);
    } else if json {
        let sentence: Vec<_> = text.lines().map(str::trim).take_while(|line| !line.is_empty()).collect();
        Error::usage(sentence.join(" ").trim_start_matches("error: ")).report(true);
    } else {
        let _ = error.print();
    }
}
