//! The server behind the proxy: connections to it, and the headers that the proxy adds (RFC 9110,
//! section 7.6).

use std::time::Duration;

use bytes::Bytes;
use hyper::{
    HeaderMap, Request, Response, Uri, Version,
    body::{Body as _, Incoming},
    header::{CONTENT_LENGTH, HeaderName, HeaderValue, TRANSFER_ENCODING, VIA},
    http::uri::{Authority, PathAndQuery, Scheme},
};
use hyper_util::{
    client::legacy::{Client, Error as ClientError, connect::HttpConnector},
    rt::{TokioExecutor, TokioTimer},
};
use pqseal_server::{Error, listen::Peer};

use crate::{body::ForwardedBody, head::remove_headers_of_connection};

/// The longest time to connect, and the longest time that a connection stays idle.
const CONNECT: Duration = Duration::from_secs(10);
const WAIT: Duration = Duration::from_secs(30);

/// The name of this proxy in `Via`.
const NAME: HeaderValue = HeaderValue::from_static("1.1 pqseal-edge");
const CHUNKED: HeaderValue = HeaderValue::from_static("chunked");
const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");
const FORWARDED_PROTO: HeaderName = HeaderName::from_static("x-forwarded-proto");

/// The server, and idle connections to it.
pub(crate) struct Upstream {
    client: Client<HttpConnector, ForwardedBody>,
    pub(crate) authority: Authority,
}

impl Upstream {
    /// Creates the client of the server at `http://HOST:PORT`.
    ///
    /// # Errors
    /// If it is any other URL.
    pub(crate) fn new(url: &str) -> Result<Self, Error> {
        let uri: Option<Uri> = url.parse().ok();
        let authority = uri
            .filter(is_plain)
            .and_then(|uri| uri.authority().cloned());
        let authority = authority.ok_or_else(|| {
            Error::Settings(
                "--upstream must be http://HOST:PORT, without a path; https is not supported, so run pqseal-edge next to the server".to_owned(),
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
    pub(crate) async fn send(
        &self,
        mut request: Request<ForwardedBody>,
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
        let has_length = answer.body().size_hint().exact().is_some();
        *answer.version_mut() = Version::HTTP_11;
        remove_headers_of_connection(answer.headers_mut());
        // The transfer coding had priority over it (RFC 9112, section 6.3).
        if !has_length {
            answer.headers_mut().remove(CONTENT_LENGTH);
        }
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

/// Adds the headers of this proxy. The rest of the head was normalized before the rules saw it.
fn prepare(request: &mut Request<ForwardedBody>, from: Peer) {
    let has_length = request.body().size_hint().exact().is_some();
    *request.version_mut() = Version::HTTP_11;
    let headers = request.headers_mut();
    // hyper sends no body of unknown length with GET and HEAD unless it has this header.
    if !has_length {
        headers.remove(CONTENT_LENGTH);
        headers.insert(TRANSFER_ENCODING, CHUNKED);
    }
    headers.insert(FORWARDED_FOR, forwarded_for(headers, from));
    let scheme = if from.is_tls { "https" } else { "http" };
    headers.insert(FORWARDED_PROTO, HeaderValue::from_static(scheme));
    headers.append(VIA, NAME);
}

fn forwarded_for(headers: &HeaderMap, from: Peer) -> HeaderValue {
    let mut all = Vec::new();
    for value in headers.get_all(FORWARDED_FOR) {
        all.extend_from_slice(value.as_bytes());
        all.extend_from_slice(b", ");
    }
    let address = from.address.ip().to_canonical().to_string();
    all.extend_from_slice(address.as_bytes());
    HeaderValue::from_maybe_shared(Bytes::from(all)).expect("it is made of values and an address")
}
