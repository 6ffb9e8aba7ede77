//! Reads armor.

use base64ct::{Base64, Encoding};
use std::io::{self, BufRead, Read};

use super::{BEGIN, BYTES, COLUMNS, END};
use crate::{ArmorError, Error};

/// The most whitespace before and after the armor, in bytes.
const MAX_WHITESPACE: usize = 1024;
/// Lines that are decoded at a time.
const LINES: usize = 512;

/// Takes the armor off an input. After an error every read gives the same error.
pub struct ArmorReader<R> {
    input: R,
    line: Vec<u8>,
    decoded: Vec<u8>,
    given: usize,
    state: State,
}

#[derive(Clone, Copy)]
enum State {
    Before,
    Within,
    After,
    Failed(ArmorError),
}

impl<R: BufRead> ArmorReader<R> {
    /// Of an input that begins with armor, perhaps after whitespace.
    pub fn new(input: R) -> Self {
        Self {
            input,
            line: Vec::new(),
            decoded: Vec::new(),
            given: 0,
            state: State::Before,
        }
    }

    /// Decodes more lines; none at the end.
    fn decode(&mut self) -> Result<(), Error> {
        if let State::Before = self.state {
            self.begin()?;
            self.state = State::Within;
        }
        let mut lines = 0;
        while matches!(self.state, State::Within) && lines < LINES {
            self.body_line()?;
            lines += 1;
        }
        Ok(())
    }

    /// The first line. Empty lines before it are skipped.
    fn begin(&mut self) -> Result<(), Error> {
        let mut skipped = 0;
        loop {
            if !self.next_line()? {
                return Err(ArmorError::Begin.into());
            }
            if !self.line.trim_ascii().is_empty() {
                break;
            }
            skipped += self.line.len() + 1;
            if skipped > MAX_WHITESPACE {
                return Err(ArmorError::Begin.into());
            }
        }
        match self.line == BEGIN.as_bytes() {
            true => Ok(()),
            false => Err(ArmorError::Begin.into()),
        }
    }

    fn body_line(&mut self) -> Result<(), Error> {
        if !self.next_line()? {
            return Err(ArmorError::End.into());
        }
        if self.line == END.as_bytes() {
            return self.end();
        }
        if self.line.is_empty() || self.line.len() > COLUMNS {
            return Err(ArmorError::Line.into());
        }
        let mut bytes = [0; BYTES];
        let bytes = Base64::decode(&self.line, &mut bytes).map_err(|_| ArmorError::Base64)?;
        self.decoded.extend(bytes);
        // A line that is not full is the last.
        if bytes.len() < BYTES {
            if !self.next_line()? || self.line != END.as_bytes() {
                return Err(ArmorError::End.into());
            }
            return self.end();
        }
        Ok(())
    }

    /// After the last line there is whitespace only.
    fn end(&mut self) -> Result<(), Error> {
        let mut rest = Vec::new();
        let mut limited = (&mut self.input).take(MAX_WHITESPACE as u64 + 1);
        limited.read_to_end(&mut rest)?;
        if rest.len() > MAX_WHITESPACE || !rest.trim_ascii().is_empty() {
            return Err(ArmorError::Trailing.into());
        }
        self.state = State::After;
        Ok(())
    }

    /// The next line without its LF or CRLF; whether there is one.
    fn next_line(&mut self) -> io::Result<bool> {
        self.line.clear();
        let mut limited = (&mut self.input).take(MAX_WHITESPACE as u64 + 2);
        let read = limited.read_until(b'\n', &mut self.line)?;
        if self.line.last() == Some(&b'\n') {
            self.line.pop();
            if self.line.last() == Some(&b'\r') {
                self.line.pop();
            }
        }
        Ok(read > 0)
    }
}

impl<R: BufRead> Read for ArmorReader<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let count = self.fill_buf()?.read(out)?;
        self.consume(count);
        Ok(count)
    }
}

impl<R: BufRead> BufRead for ArmorReader<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if let State::Failed(error) = self.state {
            return Err(Error::from(error).into());
        }
        if self.given == self.decoded.len() && !matches!(self.state, State::After) {
            self.decoded.clear();
            self.given = 0;
            let decoded = self.decode();
            if let Err(Error::Armor(error)) = decoded {
                self.state = State::Failed(error);
            }
            decoded?;
        }
        Ok(&self.decoded[self.given..])
    }

    fn consume(&mut self, count: usize) {
        self.given += count;
    }
}
