//! Bodies on their way through: of a request with its beginning kept for the rules, and of an answer.

use std::{
    borrow::Cow,
    collections::VecDeque,
    error::Error,
    future::poll_fn,
    io,
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};

use bytes::Bytes;
use hyper::body::{Body, Frame, Incoming, SizeHint};
use tokio::time::{Instant, Sleep, sleep, timeout_at};

/// A body that is passed on. It fails if no byte comes for some time.
pub(super) struct Passed {
    /// What was read already.
    first: VecDeque<Bytes>,
    rest: Option<Incoming>,
    idle: Duration,
    waiting: Option<Pin<Box<Sleep>>>,
}

/// Why the beginning of a body could not be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NotRead {
    Slow,
    CutOff,
}

impl Passed {
    pub(super) const fn new(rest: Incoming, idle: Duration) -> Self {
        Self {
            first: VecDeque::new(),
            rest: Some(rest),
            idle,
            waiting: None,
        }
    }

    pub(super) fn text(text: impl Into<Bytes>) -> Self {
        Self {
            first: [text.into()].into(),
            rest: None,
            idle: Duration::ZERO,
            waiting: None,
        }
    }

    /// Reads the beginning: this many bytes or, if a piece has more, a few more. Whether there is more.
    ///
    /// # Errors
    /// If it takes too long, or the client goes away.
    pub(super) async fn read_beginning(
        &mut self,
        bytes: u64,
        within: Duration,
    ) -> Result<bool, NotRead> {
        let end = Instant::now() + within;
        let mut read = 0;
        while read < bytes {
            let frame = poll_fn(|context| self.poll_rest(context));
            let frame = match timeout_at(end, frame).await {
                Err(_) => return Err(NotRead::Slow),
                Ok(None) => break,
                Ok(Some(Err(_))) => return Err(NotRead::CutOff),
                Ok(Some(Ok(frame))) => frame,
            };
            // Trailers come at the end, and are of no use to a server behind a proxy.
            if let Ok(piece) = frame.into_data() {
                read += piece.len() as u64;
                self.first.push_back(piece);
            }
        }
        Ok(self.has_more())
    }

    /// The beginning that was read, in one piece, and at most this many bytes of it.
    pub(super) fn beginning(&self, bytes: u64) -> Cow<'_, [u8]> {
        let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
        match self.first.len() {
            0 => Cow::default(),
            1 => Cow::Borrowed(&self.first[0][..bytes.min(self.first[0].len())]),
            _ => {
                let mut all: Vec<_> = self.first.iter().flatten().copied().collect();
                all.truncate(bytes);
                Cow::Owned(all)
            }
        }
    }

    /// How many bytes of it were read.
    pub(super) fn first_bytes(&self) -> usize {
        self.first.iter().map(Bytes::len).sum()
    }

    /// Whether something was not read yet.
    pub(super) fn has_more(&self) -> bool {
        self.rest.as_ref().is_some_and(|rest| !rest.is_end_stream())
    }

    fn poll_rest(
        &mut self,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        let Some(rest) = &mut self.rest else {
            return Poll::Ready(None);
        };
        let frame = ready!(Pin::new(rest).poll_frame(context));
        if frame.is_none() {
            self.rest = None;
        }
        Poll::Ready(frame)
    }
}

impl Body for Passed {
    type Data = Bytes;
    type Error = Box<dyn Error + Send + Sync>;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        if let Some(piece) = self.first.pop_front() {
            return Poll::Ready(Some(Ok(Frame::data(piece))));
        }
        if let Poll::Ready(frame) = self.poll_rest(context) {
            self.waiting = None;
            return Poll::Ready(frame.map(|frame| frame.map_err(Into::into)));
        }
        let idle = self.idle;
        let waiting = self.waiting.get_or_insert_with(|| Box::pin(sleep(idle)));
        ready!(waiting.as_mut().poll(context));
        let late = io::Error::new(io::ErrorKind::TimedOut, "no byte of the body came in time");
        Poll::Ready(Some(Err(late.into())))
    }

    fn is_end_stream(&self) -> bool {
        self.first.is_empty() && !self.has_more()
    }

    fn size_hint(&self) -> SizeHint {
        let first = self.first_bytes() as u64;
        let rest = self
            .rest
            .as_ref()
            .map_or(SizeHint::with_exact(0), Body::size_hint);
        let mut hint = SizeHint::new();
        hint.set_lower(first.saturating_add(rest.lower()));
        if let Some(upper) = rest.upper() {
            hint.set_upper(first.saturating_add(upper));
        }
        hint
    }
}
