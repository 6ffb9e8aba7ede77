//! The lines of a stream as messages.

use std::io::{self, Write};

use super::{failure::Failure, producer::Producer};

/// Sends each line that is written as a message without a key. Empty lines are left out, since
/// they are not records.
pub(super) struct Lines {
    producer: Producer,
    /// The beginning of an incomplete line.
    begun: Vec<u8>,
}

impl Lines {
    pub(super) const fn new(producer: Producer) -> Self {
        let begun = Vec::new();
        Self { producer, begun }
    }

    /// Buffers the beginning of a line, up to the size of a message.
    fn keep(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.begun.len() + bytes.len() > self.producer.largest() {
            return Err(io::Error::other(Failure::TooLarge));
        }
        self.begun.extend_from_slice(bytes);
        Ok(())
    }

    fn line(&mut self, line: &[u8]) -> io::Result<()> {
        let value = line.strip_suffix(b"\r").unwrap_or(line);
        match value.trim_ascii() {
            b"" => Ok(()),
            _ => self.producer.send_value(value).map_err(io::Error::other),
        }
    }
}

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let Some(end) = bytes.iter().position(|byte| *byte == b'\n') else {
            self.keep(bytes)?;
            return Ok(bytes.len());
        };
        let mut line = std::mem::take(&mut self.begun);
        line.extend_from_slice(&bytes[..end]);
        self.line(&line)?;
        Ok(end + 1)
    }

    /// Waits until all complete lines are acknowledged.
    fn flush(&mut self) -> io::Result<()> {
        self.producer.settle().map_err(io::Error::other)
    }
}
