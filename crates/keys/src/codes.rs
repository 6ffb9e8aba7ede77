//! Codes by which programs distinguish failures. Codes are added, never changed.

use pqseal_hpke::Error;

/// The code of a ciphertext that was altered, or sealed with another info or aad.
pub const ALTERED: &str = "altered";

/// The code of a private key that is held elsewhere and did not answer. Later operations with that
/// key fail the same way.
pub const KEY_UNAVAILABLE: &str = "key_unavailable";

/// The code of an invalid argument, here and in the programs.
pub const BAD_ARGUMENT: &str = "bad_argument";

/// Returns the code of a failure of HPKE itself.
pub const fn hpke_code(error: &Error) -> &'static str {
    match error {
        Error::Validation => "validation",
        Error::Deserialize => "deserialize",
        Error::Encap => "encap",
        Error::Decap => "decap",
        Error::Open => "open",
        Error::MessageLimitReached => "message_limit_reached",
        Error::DeriveKeyPair => "derive_key_pair",
        Error::UnsupportedSuite(_) => "unsupported_suite",
        Error::AuthUnsupported => "auth_unsupported",
        Error::ExportOnly => "export_only",
        Error::ExportTooLong => "export_too_long",
        Error::InvalidPsk => "invalid_psk",
        Error::KeyMismatch => "key_mismatch",
        Error::KeyLength => "key_length",
        Error::InputTooLong => "input_too_long",
        Error::NoSeed => "no_seed",
        Error::Rng => "rng",
        Error::KeyUnavailable => KEY_UNAVAILABLE,
        Error::Miscomputed => "miscomputed",
        _ => "failed",
    }
}
