//! The server behind the proxy.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    sync::{Arc, Mutex},
    thread,
};

use crate::server::PATIENCE;

/// A server that notes requests, and answers each as its path asks for.
pub(crate) struct Behind {
    address: SocketAddr,
    seen: Arc<Mutex<Vec<Seen>>>,
}

/// A request.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    pub(crate) head: String,
    /// What was after the head, as it came.
    pub(crate) body: Vec<u8>,
}

impl Behind {
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let behind = Self {
            address: listener.local_addr().unwrap(),
            seen: Arc::default(),
        };
        let seen = Arc::clone(&behind.seen);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let seen = Arc::clone(&seen);
                thread::spawn(move || serve(stream, &seen));
            }
        });
        behind
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }
}

/// One request, if all of it comes; then the connection ends.
fn serve(stream: TcpStream, seen: &Mutex<Vec<Seen>>) -> Option<()> {
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let mut reader = BufReader::new(&stream);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head).ok()? == 0 {
            return None;
        }
    }
    let body = body(&mut reader, &head.to_ascii_lowercase())?;
    let is_late = head.starts_with("GET /never");
    seen.lock().unwrap().push(Seen { head, body });
    if is_late {
        let _ = reader.read(&mut [0]);
        return None;
    }
    let answer = "HTTP/1.1 200 OK\r\nContent-Length: 11\r\nConnection: close, x-hop\r\nX-Hop: 1\r\nX-End: 2\r\n\r\nfrom behind";
    (&stream).write_all(answer.as_bytes()).ok()
}

fn body(reader: &mut impl BufRead, head: &str) -> Option<Vec<u8>> {
    let mut body = Vec::new();
    if head.contains("transfer-encoding: chunked") {
        while !body.ends_with(b"0\r\n\r\n") {
            if reader.read_until(b'\n', &mut body).ok()? == 0 {
                return None;
            }
        }
    } else if let Some((_, length)) = head.split_once("content-length: ") {
        let length = length.split_once('\r')?.0.parse().ok()?;
        body.resize(length, 0);
        reader.read_exact(&mut body).ok()?;
    }
    Some(body)
}
