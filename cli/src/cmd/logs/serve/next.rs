//! The next destination: opened events are sent on by HTTP, and are accepted once it has answered
//! with a status of 200 to 299.

use std::{
    fmt,
    future::poll_fn,
    io,
    net::ToSocketAddrs,
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
use hyper_util::rt::TokioIo;
use rustls::{ClientConfig, pki_types::ServerName};
use tokio::{net::TcpStream, task::spawn_blocking, time::timeout};
use tokio_rustls::TlsConnector;

use super::{clients::line, config, upload::Upload};
use crate::{
    error::Error,
    input::Source,
    server::{spool::Lines, tls},
};

/// The largest number of idle connections.
const IDLE: usize = 16;
/// The longest wait for the rest of an answer.
const REST: Duration = Duration::from_secs(5);
/// The most bytes of an answer that are read to reuse its connection.
const ANSWER: u64 = 64 * 1024;

/// The next destination.
pub(super) struct Next {
    uri: Uri,
    host: String,
    port: u16,
    /// The value of the header `Host`.
    authority: HeaderValue,
    tls: Option<Arc<ClientConfig>>,
    secret: Option<(HeaderName, HeaderValue)>,
    timeout: Duration,
    idle: Idle,
}

type Idle = Arc<Mutex<Vec<SendRequest<Upload>>>>;

/// The reason why events were not accepted. It repeats nothing of an answer but its status.
#[derive(Debug)]
pub(super) enum Failure {
    Connect(io::Error),
    Http(hyper::Error),
    Status(u16),
    Timeout,
}

impl Next {
    /// Creates the destination, with the secret as it is now.
    ///
    /// # Errors
    /// If its address, certificates or secret cannot be used.
    pub(super) fn new(config: &config::Next) -> Result<Self, Error> {
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
        let tls = match (is_tls, &config.ca) {
            (true, Some(ca)) => Some(tls::client(ca)?),
            (true, None) => {
                return Err(Error::usage(
                    "[next]: https needs ca, such as /etc/ssl/certs/ca-certificates.crt",
                ));
            }
            (false, _) => None,
        };
        Ok(Self {
            host: authority.host().to_owned(),
            port: authority
                .port_u16()
                .unwrap_or(if is_tls { 443 } else { 80 }),
            authority: HeaderValue::from_str(authority.as_str()).map_err(|_| bad_url())?,
            tls,
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
    pub(super) async fn send(&self, events: Lines) -> Result<(), Failure> {
        if events.len == 0 {
            return Ok(());
        }
        match timeout(self.timeout, self.send_without_end(events)).await {
            Ok(sent) => sent,
            Err(_) => Err(Failure::Timeout),
        }
    }

    async fn send_without_end(&self, events: Lines) -> Result<(), Failure> {
        let Some(bytes) = events.in_memory() else {
            let connection = self.connect().await?;
            return self.post(connection, Upload::of_file(events)).await;
        };
        // An idle connection may be closed by now; then a new one is made.
        if let Some(connection) = self.waiting() {
            match self.post(connection, Upload::of(bytes.clone())).await {
                Err(Failure::Http(_)) => {}
                sent => return sent,
            }
        }
        let connection = self.connect().await?;
        self.post(connection, Upload::of(bytes)).await
    }

    async fn post(&self, mut connection: SendRequest<Upload>, body: Upload) -> Result<(), Failure> {
        let path = self.uri.path_and_query().map_or("/", |path| path.as_str());
        let mut request = Request::post(path)
            .header(HOST, &self.authority)
            .header(CONTENT_TYPE, "application/x-ndjson")
            .body(body)
            .expect("its parts are checked");
        if let Some((name, value)) = &self.secret {
            request.headers_mut().insert(name, value.clone());
        }
        let answer = connection
            .send_request(request)
            .await
            .map_err(Failure::Http)?;
        let status = answer.status();
        if !status.is_success() {
            return Err(Failure::Status(status.as_u16()));
        }
        // The events are accepted, so nothing waits for the rest of the answer.
        tokio::spawn(reuse(
            connection,
            answer.into_body(),
            Arc::clone(&self.idle),
        ));
        Ok(())
    }

    fn waiting(&self) -> Option<SendRequest<Upload>> {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        idle.retain(SendRequest::is_ready);
        idle.pop()
    }

    async fn connect(&self) -> Result<SendRequest<Upload>, Failure> {
        let name = (self.host.trim_matches(['[', ']']).to_owned(), self.port);
        let addresses = spawn_blocking(move || name.to_socket_addrs()).await;
        let addresses = addresses.map_err(io::Error::other).and_then(|found| found);
        let mut last = io::Error::from(io::ErrorKind::NotFound);
        for address in addresses.map_err(Failure::Connect)? {
            match TcpStream::connect(address).await {
                Ok(stream) => return self.begin(stream).await,
                Err(error) => last = error,
            }
        }
        Err(Failure::Connect(last))
    }

    async fn begin(&self, stream: TcpStream) -> Result<SendRequest<Upload>, Failure> {
        stream.set_nodelay(true).map_err(Failure::Connect)?;
        let Some(tls) = &self.tls else {
            return start(stream).await;
        };
        let host = self.host.trim_matches(['[', ']']).to_owned();
        let name = ServerName::try_from(host)
            .map_err(|error| Failure::Connect(io::Error::other(error)))?;
        let connector = TlsConnector::from(tls.clone());
        let stream = connector.connect(name, stream).await;
        start(stream.map_err(Failure::Connect)?).await
    }
}

async fn start<S>(stream: S) -> Result<SendRequest<Upload>, Failure>
where
    S: tokio::io::AsyncRead + tokio::io::AsyncWrite + Send + Unpin + 'static,
{
    let (sender, connection) = http1::handshake(TokioIo::new(stream))
        .await
        .map_err(Failure::Http)?;
    tokio::spawn(connection);
    Ok(sender)
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
        .map_err(|_| Error::usage("[next]: header is not a valid header name"))?;
    let text = line(&Source::File(file.clone()), 1)?;
    let mut value = HeaderValue::from_str(&text)
        .map_err(|_| Error::usage("[next]: value-file does not contain a valid header value"))?;
    value.set_sensitive(true);
    Ok(Some((name, value)))
}

fn bad_url() -> Error {
    Error::usage(
        "[next]: url must be http://HOST:PORT/PATH or https://HOST:PORT/PATH; a user name and password belong in value-file",
    )
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Connect(error) => write!(f, "connecting: {error}"),
            Self::Http(error) => write!(f, "HTTP: {error}"),
            Self::Status(status) => write!(f, "it answered with {status}"),
            Self::Timeout => f.write_str("it did not answer in time"),
        }
    }
}
