//! The paths of the receiver, and their answers.

use std::{
    convert::Infallible,
    net::SocketAddr,
    pin::Pin,
    sync::{Arc, atomic::Ordering},
    task::{Context, Poll},
    time::Instant,
};

use bytes::Bytes;
use hyper::{
    Method, Request, Response, StatusCode,
    body::{Body, Frame, Incoming, SizeHint},
    header::{ALLOW, CONNECTION, CONTENT_TYPE, HeaderValue, RETRY_AFTER},
};
use pqseal_server::{
    gauge::Gauge,
    head_size::is_large,
    listen::{self, Answers, Peer},
    log::{Level, Throttle, log},
    run::{Asked, Started},
};
use serde_json::json;
use tokio::{runtime::Runtime, sync::watch};
use tokio_rustls::TlsAcceptor;

use super::{LogLine, Receiver};
use crate::{refusal::Refusal, work::BodyFormat};

/// The largest number of connections on the address for monitoring.
const MONITORS: u32 = 16;
/// The number of seconds after which a client should send again.
const RETRY: HeaderValue = HeaderValue::from_static("5");

/// Limits log lines of clients without a secret, which could fill the log. Counters include all of
/// them.
static STRANGERS: Throttle = Throttle::new();

/// The service for logs, on connections that may be TLS.
struct LogService(Arc<Receiver>);

/// The service for counters, health and readiness.
struct MonitorService(Arc<Receiver>);

impl Answers for LogService {
    type Body = Text;

    fn limits(&self) -> listen::Limits {
        self.0.of_connections(self.0.limits.connections)
    }

    fn tls(&self) -> Option<TlsAcceptor> {
        self.0.material.get().tls.clone()
    }

    /// Returns the notification of a reload, after which certificates of clients are checked again.
    fn outdated(&self) -> Option<watch::Receiver<()>> {
        self.0.is_mutual.then(|| self.0.material.renewed())
    }

    fn gauge(&self) -> Option<&Gauge> {
        Some(&self.0.metrics.connections)
    }

    async fn answer(&self, request: Request<Incoming>, from: Peer) -> Answer {
        self.0.answer(request, from.address).await
    }
}

impl Answers for MonitorService {
    type Body = Text;

    fn limits(&self) -> listen::Limits {
        self.0.of_connections(MONITORS)
    }

    async fn answer(&self, request: Request<Incoming>, _from: Peer) -> Answer {
        self.0.monitor(&request)
    }
}

impl Receiver {
    /// Serves both addresses, as [`Started::serve`] does.
    pub(crate) fn serve(self: &Arc<Self>, started: Started, act: impl FnMut(Asked)) -> Runtime {
        let monitor = MonitorService(Arc::clone(self));
        started.serve(LogService(Arc::clone(self)), monitor, act)
    }

    fn of_connections(&self, most: u32) -> listen::Limits {
        listen::Limits {
            connections: most,
            header_time: self.limits.header_time,
            write_time: self.limits.idle_time,
            stop_time: self.limits.stop_time,
        }
    }

    /// Answers a request on the address for logs.
    async fn answer(&self, request: Request<Incoming>, peer: SocketAddr) -> Answer {
        if is_large(&request) {
            let status = StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE;
            return plain(status, "the head must not be larger than 64 KiB\n");
        }
        let path = request.uri().path();
        if matches!(path, "/healthz" | "/readyz") && !self.has_monitor {
            return self.monitor(&request);
        }
        let Some(endpoint) = Endpoint::at(path) else {
            return self.other(&request, peer);
        };
        let started = Instant::now();
        let number = self.requests.fetch_add(1, Ordering::Relaxed) + 1;
        let mut line = LogLine::default();
        let taken = self
            .receive_logs(request, endpoint.format(), &mut line)
            .await;
        if endpoint != Endpoint::Health || taken.is_err() {
            self.metrics.answered(taken);
        }
        line.log(number, peer, started, taken);
        endpoint.answer(taken, line.records)
    }

    /// Answers a request on the address for monitoring.
    fn monitor(&self, request: &Request<Incoming>) -> Answer {
        if !matches!(*request.method(), Method::GET | Method::HEAD) {
            return plain(StatusCode::METHOD_NOT_ALLOWED, "this path takes GET\n");
        }
        let unready = match self.is_stopping.load(Ordering::Relaxed) {
            true => Some("it is stopping"),
            false => self.metrics.unready(),
        };
        match request.uri().path() {
            "/healthz" => plain(StatusCode::OK, "ok\n"),
            "/readyz" => match unready {
                None => plain(StatusCode::OK, "ready\n"),
                Some(reason) => {
                    let text = format!("not ready: {reason}\n");
                    plain(StatusCode::SERVICE_UNAVAILABLE, text)
                }
            },
            "/metrics" => plain(StatusCode::OK, self.metrics.prometheus()),
            _ => plain(
                StatusCode::NOT_FOUND,
                "/metrics, /healthz and /readyz are here\n",
            ),
        }
    }

