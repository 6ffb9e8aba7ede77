//! Requests and their answers: who may send, and what becomes of a body.

use std::{
    net::SocketAddr,
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Instant,
};

use hyper::{
    Method, Request, StatusCode,
    body::{Body as _, Incoming},
};
use serde_json::json;
use tokio::{sync::Semaphore, task::spawn_blocking, time::timeout};
use tokio_rustls::TlsAcceptor;

use super::{
    body::{Arriving, Bounds},
    config::Limits,
    material::{Current, Material},
    metrics::Metrics,
    places::Written,
    refusal::Refusal,
    service::{Answer, Service, Text, plain},
    work::{Done, Failed, Form, Work},
};
use crate::server::{
    commit::Committer,
    gauge::Gauge,
    listen::{Answers, Limits as OfConnections, Peer},
    log::{Level, log},
};

/// What all requests share.
pub(super) struct Receiver {
    pub(super) current: Current,
    pub(super) committer: Committer<Written>,
    pub(super) metrics: Metrics,
    pub(super) limits: Limits,
    /// One permit for each request in work.
    pub(super) in_work: Semaphore,
    pub(super) has_monitor: bool,
    pub(super) wants_letters: bool,
    /// Where events are kept that do not fit in memory.
    pub(super) spools: PathBuf,
    pub(super) stopping: AtomicBool,
    pub(super) requests: AtomicU64,
}

/// Logs, by connections that may be TLS.
pub(super) struct Logs(pub(super) Arc<Receiver>);

/// Counters, and whether the receiver is ready.
pub(super) struct Monitoring(pub(super) Arc<Receiver>);

/// Connections on the address for monitoring.
const MONITORS: u32 = 16;

impl Answers for Logs {
    type Body = Text;

    fn limits(&self) -> OfConnections {
        self.0.of_connections(self.0.limits.connections)
    }

    fn tls(&self) -> Option<TlsAcceptor> {
        self.0.current.get().tls.clone()
    }

    fn gauge(&self) -> Option<&Gauge> {
        Some(&self.0.metrics.connections)
    }

    async fn answer(&self, request: Request<Incoming>, from: Peer) -> Answer {
        self.0.answer(request, from.address).await
    }
}

impl Answers for Monitoring {
    type Body = Text;

    fn limits(&self) -> OfConnections {
        self.0.of_connections(MONITORS)
    }

    async fn answer(&self, request: Request<Incoming>, _from: Peer) -> Answer {
        self.0.monitor(&request)
    }
}

/// A request with logs.
#[derive(Default)]
struct Heard {
    client: Option<String>,
    bytes: u64,
    records: u64,
    failed: u64,
    warnings: Vec<&'static str>,
    is_test: bool,
    reason: Option<String>,
}

impl Receiver {
    fn of_connections(&self, most: u32) -> OfConnections {
        OfConnections {
            connections: most,
            header_time: self.limits.header_time,
            stop_time: self.limits.stop_time,
        }
    }

    /// Answers a request on the address for logs.
    pub(super) async fn answer(
        self: &Arc<Self>,
        request: Request<Incoming>,
        peer: SocketAddr,
    ) -> Answer {
        let path = request.uri().path();
        if matches!(path, "/healthz" | "/readyz") && !self.has_monitor {
            return self.monitor(&request);
        }
        let Some(service) = Service::at(path) else {
            return self.other(&request, peer);
        };
        let started = Instant::now();
        let number = self.requests.fetch_add(1, Ordering::Relaxed) + 1;
        let mut heard = Heard::default();
        let taken = self.take(request, service, &mut heard).await;
        self.metrics.answered(taken);
        self.report(number, peer, started, taken, &heard);
        service.answer(taken, heard.records)
    }

