//! When all that is secret is read again: when a signal asks for it, or a helper that holds a key was
//! given up.

use std::{
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use serde_json::json;
use tokio::sync::Notify;

use crate::server::log::{Level, log};

/// Where reloads are asked for.
pub(super) struct Reloads {
    wanted: Notify,
    state: Mutex<State>,
    /// The time after a reload in which none is made for the sake of a helper: one that does not start would
    /// otherwise be started by each request.
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

    /// Asks for a reload. While one runs, all that ask share the next one.
    pub(super) fn ask(&self) {
        self.wanted.notify_one();
    }

    /// Asks for a reload, which starts helpers again, unless there was one a moment ago.
    pub(super) fn ask_for_a_helper(&self) {
        let mut state = self.state();
        let is_pause = state.last.is_some_and(|at| at.elapsed() < self.pause);
        if !is_pause && !std::mem::replace(&mut state.is_asked_for_a_helper, true) {
            drop(state);
            log(Level::Warning, "helper_restart", json!({}));
            self.ask();
        }
    }

    /// Waits until a reload is asked for.
    pub(super) async fn asked(&self) {
        self.wanted.notified().await;
    }

    /// Notes that it has ended.
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
