//! HTTP/1.1 requests and answers of a fixed length. Together they have 1,562 bytes, as in the
//! measurement of hybrid TLS 1.2 in s2n that is repeated here.

use std::{io, time::Duration};

use crate::measure::microseconds;

/// The size of a request, in bytes.
pub(crate) const REQUEST: usize = 362;
/// The size of an answer, in bytes.
pub(crate) const RESPONSE: usize = 1200;

const TIMING: &str = "Server-Timing: tls;dur=";

pub(crate) fn request() -> Vec<u8> {
    let head = "GET /data HTTP/1.1\r\nHost: localhost\r\nAccept: */*\r\nX-Padding: ";
    let padding = "p".repeat(REQUEST - head.len() - 4);
    format!("{head}{padding}\r\n\r\n").into_bytes()
}

/// Returns the answer, which contains the processor time of the server's handshake.
pub(crate) fn response(handshake: Duration) -> Vec<u8> {
    let microseconds = microseconds(handshake);
    let head = format!("HTTP/1.1 200 OK\r\n{TIMING}{microseconds:012.3}\r\nContent-Length: ");
    let length = RESPONSE - head.len() - 8;
    let body = "b".repeat(length);
    format!("{head}{length:04}\r\n\r\n{body}").into_bytes()
}

/// Returns the server's processor time for its handshake, in microseconds.
pub(crate) fn timing(response: &[u8]) -> io::Result<f64> {
    let invalid = || io::Error::other("the answer is not the server's");
    let text = std::str::from_utf8(response).map_err(|_| invalid())?;
    let (_, rest) = text.split_once(TIMING).ok_or_else(invalid)?;
    let (number, _) = rest.split_once("\r\n").ok_or_else(invalid)?;
    number.parse().map_err(|_| invalid())
}
