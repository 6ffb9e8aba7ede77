//! The answers of the proxy itself.

use hyper::{
    Response, StatusCode,
    header::{CONNECTION, CONTENT_TYPE, HeaderValue},
};
use pqseal_server::listen::Answer;

use crate::{
    body::{BodyFault, ForwardedBody},
    head::WrongHead,
};

/// The reason why a request is not forwarded, or not answered by the upstream.
#[derive(Clone, Copy)]
pub(crate) enum Refusal {
    Blocked,
    NotLogged,
    Head(WrongHead),
    Slow,
    CutOff,
    Upstream,
    Late,
}

impl From<BodyFault> for Refusal {
    fn from(why: BodyFault) -> Self {
        match why {
            BodyFault::Slow => Self::Slow,
            BodyFault::CutOff => Self::CutOff,
        }
    }
}

impl From<WrongHead> for Refusal {
    fn from(why: WrongHead) -> Self {
        Self::Head(why)
    }
}

impl Refusal {
    const fn status_and_message(self) -> (StatusCode, &'static str) {
        match self {
            Self::Blocked => (StatusCode::FORBIDDEN, "this request is not allowed\n"),
            Self::NotLogged => (StatusCode::SERVICE_UNAVAILABLE, "try again later\n"),
            Self::Head(WrongHead::Connect) => {
                (StatusCode::NOT_IMPLEMENTED, "CONNECT is not supported\n")
            }
            Self::Head(WrongHead::Host) => (
                StatusCode::BAD_REQUEST,
                "the request must have exactly one host\n",
            ),
            Self::Head(WrongHead::Target) => (
                StatusCode::BAD_REQUEST,
                "the target must be a path, or http://HOST and a path\n",
            ),
            Self::Head(WrongHead::Coding) => (
                StatusCode::NOT_IMPLEMENTED,
                "only the transfer coding chunked is supported\n",
            ),
            Self::Head(WrongHead::Size) => (
                StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE,
                "the head must not be larger than 64 KiB\n",
            ),
            Self::Slow => (
                StatusCode::REQUEST_TIMEOUT,
                "the body did not arrive in time\n",
            ),
            Self::CutOff => (StatusCode::BAD_REQUEST, "the body ended early\n"),
            Self::Upstream => (StatusCode::BAD_GATEWAY, "the server is unavailable\n"),
            Self::Late => (
                StatusCode::GATEWAY_TIMEOUT,
                "the server did not answer in time\n",
            ),
        }
    }

    /// Returns the answer. The unread rest of a body is not waited for, so the connection
    /// ends.
    pub(crate) fn answer(self, is_read: bool) -> Answer<ForwardedBody> {
        let (status, message) = self.status_and_message();
        let mut response = text(status, message);
        if !is_read {
            let close = HeaderValue::from_static("close");
            response.headers_mut().insert(CONNECTION, close);
        }
        Answer { response, is_read }
    }
}

/// Makes an answer in plain text.
pub(crate) fn text(status: StatusCode, text: &str) -> Response<ForwardedBody> {
    let mut response = Response::new(ForwardedBody::text(text));
    *response.status_mut() = status;
    let plain = HeaderValue::from_static("text/plain; charset=utf-8");
    response.headers_mut().insert(CONTENT_TYPE, plain);
    response
}
