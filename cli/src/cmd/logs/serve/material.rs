//! Private keys, secrets of clients and certificates, which are read again on SIGHUP. A request
//! keeps the material that it started with.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, PoisonError, RwLock},
};

use pqseal_matched_data::KeyName;
use pqseal_pipeline::{Opener, Pipeline};
use tokio::sync::watch;
use tokio_rustls::TlsAcceptor;

use super::{clients::Clients, config::Config, next::Next, options::Options};
use crate::{
    error::Error,
    escape,
    input::Source,
    keyring::Helpers,
    server::{append::is_same, settings::Tls, tls},
};

/// The result of one reading.
pub(super) struct Material {
    pub(super) pipeline: Pipeline<Opener>,
    /// The names of its keys, in order.
    pub(super) keys: Vec<KeyName>,
    /// The largest record, in bytes.
    pub(super) largest: usize,
    pub(super) clients: Clients,
    pub(super) tls: Option<TlsAcceptor>,
    pub(super) next: Option<Next>,
    /// The helpers that hold keys elsewhere. They end when this is dropped.
    pub(super) helpers: Helpers,
}

impl Material {
    /// Reads all files that the configuration names.
    ///
    /// # Errors
    /// If one cannot be used.
    pub(super) fn read(config: &Config) -> Result<Self, Error> {
        let options = Options::read(&config.open)?;
        let (pipeline, keys) = options.pipeline()?;
        if let Some(letters) = &config.dead_letter {
            protect(letters, config, &keys.files)?;
        }
        let tls = config.tls.as_ref().map(tls::server).transpose()?;
        Ok(Self {
            keys: pipeline.transform().report_names(),
            largest: options.max_line,
            clients: Clients::read(&config.clients)?,
            tls: tls.map(TlsAcceptor::from),
            next: config.next.as_ref().map(Next::new).transpose()?,
            pipeline,
            helpers: keys.helpers,
        })
    }
}

/// The newest material, and a channel that announces the next one.
pub(super) struct Current {
    newest: RwLock<Arc<Material>>,
    renewed: watch::Sender<()>,
}

impl Current {
    pub(super) fn new(material: Material) -> Self {
        Self {
            newest: RwLock::new(Arc::new(material)),
            renewed: watch::Sender::new(()),
        }
    }

    pub(super) fn get(&self) -> Arc<Material> {
        Arc::clone(&self.newest.read().unwrap_or_else(PoisonError::into_inner))
    }

    pub(super) fn set(&self, material: Material) {
        *self.newest.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(material);
        self.renewed.send_replace(());
    }

    /// Returns a receiver that is notified of material newer than that of [`Self::get`].
    pub(super) fn renewed(&self) -> watch::Receiver<()> {
        self.renewed.subscribe()
    }
}

/// Refuses to write dead letters into an input file: opening it would cut off a last line without
/// a line break.
fn protect(letters: &Path, config: &Config, keys: &[Source]) -> Result<(), Error> {
    let tls = config.tls.iter().flat_map(Tls::files);
    let next = config
        .next
        .iter()
        .flat_map(|next| [next.ca.as_ref(), next.value_file.as_ref()]);
    let next = next.flatten().map(PathBuf::as_path);
    let secrets = config.clients.iter();
    let secrets = secrets.map(|client| client.secret_file.as_path());
    let files = tls.chain(next).chain(secrets);
    let mut read = keys.iter().filter_map(Source::path).chain(files);
    match read.any(|file| is_same(letters, file)) {
        true => Err(Error::refused(format!(
            "dead-letter is {}, which is also read; name a separate file",
            escape::path(letters)
        ))),
        false => Ok(()),
    }
}
