//! The head of a request before the rules: it is normalized to what the server gets, or refused, so
//! that both see one host, one target and the same headers.

use hyper::{
    HeaderMap, Method, Request, Uri, Version,
    header::{
        CONNECTION, CONTENT_LENGTH, EXPECT, HOST, HeaderName, HeaderValue, PROXY_AUTHORIZATION, TE,
        TRAILER, TRANSFER_ENCODING, UPGRADE,
    },
    http::uri::{Authority, PathAndQuery},
};
use pqseal_server::head_size::is_large;

/// The headers of one connection, besides those that `Connection` names.
const OF_CONNECTION: [HeaderName; 8] = [
    CONNECTION,
    HeaderName::from_static("keep-alive"),
    HeaderName::from_static("proxy-connection"),
    PROXY_AUTHORIZATION,
    TE,
    TRAILER,
    TRANSFER_ENCODING,
    UPGRADE,
];

/// The reason why a head is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WrongHead {
    /// The request asks for a tunnel.
    Connect,
    /// The head has no host, more than one, or an invalid one.
    Host,
    /// The target is not a path, a URI with a host, or `OPTIONS *`.
    Target,
    /// The body has a transfer coding other than `chunked`.
    Coding,
    /// The head is too large.
    Size,
}

/// Normalizes the head to what is forwarded to `server`, except for what the proxy adds.
///
/// # Errors
/// If it is ambiguous, or cannot be forwarded.
pub(crate) fn normalize<B>(request: &mut Request<B>, server: &Authority) -> Result<(), WrongHead> {
    if is_large(request) {
        return Err(WrongHead::Size);
    }
    check_target(request.method(), request.uri())?;
    check_coding(request.headers())?;
    let host = host(request, server)?;
    let headers = request.headers_mut();
    remove_headers_of_connection(headers);
    // The proxy has already accepted the body.
    headers.remove(EXPECT);
    headers.insert(HOST, host);
    Ok(())
}

/// Removes the headers of one connection, of a request or an answer.
pub(crate) fn remove_headers_of_connection(headers: &mut HeaderMap) {
    let named: Vec<_> = headers
        .get_all(CONNECTION)
        .iter()
        .flat_map(|value| value.as_bytes().split(|byte| *byte == b','))
        .filter_map(|name| HeaderName::from_bytes(name.trim_ascii()).ok())
        // They belong to the message, not to the connection (RFC 9110, section 7.6.1). The length
        // is forwarded in any case.
        .filter(|name| *name != HOST && *name != CONTENT_LENGTH)
        .collect();
    for name in named.iter().chain(&OF_CONNECTION) {
        headers.remove(name);
    }
}

/// Checks the target (RFC 9112, section 3.2).
fn check_target(method: &Method, uri: &Uri) -> Result<(), WrongHead> {
    if *method == Method::CONNECT {
        return Err(WrongHead::Connect);
    }
    match uri.path_and_query().map(PathAndQuery::as_str) {
        None => Err(WrongHead::Target),
        Some("*") if *method != Method::OPTIONS => Err(WrongHead::Target),
        Some(_) => Ok(()),
    }
}

/// Checks the transfer coding (RFC 9112, section 6.1). A server that does not know a coding cannot
/// find the end of the body.
fn check_coding(headers: &HeaderMap) -> Result<(), WrongHead> {
    let mut codings = headers.get_all(TRANSFER_ENCODING).iter();
    match (codings.next(), codings.next()) {
        (None, _) => Ok(()),
        (Some(only), None) if only.as_bytes().eq_ignore_ascii_case(b"chunked") => Ok(()),
        _ => Err(WrongHead::Coding),
    }
}

/// Returns the host of the target or, if that has none, of the header (RFC 9112, section 3.2).
/// Without either, which HTTP/1.0 allows, it is the server's own.
fn host<B>(request: &Request<B>, server: &Authority) -> Result<HeaderValue, WrongHead> {
    let mut named = request.headers().get_all(HOST).iter();
    let host = match (request.uri().authority(), named.next(), named.next()) {
        (_, _, Some(_)) => return Err(WrongHead::Host),
        (Some(host), _, None) => value(host)?,
        (None, Some(host), None) => host.clone(),
        (None, None, None) if request.version() == Version::HTTP_10 => value(server)?,
        (None, None, None) => return Err(WrongHead::Host),
    };
    match host.is_empty() || is_host(host.as_bytes()) {
        true => Ok(host),
        false => Err(WrongHead::Host),
    }
}

fn value(host: &Authority) -> Result<HeaderValue, WrongHead> {
    HeaderValue::from_str(host.as_str()).map_err(|_| WrongHead::Host)
}

/// Reports whether it is a host with an optional port, and without a user: one program would read
/// `x@host` as `host`, and another the whole of it.
fn is_host(host: &[u8]) -> bool {
    !host.contains(&b'@') && Authority::try_from(host).is_ok()
}
