//! Standard output for records: as they are, or on a terminal without what would move its cursor.

use std::io::{self, IsTerminal, Stdout, Write};

use crate::escape;

/// Standard output.
pub(super) struct Output {
    stdout: Stdout,
    is_terminal: bool,
}

impl Output {
    pub(super) fn new() -> Self {
        let stdout = io::stdout();
        Self {
            is_terminal: stdout.is_terminal(),
            stdout,
        }
    }

    pub(super) const fn is_terminal(&self) -> bool {
        self.is_terminal
    }
}

impl Write for Output {
    /// On a terminal all of `bytes`, which are whole records or parts of one too large to be seen
    /// there.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if !self.is_terminal {
            return self.stdout.write(bytes);
        }
        // Outside of strings, where nothing may be escaped, JSON has these two as white space.
        for part in String::from_utf8_lossy(bytes).split_inclusive(['\n', '\t']) {
            let text = part.trim_end_matches(['\n', '\t']);
            self.stdout
                .write_all((escape::json(text) + &part[text.len()..]).as_bytes())?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stdout.flush()
    }
}
