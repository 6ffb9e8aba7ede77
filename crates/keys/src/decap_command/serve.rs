//! The other side of the protocol: a helper for any private key.

use std::io::{self, BufRead, Write};

use pqseal_hpke::AnyPrivateKey;
use zeroize::{Zeroize, Zeroizing};

use super::{Failure, LineReader};
use crate::{base64, kem_by_id};

/// The maximum size of a batch. Requests are answered at `end`, or when there are this many.
const MAX_BATCH: usize = 1024;

/// Runs a helper: writes its first line, with the public key, and then answers requests by `key`
/// until the end of `input`. For a key in hardware, make an [`AnyPrivateKey::external`].
///
/// Lines that are not requests are ignored, as the protocol requires.
///
/// ```
/// use pqseal_keys::decap_command::serve;
///
/// let key = pqseal_keys::read_private("uBS5eBttHrqkdY41kbZPdvYnNz8Vj0TvKIUpjB1y/GA=", None)?;
/// let (requests, mut answers) = (b"decap 0 AAAA\nend\n", Vec::new());
/// serve(&key, &requests[..], &mut answers)?;
/// let answers = String::from_utf8(answers)?;
/// assert!(answers.starts_with("pqseal-decap 1 0x0020 Ycig/Zr/"));
/// assert!(answers.ends_with("\ninvalid 0\n"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If `input` or `output` fails, a line is longer than [`Failure::MAX_LINE`], the KEM of `key` is
/// not supported, or its public key cannot be computed.
pub fn serve(key: &AnyPrivateKey, input: impl BufRead, mut output: impl Write) -> io::Result<()> {
    let kem =
        kem_by_id(key.kem().id).ok_or_else(|| io::Error::other("the KEM is not supported"))?;
    let public = key.public_key().map_err(io::Error::other)?;
    let id = kem.info().id;
    let public = base64::encode(public.as_ref());
    writeln!(output, "pqseal-decap 1 {id:#06x} {public}")?;
    output.flush()?;
    let (mut lines, mut batch) = (LineReader::new(input), Batch::default());
    while let Some(line) = lines.next_line().map_err(|failure| match failure {
        Failure::Io(error) => error,
        failure => io::Error::new(io::ErrorKind::InvalidData, failure),
    })? {
        // Other bytes are not a request.
        let line = std::str::from_utf8(line).unwrap_or_default();
        let is_end = line.trim_end() == "end";
        batch.add(line);
        if is_end || batch.ids.len() == MAX_BATCH {
            batch.answer(key, kem, &mut output)?;
        }
    }
    batch.answer(key, kem, &mut output)
}

/// The requests that wait for the end of their batch.
#[derive(Default)]
struct Batch {
    ids: Vec<u64>,
    encs: Vec<Zeroizing<Vec<u8>>>,
}

impl Batch {
    fn add(&mut self, line: &str) {
        let mut words = line.split_ascii_whitespace();
        if words.next() != Some("decap") {
            return;
        }
        if let Some(id) = words.next().and_then(|id| id.parse().ok()) {
            // Invalid base64 is not an encapsulated key either.
            let enc = words.next().unwrap_or_default();
            self.ids.push(id);
            self.encs
                .push(base64::decode(enc.as_bytes()).unwrap_or_default());
        }
    }

    fn answer(
        &mut self,
        key: &AnyPrivateKey,
        kem: &pqseal_hpke::DynKem,
        output: &mut impl Write,
    ) -> io::Result<()> {
        let encs: Vec<&[u8]> = self.encs.iter().map(|enc| enc.as_slice()).collect();
        let secrets = kem.decap_batch(&encs, key);
        for (id, secret) in self.ids.drain(..).zip(secrets.iter()) {
            match secret {
                Ok(secret) => {
                    let mut text = base64::encode(secret.as_ref());
                    let written = writeln!(output, "secret {id} {text}");
                    text.zeroize();
                    written?;
                }
                Err(pqseal_hpke::Error::KeyUnavailable) => {
                    writeln!(output, "error {id} the private key did not answer")?;
                }
                Err(_) => writeln!(output, "invalid {id}")?,
            }
        }
        self.encs.clear();
        output.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_without_end_are_refused_and_other_bytes_ignored() {
        let key = crate::read_private("uBS5eBttHrqkdY41kbZPdvYnNz8Vj0TvKIUpjB1y/GA=", None);
        let (key, mut answers) = (key.unwrap(), Vec::new());
        let endless = io::BufReader::new(io::repeat(b'a'));
        let error = serve(&key, endless, &mut answers).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::InvalidData);
        answers.clear();
        serve(&key, &b"\xff\ndecap 7 AAAA\nend\n"[..], &mut answers).unwrap();
        assert!(answers.ends_with(b"\ninvalid 7\n"));
    }
}
