//! Clients with wrong secrets, and malformed bodies.

use std::{
    io::{Read, Write},
    net::{Shutdown, TcpStream},
    thread,
    time::Duration,
};

use super::server::{Answer, Lines, SECRET, Server, TOKEN, folder, gzip, numbers, post, segments};

/// The answer comes although the body never does. If the body is sent anyway, only the system's
/// buffers take some of it.
#[test]
fn a_wrong_secret_is_refused_before_the_body() {
    let dir = folder();
    let server = Server::start(&dir, "");
    for (headers, code) in [
        (format!("X-Secret: {}\r\n", "0".repeat(20)), "wrong_secret"),
        (format!("Authorization: {SECRET}\r\n"), "wrong_secret"),
        (format!("X-Secret: {SECRET}0\r\n"), "wrong_secret"),
        (String::new(), "no_secret"),
    ] {
        let head = format!(
            "POST /logs HTTP/1.1\r\nHost: a\r\n{headers}Expect: 100-continue\r\nContent-Length: 1000000000\r\n\r\n"
        );
        server.raw(head.as_bytes()).refuses(401, code);
        // The connection stays open for two seconds, for clients that still send.
        if code == "no_secret" {
            let mut stream = server.connect();
            stream.write_all(head.as_bytes()).unwrap();
            let mut sent = 0;
            while let Ok(written) = stream.write(&[b'x'; 65_536]) {
                sent += written;
                assert!(sent < 64 << 20, "the body is read");
            }
        }
    }
    let collector = |authorization: &str| {
        let headers = format!("Authorization: {authorization}\r\n");
        let answer = server.post("/services/collector/event", &headers, b"{\"event\":1}");
        answer.is(401).json()["code"].as_u64()
    };
    assert_eq!(collector(&format!("Splunk {SECRET}")), Some(4));
    assert_eq!(collector("Splunk"), Some(4));
    let none = b"POST /services/collector HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n";
    assert_eq!(server.raw(none).is(401).json()["code"], 2);
    let secret = format!("Authorization: Splunk {TOKEN}\r\n");
    server
        .post("/services/collector", &secret, b"{\"event\":1}")
        .is(200);
    server.end();
    assert_eq!(segments(&dir.path("out")), "{\"event\":1}\n");
}

/// Nothing of a body is written unless all of it is good.
#[test]
fn damaged_bodies_are_refused_whole() {
    let dir = folder();
    let lines = Lines::new(&dir);
    let server = Server::start(&dir, "");
    // More than a batch, so that the first ones are opened before the damage is seen.
    let text = (0..20_000)
        .map(|n| format!("{{\"n\":{n}}}\n"))
        .collect::<String>();
    let good = gzip(text.as_bytes());
    let mut flipped = good.clone();
    let middle = flipped.len() / 2;
    flipped[middle] ^= 0xff;
    for damaged in [
        &good[..good.len() - 1],
        &good[..middle],
        &flipped,
        &[&good[..], b"more"].concat(),
    ] {
        server.push(damaged).refuses(400, "damaged");
    }
    // The client disconnects in the middle of a body.
    for body in [text.as_bytes(), &good] {
        let mut stream = server.connect();
        stream
            .write_all(post("/logs", "", body.len()).as_bytes())
            .unwrap();
        stream.write_all(&body[..body.len() / 2]).unwrap();
        stream.shutdown(Shutdown::Both).unwrap();
    }
    // Formats that are recognised and not read.
    for other in [&b"\xfd7zXZ\0"[..], b"PAR1\x15", b"\0\0\x01\x02"] {
        server.push(other).refuses(415, "unsupported_format");
    }
    // Not HTTP.
    server
        .connect()
        .write_all(b"\x16\x03\x01\0\0\r\n\r\n")
        .unwrap();
    server.push(lines.line(1).as_bytes()).is(200);
    let log = server.end();
    assert_eq!(numbers(&segments(&dir.path("out"))), [(1, 1)].into());
    let cut_off = log.iter().filter(|line| line["code"] == "cut_off");
    assert_eq!(cut_off.count(), 2);
}

/// 10 GiB in 10 MiB of gzip: refused at the limit, with a bounded use of memory, whether it is one
/// line or many.
#[test]
fn a_decompression_bomb_is_refused_in_little_memory() {
    let dir = folder();
    let server = Server::start(&dir, "decompressed = \"64MiB\"");
    for byte in [b'x', b'\n'] {
        let member = gzip(&vec![byte; 1 << 20]);
        let bomb = member.repeat(10 << 10);
        server.push(&bomb).refuses(413, "decompressed_too_large");
    }
    server.push(b"{\"n\":1}\n").is(200);
    if let Some(kib) = server.most_memory() {
        assert!(kib < 400 << 10, "{kib} KiB");
    }
    server.end();
    assert_eq!(numbers(&segments(&dir.path("out"))), [(1, 1)].into());
}

