//! A private key behind a command: a helper process that takes encapsulated keys and returns shared
//! secrets, so that the private key never enters this process. The key may be in a hardware token,
//! a cloud service or another user's files.
//!
//! The protocol is lines of text, described in full in `docs/hardware-keys.md`:
//!
//! ```text
//! helper    pqseal-decap 1 0x0010 BHx3...          version, KEM id, public key
//! pqseal    decap 0 BAk1...                        id, encapsulated key
//! pqseal    decap 1 BPq7...
//! pqseal    end                                    of a batch
//! helper    secret 1 mK3v...                       id, shared secret; in any order
//! helper    invalid 0                              or `error 0 TEXT`
//! ```
//!
//! [`serve`] is the helper's side. A helper that breaks the protocol, ends or does not answer in
//! time is stopped. From then on each use of the key fails with
//! [`pqseal_hpke::Error::KeyUnavailable`], and [`DecapCommand::failure`] returns the reason.

mod connection;
mod error;
mod serve;

use std::io::Read;

use pqseal_hpke::{AnyPublicKey, Error, SharedSecret};
use zeroize::Zeroizing;

pub use connection::DecapCommand;
pub use error::Failure;
pub use serve::serve;

use crate::{base64, kem_by_id};

/// A reader that returns one line after another. Lines hold shared secrets, so their memory never
/// grows and is wiped when freed.
struct LineReader<R> {
    from: R,
    buffer: Zeroizing<Vec<u8>>,
    /// The start of the part of the buffer that is read and not yet returned.
    start: usize,
    end: usize,
}

impl<R: Read> LineReader<R> {
    fn new(from: R) -> Self {
        Self {
            from,
            buffer: Zeroizing::new(vec![0; Failure::MAX_LINE]),
            start: 0,
            end: 0,
        }
    }

    /// Returns the next line, without its line ending (LF or CR LF), or `None` at the end of the
    /// output. Text after the last line break is not a line.
    fn next_line(&mut self) -> Result<Option<&[u8]>, Failure> {
        let mut seen = self.start;
        loop {
            let new = &self.buffer[seen..self.end];
            if let Some(found) = new.iter().position(|byte| *byte == b'\n') {
                let (start, end) = (self.start, seen + found);
                self.start = end + 1;
                let line = &self.buffer[start..end];
                return Ok(Some(line.strip_suffix(b"\r").unwrap_or(line)));
            }
            seen = self.end - self.start;
            if !self.fill()? {
                return Ok(None);
            }
        }
    }

    /// Moves the rest to the front and reads more behind it. Returns false at the end of the
    /// output.
    fn fill(&mut self) -> Result<bool, Failure> {
        self.buffer.copy_within(self.start..self.end, 0);
        (self.start, self.end) = (0, self.end - self.start);
        if self.end == self.buffer.len() {
            return Err(Failure::LongLine);
        }
        let read = loop {
            match self.from.read(&mut self.buffer[self.end..]) {
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                result => break result.map_err(Failure::Io)?,
            }
        };
        self.end += read;
        Ok(read > 0)
    }
}

/// A reply to one request. The shared secret is boxed: a moved value leaves its bytes behind.
type Reply = Result<Box<SharedSecret>, Error>;

/// Reads the public key in `pqseal-decap 1 KEM-ID PUBLIC-KEY`, a helper's first line.
fn parse_hello(line: &[u8]) -> Result<AnyPublicKey, Failure> {
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
    let kem = id
        .and_then(kem_by_id)
        .ok_or_else(|| Failure::UnknownKem(shown(kem)))?;
    let key = base64::decode(key.as_bytes()).map_err(|_| Failure::PublicKey)?;
    kem.deserialize_public_key(&key)
        .map_err(|_| Failure::PublicKey)
}

/// Formats the requests of a batch, starting at this id.
fn format_requests(first: u64, encs: &[&[u8]]) -> Vec<u8> {
    let mut text = String::new();
    for (id, enc) in (first..).zip(encs) {
        text += &format!("decap {id} {}\n", base64::encode(enc));
    }
    text += "end\n";
    text.into_bytes()
}

/// Parses a reply, with the id of its request.
fn parse_reply(line: &[u8], n_secret: usize) -> Result<(u64, Reply), Failure> {
    let (verb, rest) = split_word(line);
    let (id, rest) = split_word(rest);
    let id = str::from_utf8(id).ok().and_then(|id| id.parse().ok());
    let id = id.ok_or(Failure::NotAnAnswer)?;
    match (verb, rest) {
        (b"secret", _) => {
            let bytes = base64::decode(rest).map_err(|_| Failure::NotAnAnswer)?;
            if bytes.len() != n_secret {
                return Err(Failure::Length {
                    found: bytes.len(),
                    expected: n_secret,
                });
            }
            let mut secret = Box::new(SharedSecret::zeros(n_secret));
            secret.as_mut().as_mut().copy_from_slice(&bytes);
            Ok((id, Ok(secret)))
        }
        (b"invalid", b"") => Ok((id, Err(Error::Decap))),
        (b"error", _) => Err(Failure::Reported(shown(&String::from_utf8_lossy(rest)))),
        _ => Err(Failure::NotAnAnswer),
    }
}

/// Splits off the first word, and the space after it.
fn split_word(line: &[u8]) -> (&[u8], &[u8]) {
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A reader that returns at most three bytes per read.
    struct Slowly<'a>(&'a [u8]);

    impl Read for Slowly<'_> {
        fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
            let some = into.len().min(3);
            self.0.read(&mut into[..some])
        }
    }

    #[test]
    fn lines_are_found_whatever_the_reads_are() {
        let text = b"one\r\n\ntwo two\nthree\nrest";
        let mut lines = LineReader::new(Slowly(text));
        let mut found = Vec::new();
        while let Some(line) = lines.next_line().unwrap() {
            found.push(String::from_utf8(line.to_vec()).unwrap());
        }
        assert_eq!(found, ["one", "", "two two", "three"]);
    }

    #[test]
    fn a_line_without_end_is_refused_and_takes_no_memory() {
        let mut lines = LineReader::new(std::io::repeat(b'a'));
        assert!(matches!(lines.next_line(), Err(Failure::LongLine)));
    }
}
