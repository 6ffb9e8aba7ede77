//! A body on its way from the network to the thread that opens it, piece by piece. What is in between
//! is bounded, and so is the time that a client may take.

use std::{
    future::poll_fn,
    io::{self, Read},
    pin::Pin,
    time::Duration,
};

use bytes::{Buf, Bytes};
use hyper::body::{Body as _, Incoming};
use tokio::{
    sync::mpsc::{Receiver, Sender, channel},
    time::{Instant, timeout_at},
};

use super::refusal::Refusal;

/// How much arrives before a thread is taken for it, in bytes: small requests are complete by then, so
/// that slow clients hold no thread.
const FIRST: usize = 64 * 1024;
/// Pieces between the network and the thread. One has at most the size of hyper's buffer, 400 KiB.
const PIECES: usize = 4;

/// A body that arrives.
pub(super) struct Arriving {
    body: Incoming,
    first: Vec<Bytes>,
    /// Whether `first` is all.
    is_whole: bool,
    /// How many bytes have arrived.
    pub(super) bytes: u64,
    bounds: Bounds,
    end: Instant,
}

/// How large a body may be, and how long it may take.
#[derive(Clone, Copy)]
pub(super) struct Bounds {
    pub(super) bytes: u64,
    /// Without a byte.
    pub(super) idle: Duration,
    /// From the first to the last byte.
    pub(super) whole: Duration,
}

impl Arriving {
    /// Waits for the beginning of a body.
    ///
    /// # Errors
    /// If it breaks its bounds, or ends early.
    pub(super) async fn start(body: Incoming, bounds: Bounds) -> Result<Self, Refusal> {
        let mut arriving = Self {
            body,
            first: Vec::new(),
            is_whole: false,
            bytes: 0,
            bounds,
            end: Instant::now() + bounds.whole,
        };
        while !arriving.is_whole && arriving.bytes < FIRST as u64 {
            match arriving.piece().await? {
                Some(piece) => arriving.first.push(piece),
                None => arriving.is_whole = true,
            }
        }
        Ok(arriving)
    }

    /// A reader of all of it, for another thread, and what keeps that supplied.
    pub(super) fn split(mut self) -> (Pieces, Supply) {
        let first = std::mem::take(&mut self.first);
        let (sender, more) = channel(PIECES);
        let pieces = Pieces {
            first: first.into_iter(),
            now: Bytes::new(),
            more: (!self.is_whole).then_some(more),
        };
        (
            pieces,
            Supply {
                arriving: self,
                sender,
            },
        )
    }

    async fn piece(&mut self) -> Result<Option<Bytes>, Refusal> {
        loop {
            let until = self.end.min(Instant::now() + self.bounds.idle);
            let next = poll_fn(|context| Pin::new(&mut self.body).poll_frame(context));
            let frame = match timeout_at(until, next).await {
                Err(_) => return Err(Refusal::Slow),
                Ok(None) => return Ok(None),
                Ok(Some(Err(_))) => return Err(Refusal::CutOff),
                Ok(Some(Ok(frame))) => frame,
            };
            // Trailers are of no use.
            if let Ok(piece) = frame.into_data() {
                self.bytes += piece.len() as u64;
                return match self.bytes > self.bounds.bytes {
                    true => Err(Refusal::Body),
                    false => Ok(Some(piece)),
                };
            }
        }
    }
}

/// What passes pieces to a [`Pieces`].
pub(super) struct Supply {
    arriving: Arriving,
    sender: Sender<Option<Bytes>>,
}

impl Supply {
    /// Passes on all that arrives. The number of bytes, or of those that were read by then if the
    /// reader ended first. If this is dropped or fails, the reader's next read fails.
    ///
    /// # Errors
    /// If the body breaks its bounds, or ends early.
    pub(super) async fn run(mut self) -> Result<u64, Refusal> {
        while !self.arriving.is_whole {
            let piece = self.arriving.piece().await?;
            self.arriving.is_whole = piece.is_none();
            if self.sender.send(piece).await.is_err() {
                break;
            }
        }
        Ok(self.arriving.bytes)
    }
}

/// All of a body, on a thread that may wait.
pub(super) struct Pieces {
    first: std::vec::IntoIter<Bytes>,
    now: Bytes,
    /// `None` once there is no more.
    more: Option<Receiver<Option<Bytes>>>,
}

impl Pieces {
    fn next(&mut self) -> io::Result<Option<Bytes>> {
        if let Some(first) = self.first.next() {
            return Ok(Some(first));
        }
        let Some(more) = &mut self.more else {
            return Ok(None);
        };
        match more.blocking_recv() {
            Some(Some(piece)) => Ok(Some(piece)),
            Some(None) => {
                self.more = None;
                Ok(None)
            }
            // A body without its end must not look like a shorter one.
            None => Err(io::Error::other(Refusal::CutOff)),
        }
    }
}

impl Read for Pieces {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.now.is_empty() {
            match self.next()? {
                Some(piece) => self.now = piece,
                None => return Ok(0),
            }
        }
        let read = buffer.len().min(self.now.len());
        self.now.copy_to_slice(&mut buffer[..read]);
        Ok(read)
    }
}

/// No more than this many bytes of `reader`: an error instead of the next one.
pub(super) struct AtMost<R> {
    pub(super) reader: R,
    pub(super) left: u64,
}

impl<R: Read> Read for AtMost<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.reader.read(buffer)?;
        match self.left.checked_sub(read as u64) {
            Some(left) => self.left = left,
            None => return Err(io::Error::other(Refusal::Decompressed)),
        }
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_without_its_end_is_an_error() {
        let read = |last: Option<Option<Bytes>>| {
            let (sender, more) = channel(PIECES);
            sender
                .blocking_send(Some(Bytes::from_static(b"b")))
                .unwrap();
            last.into_iter()
                .for_each(|piece| sender.blocking_send(piece).unwrap());
            drop(sender);
            let first = vec![Bytes::from_static(b"a")].into_iter();
            let mut text = String::new();
            let mut pieces = Pieces {
                first,
                now: Bytes::new(),
                more: Some(more),
            };
            pieces.read_to_string(&mut text).map(|_| text)
        };
        assert_eq!(read(Some(None)).unwrap(), "ab");
        let error = read(None).unwrap_err().downcast::<Refusal>().unwrap();
        assert_eq!(error, Refusal::CutOff);
    }

    #[test]
    fn the_last_byte_that_is_allowed_is_read() {
        for (left, expected) in [(3, Ok(3)), (2, Err(Refusal::Decompressed))] {
            let mut reader = AtMost {
                reader: &b"abc"[..],
                left,
            };
            let read = reader.read_to_end(&mut Vec::new());
            let read = read.map_err(|error| error.downcast::<Refusal>().unwrap());
            assert_eq!(read, expected);
        }
    }
}