#[test]
fn bodies_have_a_limit() {
    let dir = folder();
    let server = Server::start(&dir, "body = \"100KiB\"");
    let line = "{\"n\":1}\n".repeat(12_800);
    server.push(line.as_bytes()).is(200);
    // By its length, before any of it is sent.
    server
        .raw(post("/logs", "", 102_401).as_bytes())
        .refuses(413, "body_too_large");
    // In chunks the length is not known before.
    let head =
        post("/logs", "Transfer-Encoding: chunked\r\n", 0).replace("Content-Length: 0\r\n", "");
    let body = format!("{:x}\r\n{line}{line}\r\n0\r\n\r\n", 2 * line.len());
    server
        .raw((head + &body).as_bytes())
        .refuses(413, "body_too_large");
    server.end();
    assert_eq!(numbers(&segments(&dir.path("out"))), [(1, 12_800)].into());
}

/// A client of a few bytes per second is cut off, holds no thread while it sends, and others do not
/// wait for it.
#[test]
fn a_slow_client_is_cut_off_and_keeps_nobody_waiting() {
    let dir = folder();
    let server = Server::start(
        &dir,
        "requests = 1\nbody-time = \"2s\"\nidle-time = \"1s\"\nheader-time = \"1s\"",
    );
    let slow = || {
        let mut stream = server.connect();
        stream
            .write_all(post("/logs", "", 1000).as_bytes())
            .unwrap();
        stream
    };
    let (mut dripping, mut silent) = (slow(), slow());
    let mut writer = dripping.try_clone().unwrap();
    let dripper = thread::spawn(move || {
        while writer.write_all(b"x").is_ok() {
            thread::sleep(Duration::from_millis(300));
        }
    });
    let mut headers = server.connect();
    headers.write_all(b"POST /logs HTTP/1.1\r\nHo").unwrap();
    // There is one place, and none of them has it.
    for number in 0..3 {
        server
            .push(format!("{{\"n\":{number}}}").as_bytes())
            .is(200);
    }
    Answer::read(&mut dripping).refuses(408, "timeout");
    Answer::read(&mut silent).refuses(408, "timeout");
    assert_eq!(headers.read(&mut [0; 1]).unwrap_or(0), 0);
    drop((dripping, silent));
    dripper.join().unwrap();
    server.end();
    assert_eq!(
        numbers(&segments(&dir.path("out"))),
        (0..3).map(|n| (n, 1)).collect()
    );
}

/// 1,100 idle connections, of which 76 wait in the system's queue.
#[test]
fn idle_connections_make_room() {
    rlimit::increase_nofile_limit(4096).unwrap();
    let dir = folder();
    let server = Server::start(&dir, "header-time = \"1s\"");
    let idle: Vec<TcpStream> = (0..1100).map(|_| server.connect()).collect();
    server.push(b"{\"n\":1}").is(200);
    drop(idle);
    server.end();
    assert_eq!(numbers(&segments(&dir.path("out"))), [(1, 1)].into());
}

/// Requests that find no place in time are asked to retry.
#[test]
fn too_many_requests_are_told_to_come_again() {
    let dir = folder();
    let server = Server::start(&dir, "requests = 1\nqueue-time = \"1s\"");
    // Large enough that a thread takes it before its end.
    let text = "{\"n\":1}\n".repeat(20_000);
    let mut first = server.connect();
    first
        .write_all(post("/logs", "", text.len()).as_bytes())
        .unwrap();
    first.write_all(&text.as_bytes()[..100_000]).unwrap();
    let mut refused = 0;
    while refused == 0 {
        let answer = server.push(b"{\"n\":2}");
        if answer.status == 503 {
            assert!(answer.head.to_ascii_lowercase().contains("retry-after: "));
            answer.refuses(503, "busy");
            refused += 1;
        }
    }
    first.write_all(&text.as_bytes()[100_000..]).unwrap();
    Answer::read(&mut first).is(200);
    server.push(b"{\"n\":3}").is(200);
    server.end();
    let counts = numbers(&segments(&dir.path("out")));
    assert_eq!((counts[&1], counts[&3]), (20_000, 1));
}
