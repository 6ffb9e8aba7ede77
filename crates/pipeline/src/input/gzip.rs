//! gzip (RFC 1952), one or more members. Data before damage is returned before the error. Zeros
//! after the end are ignored, as `gzip` does, since tapes and some copiers pad with them.

use std::{
    io::{self, BufRead, BufReader, Chain, Cursor, Read},
    sync::{Arc, atomic::Ordering},
};

use flate2::bufread::GzDecoder;

use super::{InputCounters, error::InputError};

/// The first bytes, which were already read, and the rest.
type Source<R> = Chain<Cursor<Vec<u8>>, BufReader<R>>;

/// The number of bytes that are decompressed at a time. The data lost before damage is less than
/// this.
const STEP: usize = 16 * 1024;

/// A reader of all members, decompressed.
pub(super) struct Members<R: Read> {
    position: GzipPosition<R>,
    counters: Arc<InputCounters>,
    /// An error to return after the bytes before it.
    failed: Option<io::Error>,
}

enum GzipPosition<R: Read> {
    Member(Box<GzDecoder<Source<R>>>),
    /// After a member.
    Between(Source<R>),
    End,
}

impl<R: Read> Members<R> {
    pub(super) fn new(source: Source<R>, counters: Arc<InputCounters>) -> Self {
        Self {
            position: GzipPosition::Member(Box::new(GzDecoder::new(source))),
            counters,
            failed: None,
        }
    }

    /// Handles the data after a member.
    fn next(&mut self) -> io::Result<()> {
        let GzipPosition::Between(source) = &mut self.position else {
            return Ok(());
        };
        let zeros = self.counters.zeros.load(Ordering::Relaxed);
        match source.fill_buf()? {
            [] => self.position = GzipPosition::End,
            [0x1f, ..] if zeros == 0 => {
                if let GzipPosition::Between(source) =
                    std::mem::replace(&mut self.position, GzipPosition::End)
                {
                    self.position = GzipPosition::Member(Box::new(GzDecoder::new(source)));
                }
            }
            rest => {
                let found = rest.iter().take_while(|byte| **byte == 0).count();
                if found == 0 {
                    return Err(InputError::AfterGzip.into());
                }
                source.consume(found);
                self.counters
                    .zeros
                    .fetch_add(found as u64, Ordering::Relaxed);
            }
        }
        Ok(())
    }
}

impl<R: Read> Read for Members<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if let Some(error) = self.failed.take() {
            return Err(error);
        }
        loop {
            match &mut self.position {
                GzipPosition::End => return Ok(0),
                GzipPosition::Between(_) => self.next()?,
                GzipPosition::Member(member) => match fill(member, buffer, &mut self.failed)? {
                    0 if !buffer.is_empty() => {
                        if let GzipPosition::Member(member) =
                            std::mem::replace(&mut self.position, GzipPosition::End)
                        {
                            self.position = GzipPosition::Between(member.into_inner());
                        }
                    }
                    read => return Ok(read),
                },
            }
        }
    }
}

/// Decompresses in steps the data that is available, without waiting for more. An error is kept for
/// later if there are bytes before it.
fn fill<R: Read>(
    member: &mut GzDecoder<Source<R>>,
    buffer: &mut [u8],
    failed: &mut Option<io::Error>,
) -> io::Result<usize> {
    let mut filled = 0;
    loop {
        let end = buffer.len().min(filled + STEP);
        match member.read(&mut buffer[filled..end]) {
            Err(error) if filled == 0 => return Err(error),
            Err(error) => *failed = Some(error),
            Ok(read) => {
                filled += read;
                let is_waiting = member.get_ref().get_ref().1.buffer().is_empty();
                if read > 0 && filled < buffer.len() && !is_waiting {
                    continue;
                }
            }
        }
        return Ok(filled);
    }
}