    /// Answers a request on the address for monitoring.
    pub(super) fn monitor(&self, request: &Request<Incoming>) -> Answer {
        if !matches!(*request.method(), Method::GET | Method::HEAD) {
            return plain(
                StatusCode::METHOD_NOT_ALLOWED,
                "this path takes GET\n".to_owned(),
            );
        }
        let is_ready = !self.stopping.load(Ordering::Relaxed) && self.metrics.is_ready();
        match request.uri().path() {
            "/healthz" => plain(StatusCode::OK, "ok\n".to_owned()),
            "/readyz" if is_ready => plain(StatusCode::OK, "ready\n".to_owned()),
            "/readyz" => plain(StatusCode::SERVICE_UNAVAILABLE, "not ready\n".to_owned()),
            "/metrics" => plain(StatusCode::OK, self.metrics.prometheus()),
            _ => plain(
                StatusCode::NOT_FOUND,
                "/metrics, /healthz and /readyz are here\n".to_owned(),
            ),
        }
    }

    /// Counters are for clients where they have no address of their own. A path that is not there is
    /// no secret, but only clients are told so.
    fn other(&self, request: &Request<Incoming>, peer: SocketAddr) -> Answer {
        let material = self.current.get();
        let admitted = material.clients.admit(request.headers());
        let refusal = match admitted {
            Ok(_) if request.uri().path() == "/metrics" && !self.has_monitor => {
                return self.monitor(request);
            }
            Ok(_) => Refusal::NoSuchPath,
            Err(refusal) => refusal,
        };
        self.metrics.answered(Err(refusal));
        log(
            Level::Warning,
            "refused",
            json!({ "code": refusal.code(), "peer": peer.to_string() }),
        );
        Service::Logs.answer(Err(refusal), 0)
    }

    /// Takes the logs of a request. Nothing of its body is read before its secret is checked.
    async fn take(
        self: &Arc<Self>,
        request: Request<Incoming>,
        service: Service,
        heard: &mut Heard,
    ) -> Result<(), Refusal> {
        let material = self.current.get();
        let client = material.clients.admit(request.headers())?;
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
        };
        let arriving = Arriving::start(request.into_body(), bounds).await?;
        let permit = timeout(self.limits.queue_time, self.in_work.acquire()).await;
        let _permit = permit
            .map_err(|_| Refusal::Busy)?
            .map_err(|_| Refusal::Busy)?;
        let _counting = self.metrics.in_work.enter();
        let done = self
            .open(&material, arriving, service.form(), heard)
            .await?;
        self.deliver(&material, done, heard).await
    }

    /// Opens a body on a thread that may wait, as it arrives.
    async fn open(
        self: &Arc<Self>,
        material: &Arc<Material>,
        arriving: Arriving,
        form: Form,
        heard: &mut Heard,
    ) -> Result<Done, Refusal> {
        let (pieces, supply) = arriving.split();
        let (receiver, material) = (Arc::clone(self), Arc::clone(material));
        let source = heard.client.clone().unwrap_or_else(|| "client".to_owned());
        let opening = spawn_blocking(move || {
            let work = Work {
                pipeline: &material.pipeline,
                form,
                source: &source,
                decompressed: receiver.limits.decompressed,
                largest: material.largest,
                wants_letters: receiver.wants_letters,
                folder: &receiver.spools,
            };
            work.open(pieces)
        });
        // The thread ends soon after this does, whether it has all of the body or not.
        let supplied = supply.run().await;
        let opened = opening.await.map_err(|_| Refusal::Internal)?;
        heard.bytes = supplied?;
        opened.map_err(|Failed { refusal, reason }| {
            heard.reason = reason;
            refusal
        })
    }

    async fn deliver(
        &self,
        material: &Material,
        done: Done,
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
        let events = match &material.next {
            Some(next) => {
                next.send(events).await.map_err(|failure| {
                    heard.reason = Some(failure.to_string());
                    Refusal::Next
                })?;
                None
            }
            None => Some(events).filter(|events| events.len > 0),
        };
        if events.is_some() || letters.is_some() {
            self.committer.commit(Written { events, letters }).await?;
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

    fn report(
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
        log(level, "request", line);
    }
}
