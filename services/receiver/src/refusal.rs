//! The refusals of requests, and the answers that clients get.

use std::{error, fmt};

use hyper::StatusCode;
use pqseal_server::commit::NotStored;
use serde_json::{Value, json};

/// The reason why the events of a request were not accepted. None of them is in the output, unless
/// storing them failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// The request has no secret.
    NoSecret,
    /// The secret is not one of ours.
    WrongSecret,
    /// The path does not exist.
    NoSuchPath,
    /// The path requires another method.
    WrongMethod,
    /// The body is too large.
    BodyTooLarge,
    /// The decompressed body is too large.
    DecompressedTooLarge,
    /// An event for the collector is larger than the largest record.
    EventTooLarge,
    /// The body took too long.
    Slow,
    /// The client disconnected before the end of the body.
    CutOff,
    /// The body is damaged: it does not decompress.
    Damaged,
    /// The body is in a format that this build does not read.
    UnsupportedFormat,
    /// The collector got no event.
    NoData,
    /// The collector got something other than JSON objects.
    NotEvents,
    /// The collector got an object without an event.
    NoEvent,
    /// Too many requests are in work.
    Busy,
    /// A private key that is held elsewhere did not answer.
    KeyUnavailable,
    /// The events could not be stored.
    Storage,
    /// The next destination did not accept the events.
    NotDelivered,
    /// The receiver itself failed.
    Internal,
}

impl Refusal {
    /// Returns the status of the answer.
    pub(crate) const fn status(self) -> StatusCode {
        match self {
            Self::NoSecret | Self::WrongSecret => StatusCode::UNAUTHORIZED,
            Self::NoSuchPath => StatusCode::NOT_FOUND,
            Self::WrongMethod => StatusCode::METHOD_NOT_ALLOWED,
            Self::BodyTooLarge | Self::DecompressedTooLarge | Self::EventTooLarge => {
                StatusCode::PAYLOAD_TOO_LARGE
            }
            Self::Slow => StatusCode::REQUEST_TIMEOUT,
            Self::CutOff | Self::Damaged | Self::NoData | Self::NotEvents | Self::NoEvent => {
                StatusCode::BAD_REQUEST
            }
            Self::UnsupportedFormat => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::Busy | Self::KeyUnavailable | Self::Storage | Self::NotDelivered => {
                StatusCode::SERVICE_UNAVAILABLE
            }
            Self::Internal => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    /// Returns the code by which programs distinguish refusals. Codes are added, never changed.
    pub(crate) const fn code(self) -> &'static str {
        match self {
            Self::NoSecret => "no_secret",
            Self::WrongSecret => "wrong_secret",
            Self::NoSuchPath => "no_such_path",
            Self::WrongMethod => "method",
            Self::BodyTooLarge => "body_too_large",
            Self::DecompressedTooLarge => "decompressed_too_large",
            Self::EventTooLarge => "event_too_large",
            Self::Slow => "timeout",
            Self::CutOff => "cut_off",
            Self::Damaged => "damaged",
            Self::UnsupportedFormat => "unsupported_format",
            Self::NoData => "no_data",
            Self::NotEvents => "not_events",
            Self::NoEvent => "no_event",
            Self::Busy => "busy",
            Self::KeyUnavailable => "key_unavailable",
            Self::Storage => "storage",
            Self::NotDelivered => "next",
            Self::Internal => "internal",
        }
    }

    /// Reports whether the sender of the request is unknown.
    pub(crate) const fn is_of_a_stranger(self) -> bool {
        matches!(self, Self::NoSecret | Self::WrongSecret)
    }

    /// Reports whether the same request may succeed later.
    pub(crate) fn is_temporary(self) -> bool {
        self.status() == StatusCode::SERVICE_UNAVAILABLE
    }

    /// Returns [`Refusal::code`] and the sentence as JSON.
    pub(crate) fn json(self) -> Value {
        json!({ "error": { "code": self.code(), "message": self.to_string() } })
    }

    /// Returns the answer in the format of an HTTP Event Collector.
    pub(crate) fn collector(self) -> Value {
        let (code, text) = match self {
            Self::NoSecret => (2, "Token is required"),
            Self::WrongSecret => (4, "Invalid token"),
            Self::NoData => (5, "No data"),
            Self::NoEvent => (12, "Event field is required"),
            Self::Internal => (8, "Internal server error"),
            _ if self.is_temporary() => (9, "Server is busy"),
            _ => return json!({ "text": self.to_string(), "code": 6 }),
        };
        json!({ "text": text, "code": code })
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoSecret => "the request has no secret; send it in the header that was agreed on",
            Self::WrongSecret => "the secret is wrong; compare it with the file of the receiver",
            Self::NoSuchPath => {
                "this path does not exist; send NDJSON to /logs, and events of an HTTP Event Collector to /services/collector/event"
            }
            Self::WrongMethod => "this path takes POST and PUT",
            Self::BodyTooLarge => "the body is larger than [limits] body; send smaller batches",
            Self::DecompressedTooLarge => {
                "the body is larger than [limits] decompressed after decompression; send smaller batches"
            }
            Self::EventTooLarge => "an event is larger than [open] max-line; raise it, or send smaller events",
            Self::Slow => "the body did not arrive in time; send smaller batches",
            Self::CutOff => "the body ended early; send it again",
            Self::Damaged => "the body does not decompress; send it again",
            Self::UnsupportedFormat => "the body is of a format that is not read here; send NDJSON, plain or as gzip",
            Self::NoData => "the body has no event",
            Self::NotEvents => "the body is not JSON objects one after another",
            Self::NoEvent => "an object has no member event",
            Self::Busy => "too many requests are being processed; send it again later",
            Self::KeyUnavailable => "a private key is unavailable; send it again later",
            Self::Storage => "the events could not be stored; send them again later",
            Self::NotDelivered => "the next destination did not accept the events; send them again later",
            Self::Internal => "the receiver failed; its log has the reason",
        })
    }
}

impl error::Error for Refusal {}

impl From<NotStored> for Refusal {
    fn from(why: NotStored) -> Self {
        match why {
            // Rare, since hardly more requests are in work than are stored together.
            NotStored::Busy => Self::Busy,
            NotStored::Storage => Self::Storage,
        }
    }
}
