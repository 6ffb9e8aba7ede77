//! The paths of the receiver, and their answers. [`super::request`] handles requests with logs.

use std::{
    net::SocketAddr,
    sync::{Arc, atomic::Ordering},
    time::Instant,
};

use hyper::{Method, Request, StatusCode, body::Incoming};
use serde_json::json;
use tokio::sync::watch;
use tokio_rustls::TlsAcceptor;

use super::{
    receiver::Receiver,
    refusal::Refusal,
    request::{Heard, STRANGERS},
    service::{Answer, Service, Text, plain},
};
use crate::server::{
    gauge::Gauge,
    head_size::is_large,
    listen::{Answers, Limits as OfConnections, Peer},
    log::{Level, log},
};

/// The service for logs, on connections that may be TLS.
pub(super) struct Logs(pub(super) Arc<Receiver>);

/// The service for counters, health and readiness.
pub(super) struct Monitoring(pub(super) Arc<Receiver>);

/// The largest number of connections on the address for monitoring.
const MONITORS: u32 = 16;

impl Answers for Logs {
    type Body = Text;

    fn limits(&self) -> OfConnections {
        self.0.of_connections(self.0.limits.connections)
    }

    fn tls(&self) -> Option<TlsAcceptor> {
        self.0.current.get().tls.clone()
    }

    /// Returns the notification of a reload, after which certificates of clients are checked again.
    fn outdated(&self) -> Option<watch::Receiver<()>> {
        self.0.is_mutual.then(|| self.0.current.renewed())
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

impl Receiver {
    fn of_connections(&self, most: u32) -> OfConnections {
        OfConnections {
            connections: most,
            header_time: self.limits.header_time,
            write_time: self.limits.idle_time,
            stop_time: self.limits.stop_time,
        }
    }

    /// Answers a request on the address for logs.
    pub(super) async fn answer(&self, request: Request<Incoming>, peer: SocketAddr) -> Answer {
        if is_large(&request) {
            let status = StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE;
            return plain(
                status,
                "the head must not be larger than 64 KiB\n".to_owned(),
            );
        }
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
        if service != Service::Health || taken.is_err() {
            self.metrics.answered(taken);
        }
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

    /// Answers any other path. Without a separate address for monitoring, counters are only for
    /// clients. Missing paths are not secret, but are reported only to clients.
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
        let more = json!({ "code": refusal.code(), "peer": peer.to_string() });
        match refusal.is_of_a_stranger() {
            true => STRANGERS.log(Level::Warning, "refused", more),
            false => log(Level::Warning, "refused", more),
        }
        Service::Logs.answer(Err(refusal), 0)
    }
}
