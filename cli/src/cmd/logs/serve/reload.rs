//! Reading all that is secret again, whenever a signal asks for it.

use std::{
    io,
    sync::{Arc, atomic::Ordering},
};

use serde_json::json;
use tokio::{sync::Notify, task::spawn_blocking};

use super::{answer::Receiver, config::Config, material::Material};
use crate::{
    error::Error,
    server::log::{Level, log},
};

/// Where reloads are asked for.
#[derive(Default)]
pub(super) struct Reloads(Notify);

impl Reloads {
    /// Asks for a reload. While one runs, all that ask share the next one.
    pub(super) fn ask(&self) {
        self.0.notify_one();
    }
}

/// Reloads as often as that is asked for, one after another.
pub(super) async fn whenever_asked(config: Arc<Config>, receiver: Arc<Receiver>) {
    loop {
        receiver.reloads.0.notified().await;
        reload(&config, &receiver).await;
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
