//! A writer of armor.

use base64ct::{Base64, Encoding};
use std::io::{self, Write};

use super::{BEGIN, BYTES, COLUMNS, END};

/// A writer that adds armor. Call [`finish`](ArmorWriter::finish) to write its end.
///
/// ```
/// use std::io::{Read, Write};
/// use pqseal_age::{ArmorWriter, Decryptor, Encryptor, Input, X25519Identity};
///
/// let identity = X25519Identity::generate()?;
/// let armor = ArmorWriter::new(Vec::new())?;
/// let mut encryptor = Encryptor::new(&[&identity.recipient()], armor)?;
/// encryptor.write_all(b"hello")?;
/// let armored = encryptor.finish()?.finish()?;
/// assert!(armored.starts_with(b"-----BEGIN AGE ENCRYPTED FILE-----"));
///
/// let mut text = String::new();
/// Decryptor::new(&[&identity], Input::new(&armored[..])?)?.read_to_string(&mut text)?;
/// assert_eq!(text, "hello");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct ArmorWriter<W: Write> {
    output: W,
    /// The bytes of an incomplete line.
    rest: Vec<u8>,
    text: Vec<u8>,
}

impl<W: Write> ArmorWriter<W> {
    /// Creates a writer, and writes the first line of the armor.
    ///
    /// # Errors
    /// The errors of the output.
    pub fn new(mut output: W) -> io::Result<Self> {
        writeln!(output, "{BEGIN}")?;
        Ok(Self {
            output,
            rest: Vec::with_capacity(BYTES),
            text: Vec::new(),
        })
    }

    /// Writes the last lines and returns the output.
    ///
    /// # Errors
    /// The errors of the output.
    pub fn finish(mut self) -> io::Result<W> {
        let rest = std::mem::take(&mut self.rest);
        if !rest.is_empty() {
            self.line(&rest);
        }
        self.output.write_all(&self.text)?;
        writeln!(self.output, "{END}")?;
        self.output.flush()?;
        Ok(self.output)
    }

    /// Returns the output, which does not contain the bytes of an incomplete line yet.
    pub fn get_mut(&mut self) -> &mut W {
        &mut self.output
    }

    fn line(&mut self, bytes: &[u8]) {
        let mut text = [0; COLUMNS];
        let text = Base64::encode(bytes, &mut text).expect("48 bytes are 64 characters");
        self.text.extend(text.as_bytes());
        self.text.push(b'\n');
    }
}

impl<W: Write> Write for ArmorWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let (first, others) = bytes.split_at(bytes.len().min(BYTES - self.rest.len()));
        self.rest.extend(first);
        if self.rest.len() < BYTES {
            return Ok(bytes.len());
        }
        let mut full = std::mem::take(&mut self.rest);
        self.line(&full);
        full.clear();
        let lines = others.chunks_exact(BYTES);
        full.extend(lines.remainder());
        lines.for_each(|line| self.line(line));
        self.rest = full;
        self.output.write_all(&self.text)?;
        self.text.clear();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.output.flush()
    }
}
