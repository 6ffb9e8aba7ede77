//! Version 1 of the line protocol: parsing and formatting of lines, without I/O.

use pqseal_hpke::{AnyPublicKey, SharedSecret};
use zeroize::Zeroizing;

use super::Failure;
use crate::{base64, kem_by_id};

/// A helper's first line.
pub(super) struct Hello {
    pub(super) public_key: AnyPublicKey,
}

/// A helper's answer to one request.
pub(super) enum Answer {
    /// The shared secret, boxed so that it does not move.
    Secret(Box<SharedSecret>),
    /// The encapsulated key is not valid.
    Invalid,
    /// The request failed.
    Error(String),
}

impl Hello {
    /// Reads `pqseal-decap 1 KEM-ID PUBLIC-KEY`.
    pub(super) fn parse(line: &[u8]) -> Result<Self, Failure> {
        let line = str::from_utf8(line).map_err(|_| Failure::NotAHelper)?;
        let mut words = line.split(' ');
        if words.next() != Some("pqseal-decap") {
            return Err(Failure::NotAHelper);
        }
        match words.next() {
            Some("1") => {}
            Some(other) => return Err(Failure::Version(shown(other))),
            None => return Err(Failure::NotAHelper),
        }
        let (Some(kem), Some(key), None) = (words.next(), words.next(), words.next()) else {
            return Err(Failure::NotAHelper);
        };
        let id = kem.strip_prefix("0x").filter(|digits| digits.len() == 4);
        let id = id.and_then(|digits| u16::from_str_radix(digits, 16).ok());
        let unknown = || Failure::UnknownKem(shown(kem));
        let kem = id.and_then(kem_by_id).ok_or_else(unknown)?;
        let key = base64::decode(key.as_bytes()).map_err(|_| Failure::PublicKey)?;
        let public_key = kem
            .deserialize_public_key(&key)
            .map_err(|_| Failure::PublicKey)?;
        Ok(Self { public_key })
    }
}

/// Formats the requests of a batch, starting at this id.
pub(super) fn requests(first: u64, encs: &[&[u8]]) -> Vec<u8> {
    let mut text = String::new();
    for (id, enc) in (first..).zip(encs) {
        text += &format!("decap {id} {}\n", base64::encode(enc));
    }
    text += "end\n";
    text.into_bytes()
}

/// Parses an answer, with the id of its request.
pub(super) fn answer(line: &[u8], n_secret: usize) -> Result<(u64, Answer), Failure> {
    let (verb, rest) = split(line);
    let (id, rest) = split(rest);
    let id = str::from_utf8(id).ok().and_then(|id| id.parse().ok());
    let id = id.ok_or(Failure::NotAnAnswer)?;
    match (verb, rest) {
        (b"secret", _) => Ok((id, Answer::Secret(secret(rest, n_secret)?))),
        (b"invalid", b"") => Ok((id, Answer::Invalid)),
        (b"error", _) => Ok((id, Answer::Error(shown(&String::from_utf8_lossy(rest))))),
        _ => Err(Failure::NotAnAnswer),
    }
}

fn secret(text: &[u8], n_secret: usize) -> Result<Box<SharedSecret>, Failure> {
    let bytes: Zeroizing<Vec<u8>> = base64::decode(text).map_err(|_| Failure::NotAnAnswer)?;
    if bytes.len() != n_secret {
        return Err(Failure::Length {
            found: bytes.len(),
            expected: n_secret,
        });
    }
    let mut secret = Box::new(SharedSecret::zeros(n_secret));
    secret.as_mut().as_mut().copy_from_slice(&bytes);
    Ok(secret)
}

/// Splits off the first word, and the space after it.
fn split(line: &[u8]) -> (&[u8], &[u8]) {
    match line.iter().position(|byte| *byte == b' ') {
        Some(at) => (&line[..at], &line[at + 1..]),
        None => (line, b""),
    }
}

/// Makes another program's text safe for an error message: without control characters,
/// at most 200 characters.
fn shown(text: &str) -> String {
    let chars = text.chars().map(|char| match char.is_control() {
        true => char::REPLACEMENT_CHARACTER,
        false => char,
    });
    chars.take(200).collect()
}
