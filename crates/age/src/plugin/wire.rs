//! Exchange of stanzas over a pipe.

use std::io::{self, BufRead, Read, Write};
use zeroize::Zeroizing;

use crate::{Error, Stanza, header, stanza};

/// A pair of pipes, one for each direction.
pub(super) struct Wire<R, W> {
    input: Wiped<R>,
    output: W,
}

impl<R: Read, W: Write> Wire<R, W> {
    pub(super) fn new(input: R, output: W) -> Self {
        Self {
            input: Wiped::new(input),
            output,
        }
    }

    /// Sends a command.
    pub(super) fn send(&mut self, command: &str, args: &[&str], body: &[u8]) -> io::Result<()> {
        // Growing would leave copies of a secret behind.
        let size = body.len() * 2 + args.iter().map(|arg| arg.len() + 1).sum::<usize>();
        let mut bytes = Zeroizing::new(Vec::with_capacity(size + command.len() + 64));
        stanza::write(&mut bytes, command, args.iter().copied(), body);
        self.output.write_all(&bytes)?;
        self.output.flush()
    }

    /// Receives the next stanza, which is wiped on drop.
    pub(super) fn receive(&mut self) -> Result<Zeroizing<Stanza>, Error> {
        header::read_stanza(&mut self.input).map(Zeroizing::new)
    }
}

/// A buffered reader whose buffer is wiped on drop, since file keys and PINs
/// pass through it.
struct Wiped<R> {
    input: R,
    buffer: Zeroizing<Vec<u8>>,
    ready: std::ops::Range<usize>,
}

impl<R: Read> Wiped<R> {
    fn new(input: R) -> Self {
        Self {
            input,
            buffer: Zeroizing::new(vec![0; 4096]),
            ready: 0..0,
        }
    }
}

impl<R: Read> Read for Wiped<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let count = self.fill_buf()?.read(out)?;
        self.consume(count);
        Ok(count)
    }
}

impl<R: Read> BufRead for Wiped<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.ready.is_empty() {
            self.ready = 0..self.input.read(&mut self.buffer)?;
        }
        Ok(&self.buffer[self.ready.clone()])
    }

    fn consume(&mut self, count: usize) {
        self.ready.start += count;
    }
}
