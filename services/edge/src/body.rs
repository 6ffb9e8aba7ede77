//! The bodies that are forwarded: of a request, whose beginning is kept for the rules, and whose
//! progress is watched, and of an answer.

use std::{
    error::Error,
    future::poll_fn,
    io,
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, ready},
    time::Duration,
};

use bytes::{Bytes, BytesMut};
use hyper::body::{Body, Frame, Incoming, SizeHint};
use tokio::time::{Instant, Sleep, sleep, sleep_until, timeout_at};

/// A forwarded body. It fails if no byte comes for some time.
pub(crate) struct ForwardedBody {
    /// The bytes that were read already, copied into one buffer: a client may send pieces of one
    /// byte, each of which would keep its whole network buffer alive.
    first: BytesMut,
    rest: Option<Incoming>,
    idle: Duration,
    waiting: Option<Pin<Box<Sleep>>>,
    progress: Option<Arc<Progress>>,
}

impl ForwardedBody {
    pub(crate) fn new(rest: Incoming, idle: Duration) -> Self {
        Self {
            first: BytesMut::new(),
            rest: Some(rest),
            idle,
            waiting: None,
            progress: None,
        }
    }

    pub(crate) fn text(text: &str) -> Self {
        Self {
            first: text.into(),
            rest: None,
            idle: Duration::ZERO,
            waiting: None,
            progress: None,
        }
    }

    /// Reads the beginning, until there are more than `bytes` bytes or the body ends.
    ///
    /// # Errors
    /// If it takes too long, or the client disconnects.
    pub(crate) async fn read_beginning(
        &mut self,
        bytes: u64,
        within: Duration,
    ) -> Result<(), BodyFault> {
        let end = Instant::now() + within;
        while self.first.len() as u64 <= bytes {
            let frame = poll_fn(|context| self.poll_rest(context));
            let frame = match timeout_at(end, frame).await {
                Err(_) => return Err(BodyFault::Slow),
                Ok(None) => break,
                Ok(Some(Err(_))) => return Err(BodyFault::CutOff),
                Ok(Some(Ok(frame))) => frame,
            };
            // Trailers come at the end, and are of no use to a server behind a proxy.
            if let Ok(piece) = frame.into_data() {
                self.first.extend_from_slice(&piece);
            }
        }
        Ok(())
    }

    /// Returns at most this many bytes of the beginning that was read.
    pub(crate) fn beginning(&self, bytes: u64) -> &[u8] {
        let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
        &self.first[..bytes.min(self.first.len())]
    }

    /// Returns the number of bytes that were read.
    pub(crate) fn first_bytes(&self) -> usize {
        self.first.len()
    }

    /// Reports whether a part was not read yet.
    pub(crate) fn has_more(&self) -> bool {
        self.rest.as_ref().is_some_and(|rest| !rest.is_end_stream())
    }

    /// Starts recording the progress of the body.
    pub(crate) fn watch(&mut self) -> Arc<Progress> {
        let progress = Arc::new(Progress::new(!self.has_more()));
        self.progress = Some(Arc::clone(&progress));
        progress
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

    /// Returns the next piece, or the reason why it failed.
    fn poll_piece(
        &mut self,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Failure>>> {
        if !self.first.is_empty() {
            let first = std::mem::take(&mut self.first);
            return Poll::Ready(Some(Ok(Frame::data(first.freeze()))));
        }
        if let Poll::Ready(frame) = self.poll_rest(context) {
            self.waiting = None;
            let piece = frame.map(|frame| frame.map_err(|error| (BodyFault::CutOff, error.into())));
            return Poll::Ready(piece);
        }
        let idle = self.idle;
        let waiting = self.waiting.get_or_insert_with(|| Box::pin(sleep(idle)));
        ready!(waiting.as_mut().poll(context));
        let late = io::Error::new(io::ErrorKind::TimedOut, "no byte of the body came in time");
        Poll::Ready(Some(Err((BodyFault::Slow, late.into()))))
    }
}

type Failure = (BodyFault, BoxError);
type BoxError = Box<dyn Error + Send + Sync>;

impl Body for ForwardedBody {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        let piece = self.poll_piece(context);
        if let Some(progress) = &self.progress {
            match &piece {
                Poll::Pending => progress.wait(),
                Poll::Ready(Some(Err((why, _)))) => progress.fail(*why),
                Poll::Ready(_) => progress.advance(!self.has_more()),
            }
        }
        piece.map(|piece| piece.map(|piece| piece.map_err(|(_, error)| error)))
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

/// The reason why a body could not be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BodyFault {
    Slow,
    CutOff,
}

/// The progress that [`ForwardedBody`] records.
pub(crate) struct Progress(Mutex<State>);

struct State {
    /// The time at which the last piece was passed on; `None` while the client is waited for.
    last: Option<Instant>,
    is_read: bool,
    fault: Option<BodyFault>,
}

impl Progress {
    fn new(is_read: bool) -> Self {
        Self(Mutex::new(State {
            last: Some(Instant::now()),
            is_read,
            fault: None,
        }))
    }

    /// Returns once the server has been waited for this long: to take a piece, or to answer after
    /// the last one. The time that the client takes for its pieces does not count.
    pub(crate) async fn stalled(&self, time: Duration) {
        loop {
            let last = self.state().last;
            match last {
                None => sleep(time).await,
                Some(at) => sleep_until(at + time).await,
            }
            if last.is_some() && self.state().last == last {
                return;
            }
        }
    }

    /// Reports whether the whole body was read.
    pub(crate) fn is_read(&self) -> bool {
        self.state().is_read
    }

    /// Returns the client's fault, if there is one.
    pub(crate) fn fault(&self) -> Option<BodyFault> {
        self.state().fault
    }

    fn wait(&self) {
        self.state().last = None;
    }

    fn advance(&self, is_read: bool) {
        let mut state = self.state();
        state.last = Some(Instant::now());
        state.is_read = is_read;
    }

    fn fail(&self, why: BodyFault) {
        self.state().fault = Some(why);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
