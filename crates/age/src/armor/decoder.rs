//! A decoder of armor that arrives in pieces.

use base64ct::{Base64, Encoding};

use super::{BEGIN, BOM, BYTES, COLUMNS, END, utf16};
use crate::ArmorError;

/// The maximum white space before and after the armor, in bytes.
const MAX_WHITESPACE: usize = 1024;

/// A decoder that removes the armor from the text pushed to it.
pub(crate) struct ArmorDecoder {
    /// The beginning of an incomplete line.
    line: Vec<u8>,
    /// The number of bytes of white space before or after the armor.
    whitespace: usize,
    state: State,
}

#[derive(Clone, Copy)]
enum State {
    /// The position before the first line.
    Before,
    Within,
    /// The position after a line that was not full, which only the end may follow.
    Short,
    After,
    Failed(ArmorError),
}

impl ArmorDecoder {
    pub(crate) fn new() -> Self {
        Self {
            line: Vec::with_capacity(COLUMNS + 2),
            whitespace: 0,
            state: State::Before,
        }
    }

    /// Decodes the lines that `text` completes. After an error every call returns the same error.
    pub(crate) fn push(&mut self, text: &[u8], out: &mut Vec<u8>) -> Result<(), ArmorError> {
        self.noting_failure(|decoder| decoder.pushed(text, out))
    }

    /// Ends the text. An incomplete armor is an error.
    pub(crate) fn finish(&mut self, out: &mut Vec<u8>) -> Result<(), ArmorError> {
        self.noting_failure(|decoder| {
            let line = std::mem::take(&mut decoder.line);
            if !line.is_empty() {
                decoder.whole_line(&line, out)?;
            }
            match decoder.state {
                State::Before => Err(ArmorError::Begin),
                State::Within | State::Short => Err(ArmorError::End),
                State::After => Ok(()),
                State::Failed(error) => Err(error),
            }
        })
    }

    fn noting_failure(
        &mut self,
        call: impl FnOnce(&mut Self) -> Result<(), ArmorError>,
    ) -> Result<(), ArmorError> {
        call(self).inspect_err(|error| self.state = State::Failed(*error))
    }

    fn pushed(&mut self, mut text: &[u8], out: &mut Vec<u8>) -> Result<(), ArmorError> {
        while !text.is_empty() {
            if let State::After = self.state {
                return self.after(text);
            }
            let Some(end) = text.iter().position(|c| *c == b'\n') else {
                self.line.extend(text);
                return self.check_incomplete();
            };
            let (line, rest) = text.split_at(end + 1);
            text = rest;
            if self.line.is_empty() {
                self.whole_line(without_break(line), out)?;
            } else {
                let mut whole = std::mem::take(&mut self.line);
                whole.extend(line);
                self.whole_line(without_break(&whole), out)?;
                whole.clear();
                self.line = whole;
            }
        }
        Ok(())
    }

    /// Processes a line without its LF or CRLF.
    fn whole_line(&mut self, line: &[u8], out: &mut Vec<u8>) -> Result<(), ArmorError> {
        match self.state {
            State::Before => self.before(line),
            State::Within => self.body(line, out),
            State::Short if line == END.as_bytes() => self.end(),
            State::Short => Err(not_the_end(line)),
            State::After => self.after(line),
            State::Failed(error) => Err(error),
        }
    }

    /// Processes a line up to the first one of the armor. Blank lines before it are skipped.
    fn before(&mut self, line: &[u8]) -> Result<(), ArmorError> {
        let line = match self.whitespace {
            0 => line.strip_prefix(BOM).unwrap_or(line),
            _ => line,
        };
        if line == BEGIN.as_bytes() {
            self.state = State::Within;
            self.whitespace = 0;
            return Ok(());
        }
        self.whitespace += line.len() + 1;
        match line.trim_ascii().is_empty() && self.whitespace <= MAX_WHITESPACE {
            true => Ok(()),
            false if utf16(line, b"-----") => Err(ArmorError::Utf16),
            false => Err(ArmorError::Begin),
        }
    }

    fn body(&mut self, line: &[u8], out: &mut Vec<u8>) -> Result<(), ArmorError> {
        if line == END.as_bytes() {
            return self.end();
        }
        if line.trim_ascii().is_empty() {
            return Err(ArmorError::Blank);
        }
        if line.len() > COLUMNS {
            return Err(ArmorError::Line);
        }
        let mut bytes = [0; BYTES];
        let bytes = Base64::decode(line, &mut bytes).map_err(|_| ArmorError::Base64)?;
        out.extend_from_slice(bytes);
        if bytes.len() < BYTES {
            self.state = State::Short;
        }
        Ok(())
    }

    fn end(&mut self) -> Result<(), ArmorError> {
        self.state = State::After;
        Ok(())
    }

    /// Checks that only white space follows the last line.
    fn after(&mut self, text: &[u8]) -> Result<(), ArmorError> {
        self.whitespace += text.len();
        match text.trim_ascii().is_empty() && self.whitespace <= MAX_WHITESPACE {
            true => Ok(()),
            false => Err(ArmorError::Trailing),
        }
    }

    /// Checks that an incomplete line may become valid, which bounds its length.
    fn check_incomplete(&self) -> Result<(), ArmorError> {
        let len = self.line.len();
        match self.state {
            State::Before if self.whitespace + len > MAX_WHITESPACE => Err(ArmorError::Begin),
            // The last byte may be the CR of a CRLF.
            State::Within if len > COLUMNS + 1 => Err(ArmorError::Line),
            State::Short if len > END.len() + 1 => Err(ArmorError::Line),
            _ => Ok(()),
        }
    }
}

/// Returns the error of a line after a short one.
fn not_the_end(line: &[u8]) -> ArmorError {
    match line {
        _ if line.trim_ascii().is_empty() => ArmorError::Blank,
        _ if END.as_bytes().starts_with(line) => ArmorError::End,
        _ => ArmorError::Line,
    }
}

fn without_break(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}
