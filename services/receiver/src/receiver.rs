//! The state that all requests share, and the way of a request with logs: its secret, its body, and
//! the delivery of its events. `answer` finds its path and answers it.

mod answer;

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread::JoinHandle,
};

use hyper::{
    Method, Request,
    body::{Body as _, Incoming},
};
use pqseal_server::{Error, commit::Committer};
use tokio::{sync::Semaphore, task::spawn_blocking, time::timeout};

use crate::{
    body::IncomingBody,
    config::{Config, Limits},
    material::{Material, ReloadableMaterial},
    metrics::Metrics,
    outputs::{Outputs, RequestLines, Slot},
    refusal::Refusal,
    work::{BodyFormat, BodyOpener, Results},
};

/// The receiver, as requests see it.
pub(crate) struct Receiver {
    material: ReloadableMaterial,
    opener: Arc<BodyOpener>,
    committer: Committer<RequestLines>,
    metrics: Arc<Metrics>,
    limits: Limits,
    /// One permit for each request in work.
    permits: Arc<Semaphore>,
    has_monitor: bool,
    /// `true` if clients need certificates.
    is_mutual: bool,
    is_stopping: AtomicBool,
    requests: AtomicU64,
}

/// The members of a request's line in the log.
#[derive(Default)]
struct LogLine {
    client: Option<String>,
    bytes: u64,
    records: u64,
    failed: u64,
    warnings: Vec<&'static str>,
    is_test: bool,
    reason: Option<String>,
}

impl Receiver {
    /// Opens the outputs, and starts the thread that writes, which ends once this is dropped.
    ///
    /// # Errors
    /// If an output cannot be used.
    pub(crate) fn start(
        config: &Config,
        material: Material,
        metrics: Arc<Metrics>,
    ) -> Result<(Self, JoinHandle<()>), Error> {
        let outputs = Outputs::open(config, &metrics)?;
        let (committer, writer) = Committer::start(outputs)?;
        let receiver = Self {
            material: ReloadableMaterial::new(material, config.limits.helper_pause),
            opener: BodyOpener::new(config).into(),
            committer,
            metrics,
            limits: config.limits.clone(),
            permits: Arc::new(Semaphore::new(config.limits.requests as usize)),
            has_monitor: config.monitor.is_some(),
            is_mutual: config.is_mutual(),
            is_stopping: false.into(),
            requests: 0.into(),
        };
        Ok((receiver, writer))
    }

    /// Requests that the secrets are read again.
    pub(crate) fn ask_to_reload(&self) {
        self.material.ask();
    }

    /// Reads the secrets again whenever that is requested.
    pub(crate) async fn reload_whenever_asked(
        self: Arc<Self>,
        read: impl Fn() -> Result<Material, Error> + Send + Sync + 'static,
    ) {
        self.material
            .reload_whenever_asked(read, &self.metrics)
            .await;
    }

    /// Answers from now on that it is not ready.
    pub(crate) fn stop(&self) {
        self.is_stopping.store(true, Ordering::Relaxed);
    }

    /// Receives the logs of a request; without `format` it is a health check. Nothing of its body is
    /// read before its secret is checked.
    async fn receive_logs(
        &self,
        request: Request<Incoming>,
        format: Option<BodyFormat>,
        line: &mut LogLine,
    ) -> Result<(), Refusal> {
        let material = self.material.get();
        let client = match (format, material.clients.admit(request.headers())) {
            // Load balancers have no secret.
            (None, Err(Refusal::NoSecret)) => return Ok(()),
            (_, admitted) => admitted?,
        };
        line.client = client.map(str::to_owned);
        let Some(format) = format else { return Ok(()) };
        if !matches!(*request.method(), Method::POST | Method::PUT) {
            return Err(Refusal::WrongMethod);
        }
        if request.body().size_hint().lower() > self.limits.body {
            return Err(Refusal::BodyTooLarge);
        }
        let body = IncomingBody::start(request.into_body(), &self.limits).await?;
        let permit = Arc::clone(&self.permits).acquire_owned();
        let Ok(Ok(permit)) = timeout(self.limits.queue_time, permit).await else {
            return Err(Refusal::Busy);
        };
        let slot = Arc::new((permit, self.metrics.in_work.enter()));
        let results = self.open(&material, body, format, &slot, line).await?;
        self.deliver(&material, results, &slot, line).await
    }

    /// Opens a body on a blocking thread, as it arrives.
    async fn open(
        &self,
        material: &Arc<Material>,
        body: IncomingBody<'_>,
        format: BodyFormat,
        slot: &Slot,
        line: &mut LogLine,
    ) -> Result<Results, Refusal> {
        let (reader, feeder) = body.split();
        let source = line.client.clone().unwrap_or_else(|| "client".to_owned());
        let (opener, now, slot) = (self.opener.clone(), Arc::clone(material), Arc::clone(slot));
        let opening = spawn_blocking(move || {
            let _slot = slot;
            opener.open(reader, format, &source, &now)
        });
        // The thread ends soon after this does, whether it has the whole body or not.
        let fed = feeder.run().await;
        let opened = opening.await.map_err(|_| Refusal::Internal)?;
        line.bytes = fed?;
        opened.map_err(|failure| {
            line.reason = match failure.refusal {
                Refusal::KeyUnavailable => self.unavailable(material, failure.reason),
                _ => failure.reason,
            };
            failure.refusal
        })
    }

    /// Returns the reason why a key that is held elsewhere did not answer. A helper that was given
    /// up is restarted.
    fn unavailable(&self, material: &Arc<Material>, reason: Option<String>) -> Option<String> {
        let failures = material.helpers.failures();
        let is_newest = Arc::ptr_eq(material, &self.material.get());
        if is_newest && !failures.is_empty() {
            self.material.ask_for_a_helper();
        }
        let reasons: Vec<_> = reason.into_iter().chain(failures).collect();
        (!reasons.is_empty()).then(|| reasons.join("; "))
    }

    /// Sends events on, or has them written, and waits until they are accepted.
    async fn deliver(
        &self,
        material: &Material,
        results: Results,
        slot: &Slot,
        line: &mut LogLine,
    ) -> Result<(), Refusal> {
        let Results {
            events,
            letters,
            stats,
            warnings,
            is_test,
        } = results;
        (line.warnings, line.is_test) = (warnings, is_test);
        let has_events = events.len > 0;
        let events = match &material.next {
            Some(next) => {
                next.send(events).await.map_err(|failure| {
                    line.reason = Some(failure.to_string());
                    Refusal::NotDelivered
                })?;
                None
            }
            None => Some(events).filter(|_| has_events),
        };
        if events.is_some() || letters.is_some() {
            let lines = RequestLines {
                events,
                letters,
                _slot: Arc::clone(slot),
            };
            self.committer.commit(lines)?.await?;
        }
        if has_events {
            self.metrics.delivered();
        }
        (line.records, line.failed) = (stats.records, stats.failures());
        let bytes = line.bytes;
        self.metrics.opened(stats, &material.keys, bytes, is_test);
        Ok(())
    }
}
