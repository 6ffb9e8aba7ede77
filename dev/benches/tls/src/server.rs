//! The server's process: a port for each candidate, first those of TCP, then those of QUIC.

use std::{
    io::{self, Read, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    path::Path,
    thread,
};

use crate::{
    Result,
    candidates::{self, Candidate},
    http, measure, quic,
};

/// Prints each address with its candidate, on one line separated by tabs. Serves until standard
/// input ends, which it does with the client.
pub(crate) fn run(folder: &Path) -> Result<()> {
    let all = candidates::all(folder)?;
    let rustls = all.iter().filter_map(Candidate::rustls);
    let quic = quic::serve(rustls.map(|rustls| rustls.server.clone()).collect())?;
    let mut listening = Vec::new();
    for candidate in all {
        let name = candidate.name;
        listening.push(format!("{} {name}", listen(candidate)?));
    }
    listening.extend(quic.iter().map(|address| format!("{address} QUIC")));
    println!("{}", listening.join("\t"));
    io::stdin().read_to_end(&mut Vec::new())?;
    Ok(())
}

fn listen(candidate: Candidate) -> io::Result<SocketAddr> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?;
    thread::spawn(move || {
        for socket in listener.incoming() {
            match socket.and_then(|socket| serve(&candidate, socket)) {
                // A connection normally ends this way: the client closes the socket.
                Err(error) if !closed(&error) => {
                    eprintln!("tls-bench: server, {}: {error}", candidate.name);
                }
                _ => {}
            }
        }
    });
    Ok(address)
}

fn serve(candidate: &Candidate, socket: TcpStream) -> io::Result<()> {
    let start = measure::processor();
    let mut stream = candidate.accept(socket)?;
    let handshake = measure::processor() - start;
    let mut request = [0; http::REQUEST];
    loop {
        stream.read_exact(&mut request)?;
        stream.write_all(&http::response(handshake))?;
        stream.flush()?;
    }
}

/// Reports whether the client closed the connection. s2n-tls has no error kind for it.
fn closed(error: &io::Error) -> bool {
    use io::ErrorKind::{BrokenPipe, ConnectionReset, Other, UnexpectedEof};
    [BrokenPipe, ConnectionReset, Other, UnexpectedEof].contains(&error.kind())
}
