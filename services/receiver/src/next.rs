//! The next destination: opened events are sent on by HTTP, and are accepted once it has answered
//! with a status of 200 to 299.

use std::{
    error, fmt,
    future::poll_fn,
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use hyper::{
    Request, Uri,
    body::{Body as _, Incoming},
    client::conn::http1::{self, SendRequest},
    header::{CONTENT_TYPE, HOST, HeaderName, HeaderValue},
};
use hyper_rustls::HttpsConnector;
use hyper_util::client::legacy::connect::HttpConnector;
use pqseal_server::{Error, spool::Lines, tls};
use tokio::time::timeout;
use tower_service::Service;

use crate::{clients::line, config, upload::Upload};

/// The largest number of idle connections.
const IDLE: usize = 16;
/// The longest wait for the rest of an answer.
const REST: Duration = Duration::from_secs(5);
/// The most bytes of an answer that are read to reuse its connection.
const ANSWER: u64 = 64 * 1024;

/// The next destination.
pub(crate) struct Next {
    uri: Uri,
    /// The value of the header `Host`.
    authority: HeaderValue,
    connector: HttpsConnector<HttpConnector>,
    secret: Option<(HeaderName, HeaderValue)>,
    timeout: Duration,
    idle: Idle,
}

type Idle = Arc<Mutex<Vec<SendRequest<Upload>>>>;

/// The reason why events were not accepted. It repeats nothing of an answer but its status.
#[derive(Debug)]
pub(crate) enum SendError {
    Connect(Box<dyn error::Error + Send + Sync>),
    Http(hyper::Error),
    Status(u16),
    Timeout,
}

impl Next {
    /// Creates the destination, with the secret as it is now.
    ///
    /// # Errors
    /// If its address, certificates or secret cannot be used.
    pub(crate) fn new(config: &config::Next) -> Result<Self, Error> {
        let uri: Uri = config.url.parse().map_err(|_| bad_url())?;
        let is_tls = match uri.scheme_str() {
            Some("http") => false,
            Some("https") => true,
            _ => return Err(bad_url()),
        };
        let authority = uri.authority().ok_or_else(bad_url)?;
        if authority.as_str().contains('@') {
            return Err(bad_url());
        }
        if is_tls && config.ca.is_none() {
            return Err(wrong(
                "[next]: https needs ca, such as /etc/ssl/certs/ca-certificates.crt",
            ));
        }
        let mut http = HttpConnector::new();
        http.enforce_http(false);
        http.set_nodelay(true);
        let tls = tls::client(config.ca.as_deref().filter(|_| is_tls))?;
        Ok(Self {
            authority: HeaderValue::from_str(authority.as_str()).map_err(|_| bad_url())?,
            connector: (http, tls).into(),
            secret: secret(config)?,
            timeout: config.timeout,
            idle: Idle::default(),
            uri,
        })
    }

    /// Sends `events`, and waits for the answer.
    ///
    /// # Errors
    /// If they were not accepted, as far as is known.
    pub(crate) async fn send(&self, events: Lines) -> Result<(), SendError> {
        if events.len == 0 {
            return Ok(());
        }
        match timeout(self.timeout, self.send_without_end(events)).await {
            Ok(sent) => sent,
            Err(_) => Err(SendError::Timeout),
        }
    }

    async fn send_without_end(&self, events: Lines) -> Result<(), SendError> {
        let Some(bytes) = events.in_memory() else {
            let connection = self.connect().await?;
            return self.post(connection, Upload::of_file(events)).await;
        };
        // An idle connection may be closed by now; then a new one is made.
        if let Some(connection) = self.idle_connection() {
            match self.post(connection, Upload::of(bytes.clone())).await {
                Err(SendError::Http(_)) => {}
                sent => return sent,
            }
        }
        let connection = self.connect().await?;
        self.post(connection, Upload::of(bytes)).await
    }

    async fn post(
        &self,
        mut connection: SendRequest<Upload>,
        body: Upload,
    ) -> Result<(), SendError> {
        let path = self.uri.path_and_query().map_or("/", |path| path.as_str());
        let mut request = Request::post(path)
            .header(HOST, &self.authority)
            .header(CONTENT_TYPE, "application/x-ndjson")
            .body(body)
            .expect("its parts are checked");
        if let Some((name, value)) = &self.secret {
            request.headers_mut().insert(name, value.clone());
        }
        let answer = connection.send_request(request).await;
        let answer = answer.map_err(SendError::Http)?;
        let status = answer.status();
        if !status.is_success() {
            return Err(SendError::Status(status.as_u16()));
        }
        // The events are accepted, so nothing waits for the rest of the answer.
        tokio::spawn(reuse(
            connection,
            answer.into_body(),
            Arc::clone(&self.idle),
        ));
        Ok(())
    }

    fn idle_connection(&self) -> Option<SendRequest<Upload>> {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        idle.retain(SendRequest::is_ready);
        idle.pop()
    }

    async fn connect(&self) -> Result<SendRequest<Upload>, SendError> {
        let mut connector = self.connector.clone();
        let stream = match poll_fn(|context| connector.poll_ready(context)).await {
            Ok(()) => connector.call(self.uri.clone()).await,
            Err(error) => Err(error),
        };
        let stream = stream.map_err(SendError::Connect)?;
        let (sender, connection) = http1::handshake(stream).await.map_err(SendError::Http)?;
        tokio::spawn(connection);
        Ok(sender)
    }
}

/// Keeps a connection for the next request, once the rest of its answer is read.
async fn reuse(connection: SendRequest<Upload>, answer: Incoming, idle: Idle) {
    if timeout(REST, is_read(answer)).await == Ok(true) {
        let mut idle = idle.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() < IDLE {
            idle.push(connection);
        }
    }
}

/// Reads the rest of an answer. Returns `false` if it is too long or cut off.
async fn is_read(mut answer: Incoming) -> bool {
    let mut bytes = 0;
    while let Some(frame) = poll_fn(|context| Pin::new(&mut answer).poll_frame(context)).await {
        let Ok(frame) = frame else { return false };
        bytes += frame.data_ref().map_or(0, |data| data.len() as u64);
        if bytes > ANSWER {
            return false;
        }
    }
    true
}

fn secret(config: &config::Next) -> Result<Option<(HeaderName, HeaderValue)>, Error> {
    let Some(file) = &config.value_file else {
        return Ok(None);
    };
    let name = HeaderName::from_bytes(config.header.as_bytes())
        .map_err(|_| wrong("[next]: header is not a valid header name"))?;
    let text = line(file, 1)?;
    let mut value = HeaderValue::from_str(&text)
        .map_err(|_| wrong("[next]: value-file does not contain a valid header value"))?;
    value.set_sensitive(true);
    Ok(Some((name, value)))
}

fn wrong(message: &str) -> Error {
    Error::Settings(message.to_owned())
}

fn bad_url() -> Error {
    wrong(
        "[next]: url must be http://HOST:PORT/PATH or https://HOST:PORT/PATH; a user name and password belong in value-file",
    )
}

impl fmt::Display for SendError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Connect(error) => {
                // The innermost reason: the others say which layer passed it on.
                let mut reason: &dyn error::Error = &**error;
                while let Some(inner) = reason.source() {
                    reason = inner;
                }
                write!(f, "connecting: {reason}")
            }
            Self::Http(error) => write!(f, "HTTP: {error}"),
            Self::Status(status) => write!(f, "it answered with {status}"),
            Self::Timeout => f.write_str("it did not answer in time"),
        }
    }
}
