//! Private keys, secrets of clients and certificates, which are read again on SIGHUP. A request
//! keeps the material that it started with.

use std::{
    io,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use pqseal_matched_data::KeyName;
use pqseal_pipeline::{Opener, Pipeline};
use pqseal_server::{
    append::is_same,
    current,
    log::{Level, log},
    settings::Tls,
    tls,
};
use pqseal_text::escape;
use serde_json::json;
use tokio::{
    sync::{Notify, watch},
    task::spawn_blocking,
};
use tokio_rustls::TlsAcceptor;

use crate::{Error, clients::Clients, config::Config, metrics::Metrics, next::Next};

/// What opens records, as the caller read it once from the table `[open]`.
pub struct Opening {
    /// The keys and the rules.
    pub pipeline: Pipeline<Opener>,
    /// The files that keys were read from.
    pub files: Vec<PathBuf>,
    /// The helpers that hold keys elsewhere. They end when this is dropped.
    pub helpers: Box<dyn Helpers>,
}

/// Processes that hold keys elsewhere.
pub trait Helpers: Send + Sync {
    /// Lists the helpers that were given up, each with the reason.
    fn failures(&self) -> Vec<String>;
}

/// Reads the keys and the rules again, as they are now.
pub type ReadAgain = Box<dyn Fn() -> Result<Opening, Error> + Send + Sync>;

/// What was read from all files.
pub(crate) struct Material {
    pub(crate) pipeline: Pipeline<Opener>,
    /// The names of its keys, in order.
    pub(crate) keys: Vec<KeyName>,
    pub(crate) clients: Clients,
    pub(crate) tls: Option<TlsAcceptor>,
    pub(crate) next: Option<Next>,
    /// The helpers that hold keys elsewhere. They end when this is dropped.
    pub(crate) helpers: Box<dyn Helpers>,
}

impl Material {
    /// Reads all files that the configuration names, besides those of the keys.
    ///
    /// # Errors
    /// If one cannot be used.
    pub(crate) fn read(config: &Config, opening: Opening) -> Result<Self, Error> {
        if let Some(letters) = &config.dead_letter {
            protect(letters, config, &opening.files)?;
        }
        let tls = config.tls.as_ref().map(tls::server).transpose()?;
        Ok(Self {
            keys: opening.pipeline.transform().report_names(),
            clients: Clients::read(&config.clients)?,
            tls: tls.map(TlsAcceptor::from),
            next: config.next.as_ref().map(Next::new).transpose()?,
            pipeline: opening.pipeline,
            helpers: opening.helpers,
        })
    }
}

/// The newest material, and the requests to replace it: from a signal, or because a helper that
/// holds a key was given up.
pub(crate) struct ReloadableMaterial {
    newest: current::Current<Material>,
    renewed: watch::Sender<()>,
    wanted: Notify,
    reloads: Mutex<Reloads>,
    /// The time after a reload in which a helper does not cause another one. A helper that fails to
    /// start would otherwise be started by each request.
    pause: Duration,
}

#[derive(Default)]
struct Reloads {
    is_asked_for_a_helper: bool,
    last: Option<Instant>,
}

impl ReloadableMaterial {
    pub(crate) fn new(material: Material, pause: Duration) -> Self {
        Self {
            newest: Arc::new(material).into(),
            renewed: watch::Sender::new(()),
            wanted: Notify::new(),
            reloads: Mutex::default(),
            pause,
        }
    }

    pub(crate) fn get(&self) -> Arc<Material> {
        self.newest.get()
    }

    /// Returns a receiver that is notified of material newer than that of [`Self::get`].
    pub(crate) fn renewed(&self) -> watch::Receiver<()> {
        self.renewed.subscribe()
    }

    /// Requests a reload. Requests during a reload share the next one.
    pub(crate) fn ask(&self) {
        self.wanted.notify_one();
    }

    /// Requests a reload to restart helpers, unless the last one was a moment ago.
    pub(crate) fn ask_for_a_helper(&self) {
        let mut reloads = self.reloads();
        let is_pause = reloads.last.is_some_and(|at| at.elapsed() < self.pause);
        if !is_pause && !std::mem::replace(&mut reloads.is_asked_for_a_helper, true) {
            drop(reloads);
            log(Level::Warning, "helper_restart", json!({}));
            self.ask();
        }
    }

    /// Replaces the material by the result of `read` whenever that is requested, one reload at a
    /// time. If reading fails, the previous material stays in use.
    pub(crate) async fn reload_whenever_asked(
        &self,
        read: impl Fn() -> Result<Material, Error> + Send + Sync + 'static,
        metrics: &Metrics,
    ) {
        let read = Arc::new(read);
        loop {
            self.wanted.notified().await;
            let read = Arc::clone(&read);
            let read = spawn_blocking(move || read()).await;
            let read = read.unwrap_or_else(|error| {
                Err(Error::system("read the keys", io::Error::other(error)))
            });
            let is_successful = read.is_ok();
            match read {
                Ok(material) => {
                    let keys = material.keys.len();
                    log(Level::Info, "reloaded", json!({ "keys": keys }));
                    self.newest.set(material.into());
                    self.renewed.send_replace(());
                }
                Err(error) => {
                    let more = json!({ "code": error.code(), "reason": error.to_string() });
                    log(Level::Error, "not_reloaded", more);
                }
            }
            metrics.reloaded(is_successful);
            *self.reloads() = Reloads {
                is_asked_for_a_helper: false,
                last: Some(Instant::now()),
            };
        }
    }

    fn reloads(&self) -> MutexGuard<'_, Reloads> {
        self.reloads.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Refuses to write dead letters into an input file: opening it would cut off a last line without
/// a line break.
fn protect(letters: &Path, config: &Config, keys: &[PathBuf]) -> Result<(), Error> {
    let tls = config.tls.iter().flat_map(Tls::files);
    let next = config
        .next
        .iter()
        .flat_map(|next| [next.ca.as_ref(), next.value_file.as_ref()]);
    let next = next.flatten().map(PathBuf::as_path);
    let secrets = config.clients.iter();
    let secrets = secrets.map(|client| client.secret_file.as_path());
    let files = tls.chain(next).chain(secrets);
    let mut read = keys.iter().map(PathBuf::as_path).chain(files);
    match read.any(|file| is_same(letters, file)) {
        true => Err(Error::Refused(format!(
            "dead-letter is {}, which is also read; name a separate file",
            escape::path(letters)
        ))),
        false => Ok(()),
    }
}
