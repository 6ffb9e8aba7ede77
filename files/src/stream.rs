//! Streams over chunks: writing, reading with seeking, and opening what is written.

mod decrypt_writer;
mod opener;
mod reader;
mod writer;

use std::io::{self, BufRead, Read, Seek, SeekFrom, Write};

pub use decrypt_writer::DecryptWriter;
pub use opener::ChunkOpener;
pub use reader::ChunkReader;
pub use writer::ChunkWriter;

use crate::{Error, FileKey, Header, Identity, Payload, Recipient};

/// The error of each call after a failure.
fn failed_before() -> io::Error {
    io::Error::other("an earlier write failed")
}

/// Writes an encrypted file: header first, then what is written to it. Call
/// [`finish`](Encryptor::finish), or the file has no end and will not open.
pub struct Encryptor<W: Write>(ChunkWriter<Payload, W>);

impl<W: Write> Encryptor<W> {
    /// Writes the header for these recipients.
    ///
    /// # Errors
    /// As [`Header::new`], and of the output.
    pub fn new(recipients: &[&dyn Recipient], output: W) -> Result<Self, Error> {
        let file_key = FileKey::generate()?;
        let header = Header::new(recipients, &file_key)?;
        Self::with_header(&header, &file_key, output)
    }

    /// Writes a header that was made for this key.
    ///
    /// # Errors
    /// Of the output and of the random number generator.
    pub fn with_header(header: &Header, file_key: &FileKey, mut output: W) -> Result<Self, Error> {
        let payload = Payload::generate(file_key)?;
        output.write_all(&header.to_bytes())?;
        output.write_all(payload.nonce())?;
        Ok(Self(ChunkWriter::new(payload, output)))
    }

    /// Writes the last chunk and gives the output back.
    ///
    /// # Errors
    /// Of the output.
    pub fn finish(self) -> std::io::Result<W> {
        self.0.finish()
    }

    /// The output itself, such as to take from a `Vec` what was written so far.
    pub fn get_mut(&mut self) -> &mut W {
        self.0.get_mut()
    }
}

impl<W: Write> Write for Encryptor<W> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.write(bytes)
    }

    /// Only full chunks can be flushed.
    fn flush(&mut self) -> std::io::Result<()> {
        self.0.flush()
    }
}

/// Reads an encrypted file. Nothing is given out before its chunk is authenticated; a file that was
/// cut or altered ends in an error, never in a normal end.
///
/// Errors are [`std::io::Error`]s with an [`Error`] in them: `Error::from` takes it out.
pub struct Decryptor<R>(ChunkReader<Payload, R>);

impl<R: BufRead> Decryptor<R> {
    /// Reads the header and opens it by the first identity that matches. For a file that may be
    /// armored, give an [`Input`](crate::Input).
    ///
    /// # Errors
    /// As [`Header::read`] and [`Header::open`].
    pub fn new(identities: &[&dyn Identity], mut input: R) -> Result<Self, Error> {
        let file_key = Header::read(&mut input)?.open(identities)?;
        Self::with_key(&file_key, input)
    }

    /// As [`Decryptor::new`], of an input whose header was read.
    ///
    /// # Errors
    /// [`Error::Header`] if there is no nonce.
    pub fn with_key(file_key: &FileKey, mut input: R) -> Result<Self, Error> {
        let payload = Payload::read(file_key, &mut input)?;
        Ok(Self(ChunkReader::new(payload, input)))
    }
}

impl<R: Read + Seek> Decryptor<R> {
    /// Bytes of plaintext, once the last chunk is authenticated.
    ///
    /// # Errors
    /// [`Error::Payload`].
    pub fn plaintext_len(&mut self) -> Result<u64, Error> {
        self.0.plaintext_len()
    }
}

impl<R: Read> Read for Decryptor<R> {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        self.0.read(out)
    }
}

impl<R: Read + Seek> Seek for Decryptor<R> {
    fn seek(&mut self, to: SeekFrom) -> std::io::Result<u64> {
        self.0.seek(to)
    }
}
