//! The processing of a request: the rules, its events, and its answer.

use std::{sync::Arc, time::SystemTime};

use hyper::{Request, StatusCode, body::Incoming};
use hyper_util::client::legacy::Error as ClientError;
use pqseal_edge::{Action, Body, Connection, Match, Rules};
use pqseal_server::{
    commit::Committer,
    current::Current,
    gauge::Gauge,
    listen::{self, Answer, Answers, Peer},
    log::{Level, Throttle},
};
use serde_json::json;
use tokio::{select, time::timeout};
use tokio_rustls::TlsAcceptor;

use crate::{
    body::{ForwardedBody, Progress},
    counters::Counters,
    events::RequestMatches,
    file::Limits,
    head::normalize,
    refusal::{Refusal, text},
    sealer::EventSealer,
    upstream::Upstream,
};

/// The largest number of connections on the address for monitoring.
const MONITORS: u32 = 16;

/// The state that all requests share.
pub(crate) struct Proxy {
    pub(crate) rules: Current<Rules>,
    pub(crate) sealer: Arc<Current<EventSealer>>,
    pub(crate) log: Committer<RequestMatches>,
    pub(crate) upstream: Upstream,
    pub(crate) limits: Limits,
    pub(crate) counters: Arc<Counters>,
    /// `true` if a request waits until its events are on the disk.
    pub(crate) requires_log: bool,
    pub(crate) tls: Option<TlsAcceptor>,
}

/// The service for requests.
pub(crate) struct ProxyService(pub(crate) Arc<Proxy>);

/// The service for monitoring.
pub(crate) struct MonitorService(pub(crate) Arc<Proxy>);

impl Answers for ProxyService {
    type Body = ForwardedBody;

    fn limits(&self) -> listen::Limits {
        self.0.of_connections(self.0.limits.connections)
    }

    fn tls(&self) -> Option<TlsAcceptor> {
        self.0.tls.clone()
    }

    fn gauge(&self) -> Option<&Gauge> {
        Some(&self.0.counters.connections)
    }

    async fn answer(&self, request: Request<Incoming>, from: Peer) -> Answer<ForwardedBody> {
        self.0.counters.requests.add(1);
        let (head, body) = request.into_parts();
        let body = ForwardedBody::new(body, self.0.limits.idle_time);
        let mut request = Request::from_parts(head, body);
        let answered = self.0.answer(&mut request, from).await;
        let is_read = !request.body().has_more();
        match answered {
            Ok(()) => self.0.forward(request, from).await,
            Err(refusal) => refusal.answer(is_read),
        }
    }
}

impl Answers for MonitorService {
    type Body = ForwardedBody;

    fn limits(&self) -> listen::Limits {
        self.0.of_connections(MONITORS)
    }

    async fn answer(&self, request: Request<Incoming>, _from: Peer) -> Answer<ForwardedBody> {
        let counters;
        let (status, body) = match request.uri().path() {
            "/healthz" => (StatusCode::OK, "ok\n"),
            "/metrics" => {
                counters = self.0.counters.prometheus() + &self.0.sealer.get().prometheus();
                (StatusCode::OK, counters.as_str())
            }
            _ => (StatusCode::NOT_FOUND, "/metrics and /healthz are here\n"),
        };
        Answer {
            response: text(status, body),
            is_read: true,
        }
    }
}

impl Proxy {
    fn of_connections(&self, connections: u32) -> listen::Limits {
        listen::Limits {
            connections,
            header_time: self.limits.header_time,
            write_time: self.limits.idle_time,
            stop_time: self.limits.stop_time,
        }
    }

    /// Evaluates the rules, and has events written. If it succeeds, the request is to be forwarded.
    async fn answer(
        &self,
        request: &mut Request<ForwardedBody>,
        from: Peer,
    ) -> Result<(), Refusal> {
        normalize(request, &self.upstream.authority)?;
        let rules = self.rules.get();
        if rules.is_empty() {
            return Ok(());
        }
        if rules.read_the_body() {
            let beginning = request
                .body_mut()
                .read_beginning(self.limits.body, self.limits.body_time);
            beginning.await?;
        }
        let matches = self.matches(&rules, request, from);
        let Some(last) = matches.last() else {
            return Ok(());
        };
        self.counters.matched.add(1);
        let is_blocked = last.rule.action == Action::Block;
        if !self.record(matches).await && self.requires_log {
            self.counters.refused.add(1);
            return Err(Refusal::NotLogged);
        }
        if is_blocked {
            self.counters.blocked.add(1);
            return Err(Refusal::Blocked);
        }
        Ok(())
    }

