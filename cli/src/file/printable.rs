//! Decrypted data on a terminal, which would act on its control characters.

use std::{
    io::{self, IoSlice, Write},
    iter,
};

/// An output that refuses control characters if they would reach a terminal.
pub(super) struct Printable<W> {
    output: W,
    is_checked: bool,
    /// The last byte that was written, since a character may be split between two writes.
    last: u8,
}

impl<W> Printable<W> {
    /// Creates an output that refuses control characters if `is_checked`.
    pub(super) fn new(output: W, is_checked: bool) -> Self {
        Self {
            output,
            is_checked,
            last: 0,
        }
    }
}

impl<W: Write> Write for Printable<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.is_checked && has_control(self.last, bytes) {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                "the decrypted data has control characters, which a terminal would interpret; add -o FILE, or -o - to write them anyway",
            ));
        }
        let count = self.output.write(bytes)?;
        self.last = *bytes[..count].last().unwrap_or(&self.last);
        Ok(count)
    }

    fn write_vectored(&mut self, slices: &[IoSlice<'_>]) -> io::Result<usize> {
        if !self.is_checked {
            return self.output.write_vectored(slices);
        }
        let first = slices.iter().find(|slice| !slice.is_empty());
        self.write(first.map_or(&[][..], |slice| &slice[..]))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.output.flush()
    }
}

/// Reports whether UTF-8 contains a control character other than tab, line feed and carriage
/// return. `age` refuses the same ones. `last` is the byte before.
fn has_control(last: u8, bytes: &[u8]) -> bool {
    let before = iter::once(&last).chain(bytes);
    before.zip(bytes).any(|(before, byte)| {
        let is_c0 = byte.is_ascii_control() && !matches!(byte, b'\t' | b'\n' | b'\r');
        is_c0 || (*before == 0xc2 && matches!(byte, 0x80..=0x9f))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_passes_and_control_characters_do_not() {
        let mut shown = Printable::new(Vec::new(), true);
        let text = "a\tb\r\n\u{a0}é€\u{202e}".as_bytes();
        shown.write_all(text).unwrap();
        shown.write_all(b"\xff\xc3\x80\xc2").unwrap();
        for wrong in [&b"\x9b31m"[..], b"a\x1b[2J", b"\0", b"\x7f", b"\xc2\x80"] {
            assert!(shown.write_all(wrong).is_err(), "{wrong:?}");
        }
        shown.write_all(b"\xa0").unwrap();
        assert_eq!(shown.output, [text, b"\xff\xc3\x80\xc2\xa0"].concat());
        Printable::new(Vec::new(), false)
            .write_all(b"\x1b\0")
            .unwrap();
    }
}
