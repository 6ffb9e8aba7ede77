//! The body of an HTTP Event Collector: consecutive JSON objects, each with a member `event`, which
//! become one line each.

use std::io::{self, Read};

use serde::{Deserialize, de::IgnoredAny};

use crate::refusal::Refusal;

/// The number of bytes that are read at once.
const READ: usize = 64 * 1024;

/// A reader of the objects of `reader` as lines. An object is checked before any of it is passed
/// on.
pub(crate) struct EventReader<R> {
    reader: R,
    input: Vec<u8>,
    /// The incomplete object.
    object: Vec<u8>,
    /// Lines that were not read yet, from `at`.
    lines: Vec<u8>,
    at: usize,
    scan: Scan,
    /// The largest object, in bytes.
    largest: usize,
    is_empty: bool,
}

/// The state of the scan within an object.
#[derive(Clone, Copy, Default)]
struct Scan {
    depth: usize,
    in_string: bool,
    is_escaped: bool,
}

/// The required members of an event.
#[derive(Deserialize)]
struct Event {
    event: Option<IgnoredAny>,
}

impl<R: Read> EventReader<R> {
    /// Creates a reader of the objects of `reader`, none larger than `largest`.
    pub(crate) fn new(reader: R, largest: usize) -> Self {
        Self {
            reader,
            input: vec![0; READ],
            object: Vec::new(),
            lines: Vec::new(),
            at: 0,
            scan: Scan::default(),
            largest,
            is_empty: true,
        }
    }

    /// Reads more input. Returns whether it has ended.
    fn fill(&mut self) -> io::Result<bool> {
        self.lines.clear();
        self.at = 0;
        let read = self.reader.read(&mut self.input)?;
        if read == 0 {
            return match (self.scan.depth, self.is_empty) {
                (0, false) => Ok(true),
                (0, true) => Err(refused(Refusal::NoData)),
                _ => Err(refused(Refusal::NotEvents)),
            };
        }
        let input = std::mem::take(&mut self.input);
        let taken = input[..read].iter().try_for_each(|byte| self.take(*byte));
        self.input = input;
        taken.map(|()| false)
    }

    /// Takes one more byte. A line break between tokens becomes a space. In a string it is an
    /// error, which the check of the object finds.
    fn take(&mut self, byte: u8) -> io::Result<()> {
        if self.scan.depth == 0 && byte != b'{' {
            return match byte.is_ascii_whitespace() {
                true => Ok(()),
                false => Err(refused(Refusal::NotEvents)),
            };
        }
        if self.object.len() >= self.largest {
            return Err(refused(Refusal::EventTooLarge));
        }
        let is_break = matches!(byte, b'\n' | b'\r') && !self.scan.in_string;
        self.object.push(if is_break { b' ' } else { byte });
        self.scan.step(byte);
        if self.scan.depth == 0 {
            self.finish_object()?;
        }
        Ok(())
    }

    fn finish_object(&mut self) -> io::Result<()> {
        let event: Event =
            serde_json::from_slice(&self.object).map_err(|_| refused(Refusal::NotEvents))?;
        if event.event.is_none() {
            return Err(refused(Refusal::NoEvent));
        }
        self.lines.append(&mut self.object);
        self.lines.push(b'\n');
        self.is_empty = false;
        Ok(())
    }
}

impl Scan {
    fn step(&mut self, byte: u8) {
        match (self.in_string, byte) {
            (true, _) if self.is_escaped => self.is_escaped = false,
            (true, b'\\') => self.is_escaped = true,
            (true, b'"') => self.in_string = false,
            (true, _) => {}
            (false, b'"') => self.in_string = true,
            (false, b'{' | b'[') => self.depth += 1,
            (false, b'}' | b']') => self.depth = self.depth.saturating_sub(1),
            (false, _) => {}
        }
    }
}

impl<R: Read> Read for EventReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.at == self.lines.len() {
            if self.fill()? {
                return Ok(0);
            }
        }
        let read = buffer.len().min(self.lines.len() - self.at);
        buffer[..read].copy_from_slice(&self.lines[self.at..self.at + read]);
        self.at += read;
        Ok(read)
    }
}

fn refused(refusal: Refusal) -> io::Error {
    io::Error::other(refusal)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A reader that gives one byte at a time.
    struct Slow<'a>(&'a [u8]);

    impl Read for Slow<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let (Some(first), false) = (self.0.first(), buffer.is_empty()) else {
                return Ok(0);
            };
            buffer[0] = *first;
            self.0 = &self.0[1..];
            Ok(1)
        }
    }

    fn lines(body: &str) -> Result<String, Refusal> {
        let all = |reader: &mut dyn Read| {
            let mut text = String::new();
            let read = EventReader::new(reader, 64).read_to_string(&mut text);
            read.map(|_| text)
                .map_err(|error| error.downcast::<Refusal>().unwrap())
        };
        let whole = all(&mut body.as_bytes());
        assert_eq!(all(&mut Slow(body.as_bytes())), whole);
        whole
    }

    #[test]
    fn objects_one_after_another_become_lines() {
        for (body, expected) in [
            (
                r#"{"event":1}{"event":"}"}"#,
                "{\"event\":1}\n{\"event\":\"}\"}\n",
            ),
            (
                "{\"event\":\n{}}\r\n\t{\"event\":[]} ",
                "{\"event\": {}}\n{\"event\":[]}\n",
            ),
            (r#"{"event":"\"{\\"}"#, "{\"event\":\"\\\"{\\\\\"}\n"),
            (r#"{"event":"\ud800"}"#, "{\"event\":\"\\ud800\"}\n"),
        ] {
            assert_eq!(lines(body).as_deref(), Ok(expected), "{body}");
        }
    }

    #[test]
    fn what_is_not_events_is_refused() {
        for (body, refusal) in [
            ("", Refusal::NoData),
            (" \n", Refusal::NoData),
            ("{\"event\":1", Refusal::NotEvents),
            ("{\"event\":1}]", Refusal::NotEvents),
            ("[{\"event\":1}]", Refusal::NotEvents),
            ("{\"event\":1]", Refusal::NotEvents),
            ("{\"event\":\"\n\"}", Refusal::NotEvents),
            ("{\"even\":1}", Refusal::NoEvent),
            ("{\"event\":null}", Refusal::NoEvent),
            (
                "{\"event\":\"0123456789012345678901234567890123456789012345678901234567890\"}",
                Refusal::EventTooLarge,
            ),
        ] {
            assert_eq!(lines(body), Err(refusal), "{body}");
        }
    }
}
