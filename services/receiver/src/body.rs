//! A body that is passed piece by piece from the network to the thread that opens it. The pieces in
//! between are bounded, and so is the time that a client may take.

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

use crate::{config::Limits, refusal::Refusal};

/// The number of bytes that arrive before a thread is assigned. Smaller requests are complete by
/// then, so slow clients hold no thread for them. Larger ones have to keep a rate ([`Credit`]).
const FIRST: usize = 64 * 1024;
/// The number of pieces between the network and the thread. Each is at most hyper's buffer, 64 KiB.
const PIECES: usize = 4;

/// A body that is being received.
pub(crate) struct IncomingBody<'a> {
    body: Incoming,
    /// The beginning of the body, at most [`FIRST`] and a piece. It is copied into one buffer: a
    /// client may send pieces of one byte, each of which would keep its whole network buffer alive.
    first: Vec<u8>,
    /// `true` if `first` is the whole body.
    is_whole: bool,
    /// The number of bytes that have arrived.
    bytes: u64,
    limits: &'a Limits,
    end: Instant,
    /// Set once a thread is assigned.
    credit: Option<Credit>,
}

impl<'a> IncomingBody<'a> {
    /// Waits for the beginning of a body.
    ///
    /// # Errors
    /// If it exceeds its limits, or ends early.
    pub(crate) async fn start(body: Incoming, limits: &'a Limits) -> Result<Self, Refusal> {
        let mut incoming = Self {
            body,
            first: Vec::new(),
            is_whole: false,
            bytes: 0,
            limits,
            end: Instant::now() + limits.body_time,
            credit: None,
        };
        while !incoming.is_whole && incoming.bytes < FIRST as u64 {
            match incoming.piece().await? {
                Some(piece) => incoming.first.extend_from_slice(&piece),
                None => incoming.is_whole = true,
            }
        }
        Ok(incoming)
    }

    /// Splits it into a reader of the whole body, for another thread, and the task that feeds the
    /// reader.
    pub(crate) fn split(mut self) -> (BodyReader, Feeder<'a>) {
        let first = std::mem::take(&mut self.first);
        let (sender, more) = channel(PIECES);
        self.credit = Some(Credit::new(self.limits.body_rate, self.limits.body_pause));
        let reader = BodyReader {
            now: first.into(),
            more: (!self.is_whole).then_some(more),
        };
        let feeder = Feeder { body: self, sender };
        (reader, feeder)
    }

    /// Waits for the next piece; `None` at the end.
    async fn piece(&mut self) -> Result<Option<Bytes>, Refusal> {
        loop {
            let asked = Instant::now();
            let within = self
                .credit
                .as_ref()
                .map_or(Duration::MAX, |credit| credit.left);
            let until = self.end.min(asked + self.limits.idle_time.min(within));
            let next = poll_fn(|context| Pin::new(&mut self.body).poll_frame(context));
            let frame = match timeout_at(until, next).await {
                Err(_) => return Err(Refusal::Slow),
                Ok(None) => return Ok(None),
                Ok(Some(Err(_))) => return Err(Refusal::CutOff),
                Ok(Some(Ok(frame))) => frame,
            };
            // Trailers are ignored.
            if let Ok(piece) = frame.into_data() {
                self.bytes += piece.len() as u64;
                if let Some(credit) = &mut self.credit {
                    credit.spend(asked.elapsed(), piece.len());
                }
                return match self.bytes > self.limits.body {
                    true => Err(Refusal::BodyTooLarge),
                    false => Ok(Some(piece)),
                };
            }
        }
    }
}

/// The time that a client that holds a thread is still waited for. Each byte adds to it, so the
/// client has to keep a rate. The time that the thread takes for its pieces does not count.
struct Credit {
    left: Duration,
    most: Duration,
    /// The rate in bytes per second.
    rate: u64,
}

impl Credit {
    const fn new(rate: u64, most: Duration) -> Self {
        Self {
            left: most,
            most,
            rate,
        }
    }

    fn spend(&mut self, waited: Duration, bytes: usize) {
        let micros = (bytes as u64).saturating_mul(1_000_000) / self.rate;
        let left = self.left.saturating_sub(waited) + Duration::from_micros(micros);
        self.left = left.min(self.most);
    }
}

/// A sender of pieces to a [`BodyReader`].
pub(crate) struct Feeder<'a> {
    body: IncomingBody<'a>,
    sender: Sender<Option<Bytes>>,
}

impl Feeder<'_> {
    /// Passes on everything that arrives. Returns the number of bytes, or of those that were read
    /// so far if the reader ended first. If this is dropped or fails, the reader's next read fails.
    ///
    /// # Errors
    /// If the body exceeds its limits, or ends early.
    pub(crate) async fn run(mut self) -> Result<u64, Refusal> {
        while !self.body.is_whole {
            let piece = self.body.piece().await?;
            self.body.is_whole = piece.is_none();
            if self.sender.send(piece).await.is_err() {
                break;
            }
        }
        Ok(self.body.bytes)
    }
}

/// A blocking reader of a whole body.
pub(crate) struct BodyReader {
    now: Bytes,
    /// `None` at the end of the body.
    more: Option<Receiver<Option<Bytes>>>,
}

impl BodyReader {
    fn next(&mut self) -> io::Result<Option<Bytes>> {
        let Some(more) = &mut self.more else {
            return Ok(None);
        };
        match more.blocking_recv() {
            Some(Some(piece)) => Ok(Some(piece)),
            Some(None) => {
                self.more = None;
                Ok(None)
            }
            // A truncated body must not look like a shorter one.
            None => Err(io::Error::other(Refusal::CutOff)),
        }
    }
}

impl Read for BodyReader {
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
            let mut text = String::new();
            let mut reader = BodyReader {
                now: Bytes::from_static(b"a"),
                more: Some(more),
            };
            reader.read_to_string(&mut text).map(|_| text)
        };
        assert_eq!(read(Some(None)).unwrap(), "ab");
        let error = read(None).unwrap_err().downcast::<Refusal>().unwrap();
        assert_eq!(error, Refusal::CutOff);
    }

    #[test]
    fn a_client_is_waited_for_as_long_as_it_keeps_its_rate() {
        let seconds = Duration::from_secs;
        let mut credit = Credit::new(1000, seconds(10));
        for (waited, bytes, left) in [(4, 1000, 7), (3, 0, 4), (0, 99_000, 10), (11, 2000, 2)] {
            credit.spend(seconds(waited), bytes);
            assert_eq!(credit.left, seconds(left), "{waited} {bytes}");
        }
    }
}
