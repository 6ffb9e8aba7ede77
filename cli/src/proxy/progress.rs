//! The progress of a request's body, for the task that waits for its answer.

use std::{
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::time::{Instant, sleep, sleep_until};

/// The reason why a body could not be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NotRead {
    Slow,
    CutOff,
}

/// The progress that [`super::body::Passed`] records.
pub(super) struct Progress(Mutex<State>);

struct State {
    /// The time at which the last piece was passed on; `None` while the client is waited for.
    last: Option<Instant>,
    is_read: bool,
    fault: Option<NotRead>,
}

impl Progress {
    pub(super) fn new(is_read: bool) -> Self {
        Self(Mutex::new(State {
            last: Some(Instant::now()),
            is_read,
            fault: None,
        }))
    }

    /// Returns once the server has been waited for this long: to take a piece, or to answer after
    /// the last one. The time that the client takes for its pieces does not count.
    pub(super) async fn stalled(&self, time: Duration) {
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
    pub(super) fn is_read(&self) -> bool {
        self.state().is_read
    }

    /// Returns the client's fault, if there is one.
    pub(super) fn fault(&self) -> Option<NotRead> {
        self.state().fault
    }

    pub(super) fn wait(&self) {
        self.state().last = None;
    }

    pub(super) fn advance(&self, is_read: bool) {
        let mut state = self.state();
        state.last = Some(Instant::now());
        state.is_read = is_read;
    }

    pub(super) fn fail(&self, why: NotRead) {
        self.state().fault = Some(why);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
