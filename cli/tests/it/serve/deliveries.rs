//! Acknowledged events are not lost: across kill -9, full disks and signals.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs::{self, File},
    io::{Read, Write},
    net::{Shutdown, SocketAddr, TcpStream},
    sync::{
        Mutex,
        atomic::{AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use super::server::{
    Answer, CLIENTS, Lines, OUTPUT, PATIENCE, Server, folder, gzip, numbers, post, segments,
};
use crate::common::{PQSEAL, free_address};

/// The number of batches, and of events per batch.
const BATCHES: u64 = 1000;
const BATCH: u64 = 100;

/// Posts a batch until it is acknowledged. Returns how often that took more than one attempt.
fn insist(address: SocketAddr, body: &[u8]) -> u64 {
    let mut attempts = 0;
    loop {
        attempts += 1;
        if once(address, body).is_some_and(|answer| answer.status == 200) {
            return attempts;
        }
        thread::sleep(Duration::from_millis(20));
    }
}

fn once(address: SocketAddr, body: &[u8]) -> Option<Answer> {
    let mut stream = TcpStream::connect(address).ok()?;
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream
        .write_all(post("/logs", "", body.len()).as_bytes())
        .ok()?;
    stream.write_all(body).ok()?;
    Answer::try_read(&mut stream)
}

/// Four clients send 100,000 events while the receiver is killed again and again. Each event is
/// there, and only those of a batch that was sent more than once may be repeated.
#[test]
fn acknowledged_events_survive_kill_9() {
    let dir = folder();
    let lines = Lines::new(&dir);
    let address = free_address();
    let output = format!("{OUTPUT}rotate-size = \"1MiB\"\n");
    dir.write(
        "pqseal.toml",
        format!("listen = \"{address}\"\n{CLIENTS}{output}"),
    );
    let start = || {
        let mut command = dir.command(PQSEAL);
        command.args(["logs", "serve", "-c", "pqseal.toml"]);
        Server::run(&dir, command)
    };
    let batch = |number: u64| {
        let event = |n: u64| match n % 20 {
            0 => lines.line(n),
            _ => format!("{{\"n\":{n}}}\n"),
        };
        (number * BATCH..(number + 1) * BATCH)
            .map(event)
            .collect::<String>()
    };
    let (next, repeated) = (AtomicU64::new(0), Mutex::new(BTreeSet::new()));
    let mut server = Some(start());
    let mut kills = 0;
    thread::scope(|scope| {
        let send = || loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= BATCHES {
                break;
            }
            let body = batch(number);
            let body = if number % 2 == 0 {
                gzip(body.as_bytes())
            } else {
                body.into_bytes()
            };
            if insist(address, &body) > 1 {
                repeated.lock().unwrap().insert(number);
            }
        };
        let clients: Vec<_> = (0..4).map(|_| scope.spawn(send)).collect();
        while clients.iter().any(|client| !client.is_finished()) {
            // The moments differ from run to run with the speed of the machine; what is asserted
            // holds for all of them.
            thread::sleep(Duration::from_millis(150 + 37 * kills % 200));
            server.take().expect("one runs").kill();
            kills += 1;
            server = Some(start());
        }
    });
    server.expect("one runs").end();
    let counts = numbers(&segments(&dir.path("out")));
    let all: Vec<_> = counts.keys().copied().collect();
    assert_eq!(all, (0..BATCHES * BATCH).collect::<Vec<_>>());
    let repeated = repeated.into_inner().unwrap();
    for (number, count) in &counts {
        assert!(
            *count == 1 || repeated.contains(&(number / BATCH)),
            "{number}: {count} times"
        );
    }
    assert!(
        kills > 0 && !repeated.is_empty(),
        "{kills} kills hit nothing"
    );
}

/// With a full disk nothing is acknowledged, and no part of a request stays. Requests that fit
/// afterwards are accepted. A limit of the size of files simulates it without privileges.
#[test]
fn a_full_disk_refuses_and_recovers() {
    let dir = folder();
    dir.write(
        "pqseal.toml",
        format!("listen = \"127.0.0.1:0\"\n{CLIENTS}{OUTPUT}"),
    );
    let mut command = dir.command("sh");
    // In units of 512 bytes.
    command.args([
        "-c",
        &format!("ulimit -f 64; exec {PQSEAL} logs serve -c pqseal.toml"),
    ]);
    let server = Server::run(&dir, command);
    let body = |first: u64, count: u64| {
        (first..first + count)
            .map(|n| format!("{{\"n\":{n:6}}}\n"))
            .collect::<String>()
    };
    // 13 bytes each: 15 kB, of which two fit into a segment of 32 KiB.
    let mut taken = BTreeMap::new();
    let mut refused = 0;
    for round in 0..6 {
        let first = round * 1200;
        let answer = server.push(body(first, 1200).as_bytes());
        match answer.status {
            200 => taken.extend((first..first + 1200).map(|n| (n, 1))),
            _ => {
                answer.refuses(503, "storage");
                refused += 1;
            }
        }
    }
    assert!(refused > 0 && !taken.is_empty(), "{refused}");
    // Never fits.
    server
        .push(body(90_000, 3000).as_bytes())
        .refuses(503, "storage");
    let ready = b"GET /readyz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
    server.raw(ready).is(503);
    // Nothing was delivered by these.
    server.push(b"").is(200);
    server.push(b"{\"content\":\"tests\"}").is(200);
    server.get("/services/collector/health").is(200);
    server.raw(ready).is(503);
    assert_eq!(
        server.metrics()["pqseal_requests_total{code=\"ok\"}"],
        i64::try_from(taken.len()).unwrap() / 1200 + 2
    );
    server.push(body(95_000, 1).as_bytes()).is(200);
    taken.insert(95_000, 1);
    server.raw(ready).is(200);
    server.end();
    assert_eq!(numbers(&segments(&dir.path("out"))), taken);
}

/// A file that was removed or moved, or whose folder was, takes no more events. The log, the
/// counters, the readiness and the exit code show that acknowledged events are lost.
#[test]
fn events_are_not_acknowledged_into_a_file_that_is_gone() {
    for (gone, is_refused) in [
        ("rm out/*.part", false),
        ("mv out/*.part moved", false),
        ("mv out moved", true),
        ("rm -r out", true),
    ] {
        let dir = folder();
        let mut server = Server::start(&dir, "");
        server.push(b"{\"n\":1}\n").is(200);
        assert_eq!(server.get("/readyz").status, 200);
        dir.shell(gone).succeeds();
        if is_refused {
            server.push(b"{\"n\":2}\n").refuses(503, "storage");
            server.get("/readyz").is(503);
            server.wait_for("storage", |line| {
                line["reason"].as_str().unwrap().contains("the folder out")
            });
            fs::create_dir(dir.path("out")).unwrap();
        }
        server.push(b"{\"n\":3}\n").is(200);
        server.get("/readyz").is(503);
        server.wait_for("lost", |line| line["level"] == "error");
        assert_eq!(server.metrics()["pqseal_lost_files_total"], 1);
        server.signal("TERM");
        server.wait_exit(1);
        assert_eq!(
            numbers(&segments(&dir.path("out"))),
            [(3, 1)].into(),
            "{gone}"
        );
    }
}

/// A request that has begun is completed; later connections are refused.
#[test]
fn sigterm_finishes_what_has_begun() {
    let dir = folder();
    let mut server = Server::start(&dir, "");
    let body = "{\"n\":1}\n".repeat(50_000);
    let mut stream = server.connect();
    stream
        .write_all(post("/logs", "", body.len()).as_bytes())
        .unwrap();
    stream.write_all(&body.as_bytes()[..100_000]).unwrap();
    let idle = server.connect();
    // It is in work by now.
    while server.metrics()["pqseal_requests_in_work"] == 0 {
        thread::sleep(Duration::from_millis(10));
    }
    server.signal("TERM");
    server.wait_for("stopping", |_| true);
    stream.write_all(&body.as_bytes()[100_000..]).unwrap();
    Answer::read(&mut stream).is(200);
    drop(idle);
    server.wait_end();
    assert!(TcpStream::connect(server.address).is_err());
    assert_eq!(numbers(&segments(&dir.path("out"))), [(1, 50_000)].into());
}

/// A client that never finishes does not prevent the receiver from ending.
#[test]
fn sigterm_does_not_wait_forever() {
    let dir = folder();
    let mut server = Server::start(&dir, "stop-time = \"1s\"");
    let mut stream = server.connect();
    stream
        .write_all(post("/logs", "", 1_000_000).as_bytes())
        .unwrap();
    stream
        .write_all("{\"n\":1}\n".repeat(20_000).as_bytes())
        .unwrap();
    while server.metrics()["pqseal_requests_in_work"] == 0 {
        thread::sleep(Duration::from_millis(10));
    }
    server.signal("TERM");
    server.wait_end();
    stream.shutdown(Shutdown::Both).unwrap_or_default();
    assert_eq!(segments(&dir.path("out")), "");
}

/// A disk that does not answer, here a pipe that nobody empties, does not prevent the receiver from
/// ending. The next start completes what was acknowledged.
#[test]
fn a_disk_that_blocks_is_not_waited_for_without_end() {
    let dir = folder();
    dir.shell("mkfifo dead").succeeds();
    let output = format!("{OUTPUT}\n[limits]\nstop-time = \"1s\"\n");
    let mut server = Server::with(&dir, "dead-letter = \"dead\"", &output);
    server.push(b"{\"n\":1}\n").is(200);
    // Their dead letters have more than the 65,536 bytes that a pipe holds.
    let damaged = "{\"encrypted_matched_data\":\"AzTY\"}\n".repeat(2000);
    let mut stream = server.connect();
    let request = post("/logs", "", damaged.len()) + &damaged;
    stream.write_all(request.as_bytes()).unwrap();
    let mut pipe = File::open(dir.path("dead")).unwrap();
    pipe.read_exact(&mut [0]).unwrap();
    let begun = Instant::now();
    while server.get("/readyz").status == 200 {
        assert!(begun.elapsed() < Duration::from_secs(60), "it stays ready");
        thread::sleep(Duration::from_millis(100));
    }
    let unready = server.get("/readyz");
    assert_eq!(unready.body, "not ready: the disk does not answer\n");
    server.signal("TERM");
    server.wait_exit(3);
    server.wait_for("cut_off", |line| line["level"] == "error");
    Server::start(&dir, "").end();
    assert_eq!(numbers(&segments(&dir.path("out"))), [(1, 1)].into());
}

#[test]
fn segments_are_completed_by_size_and_by_age() {
    let dir = folder();
    let output = format!("{OUTPUT}prefix = \"waf\"\nrotate-size = \"1KiB\"\nrotate-age = \"1s\"\n");
    let mut server = Server::with(&dir, "", &output);
    server.push("{\"n\":1}\n".repeat(200).as_bytes()).is(200);
    server.push(b"{\"n\":2}\n").is(200);
    let names = || {
        let names = fs::read_dir(dir.path("out")).unwrap();
        let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<_> = names.filter(|name| !name.starts_with('.')).collect();
        names.sort();
        names
    };
    // The second is completed by its age, without another request.
    while names().iter().any(|name| name.ends_with(".part")) {
        thread::sleep(Duration::from_millis(20));
    }
    let names = names();
    assert!(
        names.len() == 2 && names.iter().all(|name| name.starts_with("waf-2")),
        "{names:?}"
    );
    server.signal("TERM");
    server.wait_end();
    assert_eq!(
        numbers(&segments(&dir.path("out"))),
        [(1, 200), (2, 1)].into()
    );
}
