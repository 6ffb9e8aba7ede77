//! A writer that opens a file, for programs that receive it in pieces.

use std::io::{self, Write};

use super::{ChunkOpener, failed_before};
use crate::{Error, Header, HeaderError, Identity, InputDecoder, Payload, keys::AnyIdentity};

/// A writer that opens the encrypted file written to it, armored or not, and writes the plaintext
/// to an output, each chunk after it was authenticated. Only [`finish`](DecryptWriter::finish)
/// detects truncation, so it must be called. After an error every call returns an error.
///
/// Errors are [`io::Error`]s that contain an [`Error`], which `Error::from` extracts.
///
/// ```
/// use std::io::Write;
/// use pqseal_age::{DecryptWriter, Encryptor, X25519Identity};
///
/// let identity = X25519Identity::generate()?;
/// let mut encryptor = Encryptor::new(&[&identity.recipient()], Vec::new())?;
/// encryptor.write_all(b"hello")?;
///
/// let mut decryptor = DecryptWriter::new(vec![Box::new(identity)], Vec::new());
/// for piece in encryptor.finish()?.chunks(10) {
///     decryptor.write_all(piece)?;
/// }
/// assert_eq!(decryptor.finish()?, b"hello");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct DecryptWriter<W: Write> {
    input: InputDecoder,
    phase: DecryptPhase<W>,
}

enum DecryptPhase<W: Write> {
    Header(PendingHeader<W>),
    Chunks(ChunkOpener<Payload, W>),
    Failed,
}

/// The beginning of a file, until header and nonce are complete.
struct PendingHeader<W> {
    identities: Vec<AnyIdentity>,
    output: W,
    /// The bytes received so far, without armor.
    bytes: Vec<u8>,
    /// The number of bytes that were not enough. Reading is tried again at twice as many, so the
    /// time is linear even for a long header in small pieces.
    tried: usize,
}

impl<W: Write> DecryptWriter<W> {
    /// Creates a writer that uses the first identity that matches. The identities are dropped after
    /// the header was opened.
    pub fn new(identities: Vec<AnyIdentity>, output: W) -> Self {
        let beginning = PendingHeader {
            identities,
            output,
            bytes: Vec::new(),
            tried: 0,
        };
        Self {
            input: InputDecoder::default(),
            phase: DecryptPhase::Header(beginning),
        }
    }

    /// Opens the last chunk and returns the output.
    ///
    /// # Errors
    /// The errors of [`Decryptor`](super::Decryptor) and of the output.
    pub fn finish(mut self) -> Result<W, Error> {
        let opener = match self.phase {
            DecryptPhase::Header(mut beginning) => {
                self.input.finish(&mut beginning.bytes)?;
                beginning.open()?
            }
            DecryptPhase::Chunks(mut opener) => {
                let mut bytes = Vec::new();
                self.input.finish(&mut bytes)?;
                opener.write_all(&bytes)?;
                opener
            }
            DecryptPhase::Failed => return Err(failed_before().into()),
        };
        Ok(opener.finish()?)
    }

    /// Returns the output, for example to take the bytes written so far from a `Vec`, or `None`
    /// after an error.
    pub fn get_mut(&mut self) -> Option<&mut W> {
        match &mut self.phase {
            DecryptPhase::Header(beginning) => Some(&mut beginning.output),
            DecryptPhase::Chunks(opener) => Some(opener.get_mut()),
            DecryptPhase::Failed => None,
        }
    }

    fn push(&mut self, piece: &[u8]) -> Result<(), Error> {
        self.phase = match std::mem::replace(&mut self.phase, DecryptPhase::Failed) {
            DecryptPhase::Header(mut beginning) => {
                self.input.push(piece, &mut beginning.bytes)?;
                beginning.try_open()?
            }
            DecryptPhase::Chunks(mut opener) => {
                if self.input.is_armored() {
                    let mut bytes = Vec::with_capacity(piece.len());
                    self.input.push(piece, &mut bytes)?;
                    opener.write_all(&bytes)?;
                } else {
                    opener.write_all(piece)?;
                }
                DecryptPhase::Chunks(opener)
            }
            DecryptPhase::Failed => return Err(failed_before().into()),
        };
        Ok(())
    }
}

impl<W: Write> PendingHeader<W> {
    /// Opens the header if it is complete.
    fn try_open(mut self) -> Result<DecryptPhase<W>, Error> {
        if self.bytes.is_empty() || self.bytes.len() < 2 * self.tried {
            return Ok(DecryptPhase::Header(self));
        }
        match parts(&self.bytes) {
            Err(Error::Header(HeaderError::Truncated)) => {
                self.tried = self.bytes.len();
                Ok(DecryptPhase::Header(self))
            }
            Err(error) => Err(error),
            Ok(_) => Ok(DecryptPhase::Chunks(self.open()?)),
        }
    }

    fn open(self) -> Result<ChunkOpener<Payload, W>, Error> {
        let (header, nonce, rest) = parts(&self.bytes)?;
        let identities: Vec<&dyn Identity> = self.identities.iter().map(AsRef::as_ref).collect();
        let file_key = header.open(&identities)?;
        let mut opener = ChunkOpener::new(Payload::new(&file_key, nonce), self.output);
        opener.write_all(rest)?;
        Ok(opener)
    }
}

/// Returns the header, the nonce, and the beginning of the chunks.
fn parts(mut bytes: &[u8]) -> Result<(Header, [u8; Payload::NONCE], &[u8]), Error> {
    let header = Header::read(&mut bytes)?;
    let (nonce, rest) = bytes.split_first_chunk().ok_or(HeaderError::Truncated)?;
    Ok((header, *nonce, rest))
}

impl<W: Write> Write for DecryptWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.push(bytes)?;
        Ok(bytes.len())
    }

    /// Flushes the output. An incomplete chunk is kept.
    fn flush(&mut self) -> io::Result<()> {
        match self.get_mut() {
            Some(output) => output.flush(),
            None => Err(failed_before()),
        }
    }
}
