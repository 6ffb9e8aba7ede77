//! Connections: accepted up to a limit, each on a task of its own, until the receiver stops.

use std::{
    convert::Infallible,
    future::poll_fn,
    net::SocketAddr,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use hyper::{server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use serde_json::json;
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::{TcpListener, TcpStream},
    select,
    sync::{OwnedSemaphorePermit, Semaphore, watch},
    time::{sleep, timeout},
};

use super::{
    answer::Receiver,
    log::{Level, log},
};

/// Connections on the address for monitoring.
const MONITORS: u32 = 16;
/// How long a connection is left open after an answer before the end of its body. Closed at once, it
/// would take the answer with it: the system of the client drops what it has not read yet.
const LINGER: Duration = Duration::from_secs(2);
/// How long to wait if the system has no more files.
const PAUSE: Duration = Duration::from_millis(100);

/// What is listened for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum For {
    Logs,
    Monitoring,
}

/// Serves connections until `stopping` becomes true, and then waits for those that are open.
pub(super) async fn listen(
    receiver: Arc<Receiver>,
    listener: TcpListener,
    what: For,
    mut stopping: watch::Receiver<bool>,
) {
    let most = match what {
        For::Logs => receiver.limits.connections,
        For::Monitoring => MONITORS,
    };
    let room = Arc::new(Semaphore::new(most as usize));
    loop {
        // Those beyond the limit wait in the system's queue.
        let permit = select! {
            permit = Arc::clone(&room).acquire_owned() => permit,
            _ = stopping.changed() => break,
        };
        let Ok(permit) = permit else { break };
        select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, peer)) => {
                    let connection = Connection {
                        receiver: Arc::clone(&receiver),
                        what,
                        peer,
                        stopping: stopping.clone(),
                    };
                    tokio::spawn(connection.serve(stream, permit));
                }
                Err(error) => {
                    log(Level::Error, "accept", json!({ "reason": error.to_string() }));
                    sleep(PAUSE).await;
                }
            },
            _ = stopping.changed() => break,
        }
    }
    drop(listener);
    if timeout(receiver.limits.stop_time, room.acquire_many(most))
        .await
        .is_err()
    {
        let open = most as usize - room.available_permits();
        log(Level::Warning, "cut_off", json!({ "connections": open }));
    }
}

struct Connection {
    receiver: Arc<Receiver>,
    what: For,
    peer: SocketAddr,
    stopping: watch::Receiver<bool>,
}

impl Connection {
    async fn serve(self, stream: TcpStream, _permit: OwnedSemaphorePermit) {
        let receiver = Arc::clone(&self.receiver);
        let _counting = (self.what == For::Logs).then(|| receiver.metrics.connections.enter());
        // Without it small answers are slow; a system that refuses is no reason to stop.
        let _ = stream.set_nodelay(true);
        let tls = match self.what {
            For::Logs => receiver.current.get().tls.clone(),
            For::Monitoring => None,
        };
        let Some(tls) = tls else {
            return self.http(stream).await;
        };
        match timeout(receiver.limits.header_time, tls.accept(stream)).await {
            Ok(Ok(stream)) => self.http(stream).await,
            Ok(Err(error)) => self.refused(&error.to_string()),
            Err(_) => self.refused("the handshake took too long"),
        }
    }

    fn refused(&self, reason: &str) {
        let peer = self.peer.to_string();
        log(
            Level::Warning,
            "tls",
            json!({ "peer": peer, "reason": reason }),
        );
    }

    async fn http<S: AsyncRead + AsyncWrite + Unpin>(self, stream: S) {
        let mut stopping = self.stopping.clone();
        let is_rest_unread = AtomicBool::new(false);
        let (this, is_unread) = (&self, &is_rest_unread);
        let answer = move |request| {
            // hyper wants it to stay where it is when the connection is taken apart.
            Box::pin(async move {
                let answer = match this.what {
                    For::Logs => this.receiver.answer(request, this.peer).await,
                    For::Monitoring => this.receiver.monitor(&request),
                };
                is_unread.fetch_or(!answer.is_read, Ordering::Relaxed);
                Ok::<_, Infallible>(answer.response)
            })
        };
        let mut builder = http1::Builder::new();
        builder
            .timer(TokioTimer::new())
            .header_read_timeout(self.receiver.limits.header_time);
        let service = service_fn(answer);
        let mut connection = builder.serve_connection(TokioIo::new(stream), service);
        let mut is_stopping = false;
        loop {
            select! {
                // An error here is a client that hung up or sent invalid HTTP. Requests with logs are
                // logged and counted where they are answered.
                _ended = poll_fn(|context| connection.poll_without_shutdown(context)) => break,
                _ = stopping.changed(), if !is_stopping => {
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