    /// Answers any other path. Without a separate address for monitoring, counters are only for
    /// clients. Missing paths are not secret, but are reported only to clients.
    fn other(&self, request: &Request<Incoming>, peer: SocketAddr) -> Answer {
        let material = self.material.get();
        let refusal = match material.clients.admit(request.headers()) {
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
        Endpoint::Logs.answer(Err(refusal), 0)
    }
}

impl LogLine {
    /// Writes the line of the request with this number.
    fn log(&self, number: u64, peer: SocketAddr, started: Instant, taken: Result<(), Refusal>) {
        let (level, code) = match taken {
            Ok(()) => (Level::Info, "ok"),
            Err(refusal) if refusal.status().is_server_error() => (Level::Error, refusal.code()),
            Err(refusal) => (Level::Warning, refusal.code()),
        };
        let mut line = json!({
            "request": number, "peer": peer.to_string(), "client": self.client, "code": code,
            "bytes": self.bytes, "records": self.records, "failed": self.failed,
            "seconds": started.elapsed().as_secs_f64(),
        });
        if self.is_test {
            line["test"] = true.into();
        }
        if !self.warnings.is_empty() {
            line["warnings"] = json!(self.warnings);
        }
        if let Some(reason) = &self.reason {
            line["reason"] = reason.as_str().into();
        }
        match taken {
            Err(refusal) if refusal.is_of_a_stranger() => STRANGERS.log(level, "request", line),
            _ => log(level, "request", line),
        }
    }
}

/// What a path of the address for logs is for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Endpoint {
    /// NDJSON.
    Logs,
    /// Events for an HTTP Event Collector.
    Collector,
    /// Lines for an HTTP Event Collector.
    Raw,
    /// The health check of an HTTP Event Collector.
    Health,
}

impl Endpoint {
    fn at(path: &str) -> Option<Self> {
        match path {
            "/logs" => Some(Self::Logs),
            "/services/collector"
            | "/services/collector/event"
            | "/services/collector/event/1.0" => Some(Self::Collector),
            "/services/collector/raw" | "/services/collector/raw/1.0" => Some(Self::Raw),
            "/services/collector/health" | "/services/collector/health/1.0" => Some(Self::Health),
            _ => None,
        }
    }

    /// Returns the format of its logs; `None` for a health check.
    const fn format(self) -> Option<BodyFormat> {
        match self {
            Self::Logs | Self::Raw => Some(BodyFormat::Lines),
            Self::Collector => Some(BodyFormat::Events),
            Self::Health => None,
        }
    }

    fn answer(self, taken: Result<(), Refusal>, records: u64) -> Answer {
        let body = match (self, taken) {
            (Self::Logs, Ok(())) => json!({ "records": records }),
            (Self::Logs, Err(refusal)) => refusal.json(),
            (Self::Health, Ok(())) => json!({ "text": "HEC is healthy", "code": 17 }),
            (_, Ok(())) => json!({ "text": "Success", "code": 0 }),
            (_, Err(refusal)) => refusal.collector(),
        };
        let status = taken.map_or_else(Refusal::status, |()| StatusCode::OK);
        let mut response = response(status, "application/json", format!("{body}\n"));
        let headers = response.headers_mut();
        if taken == Err(Refusal::WrongMethod) {
            headers.insert(ALLOW, HeaderValue::from_static("POST, PUT"));
        }
        if taken.is_err_and(Refusal::is_temporary) {
            headers.insert(RETRY_AFTER, RETRY);
        }
        // The rest of a body is not read, so the connection ends with the answer.
        let is_read = taken.is_ok();
        if !is_read {
            headers.insert(CONNECTION, HeaderValue::from_static("close"));
        }
        Answer { response, is_read }
    }
}

type Answer = listen::Answer<Text>;

fn plain(status: StatusCode, text: impl Into<Bytes>) -> Answer {
    Answer {
        response: response(status, "text/plain; version=0.0.4", text),
        is_read: true,
    }
}

fn response(status: StatusCode, kind: &'static str, text: impl Into<Bytes>) -> Response<Text> {
    let mut response = Response::new(Text(Some(text.into())));
    *response.status_mut() = status;
    response
        .headers_mut()
        .insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}

/// The body of an answer.
struct Text(Option<Bytes>);

impl Body for Text {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Poll::Ready(self.0.take().map(|text| Ok(Frame::data(text))))
    }

    fn is_end_stream(&self) -> bool {
        self.0.is_none()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.0.as_ref().map_or(0, |text| text.len() as u64))
    }
}
