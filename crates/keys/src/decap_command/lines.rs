//! Lines of a helper's output. They hold shared secrets, so their memory never grows and is wiped
//! when freed.

use std::io::Read;

use zeroize::Zeroizing;

use super::Failure;

/// A reader that returns one line after another.
pub(super) struct Lines<R> {
    from: R,
    buffer: Zeroizing<Vec<u8>>,
    /// The start of the part of the buffer that is read and not yet returned.
    start: usize,
    end: usize,
}

impl<R: Read> Lines<R> {
    pub(super) fn new(from: R) -> Self {
        Self {
            from,
            buffer: Zeroizing::new(vec![0; Failure::MAX_LINE]),
            start: 0,
            end: 0,
        }
    }

    /// Returns the next line, without its line ending (LF or CR LF), or `None` at the end of the
    /// output. Text after the last line break is not a line.
    pub(super) fn next_line(&mut self) -> Result<Option<&[u8]>, Failure> {
        let mut seen = self.start;
        loop {
            let new = &self.buffer[seen..self.end];
            if let Some(found) = new.iter().position(|byte| *byte == b'\n') {
                let (start, end) = (self.start, seen + found);
                self.start = end + 1;
                let line = &self.buffer[start..end];
                return Ok(Some(line.strip_suffix(b"\r").unwrap_or(line)));
            }
            seen = self.end - self.start;
            if !self.fill()? {
                return Ok(None);
            }
        }
    }

    /// Moves the rest to the front and reads more behind it. Returns false at the end of the
    /// output.
    fn fill(&mut self) -> Result<bool, Failure> {
        self.buffer.copy_within(self.start..self.end, 0);
        (self.start, self.end) = (0, self.end - self.start);
        if self.end == self.buffer.len() {
            return Err(Failure::LongLine);
        }
        let read = loop {
            match self.from.read(&mut self.buffer[self.end..]) {
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                result => break result.map_err(Failure::Io)?,
            }
        };
        self.end += read;
        Ok(read > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A reader that returns at most three bytes per read.
    struct Slowly<'a>(&'a [u8]);

    impl Read for Slowly<'_> {
        fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
            let some = into.len().min(3);
            self.0.read(&mut into[..some])
        }
    }

    #[test]
    fn lines_are_found_whatever_the_reads_are() {
        let text = b"one\r\n\ntwo two\nthree\nrest";
        let mut lines = Lines::new(Slowly(text));
        let mut found = Vec::new();
        while let Some(line) = lines.next_line().unwrap() {
            found.push(String::from_utf8(line.to_vec()).unwrap());
        }
        assert_eq!(found, ["one", "", "two two", "three"]);
    }

    #[test]
    fn a_line_without_end_is_refused_and_takes_no_memory() {
        let mut lines = Lines::new(std::io::repeat(b'a'));
        assert!(matches!(lines.next_line(), Err(Failure::LongLine)));
    }
}
