//! Settings in TOML files, in which unknown members are errors.

use std::{
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use pqseal_text::{duration, escape};
use serde::{Deserialize, Deserializer, de, de::DeserializeOwned};

use crate::Error;

/// The table `[tls]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Tls {
    /// The certificate and the intermediate ones up to the authority, in PEM.
    pub certificate: PathBuf,
    /// Its private key, in PEM.
    pub key: PathBuf,
    /// The authorities of clients' certificates. If given, a client needs one.
    pub client_ca: Option<PathBuf>,
}

impl Tls {
    /// Lists all files that it names.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        let authorities = self.client_ca.as_deref();
        [self.certificate.as_path(), &self.key]
            .into_iter()
            .chain(authorities)
    }
}

/// Reads a file.
///
/// # Errors
/// If it cannot be read, or is wrong. The message has the line.
pub fn read<T: DeserializeOwned>(path: &Path) -> Result<T, Error> {
    let name = escape::path(path);
    let text = fs::read_to_string(path)
        .map_err(|error| Error::system(format_args!("read {name}"), error))?;
    toml::from_str(&text).map_err(|error| {
        let line = error
            .span()
            .map_or(1, |span| 1 + line_of(&text, span.start));
        let message = escape::bytes(error.message().as_bytes());
        Error::Settings(format!("{name}, line {line}: {message}"))
    })
}

fn line_of(text: &str, at: usize) -> usize {
    text.as_bytes()[..at.min(text.len())]
        .iter()
        .filter(|byte| **byte == b'\n')
        .count()
}

/// Parses a time with a unit, which must not be 0.
pub fn time<'de, D: Deserializer<'de>>(from: D) -> Result<Duration, D::Error> {
    let text = String::deserialize(from)?;
    match duration(&text) {
        Ok(time) if !time.is_zero() => Ok(time),
        Ok(_) => Err(de::Error::custom("a timeout must be greater than zero")),
        Err(message) => Err(de::Error::custom(message)),
    }
}

/// Parses a size: a number of bytes, or text with a unit.
pub fn size<'de, D: Deserializer<'de>>(from: D) -> Result<u64, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Size {
        Bytes(u64),
        Text(String),
    }
    let bytes = match Size::deserialize(from) {
        Ok(Size::Bytes(bytes)) => Some(bytes),
        Ok(Size::Text(text)) => bytes(&text),
        // The library's error names its own types.
        Err(_) => None,
    };
    bytes.ok_or_else(|| {
        de::Error::custom(
            "a size must be a number of bytes, or text such as \"64KiB\", \"256MiB\" or \"2GiB\"",
        )
    })
}

fn bytes(text: &str) -> Option<u64> {
    let digits = text.trim_end_matches(|last: char| last.is_ascii_alphabetic());
    let unit = match &text[digits.len()..] {
        "" | "B" => 1,
        "KiB" => 1 << 10,
        "MiB" => 1 << 20,
        "GiB" => 1 << 30,
        _ => return None,
    };
    digits
        .parse()
        .ok()
        .and_then(|number: u64| number.checked_mul(unit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units() {
        for (text, size) in [
            ("7", Some(7)),
            ("64KiB", Some(65_536)),
            ("2GiB", Some(2 << 30)),
            ("99999999999GiB", None),
            ("MiB", None),
            ("1 GiB", None),
        ] {
            assert_eq!(bytes(text), size, "{text}");
        }
    }
}
