//! A run of the proxy, from its configuration to its end.

use std::{
    net::SocketAddr,
    path::PathBuf,
    sync::Arc,
    time::{Duration, Instant},
};

use pqseal_edge::Rules;
use pqseal_server::{
    Error,
    append::is_same,
    commit::Committer,
    current::Current,
    listen::Listeners,
    log::{Level, log},
    run::{Asked, Ended, Started, ended, fit_in_files},
    settings::Tls,
    tls,
};
use pqseal_text::escape;
use serde_json::json;
use tokio::runtime::Builder;
use tokio_rustls::TlsAcceptor;

use crate::{
    counters::Counters,
    events::{self, EventLog},
    file::RuleFile,
    proxy::{MonitorService, Proxy, ProxyService},
    sealer::EventSealer,
    upstream::Upstream,
};

/// What the proxy does, besides its rules.
pub struct Config {
    /// The file of rules, which is read again when the process is asked to reload.
    pub rules: PathBuf,
    /// The file with the public key or the calendar. If it is not a file, no file has this name.
    pub key: PathBuf,
    /// The reader of that key, for reloads.
    pub read_again: ReadAgain,
    /// The URL of the server that requests are forwarded to.
    pub upstream: String,
    /// The file that events are appended to. It may be renamed at any time.
    pub log: PathBuf,
    /// The address for requests.
    pub listen: SocketAddr,
    /// The address for `/metrics` and `/healthz`, if they are wanted.
    pub monitor: Option<SocketAddr>,
    /// `true` if a request that matched waits until its events are on the disk, and is refused if
    /// they cannot be written.
    pub requires_log: bool,
}

/// Reads the key again. It returns `None` if the key is in something that cannot be read again; the
/// previous key stays in use then.
pub type ReadAgain = Box<dyn Fn() -> Result<Option<EventSealer>, Error> + Send + Sync>;

/// A proxy that can start.
pub struct Edge {
    config: Config,
    file: RuleFile,
    sealer: EventSealer,
    upstream: Upstream,
    tls: Option<TlsAcceptor>,
}

impl Edge {
    /// Checks the configuration, and reads the files of TLS.
    ///
    /// # Errors
    /// If one of them cannot be used, or the log is a file that is read.
    pub fn new(config: Config, file: RuleFile, sealer: EventSealer) -> Result<Self, Error> {
        let upstream = Upstream::new(&config.upstream)?;
        let tls = file.tls.as_ref().map(tls::server).transpose()?;
        config.protect(&file)?;
        Ok(Self {
            config,
            file,
            sealer,
            upstream,
            tls: tls.map(TlsAcceptor::from),
        })
    }

    /// Checks that the log can be written, without changing or creating anything. Returns a warning
    /// if the calendar ends soon.
    ///
    /// # Errors
    /// If the log cannot be written.
    pub fn check(&self) -> Result<Option<String>, Error> {
        events::check(&self.config.log)?;
        Ok(self.sealer.ends_soon())
    }

    /// Serves until a signal asks for the end, and writes lines of JSON to standard error.
    ///
    /// # Errors
    /// If it cannot start.
    pub fn run(self) -> Result<Ended, Error> {
        let Self {
            config,
            file: RuleFile {
                rules, mut limits, ..
            },
            sealer,
            upstream,
            tls,
        } = self;
        sealer.warn_of_end();
        // Each connection has a second one to the server.
        fit_in_files(&mut limits.connections, 2, OTHER_FILES);
        let threads = &mut Builder::new_multi_thread();
        let started = Started::new(threads, config.listen, config.monitor)?;
        let counters = Arc::new(Counters::default());
        let sealer = Arc::new(Current::from(Arc::new(sealer)));
        let log_file = EventLog::open(
            &config.log,
            Arc::clone(&sealer),
            config.delay(),
            Arc::clone(&counters),
        )?;
        let (committer, writer) = Committer::start(log_file)?;
        let stop_time = limits.stop_time;
        let proxy = Arc::new(Proxy {
            rules: rules.into(),
            sealer,
            log: committer,
            upstream,
            limits,
            counters: Arc::clone(&counters),
            requires_log: config.requires_log,
            tls,
        });
        log_start(&started.listeners, proxy.rules.get().iter().count());
        let monitor = MonitorService(Arc::clone(&proxy));
        let runtime = started.serve(
            ProxyService(Arc::clone(&proxy)),
            monitor,
            |asked| match asked {
                Asked::ToReload => config.reload(&proxy),
                Asked::ToEnd => {}
            },
        );
        drop((runtime, proxy));
        let late = "the last events could not be written to the log, and are lost";
        let end = Instant::now() + stop_time;
        let ended = ended(&writer, end, late, || counters.lost.get() == 0);
        log(Level::Info, "stopped", counters.json());
        Ok(ended)
    }
}

impl Config {
    /// Refuses to write events into a file that is read.
    fn protect(&self, file: &RuleFile) -> Result<(), Error> {
        let of_tls = file.tls.iter().flat_map(Tls::files);
        let mut read = of_tls.chain([self.rules.as_path(), &self.key]);
        match read.any(|file| is_same(&self.log, file)) {
            true => Err(Error::Refused(format!(
                "--log is {}, which is also read; name a separate file",
                escape::path(&self.log)
            ))),
            false => Ok(()),
        }
    }

    /// Returns how long events may wait for the disk: no time if requests wait for them.
    fn delay(&self) -> Duration {
        match self.requires_log {
            true => Duration::ZERO,
            false => SYNC_EVERY,
        }
    }

    /// Reads the rules and the key again. If that fails, the previous ones stay in use.
    fn reload(&self, proxy: &Proxy) {
        match self.again() {
            Ok((rules, sealer)) => {
                let count = rules.iter().count();
                proxy.rules.set(rules);
                if let Some(sealer) = sealer {
                    sealer.warn_of_end();
                    proxy.sealer.set(sealer.into());
                }
                // A program that waits for this line expects the new rules and the new key.
                let to = json!({ "rules": count, "to": proxy.sealer.get().name() });
                log(Level::Info, "reloaded", to);
            }
            Err(error) => log(
                Level::Error,
                "not_reloaded",
                json!({ "code": error.code(), "reason": error.to_string() }),
            ),
        }
    }

    /// Reads the rules and the key. A file without a rule is a failure here, because it may be
    /// incomplete. A key that is not in a regular file stays: it could not be read again, and must
    /// not keep rules from being replaced.
    fn again(&self) -> Result<(Arc<Rules>, Option<EventSealer>), Error> {
        let rules = RuleFile::read(&self.rules)?.rules;
        if rules.is_empty() {
            return Err(Error::Refused(format!(
                "{} has no rule; add one, or start the proxy again to run it without rules",
                escape::path(&self.rules)
            )));
        }
        Ok((rules, (self.read_again)()?))
    }
}

/// The longest time that events wait for the disk, if no request waits for them. They are written
/// to the file a few milliseconds after the request. From then on only a failure of the system can
/// lose them.
const SYNC_EVERY: Duration = Duration::from_millis(100);
/// The number of open files besides those of requests: the log, listeners, threads, the monitor.
const OTHER_FILES: u64 = 64;

/// Logs the addresses and the number of rules. Without a rule, nothing will be logged.
fn log_start(listeners: &Listeners, rules: usize) {
    let level = match rules {
        0 => Level::Warning,
        _ => Level::Info,
    };
    let more = json!({
        "address": listeners.address(),
        "monitor": listeners.monitor_address(),
        "rules": rules,
    });
    log(level, "listening", more);
}
