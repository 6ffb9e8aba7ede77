//! The next destination: its acknowledgements, and events while it is gone.

use std::{
    io::{Read, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread,
};

use serde_json::Value;

use super::{
    certificates,
    server::{Lines, OUTPUT, Server, folder, gzip, numbers, segments},
};
use crate::common::{Dir, free_address};

/// The head and the body of a request.
type Posted = (String, Vec<u8>);

/// A destination that takes what is posted to it, one connection at a time or several.
struct Destination {
    address: SocketAddr,
    bodies: Arc<Mutex<Vec<Posted>>>,
    refuses: Arc<AtomicBool>,
}

impl Destination {
    fn start(address: SocketAddr) -> Self {
        let listener = TcpListener::bind(address).unwrap();
        let address = listener.local_addr().unwrap();
        let (bodies, refuses) = (Arc::default(), Arc::default());
        let destination = Self {
            address,
            bodies,
            refuses,
        };
        let (bodies, refuses) = (destination.bodies.clone(), destination.refuses.clone());
        thread::spawn(move || {
            for stream in listener.incoming() {
                let (bodies, refuses) = (Arc::clone(&bodies), Arc::clone(&refuses));
                thread::spawn(move || serve(stream.unwrap(), &bodies, &refuses));
            }
        });
        destination
    }

    fn events(&self) -> String {
        let bodies = self.bodies.lock().unwrap();
        bodies
            .iter()
            .map(|(_, body)| std::str::from_utf8(body).unwrap())
            .collect()
    }
}

/// Answers requests with a length, one after another.
fn serve(mut stream: TcpStream, bodies: &Mutex<Vec<Posted>>, refuses: &AtomicBool) {
    let mut head = Vec::new();
    let mut byte = [0];
    while stream.read(&mut byte).is_ok_and(|read| read == 1) {
        head.push(byte[0]);
        if !head.ends_with(b"\r\n\r\n") {
            continue;
        }
        let text = String::from_utf8(std::mem::take(&mut head))
            .unwrap()
            .to_ascii_lowercase();
        let length = text.split("content-length: ").nth(1).unwrap();
        let length = length.split("\r\n").next().unwrap().parse().unwrap();
        let mut body = vec![0; length];
        stream.read_exact(&mut body).unwrap();
        let status = match refuses.load(Ordering::Relaxed) {
            true => "500 no",
            false => {
                bodies.lock().unwrap().push((text, body));
                "200 yes"
            }
        };
        let answer = format!("HTTP/1.1 {status}\r\nContent-Length: 0\r\n\r\n");
        stream.write_all(answer.as_bytes()).unwrap();
    }
}

fn forwarding(dir: &Dir, address: SocketAddr) -> Server {
    dir.write("next.value", "Bearer abc\n");
    let next = format!("[next]\nurl = \"http://{address}/in?a=b\"\nvalue-file = \"next.value\"\n");
    Server::with(dir, "", &next)
}

#[test]
fn events_are_acknowledged_once_the_next_destination_has_them() {
    let dir = folder();
    let lines = Lines::new(&dir);
    // The destination does not exist yet.
    let address = free_address();
    let server = forwarding(&dir, address);
    let answer = server.push(lines.line(0).as_bytes());
    assert!(answer.head.to_ascii_lowercase().contains("retry-after: "));
    answer.refuses(503, "next");
    // It exists now, and refuses.
    let destination = Destination::start(address);
    destination.refuses.store(true, Ordering::Relaxed);
    server.push(lines.line(0).as_bytes()).refuses(503, "next");
    assert_eq!(destination.events(), "");
    // It accepts; the client sends again. Then more than is kept in memory.
    destination.refuses.store(false, Ordering::Relaxed);
    for number in 0..3 {
        server.push(lines.line(number).as_bytes()).is(200);
    }
    let many = (3..150_000)
        .map(|n| format!("{{\"n\":{n}}}\n"))
        .collect::<String>();
    server.push(&gzip(many.as_bytes())).is(200);
    server.push(b"").is(200);
    let log = server.end();
    let events = destination.events();
    assert_eq!(numbers(&events), (0..150_000).map(|n| (n, 1)).collect());
    assert!(events.contains("\"decrypted_matched_data\":\"matched\""));
    let heads = destination.bodies.lock().unwrap();
    assert!(
        heads.len() == 4
            && heads.iter().all(|(head, _)| {
                head.starts_with("post /in?a=b http/1.1")
                    && head.contains("authorization: bearer abc\r\n")
            })
    );
    assert!(
        log.iter()
            .any(|line| line["reason"] == "it answered with 500")
    );
    assert_eq!(destination.address, address);
}

/// The next destination is another receiver, by TLS.
#[test]
fn events_are_sent_on_by_tls_to_a_server_of_the_authority_only() {
    let (far, near) = (folder(), folder());
    certificates::make(&far);
    let tls = "\n[tls]\ncertificate = \"localhost.pem\"\nkey = \"localhost.key\"\n";
    let server = Server::with(&far, "", &format!("{OUTPUT}{tls}"));
    let next = |authority: &str| {
        let (port, ca) = (server.address.port(), far.path(authority));
        format!(
            "[next]\nurl = \"https://localhost:{port}/logs\"\nca = \"{}\"\nheader = \"x-secret\"\nvalue-file = \"push.secret\"\n",
            ca.display()
        )
    };
    let sender = Server::with(&near, "", &next("other.pem"));
    sender.push(b"{\"n\":0}").refuses(503, "next");
    let log = sender.end();
    let reason = |line: &Value| line["reason"].as_str().unwrap_or_default().to_owned();
    let has = |line| reason(line).contains("invalid peer certificate: UnknownIssuer");
    assert!(log.iter().any(has), "{log:?}");
    let sender = Server::with(&near, "", &next("ca.pem"));
    sender.push(b"{\"n\":0}").is(200);
    sender.push(b"{\"n\":1}").is(200);
    // More than is kept in memory.
    let many: String = (2..150_000).map(|n| format!("{{\"n\":{n}}}\n")).collect();
    sender.push(&gzip(many.as_bytes())).is(200);
    sender.end();
    server.end();
    let taken = numbers(&segments(&far.path("out")));
    assert_eq!(taken, (0..150_000).map(|n| (n, 1)).collect());
}

/// The destination closes a connection that was kept, just when the next request comes.
#[test]
fn a_request_on_a_connection_that_was_closed_is_repeated_on_a_new_one() {
    let (address, counts) = closing(&[true, false]);
    let dir = folder();
    let server = Server::with(&dir, "", &format!("[next]\nurl = \"http://{address}/\"\n"));
    for _ in 0..6 {
        server.push(b"{\"n\":1}").is(200);
    }
    server.end();
    // Each request after the first was sent on the connection before, and then on a new one.
    assert_eq!(*counts.lock().unwrap(), (6, 11));
}

/// Nobody knows what became of the events, so only the client may send them again.
#[test]
fn a_request_on_a_new_connection_is_sent_once() {
    let (address, counts) = closing(&[false]);
    let dir = folder();
    let server = Server::with(&dir, "", &format!("[next]\nurl = \"http://{address}/\"\n"));
    for _ in 0..3 {
        server.push(b"{\"n\":1}").refuses(503, "next");
    }
    server.end();
    assert_eq!(*counts.lock().unwrap(), (3, 3));
}

/// Starts a destination that reads so many requests of each connection, answers those that are
/// `true`, and closes the connection. It counts connections and requests.
fn closing(answers: &'static [bool]) -> (SocketAddr, Arc<Mutex<(u64, u64)>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let (address, counts) = (listener.local_addr().unwrap(), Arc::default());
    let counting: Arc<Mutex<(u64, u64)>> = Arc::clone(&counts);
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            counting.lock().unwrap().0 += 1;
            for is_answered in answers {
                if !read_event(&mut stream) {
                    break;
                }
                counting.lock().unwrap().1 += 1;
                if *is_answered {
                    let answer = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
                    stream.write_all(answer).unwrap();
                }
            }
        }
    });
    (address, counts)
}

/// Reads a request whose body is the event `{"n":1}`. Returns `false` at the end of the connection.
fn read_event(stream: &mut TcpStream) -> bool {
    let (mut request, mut byte) = (Vec::new(), [0]);
    while !request.ends_with(b"{\"n\":1}\n") {
        if stream.read_exact(&mut byte).is_err() {
            return false;
        }
        request.push(byte[0]);
    }
    true
}

/// The status decides: events are not sent again because the rest of the answer does not
/// come.
#[test]
fn an_answer_that_does_not_end_is_an_acknowledgement() {
    let dir = folder();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let count = Arc::new(AtomicU64::new(0));
    let counting = Arc::clone(&count);
    thread::spawn(move || {
        let mut open = Vec::new();
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            read_event(&mut stream);
            counting.fetch_add(1, Ordering::Relaxed);
            let answer = b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf";
            stream.write_all(answer).unwrap();
            open.push(stream);
        }
    });
    let next = format!("[next]\nurl = \"http://{address}/\"\ntimeout = \"1s\"\n");
    let server = Server::with(&dir, "", &next);
    for _ in 0..3 {
        server.push(b"{\"n\":1}").is(200);
    }
    assert_eq!(count.load(Ordering::Relaxed), 3);
    server.end();
}
