//! Streams over chunks: writing, reading with seeking, and opening of written data.

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

/// Returns the error of each call after a failure.
fn failed_before() -> io::Error {
    io::Error::other("an earlier write failed")
}

/// A writer of an encrypted file: the header first, then the data written to it. Without
/// [`finish`](Encryptor::finish) the file has no end and cannot be opened.
pub struct Encryptor<W: Write>(ChunkWriter<Payload, W>);

impl<W: Write> Encryptor<W> {
    /// Writes the header for these recipients.
    ///
    /// # Errors
    /// The errors of [`Header::new`] and of the output.
    pub fn new(recipients: &[&dyn Recipient], output: W) -> Result<Self, Error> {
        let file_key = FileKey::generate()?;
        let header = Header::new(recipients, &file_key)?;
        Self::with_header(&header, &file_key, output)
    }

    /// Writes a header that was created for this key.
    ///
    /// # Errors
    /// The errors of the output and of the random number generator.
    pub fn with_header(header: &Header, file_key: &FileKey, mut output: W) -> Result<Self, Error> {
        let payload = Payload::generate(file_key)?;
        output.write_all(&header.to_bytes())?;
        output.write_all(payload.nonce())?;
        Ok(Self(ChunkWriter::new(payload, output)))
    }

    /// Writes the last chunk and returns the output.
    ///
    /// # Errors
    /// The errors of the output.
    pub fn finish(self) -> std::io::Result<W> {
        self.0.finish()
    }

    /// Returns the output, for example to take the bytes written so far from a `Vec`.
    pub fn get_mut(&mut self) -> &mut W {
        self.0.get_mut()
    }
}

impl<W: Write> Write for Encryptor<W> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.write(bytes)
    }

    /// Flushes the output. Only full chunks were written to it.
    fn flush(&mut self) -> std::io::Result<()> {
        self.0.flush()
    }
}

/// A reader of an encrypted file. Data is returned only after its chunk was authenticated. A file
/// that was truncated or altered ends with an error, never with a normal end.
///
/// Errors are [`std::io::Error`]s that contain an [`Error`], which `Error::from` extracts.
pub struct Decryptor<R>(ChunkReader<Payload, R>);

impl<R: BufRead> Decryptor<R> {
    /// Reads the header and opens it with the first identity that matches. Use an
    /// [`Input`](crate::Input) for a file that may be armored.
    ///
    /// # Errors
    /// The errors of [`Header::read`] and [`Header::open`].
    pub fn new(identities: &[&dyn Identity], mut input: R) -> Result<Self, Error> {
        let file_key = Header::read(&mut input)?.open(identities)?;
        Self::with_key(&file_key, input)
    }

    /// Reads a file whose header was already read and opened.
    ///
    /// # Errors
    /// [`Error::Header`] if there is no nonce.
    pub fn with_key(file_key: &FileKey, mut input: R) -> Result<Self, Error> {
        let payload = Payload::read(file_key, &mut input)?;
        Ok(Self(ChunkReader::new(payload, input)))
    }
}

impl<R: Read + Seek> Decryptor<R> {
    /// Returns the number of bytes of plaintext, after authenticating the last chunk.
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
