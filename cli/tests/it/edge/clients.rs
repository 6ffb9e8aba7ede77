//! Clients that are slow, disconnect, send much, or keep their connections.

use std::{
    io::{ErrorKind, Read, Write},
    net::{Shutdown, TcpStream},
    thread,
    time::{Duration, Instant},
};

use super::{behind::Behind, end, events, rule, start};
use crate::{
    common::Dir,
    serve::server::{Answer, PATIENCE, Server},
};

/// Sends the beginning of a request.
fn send(proxy: &Server, request: &str) -> TcpStream {
    let mut stream = proxy.connect();
    stream.write_all(request.as_bytes()).unwrap();
    stream
}

/// Reads the answer to one of several requests on a connection.
pub(super) fn next_answer(stream: &mut TcpStream) -> String {
    let mut answer = Vec::new();
    while !answer.ends_with(b"from behind") && !answer.ends_with(b"not allowed\n") {
        let mut byte = [0];
        assert_eq!(stream.read(&mut byte).unwrap(), 1, "the connection ended");
        answer.push(byte[0]);
    }
    String::from_utf8(answer).unwrap()
}

#[test]
fn a_connection_has_several_requests() {
    let (dir, behind) = (Dir::new(), Behind::start());
    let rules = [
        rule("body", "log", r#"http.request.body.raw contains "mark""#),
        rule("bad", "block", r#"http.request.uri.path eq "/bad""#),
    ]
    .concat();
    let proxy = start(&dir, &rules, &behind, &["--require-log"]);
    let mut stream = proxy.connect();
    for (request, status) in [
        ("GET /1 HTTP/1.1\r\nHost: h\r\n\r\n", "200"),
        (
            "POST /2 HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\n\r\nmark",
            "200",
        ),
        ("GET /bad HTTP/1.1\r\nHost: h\r\n\r\n", "403"),
        (
            "POST /4 HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nmark\r\n0\r\n\r\n",
            "200",
        ),
        ("GET /5 HTTP/1.1\r\nHost: h\r\n\r\n", "200"),
    ] {
        stream.write_all(request.as_bytes()).unwrap();
        let answer = next_answer(&mut stream);
        assert_eq!(answer.split(' ').nth(1), Some(status), "{request}");
    }
    drop(stream);
    end(proxy);
    let ids: Vec<_> = events(&dir, "log")
        .into_iter()
        .map(|(event, _)| event["RuleID"].clone())
        .collect();
    assert_eq!(ids, ["body", "bad", "body"]);
    assert_eq!(behind.seen().len(), 4);
}

/// The time for an answer begins when the body has ended.
#[test]
fn a_slow_upload_is_not_a_late_answer() {
    let (dir, behind) = (Dir::new(), Behind::start());
    let proxy = start(&dir, "[limits]\nanswer-time = \"1s\"\n", &behind, &[]);
    let mut stream = send(
        &proxy,
        "POST / HTTP/1.1\r\nHost: h\r\nConnection: close\r\nContent-Length: 3\r\n\r\n",
    );
    for _ in 0..3 {
        thread::sleep(Duration::from_millis(700));
        stream.write_all(b"x").unwrap();
    }
    Answer::read(&mut stream).is(200);
    assert_eq!(end(proxy)["unanswered"], 0);
    assert_eq!(behind.seen()[0].body, b"xxx");
}

#[test]
fn what_is_wrong_with_a_client_is_not_counted_for_the_server() {
    let (dir, behind) = (Dir::new(), Behind::start());
    let proxy = start(&dir, "[limits]\nidle-time = \"1s\"\n", &behind, &[]);
    let request = "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\nx";
    let mut slow = send(&proxy, request);
    Answer::read(&mut slow).is(408);
    let mut gone = send(&proxy, request);
    gone.shutdown(Shutdown::Write).unwrap();
    if let Some(answer) = Answer::try_read(&mut gone) {
        answer.is(400);
    }
    assert_eq!(end(proxy)["unanswered"], 0);
}

#[test]
fn an_answer_before_the_end_of_the_body_arrives() {
    let (dir, behind) = (Dir::new(), Behind::start());
    let proxy = start(&dir, "", &behind, &[]);
    let mut stream = send(
        &proxy,
        "POST /early HTTP/1.1\r\nHost: h\r\nContent-Length: 100000000\r\n\r\n",
    );
    // More than all buffers on the way hold; the last write fails when the proxy gives the body up.
    let piece = [b'x'; 1 << 16];
    while stream.write_all(&piece).is_ok() {}
    let answer = Answer::read(&mut stream).is(413);
    assert_eq!(answer.body, "too large");
    end(proxy);
}

#[test]
fn connections_beyond_the_limit_wait() {
    let (dir, behind) = (Dir::new(), Behind::start());
    let proxy = start(&dir, "[limits]\nconnections = 1\n", &behind, &[]);
    let request = "GET / HTTP/1.1\r\nHost: h\r\n\r\n";
    let mut first = send(&proxy, request);
    next_answer(&mut first);
    let mut second = send(&proxy, request);
    second
        .set_read_timeout(Some(Duration::from_millis(300)))
        .unwrap();
    let nothing = second.read(&mut [0]).unwrap_err().kind();
    assert!(
        matches!(nothing, ErrorKind::WouldBlock | ErrorKind::TimedOut),
        "{nothing}"
    );
    assert_eq!(behind.seen().len(), 1);
    drop(first);
    second.set_read_timeout(Some(PATIENCE)).unwrap();
    next_answer(&mut second);
    drop(second);
    end(proxy);
}

/// If it were closed immediately, a client that still sends would lose the answer.
#[test]
fn a_connection_lingers_after_an_answer_before_the_end_of_the_body() {
    let (dir, behind) = (Dir::new(), Behind::start());
    let rules = rule("bad", "block", r#"http.request.uri.path eq "/bad""#);
    let proxy = start(&dir, &rules, &behind, &[]);
    let mut stream = send(
        &proxy,
        "POST /bad HTTP/1.1\r\nHost: h\r\nContent-Length: 100000000\r\n\r\nx",
    );
    Answer::read(&mut stream).is(403);
    // The answer was read to its end, and the other direction is still open. The system answers the
    // first write to a closed connection, and the second one fails.
    for _ in 0..3 {
        stream.write_all(b"x").unwrap();
        thread::sleep(Duration::from_millis(50));
    }
    // The connection is closed eventually.
    let started = Instant::now();
    while stream.write_all(b"x").is_ok() {
        assert!(started.elapsed() < PATIENCE, "the connection stays open");
        thread::sleep(Duration::from_millis(50));
    }
    end(proxy);
}
