//! Writes armor.

use base64ct::{Base64, Encoding};
use std::io::{self, Write};

use super::{BEGIN, BYTES, COLUMNS, END};

/// Puts armor around what is written to it. Call [`finish`](ArmorWriter::finish), or it has no end.
pub struct ArmorWriter<W: Write> {
    output: W,
    /// Bytes of a line that is not full.
    rest: Vec<u8>,
    text: Vec<u8>,
}

impl<W: Write> ArmorWriter<W> {
    /// Writes the first line.
    ///
    /// # Errors
    /// Of the output.
    pub fn new(mut output: W) -> io::Result<Self> {
        writeln!(output, "{BEGIN}")?;
        Ok(Self {
            output,
            rest: Vec::with_capacity(BYTES),
            text: Vec::new(),
        })
    }

    /// Writes the last lines and gives the output back.
    ///
    /// # Errors
    /// Of the output.
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
