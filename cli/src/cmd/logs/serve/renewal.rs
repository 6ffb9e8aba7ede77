//! Reloads of the secrets.

use std::{
    io,
    sync::{Arc, atomic::Ordering},
};

use serde_json::json;
use tokio::task::spawn_blocking;

use super::{config::Config, material::Material, receiver::Receiver};
use crate::{
    error::Error,
    server::log::{Level, log},
};

/// Reloads whenever that is requested, one reload at a time.
pub(super) async fn whenever_asked(config: Arc<Config>, receiver: Arc<Receiver>) {
    loop {
        receiver.reloads.asked().await;
        reload(&config, &receiver).await;
        receiver.reloads.ended();
    }
}

/// Reads the secrets again. If that fails, the previous ones stay in use.
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
