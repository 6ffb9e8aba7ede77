//! The framing of chunks: lengths as QUIC writes them (RFC 9000, section 16), and the bytes of a
//! chunk that is not complete yet.

use std::ops::Range;

use pqseal_hpke::Tag;

use crate::{Error, Plaintext};

/// The size of the largest chunk that is sealed, in bytes of plaintext, and by default of the
/// largest that is opened (section 3).
pub const MAX_CHUNK: usize = 1 << 14;

/// The aad of the last chunk.
pub(super) const FINAL: &[u8] = b"final";

/// The bytes of a message that are not opened yet.
#[derive(Debug)]
pub(super) struct Chunks {
    pub(super) buffer: Vec<u8>,
    pub(super) max_chunk: usize,
    /// Set if the last chunk follows.
    last: bool,
    /// The error after which nothing more is opened.
    failed: Option<Error>,
}

impl Chunks {
    pub(super) const fn new() -> Self {
        Self {
            buffer: Vec::new(),
            max_chunk: MAX_CHUNK,
            last: false,
            failed: None,
        }
    }

    /// Runs an operation unless an earlier one failed. There is no second attempt, which would
    /// begin in the middle.
    pub(super) fn unless_failed<T>(
        &mut self,
        run: impl FnOnce(&mut Self) -> Result<T, Error>,
    ) -> Result<T, Error> {
        if let Some(error) = &self.failed {
            return Err(error.clone());
        }
        let result = run(self);
        if let Err(error) = &result {
            self.failed = Some(error.clone());
            self.buffer = Vec::new();
        }
        result
    }

    /// Removes the first `len` bytes, if all of them are available.
    pub(super) fn take(&mut self, len: usize) -> Option<Vec<u8>> {
        (self.buffer.len() >= len).then(|| self.buffer.drain(..len).collect())
    }

    /// Opens the complete chunks.
    pub(super) fn open(
        &mut self,
        mut open: impl FnMut(&[u8], &[u8]) -> Result<Vec<u8>, pqseal_hpke::Error>,
    ) -> Result<Plaintext, Error> {
        let (mut opened, mut at) = (Plaintext::new(Vec::new()), 0);
        while let Some(chunk) = self.next(&mut at)? {
            if opened.capacity() == 0 {
                // Room for all available bytes, once a chunk is complete.
                opened = Plaintext::new(Vec::with_capacity(self.buffer.len()));
            }
            match open(b"", &self.buffer[chunk])? {
                empty if empty.is_empty() => return Err(Error::Open),
                plaintext => opened.append(Plaintext::new(plaintext)),
            }
        }
        self.buffer.drain(..at);
        if self.last {
            self.check(self.buffer.len())?;
        }
        Ok(opened)
    }

    /// Locates the next complete chunk that is not the last, and moves `at` behind it.
    fn next(&mut self, at: &mut usize) -> Result<Option<Range<usize>>, Error> {
        if self.last {
            return Ok(None);
        }
        let Some((len, prefix)) = read_length(&self.buffer[*at..]) else {
            return Ok(None);
        };
        if len == 0 {
            self.last = true;
            *at += prefix;
            return Ok(None);
        }
        let len = usize::try_from(len).unwrap_or(usize::MAX);
        self.check(len)?;
        let start = *at + prefix;
        if self.buffer.len() - start < len {
            return Ok(None);
        }
        *at = start + len;
        Ok(Some(start..*at))
    }

    /// Checks that a chunk may have this size in bytes of ciphertext.
    const fn check(&self, len: usize) -> Result<(), Error> {
        match len > self.max_chunk.saturating_add(size_of::<Tag>()) {
            true => Err(Error::TooLong(
                "a chunk is larger than allowed; allow larger ones with max_chunk",
            )),
            false => Ok(()),
        }
    }

    /// Opens the last chunk. `open` is `None` if not even the head of the message was complete.
    pub(super) fn finish(
        &mut self,
        open: Option<impl FnOnce(&[u8], &[u8]) -> Result<Vec<u8>, pqseal_hpke::Error>>,
    ) -> Result<Plaintext, Error> {
        let opened = self.unless_failed(|chunks| match open {
            Some(open) if chunks.last => Ok(Plaintext::new(open(FINAL, &chunks.buffer)?)),
            _ => Err(Error::Truncated),
        })?;
        self.failed = Some(Error::Usage("the message has ended"));
        self.buffer = Vec::new();
        Ok(opened)
    }
}

/// Writes a length as QUIC does: its first two bits encode its size. Chunks are short enough for 4
/// bytes.
pub(super) fn write_length(len: usize, message: &mut Vec<u8>) {
    match u32::try_from(len).unwrap_or(u32::MAX).to_be_bytes() {
        [0, 0, 0, short] if short < 1 << 6 => message.push(short),
        [0, 0, high, low] if high < 1 << 6 => message.extend([0x40 | high, low]),
        [high, rest @ ..] => {
            message.push(0x80 | high);
            message.extend(rest);
        }
    }
}

/// Reads a length and the number of its bytes, if all of them are available.
fn read_length(bytes: &[u8]) -> Option<(u64, usize)> {
    let first = *bytes.first()?;
    let prefix = 1 << (first >> 6);
    let rest = bytes.get(1..prefix)?;
    let value = |value: u64, byte: &u8| value << 8 | u64::from(*byte);
    Some((rest.iter().fold((first & 0x3f).into(), value), prefix))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 9000, appendix A.1.
    #[test]
    fn lengths_of_quic() {
        for (bytes, len) in [
            (
                &b"\xc2\x19\x7c\x5e\xff\x14\xe8\x8c"[..],
                151_288_809_941_952_652,
            ),
            (b"\x9d\x7f\x3e\x7d", 494_878_333),
            (b"\x7b\xbd", 15_293),
            (b"\x40\x25", 37),
            (b"\x25", 37),
        ] {
            assert_eq!(read_length(bytes), Some((len, bytes.len())));
            assert_eq!(read_length(&bytes[1..][..0]), None);
            assert_eq!(read_length(&bytes[..bytes.len() - 1]), None);
        }
        for len in [0, 1, 63, 64, 16_383, 16_384, 16_400, 0x3fff_ffff] {
            let mut bytes = Vec::new();
            write_length(len, &mut bytes);
            let shortest = [(64, 1), (16_384, 2)];
            let shortest = shortest.iter().find(|(end, _)| len < *end);
            assert_eq!(bytes.len(), shortest.map_or(4, |(_, size)| *size));
            assert_eq!(read_length(&bytes), Some((len as u64, bytes.len())));
        }
    }
}
