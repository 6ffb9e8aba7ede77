//! A request with logs: its secret, its body, and the delivery of its events.

use std::{
    net::SocketAddr,
    sync::{Arc, atomic::Ordering},
    time::Instant,
};

use hyper::{
    Method, Request,
    body::{Body as _, Incoming},
};
use serde_json::json;
use tokio::{task::spawn_blocking, time::timeout};

use super::{
    body::{Arriving, Bounds},
    in_work::InWork,
    material::Material,
    places::Written,
    receiver::Receiver,
    refusal::Refusal,
    service::Service,
    work::{Done, Failed, Form, Work},
};
use crate::server::log::{Level, Throttle, log};

/// The facts of a request for the log.
#[derive(Default)]
pub(super) struct Heard {
    client: Option<String>,
    bytes: u64,
    pub(super) records: u64,
    failed: u64,
    warnings: Vec<&'static str>,
    is_test: bool,
    reason: Option<String>,
}

/// Limits log lines of clients without a secret, which could fill the log. Counters include all of
/// them.
pub(super) static STRANGERS: Throttle = Throttle::new();

impl Receiver {
    /// Receives the logs of a request. Nothing of its body is read before its secret is checked.
    pub(super) async fn take(
        &self,
        request: Request<Incoming>,
        service: Service,
        heard: &mut Heard,
    ) -> Result<(), Refusal> {
        let material = self.current.get();
        let client = match (service, material.clients.admit(request.headers())) {
            // Load balancers have no secret.
            (Service::Health, Err(Refusal::NoSecret)) => return Ok(()),
            (_, admitted) => admitted?,
        };
        heard.client = client.map(str::to_owned);
        if service == Service::Health {
            return Ok(());
        }
        if !matches!(*request.method(), Method::POST | Method::PUT) {
            return Err(Refusal::Method);
        }
        if request.body().size_hint().lower() > self.limits.body {
            return Err(Refusal::Body);
        }
        let bounds = Bounds {
            bytes: self.limits.body,
            idle: self.limits.idle_time,
            whole: self.limits.body_time,
            rate: self.limits.body_rate,
            pause: self.limits.body_pause,
        };
        let arriving = Arriving::start(request.into_body(), bounds).await?;
        let place = Arc::new(self.place().await?);
        let done = self
            .open(&material, arriving, service.form(), &place, heard)
            .await?;
        self.deliver(&material, done, &place, heard).await
    }

    async fn place(&self) -> Result<InWork, Refusal> {
        let permit = Arc::clone(&self.in_work).acquire_owned();
        match timeout(self.limits.queue_time, permit).await {
            Ok(Ok(permit)) => Ok(InWork {
                _permit: permit,
                _counting: self.metrics.in_work.enter(),
            }),
            _ => Err(Refusal::Busy),
        }
    }

    /// Opens a body on a blocking thread, as it arrives.
    async fn open(
        &self,
        material: &Arc<Material>,
        arriving: Arriving,
        form: Form,
        place: &Arc<InWork>,
        heard: &mut Heard,
    ) -> Result<Done, Refusal> {
        let (pieces, supply) = arriving.split();
        let (now, place) = (Arc::clone(material), Arc::clone(place));
        let (decompressed, wants_letters) = (self.limits.decompressed, self.wants_letters);
        let folder = self.spools.clone();
        let source = heard.client.clone().unwrap_or_else(|| "client".to_owned());
        let opening = spawn_blocking(move || {
            let _place = place;
            let work = Work {
                pipeline: &now.pipeline,
                form,
                source: &source,
                decompressed,
                largest: now.largest,
                wants_letters,
                folder: &folder,
            };
            work.open(pieces)
        });
        // The thread ends soon after this does, whether it has the whole body or not.
        let supplied = supply.run().await;
        let opened = opening.await.map_err(|_| Refusal::Internal)?;
        heard.bytes = supplied?;
        opened.map_err(|Failed { refusal, reason }| {
            heard.reason = match refusal {
                Refusal::KeyUnavailable => self.unavailable(material, reason),
                _ => reason,
            };
            refusal
        })
    }

    /// Returns the reason why a key that is held elsewhere did not answer. A helper that was given
    /// up is restarted.
    fn unavailable(&self, material: &Arc<Material>, reason: Option<String>) -> Option<String> {
        let failures: Vec<_> = material.helpers.failures().collect();
        let is_newest = Arc::ptr_eq(material, &self.current.get());
        if is_newest && !failures.is_empty() {
            self.reloads.ask_for_a_helper();
        }
        let reasons: Vec<_> = reason.into_iter().chain(failures).collect();
        (!reasons.is_empty()).then(|| reasons.join("; "))
    }

    async fn deliver(
        &self,
        material: &Material,
        done: Done,
        place: &Arc<InWork>,
        heard: &mut Heard,
    ) -> Result<(), Refusal> {
        let Done {
            events,
            letters,
            stats,
            warnings,
            is_test,
        } = done;
        (heard.warnings, heard.is_test) = (warnings, is_test);
        let has_events = events.len > 0;
        let events = match &material.next {
            Some(next) => {
                next.send(events).await.map_err(|failure| {
                    heard.reason = Some(failure.to_string());
                    Refusal::Next
                })?;
                None
            }
            None => Some(events).filter(|_| has_events),
        };
        if events.is_some() || letters.is_some() {
            let written = Written {
                events,
                letters,
                _place: Arc::clone(place),
            };
            self.committer.commit(written)?.await?;
        }
        if has_events {
            self.metrics.delivered();
        }
        (heard.records, heard.failed) = (stats.records, stats.failures());
        self.metrics
            .body_bytes
            .fetch_add(heard.bytes, Ordering::Relaxed);
        self.metrics
            .tests
            .fetch_add(u64::from(is_test), Ordering::Relaxed);
        self.metrics.opened(stats, &material.keys);
        Ok(())
    }

    pub(super) fn report(
        &self,
        number: u64,
        peer: SocketAddr,
        started: Instant,
        taken: Result<(), Refusal>,
        heard: &Heard,
    ) {
        let (level, code) = match taken {
            Ok(()) => (Level::Info, "ok"),
            Err(refusal) if refusal.status().is_server_error() => (Level::Error, refusal.code()),
            Err(refusal) => (Level::Warning, refusal.code()),
        };
        let mut line = json!({
            "request": number, "peer": peer.to_string(), "client": heard.client, "code": code,
            "bytes": heard.bytes, "records": heard.records, "failed": heard.failed,
            "seconds": started.elapsed().as_secs_f64(),
        });
        if heard.is_test {
            line["test"] = true.into();
        }
        if !heard.warnings.is_empty() {
            line["warnings"] = json!(heard.warnings);
        }
        if let Some(reason) = &heard.reason {
            line["reason"] = reason.as_str().into();
        }
        match taken {
            Err(refusal) if refusal.is_of_a_stranger() => STRANGERS.log(level, "request", line),
            _ => log(level, "request", line),
        }
    }
}
