//! With `--require-log`, events of answered or forwarded requests are in the log, across kill -9.

use std::{
    collections::BTreeMap,
    io::Write,
    net::{SocketAddr, TcpStream},
    sync::{
        Mutex,
        atomic::{AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use super::{behind::Behind, command, end, events, rule};
use crate::{
    common::{Dir, free_address},
    serve::server::{Answer, PATIENCE, Server},
};

const REQUESTS: u64 = 1500;
const MOST_KILLS: u64 = 40;

/// Sends a request until it is answered, and returns how often it was sent.
fn insist(address: SocketAddr, number: u64) -> usize {
    let (started, mut attempts) = (Instant::now(), 1);
    while once(address, number).is_none_or(|answer| answer.status != 200) {
        assert!(started.elapsed() < PATIENCE, "{number} is not answered");
        attempts += 1;
        thread::sleep(Duration::from_millis(20));
    }
    attempts
}

fn once(address: SocketAddr, number: u64) -> Option<Answer> {
    let mut stream = TcpStream::connect(address).ok()?;
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let request = format!("GET /{number} HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).ok()?;
    Answer::try_read(&mut stream)
}

/// Counts how often each number occurs.
fn count(numbers: impl Iterator<Item = String>) -> BTreeMap<u64, usize> {
    let mut counts = BTreeMap::new();
    for number in numbers {
        *counts.entry(number.parse().unwrap()).or_default() += 1;
    }
    counts
}

/// Four clients send while the proxy is killed again and again. The log has an event for each
/// answer and for each request that the server got, and none that was not sent.
#[test]
fn answered_requests_survive_kill_9() {
    let (dir, behind) = (Dir::new(), Behind::start());
    let address = free_address();
    let rules = rule("all", "log", r#"http.request.uri.path contains "/""#);
    let listen = address.to_string();
    let more = ["--listen", &listen, "--require-log"];
    let start = || Server::run(&dir, command(&dir, &rules, &behind.url(), &more));
    let (next, sent) = (AtomicU64::new(0), Mutex::new(BTreeMap::new()));
    let mut proxy = Some(start());
    let mut kills = 0;
    thread::scope(|scope| {
        let send = || loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= REQUESTS {
                break;
            }
            let attempts = insist(address, number);
            sent.lock().unwrap().insert(number, attempts);
        };
        let clients: Vec<_> = (0..4).map(|_| scope.spawn(send)).collect();
        // On a slow machine the rest is answered without kills.
        while kills < MOST_KILLS && clients.iter().any(|client| !client.is_finished()) {
            // The moments differ from run to run with the speed of the machine; what is asserted
            // holds for all of them.
            thread::sleep(Duration::from_millis(50 + 37 * kills % 100));
            proxy.take().expect("one runs").kill();
            kills += 1;
            proxy = Some(start());
        }
    });
    end(proxy.expect("one runs"));
    let read = |data: String| data.trim_matches(|c: char| !c.is_ascii_digit()).to_owned();
    let logged = count(events(&dir, "log").into_iter().map(|(_, data)| read(data)));
    let target = |head: &str| head[5..].split(' ').next().unwrap().to_owned();
    let forwarded = count(behind.seen().iter().map(|seen| target(&seen.head)));
    let sent = sent.into_inner().unwrap();
    assert_eq!(sent.len() as u64, REQUESTS);
    assert!(logged.keys().all(|number| sent.contains_key(number)));
    for (number, attempts) in &sent {
        let logged = logged.get(number).copied().unwrap_or(0);
        assert!(
            forwarded[number] <= logged && logged <= *attempts,
            "{number}: sent {attempts} times, forwarded {} times, logged {logged} times",
            forwarded[number]
        );
    }
    assert!(
        kills > 0 && sent.values().any(|attempts| *attempts > 1),
        "{kills} kills hit nothing"
    );
}