    fn matches(&self, rules: &Rules, request: &Request<ForwardedBody>, from: Peer) -> Vec<Match> {
        let bytes = request.body().beginning(self.limits.body);
        let body = Body {
            is_truncated: request.body().first_bytes() > bytes.len(),
            bytes,
        };
        let from = Connection {
            address: from.address.ip().to_canonical(),
            is_tls: from.is_tls,
        };
        rules.matches(request, body, from)
    }

    /// Has the matches sealed and written. Returns whether they are on the disk or, unless that is
    /// required, queued for it.
    async fn record(&self, matches: Vec<Match>) -> bool {
        let at = SystemTime::now();
        let found = RequestMatches { matches, at };
        let count = found.count();
        let Ok(stored) = self.log.commit(found) else {
            static THROTTLE: Throttle = Throttle::new();
            self.counters.lost.add(count);
            THROTTLE.log(Level::Error, "busy", json!({ "reason": BUSY }));
            return false;
        };
        !self.requires_log || timeout(self.limits.log_time, stored).await == Ok(Ok(()))
    }

    async fn forward(
        &self,
        mut request: Request<ForwardedBody>,
        from: Peer,
    ) -> Answer<ForwardedBody> {
        let progress = request.body_mut().watch();
        let answered = select! {
            answer = self.upstream.send(request, from) => Some(answer),
            () = progress.stalled(self.limits.answer_time) => None,
        };
        // The server may answer before the end of the body.
        let is_read = progress.is_read();
        let idle = self.limits.idle_time;
        match answered {
            Some(Ok(answer)) => Answer {
                response: answer.map(|body| ForwardedBody::new(body, idle)),
                is_read,
            },
            failed => self
                .unanswered(failed.and_then(Result::err), &progress)
                .answer(is_read),
        }
    }

    /// Returns the reason why there is no answer; without an error the server is late. The client's
    /// faults are neither counted nor reported.
    fn unanswered(&self, error: Option<ClientError>, progress: &Progress) -> Refusal {
        if let Some(fault) = progress.fault() {
            return fault.into();
        }
        let (refusal, reason) = match error {
            // The cause contains nothing of the request.
            Some(error) if error.is_connect() => (
                Refusal::Upstream,
                format!("it cannot be reached: {}", first_cause(&error)),
            ),
            // Only the kind is reported, because causes may quote what was received.
            Some(error) => (Refusal::Upstream, exchange_failed(&error).to_owned()),
            None => (Refusal::Late, "it did not answer in time".to_owned()),
        };
        self.counters.unanswered.add(1);
        static THROTTLE: Throttle = Throttle::new();
        let server = self.upstream.authority.as_str();
        let line = json!({ "server": server, "reason": reason });
        THROTTLE.log(Level::Error, "upstream", line);
        refusal
    }
}

/// Describes a failure after the connection to the server was made.
fn exchange_failed(error: &ClientError) -> &'static str {
    let mut cause: Option<&dyn std::error::Error> = Some(error);
    while let Some(error) = cause {
        if let Some(error) = error.downcast_ref::<hyper::Error>() {
            return match error {
                error if error.is_parse() => "its answer is not valid HTTP/1.1",
                error if error.is_incomplete_message() => {
                    "it closed the connection before its answer was complete"
                }
                error if error.is_canceled() || error.is_closed() => {
                    "it closed the connection before it received the request"
                }
                _ => "the connection to it was lost",
            };
        }
        cause = error.source();
    }
    "the connection to it was lost"
}

/// Returns the error at the end of the chain of sources, such as one of the system.
fn first_cause(error: &dyn std::error::Error) -> String {
    let mut cause = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    cause.to_string()
}

const BUSY: &str =
    "events come faster than they can be written; check the disk of the log, or log fewer requests";
