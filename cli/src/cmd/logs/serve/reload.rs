//! Reading all that is secret again, when a signal asks for it, or a helper that holds a key was given
//! up.

use std::{
    io,
    sync::{Arc, Mutex, MutexGuard, PoisonError, atomic::Ordering},
    time::{Duration, Instant},
};

use serde_json::json;
use tokio::{sync::Notify, task::spawn_blocking};

use super::{answer::Receiver, config::Config, material::Material};
use crate::{
    error::Error,
    server::log::{Level, log},
};

/// How long after a reload none is made for the sake of a helper: one that does not start would
/// otherwise be started by each request.
const PAUSE: Duration = Duration::from_secs(10);

/// Where reloads are asked for.
#[derive(Default)]
pub(super) struct Reloads {
    wanted: Notify,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    is_asked_for_a_helper: bool,
    last: Option<Instant>,
}

impl Reloads {
    /// Asks for a reload. While one runs, all that ask share the next one.
    pub(super) fn ask(&self) {
        self.wanted.notify_one();
    }

    /// Asks for a reload, which starts helpers again, unless there was one a moment ago.
    pub(super) fn ask_for_a_helper(&self) {
        let mut state = self.state();
        let is_pause = state.last.is_some_and(|at| at.elapsed() < PAUSE);
        if !is_pause && !std::mem::replace(&mut state.is_asked_for_a_helper, true) {
            drop(state);
            log(Level::Warning, "helper_restart", json!({}));
            self.ask();
        }
    }

    fn ended(&self) {
        *self.state() = State {
            is_asked_for_a_helper: false,
            last: Some(Instant::now()),
        };
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Reloads as often as that is asked for, one after another.
pub(super) async fn whenever_asked(config: Arc<Config>, receiver: Arc<Receiver>) {
    loop {
        receiver.reloads.wanted.notified().await;
        reload(&config, &receiver).await;
        receiver.reloads.ended();
    }
}

/// Reads all that is secret again. If that fails, what was read before stays in use.
async fn reload(config: &Arc<Config>, receiver: &Receiver) {
    let config = Arc::clone(config);
    let read = spawn_blocking(move || Material::read(&config)).await;
    let read =
        read.unwrap_or_else(|error| Err(Error::io("read the keys", &io::Error::other(error))));
    let metrics = &receiver.metrics;
    match read {
        Ok(material) => {
            let keys = material.keys.len();
            log(Level::Info, "reloaded", json!({ "keys": keys }));
            receiver.current.set(material);
            metrics.reloads.fetch_add(1, Ordering::Relaxed);
        }
        Err(error) => {
            let more = json!({ "code": error.code, "reason": error.message });
            log(Level::Error, "not_reloaded", more);
            metrics.failed_reloads.fetch_add(1, Ordering::Relaxed);
        }
    }
}
