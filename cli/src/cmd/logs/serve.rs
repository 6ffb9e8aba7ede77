//! `pqseal logs serve`: receives logs by HTTP, opens them, and answers once they are stored or sent
//! on.
//!
//! A request passes these modules: [`crate::server::listen`] accepts its connection, [`answer`]
//! finds its path, [`request`] checks its secret, [`body`] brings its body to a thread, [`work`]
//! opens the records there, and [`crate::server::commit`] or [`next`] delivers them. Only then is
//! it answered with 200. Tasks that wait for the network never wait for anything else: opening
//! records, writing files and resolving host names run on threads.
//!
//! It does without axum: there are only eight paths, and it needs control before the first byte of
//! a body is read, and a bound on the bytes after it. hyper gives both, with a dozen fewer crates.

mod answer;
mod body;
mod clients;
mod collector;
mod config;
mod folder;
mod in_work;
mod material;
mod metrics;
mod next;
mod options;
mod places;
mod receiver;
mod refusal;
mod reload;
mod renewal;
mod request;
mod segment;
mod service;
mod upload;
mod work;

use std::{
    path::PathBuf,
    sync::{Arc, atomic::Ordering},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use clap::Args;
use serde_json::json;
use tokio::{
    net::TcpListener,
    runtime::{Builder, Runtime},
    sync::{Semaphore, mpsc, watch},
};

use answer::{Logs, Monitoring};
use config::Config;
use folder::Folder;
use material::{Current, Material};
use metrics::Metrics;
use places::Places;
use receiver::Receiver;

use super::unwritable;
use crate::{
    error::{Error, Exit, warn_in_json},
    escape,
    server::{
        commit::Committer,
        files::fit_in_files,
        health::HealthUrl,
        listen::{bind, listen},
        log::{Level, log},
        rotated::Rotated,
    },
    signals::{self, Asked},
};

/// The number of files that a request in work may have open besides its connection: its events, its
/// dead letters, and a connection to the next destination with a file for its name.
const FILES: u64 = 4;
/// The number of other open files: the output, listeners, threads, helpers.
const OTHER_FILES: u64 = 64;

/// The least time for threads that end after `stop-time`.
const GRACE: Duration = Duration::from_secs(2);
/// The time between two checks of whether the writing thread has ended.
const POLL: Duration = Duration::from_millis(5);

/// Receive logs by HTTP, and open their sealed fields
///
/// Takes NDJSON at /logs, as Logpush sends it, and the events of a Splunk HTTP Event Collector at
/// /services/collector. Each request is answered with 200 once its opened events are on the disk,
/// or the next destination has accepted them. An event that was acknowledged is never lost; one
/// that was not may arrive twice, since its client sends it again. SIGHUP reads keys, secrets and
/// certificates again; SIGTERM ends it once the requests in work are answered. Standard error has
/// one line of JSON for each request, without anything of its events.
#[derive(Args)]
#[command(after_long_help = crate::examples::help(&crate::examples::LOGS_SERVE))]
pub(super) struct Serve {
    /// The configuration, in TOML; docs/siem/serve/pqseal.toml describes it
    #[arg(short, long, value_name = "FILE", required = true)]
    config: Option<PathBuf>,
    /// Read the configuration and all files that it names, report what is wrong, and end
    #[arg(long)]
    check: bool,
    /// Ask a running server for its health or readiness, such as http://127.0.0.1:9090/readyz, and
    /// end: with 0 if it answers 200, otherwise with 1
    #[arg(long, value_name = "URL", exclusive = true)]
    health: Option<HealthUrl>,
}

impl Serve {
    /// Serves until a signal ends it.
    ///
    /// # Errors
    /// See [`Error`].
    pub(super) fn run(self) -> Result<Exit, Error> {
        if let Some(url) = self.health {
            return url.check();
        }
        let mut config = Config::read(&self.config.unwrap_or_default())?;
        let material = Material::read(&config)?;
        Places::check(&config)?;
        if self.check {
            return Ok(Exit::Done);
        }
        // All later lines on standard error are JSON.
        warn_in_json();
        let others = OTHER_FILES + FILES * u64::from(config.limits.requests);
        fit_in_files(&mut config.limits.connections, 1, others);
        let asked = signals::asked().map_err(|error| Error::io("wait for signals", &error))?;
        let runtime = Builder::new_multi_thread()
            .worker_threads(2)
            .max_blocking_threads(2 * config.limits.requests as usize + 8)
            .enable_all()
            .build()
            .map_err(|error| Error::io("start the threads", &error))?;
        let listeners = runtime.block_on(Listeners::bind(&config))?;
        let (receiver, commits) = receiver(&config, material)?;
        let metrics = Arc::clone(&receiver.metrics);
        let end = serve(&runtime, Arc::new(config), receiver, listeners, asked);
        // Connections hold channels to the writing thread, and end here. Threads that wait for a
        // key's command may never end, and hold none.
        runtime.shutdown_timeout(left(end));
        let exit = ended(&commits, end, &metrics);
        log(Level::Info, "stopped", json!({}));
        Ok(exit)
    }
}

/// Returns the time left until `end`, but at least the time that threads need to end.
fn left(end: Instant) -> Duration {
    end.saturating_duration_since(Instant::now()).max(GRACE)
}

/// Waits for the writing thread, which completes the last segment. The exit code shows whether all
/// segments are complete.
fn ended(commits: &JoinHandle<()>, end: Instant, metrics: &Metrics) -> Exit {
    let end = Instant::now() + left(end);
    while !commits.is_finished() {
        if Instant::now() >= end {
            let reason = "the disk does not answer; the next start completes the last segment";
            log(Level::Error, "cut_off", json!({ "reason": reason }));
            return Exit::Stopped;
        }
        thread::sleep(POLL);
    }
    match metrics.is_whole() {
        true => Exit::Done,
        false => Exit::Incomplete,
    }
}

/// The sockets that accept connections.
struct Listeners {
    logs: TcpListener,
    monitor: Option<TcpListener>,
}

impl Listeners {
    async fn bind(config: &Config) -> Result<Self, Error> {
        Ok(Self {
            logs: bind(config.listen).await?,
            monitor: match config.monitor {
                Some(address) => Some(bind(address).await?),
                None => None,
            },
        })
    }
}

/// Opens the folder, and reports the files that a killed run left in it.
fn opened(output: config::Output, metrics: &Arc<Metrics>) -> Result<Folder, Error> {
    let (folder, left) = Folder::open(output, Arc::clone(metrics))?;
    for path in left.completed {
        let more = json!({ "file": escape::path(&path) });
        log(Level::Info, "completed", more);
    }
    for path in left.others {
        let reason = "its name does not begin with prefix, so nothing completes it";
        let more = json!({ "file": escape::path(&path), "reason": reason });
        log(Level::Warning, "left", more);
    }
    Ok(folder)
}

/// Creates the state that all requests share, and starts the writing thread.
fn receiver(config: &Config, material: Material) -> Result<(Receiver, JoinHandle<()>), Error> {
    let metrics = Arc::new(Metrics::default());
    let output = config.output.clone();
    let folder = output.map(|output| opened(output, &metrics)).transpose()?;
    let letters = config
        .dead_letter
        .as_ref()
        .map(|path| Rotated::open(path).map_err(|error| unwritable(path, &error)));
    let places = Places {
        folder,
        letters: letters.transpose()?,
    };
    let (committer, commits) =
        Committer::start(places).map_err(|error| Error::io("start a thread", &error))?;
    let spools = config.output.as_ref().map(|output| output.folder.clone());
    let receiver = Receiver {
        current: Current::new(material),
        committer,
        metrics,
        limits: config.limits.clone(),
        in_work: Arc::new(Semaphore::new(config.limits.requests as usize)),
        has_monitor: config.monitor.is_some(),
        is_mutual: config.is_mutual(),
        wants_letters: config.dead_letter.is_some(),
        spools: spools.unwrap_or_else(std::env::temp_dir),
        reloads: reload::Reloads::new(config.limits.helper_pause),
        stopping: false.into(),
        requests: 0.into(),
    };
    Ok((receiver, commits))
}

/// Serves until a signal asks for the end, and requests in work are answered. Returns the time by
/// which everything should end.
fn serve(
    runtime: &Runtime,
    config: Arc<Config>,
    receiver: Receiver,
    listeners: Listeners,
    mut asked: mpsc::UnboundedReceiver<Asked>,
) -> Instant {
    let address = |listener: &TcpListener| listener.local_addr().map(|address| address.to_string());
    log(
        Level::Info,
        "listening",
        json!({
            "address": address(&listeners.logs).ok(),
            "monitor": listeners.monitor.as_ref().and_then(|listener| address(listener).ok()),
            "keys": receiver.current.get().keys.len(),
        }),
    );
    let receiver = Arc::new(receiver);
    let (stop, stopping) = watch::channel(false);
    runtime.block_on(async {
        let monitoring = listeners.monitor.map(|listener| {
            let (receiver, stopping) = (Arc::clone(&receiver), stopping.clone());
            tokio::spawn(listen(Monitoring(receiver), listener, stopping))
        });
        let logs = listen(Logs(Arc::clone(&receiver)), listeners.logs, stopping);
        let logs = tokio::spawn(logs);
        // On a separate task: a command that provides keys may hang, and a signal must still end
        // the program.
        let reloading = tokio::spawn(renewal::whenever_asked(config, Arc::clone(&receiver)));
        while let Some(Asked::ToReload) = asked.recv().await {
            receiver.reloads.ask();
        }
        let end = Instant::now() + receiver.limits.stop_time;
        log(Level::Info, "stopping", json!({}));
        reloading.abort();
        receiver.stopping.store(true, Ordering::Relaxed);
        let _ = stop.send(true);
        let _ = logs.await;
        if let Some(monitoring) = monitoring {
            monitoring.abort();
        }
        end
    })
}
