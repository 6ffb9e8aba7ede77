//! Requests to read the secrets again: from a signal, or because a helper that holds a key was
//! given up.

use std::{
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use serde_json::json;
use tokio::sync::Notify;

use crate::server::log::{Level, log};

/// The requests for reloads.
pub(super) struct Reloads {
    wanted: Notify,
    state: Mutex<State>,
    /// The time after a reload in which a helper does not cause another one. A helper that fails to
    /// start would otherwise be started by each request.
    pause: Duration,
}

#[derive(Default)]
struct State {
    is_asked_for_a_helper: bool,
    last: Option<Instant>,
}

impl Reloads {
    pub(super) fn new(pause: Duration) -> Self {
        Self {
            wanted: Notify::new(),
            state: Mutex::default(),
            pause,
        }
    }

    /// Requests a reload. Requests during a reload share the next one.
    pub(super) fn ask(&self) {
        self.wanted.notify_one();
    }

    /// Requests a reload to restart helpers, unless the last one was a moment ago.
    pub(super) fn ask_for_a_helper(&self) {
        let mut state = self.state();
        let is_pause = state.last.is_some_and(|at| at.elapsed() < self.pause);
        if !is_pause && !std::mem::replace(&mut state.is_asked_for_a_helper, true) {
            drop(state);
            log(Level::Warning, "helper_restart", json!({}));
            self.ask();
        }
    }

    /// Waits until a reload is requested.
    pub(super) async fn asked(&self) {
        self.wanted.notified().await;
    }

    /// Records that a reload has ended.
    pub(super) fn ended(&self) {
        *self.state() = State {
            is_asked_for_a_helper: false,
            last: Some(Instant::now()),
        };
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
