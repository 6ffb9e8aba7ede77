//! `pqseal-edge`: a reverse proxy. The matches of its rules in a request are sealed before they are
//! written.
//!
//! A request passes these modules: `server::listen` accepts its connection, `head` refuses
//! ambiguous heads, `body` buffers as much of its body as rules may read, `through` evaluates the
//! rules and has the events written, in `events`, and `upstream` forwards it, while `progress` is
//! watched.

mod body;
mod counters;
mod current;
mod events;
mod file;
mod head;
mod progress;
mod refusal;
mod sealing;
mod through;
mod upstream;

use std::{
    net::SocketAddr,
    path::{Path, PathBuf},
    process::ExitCode,
    sync::Arc,
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use clap::{Args, Parser};
use pqseal_edge::Rules;
use serde_json::json;
use tokio::{
    net::TcpListener,
    runtime::{Builder, Runtime},
    sync::{mpsc::UnboundedReceiver, watch},
};
use tokio_rustls::TlsAcceptor;

use counters::Counters;
use current::Current;
use events::EventLog;
use file::File;
use sealing::EventSealer;
use through::{Monitor, Proxy, Through};
use upstream::Upstream;

use crate::{
    calendar,
    error::{Error, Exit, warn, warn_in_json},
    escape,
    recipient::can_be_read_again,
    server::{
        append::is_same,
        commit::Committer,
        files::fit_in_files,
        health::HealthUrl,
        listen::{bind, listen},
        log::{Level, log},
        settings::Tls,
        tls,
    },
    signals::{self, Asked},
};

/// Forward HTTP requests, and log what rules match in them, sealed under a public key
///
/// Each rule that matches gives a line of JSON in the log, as Logpush writes firewall events;
/// `pqseal logs open` opens it. A rule with the action `block` answers 403. Nothing of a request is
/// written in the clear: not to the log, and not to standard error, which has a line of JSON for
/// each failure. SIGHUP reads the rules and the key again; SIGTERM ends it once the requests in
/// work are answered. It exits with 1 if an event could not be written.
#[derive(Parser)]
#[command(
    name = "pqseal-edge",
    version,
    max_term_width = 100,
    arg_required_else_help = true,
    after_long_help = crate::examples::help(&crate::examples::EDGE)
)]
pub struct Options {
    #[command(flatten)]
    settings: Option<Settings>,
    /// Ask a running proxy for its health, such as http://127.0.0.1:9090/healthz, and end: with 0
    /// if it answers 200, otherwise with 1
    #[arg(long, value_name = "URL", exclusive = true)]
    health: Option<HealthUrl>,
}

#[derive(Args)]
struct Settings {
    /// The rules and limits, in TOML; docs/edge.md describes them
    #[arg(long, value_name = "FILE")]
    rules: PathBuf,
    /// Seal to this public key, to the one in this file, or to the current period of this public
    /// calendar (version 4)
    #[arg(long, value_name = "KEY")]
    to: String,
    /// With a calendar: warn this many days before its end. No effect with a single key
    #[arg(long, value_name = "N", default_value_t = calendar::WARN_DAYS)]
    warn_days: u64,
    /// Forward requests to this server, such as http://127.0.0.1:8080
    #[arg(long, value_name = "URL")]
    upstream: String,
    /// Append events to this file; it may be renamed at any time, and is then created again
    #[arg(long, value_name = "FILE")]
    log: PathBuf,
    /// Receive requests on this address
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8000")]
    listen: SocketAddr,
    /// Answer /metrics and /healthz on this address
    #[arg(long, value_name = "ADDRESS")]
    monitor: Option<SocketAddr>,
    /// Forward a request that matched only when its events are on the disk, and answer 503 if they
    /// cannot be written
    #[arg(long)]
    require_log: bool,
    /// Read the rules and the key, check that the log can be written, report errors, and exit
    #[arg(long)]
    check: bool,
}

impl Options {
    /// Runs the proxy until a signal ends it, or asks a running one, and reports an error.
    pub fn run(self) -> ExitCode {
        let done = match (self.health, self.settings) {
            (Some(url), _) => url.check(),
            (None, Some(settings)) => settings.serve(),
            // Required arguments are missing, which clap has reported.
            (None, None) => Ok(Exit::Usage),
        };
        match done {
            Ok(exit) => exit.into(),
            Err(error) => {
                error.report(false);
                error.exit.into()
            }
        }
    }
}

impl Settings {
    fn serve(self) -> Result<Exit, Error> {
        let mut file = File::read(&self.rules)?;
        let sealing = EventSealer::read(&self.to, self.warn_days)?;
        let upstream = Upstream::new(&self.upstream)?;
        let tls = file.tls.as_ref().map(tls::server).transpose()?;
        self.protect(&file)?;
        if self.check {
            events::check(&self.log)?;
            if let Some(text) = sealing.ends_soon() {
                warn(calendar::ENDS, text);
            }
            return Ok(Exit::Done);
        }
        // All later lines on standard error are JSON.
        warn_in_json();
        sealing.warn_of_end();
        // Each connection has a second one to the server.
        fit_in_files(&mut file.limits.connections, 2, OTHER_FILES);
        let asked = signals::asked().map_err(|error| Error::io("wait for signals", &error))?;
        let runtime = Builder::new_multi_thread()
            .enable_all()
            .build()
            .map_err(|error| Error::io("start the threads", &error))?;
        let listeners = runtime.block_on(self.bind())?;
        let counters = Arc::new(Counters::default());
        let sealing = Arc::new(Current::from(Arc::new(sealing)));
        let log_file = EventLog::open(
            &self.log,
            Arc::clone(&sealing),
            self.delay(),
            Arc::clone(&counters),
        )?;
        let (committer, writer) =
            Committer::start(log_file).map_err(|error| Error::io("start a thread", &error))?;
        let stop_time = file.limits.stop_time;
        let proxy = Proxy {
            rules: Arc::clone(&file.rules).into(),
            sealing,
            log: committer,
            upstream,
            limits: file.limits,
            counters: Arc::clone(&counters),
            requires_log: self.require_log,
            tls: tls.map(TlsAcceptor::from),
        };
        run(&runtime, &self, Arc::new(proxy), listeners, asked);
        drop(runtime);
        let exit = ended(&writer, stop_time, &counters);
        log(Level::Info, "stopped", counters.json());
        Ok(exit)
    }

