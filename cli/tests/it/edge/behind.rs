//! The server behind the proxy.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{Shutdown, SocketAddr, TcpListener, TcpStream},
    sync::{Arc, Mutex},
    thread,
};

use crate::serve::server::PATIENCE;

/// A server that records requests, and answers each as its path asks for.
pub(crate) struct Behind {
    address: SocketAddr,
    seen: Arc<Mutex<Vec<Seen>>>,
}

/// A request.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    pub(crate) head: String,
    /// The bytes after the head, as they came.
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

/// Serves one request, if all of it comes; then the connection ends.
fn serve(stream: TcpStream, seen: &Mutex<Vec<Seen>>) -> Option<()> {
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let mut reader = BufReader::new(&stream);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head).ok()? == 0 {
            return None;
        }
    }
    let is_early = head.starts_with("POST /early");
    let body = match is_early {
        true => Vec::new(),
        false => body(&mut reader, &head.to_ascii_lowercase())?,
    };
    let is_late = head.starts_with("GET /never");
    let answer = answer(&head);
    seen.lock().unwrap().push(Seen { head, body });
    if is_late {
        let _ = reader.read(&mut [0]);
        return None;
    }
    (&stream).write_all(answer.as_bytes()).ok()?;
    if is_early {
        // If it were closed immediately, the client would lose the answer.
        stream.shutdown(Shutdown::Write).ok()?;
        let _ = reader.read_to_end(&mut Vec::new());
    }
    Some(())
}

fn answer(head: &str) -> String {
    let (length, body) = match head.split(' ').nth(1) {
        // A server should not send both; the coding has priority (RFC 9112, section 6.3).
        Some("/both") => (
            "Content-Length: 3\r\nTransfer-Encoding: chunked",
            "b\r\nfrom behind\r\n0\r\n\r\n",
        ),
        // The body ends with the connection.
        Some("/old") => return "HTTP/1.0 200 OK\r\n\r\nfrom behind".to_owned(),
        Some("/early") => {
            return "HTTP/1.1 413 Too Large\r\nContent-Length: 9\r\nConnection: close\r\n\r\ntoo large".to_owned();
        }
        _ => ("Content-Length: 11", "from behind"),
    };
    let body = if head.starts_with("HEAD ") { "" } else { body };
    format!(
        "HTTP/1.1 200 OK\r\n{length}\r\nConnection: close, x-hop\r\nX-Hop: 1\r\nX-End: 2\r\n\r\n{body}"
    )
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
