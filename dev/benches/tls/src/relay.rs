//! A delay in user space: a relay in front of a server, which holds bytes for a time.

use std::{
    io::{self, Read, Write},
    net::{Shutdown, SocketAddr, TcpListener, TcpStream},
    sync::mpsc,
    thread,
    time::{Duration, Instant},
};

/// Starts a relay, and returns its address. Each direction takes `delay` longer. TCP's own
/// handshake is not delayed.
pub(crate) fn start(server: SocketAddr, delay: Duration) -> io::Result<SocketAddr> {
    if delay.is_zero() {
        return Ok(server);
    }
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?;
    thread::spawn(move || {
        for client in listener.incoming() {
            if let Err(error) = client.and_then(|client| relay(client, server, delay)) {
                eprintln!("tls-bench: relay: {error}");
            }
        }
    });
    Ok(address)
}

fn relay(client: TcpStream, server: SocketAddr, delay: Duration) -> io::Result<()> {
    let server = TcpStream::connect(server)?;
    client.set_nodelay(true)?;
    server.set_nodelay(true)?;
    one_way(client.try_clone()?, server.try_clone()?, delay);
    one_way(server, client, delay);
    Ok(())
}

/// Relays one direction with two threads, so that later bytes do not wait for earlier ones. An
/// empty piece is the end.
fn one_way(mut from: TcpStream, mut to: TcpStream, delay: Duration) {
    let (sender, receiver) = mpsc::channel::<(Instant, Vec<u8>)>();
    thread::spawn(move || {
        let mut buffer = [0; 1 << 14];
        loop {
            let read = from.read(&mut buffer).unwrap_or(0);
            let due = Instant::now() + delay;
            if sender.send((due, buffer[..read].to_vec())).is_err() || read == 0 {
                return;
            }
        }
    });
    thread::spawn(move || {
        for (due, bytes) in receiver {
            thread::sleep(due.saturating_duration_since(Instant::now()));
            if bytes.is_empty() || to.write_all(&bytes).is_err() {
                // The socket may be closed already.
                let _ = to.shutdown(Shutdown::Both);
                return;
            }
        }
    });
}
