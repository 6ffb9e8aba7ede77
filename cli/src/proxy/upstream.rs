//! The server behind the proxy: connections to it, and what is changed in heads on the way (RFC 9110,
//! section 7.6).

use std::{fmt::Write, time::Duration};

use hyper::{
    HeaderMap, Request, Response, Uri, Version,
    body::{Body as _, Incoming},
    header::{
        CONNECTION, CONTENT_LENGTH, EXPECT, HOST, HeaderName, HeaderValue, PROXY_AUTHORIZATION, TE,
        TRAILER, TRANSFER_ENCODING, UPGRADE, VIA,
    },
    http::uri::{Authority, PathAndQuery, Scheme},
};
use hyper_util::{
    client::legacy::{Client, Error as ClientError, connect::HttpConnector},
    rt::{TokioExecutor, TokioTimer},
};

use super::body::Passed;
use crate::{error::Error, server::listen::Peer};

/// How long connecting may take, and how long a connection waits for its next request.
const CONNECT: Duration = Duration::from_secs(10);
const WAIT: Duration = Duration::from_secs(30);

/// What this proxy calls itself.
const NAME: HeaderValue = HeaderValue::from_static("1.1 pqseal-edge");
const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");
const FORWARDED_PROTO: HeaderName = HeaderName::from_static("x-forwarded-proto");

/// Headers of one connection only, next to those that `Connection` names.
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

/// The server, and connections that wait for the next request.
pub(super) struct Upstream {
    client: Client<HttpConnector, Passed>,
    authority: Authority,
}

impl Upstream {
    /// The server at `http://HOST:PORT`.
    ///
    /// # Errors
    /// If it is something else.
    pub(super) fn new(url: &str) -> Result<Self, Error> {
        let uri: Option<Uri> = url.parse().ok();
        let authority = uri
            .filter(is_plain)
            .and_then(|uri| uri.authority().cloned());
        let authority = authority.ok_or_else(|| {
            Error::usage(
                "--upstream is http://HOST:PORT, without a path; https is unsupported, so run pqseal-edge next to the server",
            )
        })?;
        let mut connector = HttpConnector::new();
        connector.set_nodelay(true);
        connector.set_connect_timeout(Some(CONNECT));
        let client = Client::builder(TokioExecutor::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(WAIT)
            .build(connector);
        Ok(Self { client, authority })
    }

    /// Forwards a request. Its answer has only headers that are for the client.
    ///
    /// # Errors
    /// If there is no answer.
    pub(super) async fn send(
        &self,
        mut request: Request<Passed>,
        from: Peer,
    ) -> Result<Response<Incoming>, ClientError> {
        prepare(&mut request, from);
        let uri = Uri::builder()
            .scheme(Scheme::HTTP)
            .authority(self.authority.clone())
            .path_and_query(
                request
                    .uri()
                    .path_and_query()
                    .cloned()
                    .unwrap_or(PathAndQuery::from_static("/")),
            )
            .build();
        *request.uri_mut() = uri.expect("all its parts are there");
        let mut answer = self.client.request(request).await?;
        remove_headers_of_connection(answer.headers_mut());
        answer.headers_mut().append(VIA, NAME);
        Ok(answer)
    }
}

fn is_plain(uri: &Uri) -> bool {
    let has_no_path = uri.path_and_query().is_none_or(|path| path.as_str() == "/");
    let has_no_user = uri
        .authority()
        .is_some_and(|authority| !authority.as_str().contains('@'));
    uri.scheme() == Some(&Scheme::HTTP) && has_no_path && has_no_user
}

/// Makes the request one of this proxy.
fn prepare(request: &mut Request<Passed>, from: Peer) {
    let has_length = request.body().size_hint().exact().is_some();
    let host = request
        .uri()
        .authority()
        .map(|host| HeaderValue::from_str(host.as_str()));
    *request.version_mut() = Version::HTTP_11;
    let headers = request.headers_mut();
    remove_headers_of_connection(headers);
    // The proxy has said already that it takes the body.
    headers.remove(EXPECT);
    // With a transfer coding it would be about something else.
    if !has_length {
        headers.remove(CONTENT_LENGTH);
    }
    // A target with a host has priority (RFC 9112, section 3.2.2).
    if let Some(Ok(host)) = host {
        headers.insert(HOST, host);
    }
    headers.insert(FORWARDED_FOR, forwarded_for(headers, from));
    let scheme = if from.is_tls { "https" } else { "http" };
    headers.insert(FORWARDED_PROTO, HeaderValue::from_static(scheme));
    headers.append(VIA, NAME);
}

fn forwarded_for(headers: &HeaderMap, from: Peer) -> HeaderValue {
    let before = headers.get_all(FORWARDED_FOR).iter();
    let mut all = String::new();
    for value in before.filter_map(|value| value.to_str().ok()) {
        write!(all, "{value}, ").expect("a string takes text");
    }
    write!(all, "{}", from.address.ip()).expect("a string takes text");
    HeaderValue::try_from(all).expect("it is made of values and an address")
}

fn remove_headers_of_connection(headers: &mut HeaderMap) {
    let named: Vec<_> = headers
        .get_all(CONNECTION)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .filter_map(|name| HeaderName::try_from(name.trim()).ok())
        .collect();
    for name in named.iter().chain(&OF_CONNECTION) {
        headers.remove(name);
    }
}
