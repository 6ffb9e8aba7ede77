//! Connections: accepted up to a limit, each on a separate task, until the server stops.

use std::{
    convert::Infallible,
    error::Error as StdError,
    future::poll_fn,
    net::SocketAddr,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use bytes::Bytes;
use hyper::{
    Request, Response,
    body::{Body, Incoming},
    server::conn::http1,
    service::service_fn,
};
use hyper_util::rt::{TokioIo, TokioTimer};
use serde_json::json;
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::{TcpListener, TcpStream},
    select,
    sync::{OwnedSemaphorePermit, Semaphore, watch},
    time::{sleep, timeout},
};
use tokio_io_timeout::TimeoutWriter;
use tokio_rustls::TlsAcceptor;

use crate::{
    Error,
    gauge::Gauge,
    head_size::LARGEST_HEAD,
    log::{Level, Throttle, log},
};

/// The time that a connection is left open after an answer before the end of its body. If it were
/// closed immediately, the client's system would drop the unread answer.
const LINGER: Duration = Duration::from_secs(2);
/// The buffer of a connection for reading and for writing, in bytes. It limits the size of a head.
const BUFFER: usize = LARGEST_HEAD;
/// The time to wait if the system has no more files.
const PAUSE: Duration = Duration::from_millis(100);

/// A service that answers the requests on an address.
pub trait Answers: Send + Sync + 'static {
    /// The body of its answers.
    type Body: Body<Data = Bytes, Error: Into<Box<dyn StdError + Send + Sync>>> + Send + 'static;

    /// Returns the limits of connections, which are asked for once.
    fn limits(&self) -> Limits;

    /// Returns the TLS settings of a new connection; `None` for plain HTTP.
    fn tls(&self) -> Option<TlsAcceptor> {
        None
    }

    /// Returns a receiver that is notified once connections which begin now must take no more
    /// requests.
    fn outdated(&self) -> Option<watch::Receiver<()>> {
        None
    }

    /// Returns the gauge that counts connections.
    fn gauge(&self) -> Option<&Gauge> {
        None
    }

    /// Answers a request.
    fn answer(
        &self,
        request: Request<Incoming>,
        from: Peer,
    ) -> impl Future<Output = Answer<Self::Body>> + Send;
}

/// Limits of connections.
#[derive(Clone, Copy)]
pub struct Limits {
    /// The largest number at once.
    pub connections: u32,
    /// The time limit for a handshake, and for the head of a request.
    pub header_time: Duration,
    /// The time limit for a client to take a byte of its answer.
    pub write_time: Duration,
    /// The time limit for the requests in work when the server stops.
    pub stop_time: Duration,
}

/// The other side of a connection.
#[derive(Clone, Copy)]
pub struct Peer {
    /// Its address.
    pub address: SocketAddr,
    /// `true` if the connection has TLS.
    pub is_tls: bool,
}

/// An answer, and whether the body of its request was read.
pub struct Answer<B> {
    /// The answer itself.
    pub response: Response<B>,
    /// `true` if the body of the request was read to its end.
    pub is_read: bool,
}

/// The sockets that accept connections.
#[derive(Debug)]
pub struct Listeners {
    /// The socket for requests.
    pub requests: TcpListener,
    /// The socket for monitoring, if it has its own.
    pub monitor: Option<TcpListener>,
}

impl Listeners {
    /// Binds the addresses for requests and for monitoring.
    ///
    /// # Errors
    /// If the system refuses.
    pub async fn bind(requests: SocketAddr, monitor: Option<SocketAddr>) -> Result<Self, Error> {
        Ok(Self {
            requests: bind(requests).await?,
            monitor: match monitor {
                Some(address) => Some(bind(address).await?),
                None => None,
            },
        })
    }

    /// Returns the address for requests as text.
    pub fn address(&self) -> Option<String> {
        text(&self.requests)
    }

    /// Returns the address for monitoring as text.
    pub fn monitor_address(&self) -> Option<String> {
        self.monitor.as_ref().and_then(text)
    }
}

async fn bind(address: SocketAddr) -> Result<TcpListener, Error> {
    let bound = TcpListener::bind(address).await;
    bound.map_err(|error| Error::system(format_args!("listen on {address}"), error))
}

fn text(listener: &TcpListener) -> Option<String> {
    let address = listener.local_addr().ok()?;
    Some(address.to_string())
}