    /// Refuses to write events into a file that is read.
    fn protect(&self, file: &File) -> Result<(), Error> {
        let of_tls = file.tls.iter().flat_map(Tls::files);
        let mut read = of_tls.chain([self.rules.as_path(), Path::new(&self.to)]);
        match read.any(|file| is_same(&self.log, file)) {
            true => Err(Error::refused(format!(
                "--log is {}, which is also read; name a separate file",
                escape::path(&self.log)
            ))),
            false => Ok(()),
        }
    }

    /// Returns how long events may wait for the disk: no time if requests wait for them.
    fn delay(&self) -> Duration {
        match self.require_log {
            true => Duration::ZERO,
            false => SYNC_EVERY,
        }
    }

    /// Reads the rules and the key again. If that fails, the previous ones stay in use.
    fn reload(&self, proxy: &Proxy) {
        match self.again() {
            Ok((rules, sealing)) => {
                let count = rules.iter().count();
                proxy.rules.set(rules);
                if let Some(sealing) = sealing {
                    sealing.warn_of_end();
                    proxy.sealing.set(sealing.into());
                }
                // A program that waits for this line expects the new rules and the new key.
                let to = json!({ "rules": count, "to": proxy.sealing.get().name() });
                log(Level::Info, "reloaded", to);
            }
            Err(error) => log(
                Level::Error,
                "not_reloaded",
                json!({ "code": error.code, "reason": error.message }),
            ),
        }
    }

    /// Reads the rules and the key. A file without a rule is a failure here, because it may be
    /// incomplete. A key that is not in a regular file stays: it could not be read again, and must
    /// not keep rules from being replaced.
    fn again(&self) -> Result<(Arc<Rules>, Option<EventSealer>), Error> {
        let rules = File::read(&self.rules)?.rules;
        if rules.is_empty() {
            return Err(Error::refused(format!(
                "{} has no rule; add one, or start the proxy again to run it without rules",
                escape::path(&self.rules)
            )));
        }
        let sealing = match can_be_read_again(&self.to) {
            true => Some(EventSealer::read(&self.to, self.warn_days)?),
            false => None,
        };
        Ok((rules, sealing))
    }

    async fn bind(&self) -> Result<Listeners, Error> {
        Ok(Listeners {
            requests: bind(self.listen).await?,
            monitor: match self.monitor {
                Some(address) => Some(bind(address).await?),
                None => None,
            },
        })
    }
}

/// The longest time that events wait for the disk, if no request waits for them. They are written
/// to the file a few milliseconds after the request. From then on only a failure of the system can
/// lose them.
const SYNC_EVERY: Duration = Duration::from_millis(100);
/// The time between two checks of whether the writing thread has ended.
const POLL: Duration = Duration::from_millis(5);
/// The number of open files besides those of requests: the log, listeners, threads, the monitor.
const OTHER_FILES: u64 = 64;

/// Waits until the log has taken all events, at most for `within`. The exit code shows whether any
/// is lost.
fn ended(writer: &JoinHandle<()>, within: Duration, counters: &Counters) -> Exit {
    let end = Instant::now() + within;
    while !writer.is_finished() {
        if Instant::now() >= end {
            let reason = "the last events could not be written to the log, and are lost";
            log(Level::Error, "cut_off", json!({ "reason": reason }));
            return Exit::Stopped;
        }
        thread::sleep(POLL);
    }
    match counters.lost.get() {
        0 => Exit::Done,
        _ => Exit::Incomplete,
    }
}

/// The sockets that accept connections.
struct Listeners {
    requests: TcpListener,
    monitor: Option<TcpListener>,
}

/// Serves until a signal asks for the end, and requests in work are answered.
fn run(
    runtime: &Runtime,
    settings: &Settings,
    proxy: Arc<Proxy>,
    listeners: Listeners,
    mut asked: UnboundedReceiver<Asked>,
) {
    let address = |listener: &TcpListener| listener.local_addr().map(|address| address.to_string());
    let count = proxy.rules.get().iter().count();
    let level = match count {
        0 => Level::Warning,
        _ => Level::Info,
    };
    log(
        level,
        "listening",
        json!({
            "address": address(&listeners.requests).ok(),
            "monitor": listeners.monitor.as_ref().and_then(|listener| address(listener).ok()),
            "rules": count,
        }),
    );
    let (stop, stopping) = watch::channel(false);
    runtime.block_on(async {
        let monitor = listeners.monitor.map(|listener| {
            let monitor = Monitor(Arc::clone(&proxy));
            tokio::spawn(listen(monitor, listener, stopping.clone()))
        });
        let through = Through(Arc::clone(&proxy));
        let requests = tokio::spawn(listen(through, listeners.requests, stopping));
        while let Some(Asked::ToReload) = asked.recv().await {
            settings.reload(&proxy);
        }
        log(Level::Info, "stopping", json!({}));
        let _ = stop.send(true);
        let _ = requests.await;
        if let Some(monitor) = monitor {
            monitor.abort();
        }
    });
}
