//! A reader of armor, and the decoder of armor that arrives in pieces.

use base64ct::{Base64, Encoding};
use std::io::{self, BufRead, Read};

use super::{BEGIN, BOM, BYTES, COLUMNS, END, utf16};
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
    /// The result, once the armor has ended or is malformed.
    end: Option<Result<(), ArmorError>>,
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
            end: None,
        }
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
        while self.given == self.decoded.len() && self.end.is_none() {
            self.decoded.clear();
            self.given = 0;
            let text = match self.input.fill_buf() {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                text => text?,
            };
            let text = &text[..text.len().min(STEP)];
            let result = match text.is_empty() {
                true => self.decoder.finish(&mut self.decoded),
                false => self.decoder.push(text, &mut self.decoded),
            };
            if text.is_empty() || result.is_err() {
                self.end = Some(result);
            }
            let read = text.len();
            self.input.consume(read);
        }
        match self.end {
            Some(Err(error)) => Err(Error::from(error).into()),
            _ => Ok(&self.decoded[self.given..]),
        }
    }

    fn consume(&mut self, count: usize) {
        self.given += count;
    }
}

/// The maximum white space before and after the armor, in bytes.
const MAX_WHITESPACE: usize = 1024;

/// A decoder that removes the armor from the text pushed to it.
pub(super) struct ArmorDecoder {
    /// The beginning of an incomplete line.
    line: Vec<u8>,
    /// The number of bytes of white space before or after the armor.
    whitespace: usize,
    part: ArmorPart,
}

impl ArmorDecoder {
    pub(super) fn new() -> Self {
        Self {
            line: Vec::with_capacity(COLUMNS + 2),
            whitespace: 0,
            part: ArmorPart::Before,
        }
    }

    /// Decodes the lines that `text` completes. After an error every call returns the same error.
    pub(super) fn push(&mut self, text: &[u8], out: &mut Vec<u8>) -> Result<(), ArmorError> {
        let result = self.lines(text, out);
        result.inspect_err(|error| self.part = ArmorPart::Failed(*error))
    }

    /// Ends the text. An incomplete armor is an error.
    pub(super) fn finish(&mut self, out: &mut Vec<u8>) -> Result<(), ArmorError> {
        let line = std::mem::take(&mut self.line);
        let result = match line.is_empty() {
            true => Ok(()),
            false => self.whole_line(&line, out),
        };
        let result = result.and(match self.part {
            ArmorPart::Before => Err(ArmorError::Begin),
            ArmorPart::Within | ArmorPart::Short => Err(ArmorError::End),
            ArmorPart::After => Ok(()),
            ArmorPart::Failed(error) => Err(error),
        });
        result.inspect_err(|error| self.part = ArmorPart::Failed(*error))
    }

    fn lines(&mut self, mut text: &[u8], out: &mut Vec<u8>) -> Result<(), ArmorError> {
        while !text.is_empty() {
            if let ArmorPart::After = self.part {
                return self.after(text);
            }
            let Some(end) = text.iter().position(|c| *c == b'\n') else {
                self.line.extend(text);
                // An incomplete line is kept if it may become valid, which bounds its length. The
                // last byte may be the CR of a CRLF.
                let len = self.line.len();
                return match self.part {
                    ArmorPart::Before if self.whitespace + len > MAX_WHITESPACE => {
                        Err(ArmorError::Begin)
                    }
                    ArmorPart::Within if len > COLUMNS + 1 => Err(ArmorError::Line),
                    ArmorPart::Short if len > END.len() + 1 => Err(ArmorError::Line),
                    _ => Ok(()),
                };
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
        match self.part {
            ArmorPart::Before => self.before(line),
            ArmorPart::Within => self.body(line, out),
            ArmorPart::Short if line == END.as_bytes() => {
                self.part = ArmorPart::After;
                Ok(())
            }
            ArmorPart::Short if line.trim_ascii().is_empty() => Err(ArmorError::Blank),
            ArmorPart::Short if END.as_bytes().starts_with(line) => Err(ArmorError::End),
            ArmorPart::Short => Err(ArmorError::Line),
            ArmorPart::After => self.after(line),
            ArmorPart::Failed(error) => Err(error),
        }
    }

    /// Processes a line up to the first one of the armor. Blank lines before it are skipped.
    fn before(&mut self, line: &[u8]) -> Result<(), ArmorError> {
        let line = match self.whitespace {
            0 => line.strip_prefix(BOM).unwrap_or(line),
            _ => line,
        };
        if line == BEGIN.as_bytes() {
            self.part = ArmorPart::Within;
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
            self.part = ArmorPart::After;
            return Ok(());
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
            self.part = ArmorPart::Short;
        }
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
}

/// The part of the armor that the next line belongs to.
#[derive(Clone, Copy)]
enum ArmorPart {
    /// The position before the first line.
    Before,
    Within,
    /// The position after a line that was not full, which only the end may follow.
    Short,
    After,
    Failed(ArmorError),
}

fn without_break(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}
