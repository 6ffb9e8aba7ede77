//! A run of the receiver, from its configuration to its end.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use pqseal_server::{
    Error,
    log::{Level, log},
    run::{Asked, Ended, Started, ended, fit_in_files},
};
use serde_json::json;
use tokio::runtime::Builder;

use crate::{
    config::Config,
    material::{Material, Opening, ReadAgain},
    metrics::Metrics,
    outputs::Outputs,
    receiver::Receiver,
};

/// The number of files that a request in work may have open besides its connection: its events, its
/// dead letters, and a connection to the next destination with a file for its name.
const FILES: u64 = 4;
/// The number of other open files: the output, listeners, threads, helpers.
const OTHER_FILES: u64 = 64;

/// The least time for threads that end after `stop-time`.
const GRACE: Duration = Duration::from_secs(2);

/// A receiver that can start.
pub struct LogReceiver {
    config: Config,
    material: Material,
    read_again: ReadAgain,
}

impl LogReceiver {
    /// Reads all other files that the configuration names, and checks that the outputs can be
    /// written, without creating any. `read_again` is called for each reload.
    ///
    /// # Errors
    /// If one of them cannot be used.
    pub fn new(config: Config, opening: Opening, read_again: ReadAgain) -> Result<Self, Error> {
        let material = Material::read(&config, opening)?;
        Outputs::check(&config)?;
        Ok(Self {
            config,
            material,
            read_again,
        })
    }

    /// Serves until a signal asks for the end, and writes lines of JSON to standard error.
    ///
    /// # Errors
    /// If it cannot start.
    pub fn run(self) -> Result<Ended, Error> {
        let Self {
            mut config,
            material,
            read_again,
        } = self;
        let limits = &mut config.limits;
        let (requests, stop_time) = (limits.requests, limits.stop_time);
        let others = OTHER_FILES + FILES * u64::from(requests);
        fit_in_files(&mut limits.connections, 1, others);
        let threads = &mut Builder::new_multi_thread();
        threads
            .worker_threads(2)
            .max_blocking_threads(2 * requests as usize + 8);
        let started = Started::new(threads, config.listen, config.monitor)?;
        let metrics = Arc::new(Metrics::default());
        let keys = material.keys.len();
        let (receiver, writer) = Receiver::start(&config, material, Arc::clone(&metrics))?;
        let more = json!({
            "address": started.listeners.address(),
            "monitor": started.listeners.monitor_address(),
            "keys": keys,
        });
        log(Level::Info, "listening", more);
        let receiver = Arc::new(receiver);
        // On a separate task: a command that provides keys may hang, and a signal must still end
        // the program.
        let reloading = Arc::clone(&receiver)
            .reload_whenever_asked(move || Material::read(&config, read_again()?));
        let reloading = started.runtime.spawn(reloading);
        let mut end = Instant::now();
        let runtime = receiver.serve(started, |asked| match asked {
            Asked::ToReload => receiver.ask_to_reload(),
            Asked::ToEnd => {
                end = Instant::now() + stop_time;
                reloading.abort();
                receiver.stop();
            }
        });
        // Connections and the reloading task hold channels to the writing thread, and end here.
        // Threads that wait for a key's command may never end, and hold none.
        drop(receiver);
        runtime.shutdown_timeout(left(end));
        let late = "the disk does not answer; the next start completes the last segment";
        let end = Instant::now() + left(end);
        let ended = ended(&writer, end, late, || metrics.is_whole());
        log(Level::Info, "stopped", json!({}));
        Ok(ended)
    }
}

/// Returns the time left until `end`, but at least the time that threads need to end.
fn left(end: Instant) -> Duration {
    end.saturating_duration_since(Instant::now()).max(GRACE)
}
