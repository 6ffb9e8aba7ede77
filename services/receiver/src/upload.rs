//! The body of a request to the next destination: from memory, or piece by piece from a file.

use std::{
    convert::Infallible,
    io::{self, Write},
    pin::Pin,
    task::{Context, Poll},
};

use bytes::Bytes;
use hyper::body::{Body, Frame, SizeHint};
use pqseal_server::spool::Lines;
use tokio::{
    sync::mpsc::{Receiver, Sender, channel},
    task::spawn_blocking,
};

/// The number of bytes of a file that are read at once.
const PIECE: usize = 256 * 1024;

/// The events in a request body.
pub(crate) struct Upload {
    /// The number of bytes that are left.
    left: u64,
    pieces: Pieces,
}

enum Pieces {
    Memory(Bytes),
    /// Pieces from a thread that reads a file. They end early if the file cannot be read, so that
    /// the request fails too.
    File(Receiver<Bytes>),
}

impl Upload {
    /// Sends events in memory.
    pub(crate) fn of(bytes: Bytes) -> Self {
        Self {
            left: bytes.len() as u64,
            pieces: Pieces::Memory(bytes),
        }
    }

    /// Sends events in a file, which a thread reads.
    pub(crate) fn of_file(mut events: Lines) -> Self {
        let (sender, pieces) = channel(2);
        let left = events.len;
        spawn_blocking(move || {
            let mut writer = io::BufWriter::with_capacity(PIECE, ToChannel(sender));
            // A failure ends the request, and is reported as a failure of the request.
            let _ = events.copy_to(&mut writer).and_then(|()| writer.flush());
        });
        Self {
            left,
            pieces: Pieces::File(pieces),
        }
    }
}

struct ToChannel(Sender<Bytes>);

impl Write for ToChannel {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let sent = self.0.blocking_send(Bytes::copy_from_slice(bytes));
        sent.map_err(|_| io::ErrorKind::BrokenPipe)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Body for Upload {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let piece = match &mut self.pieces {
            Pieces::Memory(bytes) => Some(std::mem::take(bytes)).filter(|bytes| !bytes.is_empty()),
            Pieces::File(pieces) => match pieces.poll_recv(context) {
                Poll::Ready(piece) => piece,
                Poll::Pending => return Poll::Pending,
            },
        };
        self.left -= piece.as_ref().map_or(0, |piece| piece.len() as u64);
        Poll::Ready(piece.map(|piece| Ok(Frame::data(piece))))
    }

    fn is_end_stream(&self) -> bool {
        self.left == 0
    }

    /// Returns the exact size, so that the request has a `Content-Length`, and a truncated one is
    /// not taken for a shorter one.
    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.left)
    }
}
