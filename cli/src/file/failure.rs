//! Errors of files that failed, with what to do next.

use pqseal_age::{ArmorError, HeaderError, KeyError, PayloadError};

use super::journal;

use crate::{
    error::{Error, Exit},
    escape,
    input::Source,
};

/// Makes the error of one file; the others can still be done. A plugin's message may contain any
/// characters.
pub(super) fn of_file(file: &Source, error: &pqseal_age::Error) -> Error {
    let advice = match error {
        pqseal_age::Error::Header(_) | pqseal_age::Error::Mac | pqseal_age::Error::NoMatch => {
            interrupted(file)
        }
        _ => None,
    };
    let advice = advice.unwrap_or_else(|| advice_on(error).to_owned());
    Error {
        exit: Exit::Incomplete,
        code: error.code(),
        message: format!("{file}: {}{advice}", words(error)),
    }
}

/// Returns what to do if a rekey of the file was interrupted.
fn interrupted(file: &Source) -> Option<String> {
    let journal = journal::left_of(file.path()?)?;
    Some(format!(
        "; a rekey of it was interrupted and left {}: run `pqseal file rekey` again, which restores its header if necessary",
        escape::path(&journal)
    ))
}

fn words(error: &pqseal_age::Error) -> String {
    escape::bytes(error.to_string().as_bytes())
}

fn advice_on(error: &pqseal_age::Error) -> &'static str {
    match error {
        pqseal_age::Error::NoMatch => "; give the identity of one of its recipients with -i",
        pqseal_age::Error::WrongPassphrase => "; try again, or check the file of --passphrase-file",
        pqseal_age::Error::Header(HeaderError::NotAge) => "; was it encrypted?",
        pqseal_age::Error::Header(HeaderError::Version | HeaderError::ObjectVersion) => {
            "; decrypt it with a later release"
        }
        pqseal_age::Error::Header(HeaderError::LineBreaks) => {
            "; copy it again as binary, or encrypt with -a, since armor may be copied as text"
        }
        pqseal_age::Error::Header(HeaderError::Utf16) => {
            "; PowerShell's `>` does this: encrypt again, to a file with -o"
        }
        pqseal_age::Error::Armor(ArmorError::Utf16) => "; use `iconv -f UTF-16 -t UTF-8` first",
        pqseal_age::Error::Armor(ArmorError::Blank) => "; remove it",
        pqseal_age::Error::Hpke(pqseal_hpke::Error::UnsupportedSuite(_)) => {
            "; `pqseal suites` lists those that are supported, and --allow-experimental allows experimental ones"
        }
        pqseal_age::Error::Header(_) | pqseal_age::Error::Mac | pqseal_age::Error::Armor(_) => {
            "; copy it again"
        }
        pqseal_age::Error::ExcessiveWork { .. } => {
            "; if you trust the file, decrypt it with `age -d` and encrypt it again"
        }
        pqseal_age::Error::Payload(PayloadError::Changed) => "; run this again when it is complete",
        pqseal_age::Error::Payload(_) => "; copy it again from its source",
        _ => "",
    }
}

/// Makes the error of a recipient or an identity on the command line or in a file. The text itself
/// is not repeated, since it may be a private key.
pub(super) fn of_key(name: &str, error: &pqseal_age::Error) -> Error {
    let advice = match error {
        pqseal_age::Error::Key(KeyError::Unknown) => {
            "; a recipient is age1..., an identity AGE-SECRET-KEY-..., or a key in one of pqseal's formats"
        }
        pqseal_age::Error::Key(KeyError::Empty) => "; `pqseal file keygen` makes one",
        _ => "",
    };
    Error {
        exit: Exit::Stopped,
        code: "bad_key",
        message: format!("cannot use the key in {name}: {error}{advice}"),
    }
}

/// Makes the error of recipients that cannot be combined: an error of the command line.
pub(super) fn of_recipients(error: &pqseal_age::Error) -> Error {
    match error {
        pqseal_age::Error::NoRecipients => {
            Error::usage("no recipient was given; give one with -r or -R, or -p for a passphrase")
        }
        pqseal_age::Error::MixedRecipients
        | pqseal_age::Error::PassphraseNotAlone
        | pqseal_age::Error::Key(KeyError::NotForObjects) => Error::usage(error.to_string()),
        error => Error {
            exit: Exit::Stopped,
            code: error.code(),
            message: format!("cannot encrypt: {}", words(error)),
        },
    }
}
