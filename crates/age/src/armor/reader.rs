//! A reader of armor.

use std::io::{self, BufRead, Read};

use super::decoder::ArmorDecoder;
use crate::{ArmorError, Error};

/// The maximum number of bytes of text that are decoded at a time.
const STEP: usize = 32 * 1024;

/// A reader that removes the armor of an input. After an error every read
/// returns the same error.
pub struct ArmorReader<R> {
    input: R,
    decoder: ArmorDecoder,
    decoded: Vec<u8>,
    given: usize,
    state: State,
}

#[derive(Clone, Copy)]
enum State {
    Reading,
    Ended,
    Failed(ArmorError),
}

impl<R: BufRead> ArmorReader<R> {
    /// Creates a reader of an input that begins with armor, possibly after white
    /// space.
    pub fn new(input: R) -> Self {
        Self {
            input,
            decoder: ArmorDecoder::new(),
            decoded: Vec::new(),
            given: 0,
            state: State::Reading,
        }
    }

    /// Decodes the next text of the input, or detects its end.
    fn decode(&mut self) -> io::Result<()> {
        let text = match self.input.fill_buf() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => return Ok(()),
            text => text?,
        };
        let text = &text[..text.len().min(STEP)];
        let result = match text.is_empty() {
            true => self.decoder.finish(&mut self.decoded),
            false => self.decoder.push(text, &mut self.decoded),
        };
        let read = text.len();
        self.input.consume(read);
        self.state = match result {
            Ok(()) if read == 0 => State::Ended,
            Ok(()) => State::Reading,
            Err(error) => State::Failed(error),
        };
        Ok(())
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
        while self.given == self.decoded.len() && matches!(self.state, State::Reading) {
            self.decoded.clear();
            self.given = 0;
            self.decode()?;
        }
        match self.state {
            State::Failed(error) => Err(Error::from(error).into()),
            State::Reading | State::Ended => Ok(&self.decoded[self.given..]),
        }
    }

    fn consume(&mut self, count: usize) {
        self.given += count;
    }
}
