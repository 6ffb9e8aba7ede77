//! The common arguments, keys and errors of `pqseal jwe` and `pqseal cose`.

mod open;
mod seal;
mod shared;

use pqseal_formats::{ALGORITHMS, Algorithm, algorithm};

use crate::error::{Error, Exit};

pub use open::{Answer, Keys, OpenArgs, text_or_base64};
pub use seal::SealArgs;
pub use shared::{Known, Shared, text_or_file};

/// Returns the algorithm of this name.
///
/// # Errors
/// The list of names.
pub fn by_name(name: &str) -> Result<Algorithm, String> {
    algorithm(name).ok_or_else(|| one_of(ALGORITHMS.iter().map(Algorithm::name)))
}

/// Lists the choices.
pub fn one_of(names: impl Iterator<Item = &'static str>) -> String {
    format!("choose one of {}", names.collect::<Vec<_>>().join(", "))
}

/// Writes bytes in hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Makes the error for a message that was not sealed or not opened.
pub fn failed(error: &pqseal_formats::Error) -> Error {
    if let pqseal_formats::Error::Usage(what) = error {
        return Error::usage(*what);
    }
    Error {
        exit: Exit::Incomplete,
        code: error.code(),
        message: format!("{error}{}", advice(error)),
    }
}

/// Returns what to do next, where the error itself does not say it.
fn advice(error: &pqseal_formats::Error) -> &'static str {
    match error {
        pqseal_formats::Error::AlgorithmNotAllowed(_) => ", with --alg",
        pqseal_formats::Error::KeyAlgorithm(_) => {
            "; give the --alg that its file names, or a key for that algorithm"
        }
        pqseal_formats::Error::NoKey => "; add the right one with -k",
        pqseal_formats::Error::UnknownPsk => "; give it with --psk-file and --psk-id",
        pqseal_formats::Error::PskRequired => "; leave --psk-file and --psk-id out to open it",
        pqseal_formats::Error::Open => "; give --info, --aad and --psk-file as the sender had them",
        _ => "",
    }
}
