//! The paths that take logs, and the format of their answers.

use std::{
    convert::Infallible,
    pin::Pin,
    task::{Context, Poll},
};

use bytes::Bytes;
use hyper::{
    Response, StatusCode,
    body::{Body, Frame, SizeHint},
    header::{ALLOW, CONNECTION, CONTENT_TYPE, HeaderValue, RETRY_AFTER},
};
use serde_json::json;

use super::{refusal::Refusal, work::Form};
use crate::server::listen;

/// The number of seconds after which a client should send again.
const RETRY: HeaderValue = HeaderValue::from_static("5");

pub(super) type Answer = listen::Answer<Text>;

/// A service that takes logs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Service {
    /// NDJSON.
    Logs,
    /// Events for an HTTP Event Collector.
    Collector,
    /// Lines for an HTTP Event Collector.
    Raw,
    /// The health check of an HTTP Event Collector.
    Health,
}

impl Service {
    pub(super) fn at(path: &str) -> Option<Self> {
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

    pub(super) const fn form(self) -> Form {
        match self {
            Self::Collector => Form::Events,
            _ => Form::Lines,
        }
    }

    pub(super) fn answer(self, taken: Result<(), Refusal>, records: u64) -> Answer {
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
        if taken == Err(Refusal::Method) {
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

pub(super) fn plain(status: StatusCode, text: String) -> Answer {
    Answer {
        response: response(status, "text/plain; version=0.0.4", text),
        is_read: true,
    }
}

fn response(status: StatusCode, kind: &'static str, text: String) -> Response<Text> {
    let mut response = Response::new(Text(Some(text.into())));
    *response.status_mut() = status;
    response
        .headers_mut()
        .insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}

/// The body of an answer.
pub(super) struct Text(Option<Bytes>);

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