/// Serves connections until `stopping` becomes true, and then waits for those that are open.
pub async fn listen<A: Answers>(
    answers: A,
    listener: TcpListener,
    mut stopping: watch::Receiver<bool>,
) {
    let answers = Arc::new(answers);
    let limits = answers.limits();
    let most = limits.connections;
    let room = Arc::new(Semaphore::new(most as usize));
    loop {
        // Connections beyond the limit wait in the system's queue.
        let permit = select! {
            permit = Arc::clone(&room).acquire_owned() => permit,
            _ = stopping.changed() => break,
        };
        let Ok(permit) = permit else { break };
        select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, peer)) => {
                    let connection = Connection {
                        answers: Arc::clone(&answers),
                        peer,
                        stopping: stopping.clone(),
                    };
                    tokio::spawn(connection.serve(stream, permit));
                }
                Err(error) => {
                    static THROTTLE: Throttle = Throttle::new();
                    let reason = error.to_string();
                    THROTTLE.log(Level::Error, "accept", json!({ "reason": reason }));
                    sleep(PAUSE).await;
                }
            },
            _ = stopping.changed() => break,
        }
    }
    drop(listener);
    if timeout(limits.stop_time, room.acquire_many(most))
        .await
        .is_err()
    {
        let open = most as usize - room.available_permits();
        log(Level::Warning, "cut_off", json!({ "connections": open }));
    }
}

struct Connection<A> {
    answers: Arc<A>,
    peer: SocketAddr,
    stopping: watch::Receiver<bool>,
}

impl<A: Answers> Connection<A> {
    async fn serve(self, stream: TcpStream, _permit: OwnedSemaphorePermit) {
        let answers = Arc::clone(&self.answers);
        let _counting = answers.gauge().map(Gauge::enter);
        // With Nagle's algorithm small answers are slow. An error of the system is ignored.
        let _ = stream.set_nodelay(true);
        let mut stream = TimeoutWriter::new(stream);
        stream.set_timeout(Some(answers.limits().write_time));
        let stream = Box::pin(stream);
        // Subscribes before it reads the settings, so that it misses no change of them.
        let outdated = answers.outdated();
        let Some(tls) = answers.tls() else {
            return self.http(stream, false, outdated).await;
        };
        match timeout(answers.limits().header_time, tls.accept(stream)).await {
            Ok(Ok(stream)) => self.http(stream, true, outdated).await,
            Ok(Err(error)) => self.refused(&error.to_string()),
            Err(_) => self.refused("the handshake took too long"),
        }
    }

    fn refused(&self, reason: &str) {
        static THROTTLE: Throttle = Throttle::new();
        let peer = self.peer.to_string();
        THROTTLE.log(
            Level::Warning,
            "tls",
            json!({ "peer": peer, "reason": reason }),
        );
    }

    async fn http<S: AsyncRead + AsyncWrite + Unpin>(
        self,
        stream: S,
        is_tls: bool,
        mut outdated: Option<watch::Receiver<()>>,
    ) {
        let mut stopping = self.stopping.clone();
        let is_rest_unread = AtomicBool::new(false);
        let from = Peer {
            address: self.peer,
            is_tls,
        };
        let (answers, is_unread) = (&self.answers, &is_rest_unread);
        let service = service_fn(move |request| {
            // hyper requires it to be `Unpin` when the connection is taken apart.
            Box::pin(async move {
                let answer = answers.answer(request, from).await;
                is_unread.fetch_or(!answer.is_read, Ordering::Relaxed);
                Ok::<_, Infallible>(answer.response)
            })
        });
        let mut builder = http1::Builder::new();
        builder
            .timer(TokioTimer::new())
            .max_buf_size(BUFFER)
            .header_read_timeout(self.answers.limits().header_time);
        let mut connection = builder.serve_connection(TokioIo::new(stream), service);
        let mut is_stopping = false;
        loop {
            select! {
                // An error here is a client that hung up or sent invalid HTTP. Requests with logs
                // are logged and counted where they are answered.
                _ended = poll_fn(|context| connection.poll_without_shutdown(context)) => break,
                // The request in work is still answered; without one the connection ends here.
                () = changed(&mut stopping, &mut outdated), if !is_stopping => {
                    is_stopping = true;
                    Pin::new(&mut connection).graceful_shutdown();
                }
            }
        }
        let mut stream = connection.into_parts().io.into_inner();
        let _ = poll_fn(|context| Pin::new(&mut stream).poll_shutdown(context)).await;
        if is_rest_unread.load(Ordering::Relaxed) {
            sleep(LINGER).await;
        }
    }
}

/// Waits until the server stops, or the connection is outdated.
async fn changed(stopping: &mut watch::Receiver<bool>, outdated: &mut Option<watch::Receiver<()>>) {
    match outdated {
        None => _ = stopping.changed().await,
        Some(outdated) => select! {
            _ = stopping.changed() => {}
            _ = outdated.changed() => {}
        },
    }
}
