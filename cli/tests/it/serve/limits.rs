//! Limits hold for clients that have a secret too.

use std::{
    fs,
    io::{ErrorKind, Write},
    net::Shutdown,
    process::Command,
    thread,
    time::{Duration, Instant},
};

use super::server::{Answer, CLIENTS, Lines, OUTPUT, PATIENCE, Server, folder, post};
use crate::common::{Dir, PQSEAL};

/// Returns options with a key that only a helper has, whose process id is in the file `helper`, and
/// lines sealed to it.
pub(crate) fn helper(dir: &Dir) -> (String, Lines) {
    let public = dir.pqseal(&["keygen", "--kem", "x25519", "-o", "new.pem"]);
    let lines = Lines::to(dir, public.out().trim());
    let helper = format!("echo $$ > helper; exec {PQSEAL} key serve -k new.pem 2> /dev/null");
    (format!("decap-command = '{helper}'\n"), lines)
}

/// Sends a signal to the helper.
pub(crate) fn signal_helper(dir: &Dir, name: &str) {
    let id = fs::read_to_string(dir.path("helper")).unwrap();
    let sent = Command::new("kill").args(["-s", name, id.trim()]).status();
    assert!(sent.unwrap().success());
}

/// Waits until `is_so` holds.
#[track_caller]
pub(crate) fn until(mut is_so: impl FnMut() -> bool) {
    let started = Instant::now();
    while !is_so() {
        assert!(started.elapsed() < PATIENCE, "it does not come");
        thread::sleep(Duration::from_millis(20));
    }
}

/// A client that gives up does not make room for a request while its own is still being opened.
#[test]
fn a_request_that_was_given_up_keeps_its_place_until_its_thread_ends() {
    let dir = folder();
    let (open, lines) = helper(&dir);
    let limits = "\n[limits]\nrequests = 1\nqueue-time = \"1s\"\n";
    let server = Server::with(&dir, "", &(open + OUTPUT + limits));
    signal_helper(&dir, "STOP");
    let body = lines.line(1);
    let mut gives_up = server.connect();
    let request = post("/logs", "", body.len()) + &body;
    gives_up.write_all(request.as_bytes()).unwrap();
    let in_work = || server.metrics()["pqseal_requests_in_work"];
    until(|| in_work() == 1);
    gives_up.shutdown(Shutdown::Both).unwrap();
    drop(gives_up);
    until(|| server.metrics()["pqseal_connections"] == 1);
    assert_eq!(in_work(), 1);
    server.push(b"{\"n\":2}").refuses(503, "busy");
    signal_helper(&dir, "CONT");
    until(|| in_work() == 0);
    server.push(b"{\"n\":3}").is(200);
    server.end();
}

/// A body that is large enough to have a place, and then drips, loses it long before `body-time`.
/// One that keeps its rate is accepted, although it takes as long.
#[test]
fn a_body_in_work_keeps_a_rate() {
    let dir = folder();
    let server = Server::start(
        &dir,
        "requests = 2\nqueue-time = \"60s\"\nbody-rate = \"4KiB\"\nbody-pause = \"3s\"",
    );
    let line = b"{\"n\":1}\n";
    let begin = |length: usize| {
        let mut stream = server.connect();
        stream
            .write_all(post("/logs", "", length).as_bytes())
            .unwrap();
        stream.write_all(&line.repeat(10_000)).unwrap();
        stream
    };
    let drip = |length: usize, piece: Vec<u8>| {
        let stream = begin(length);
        let mut writer = stream.try_clone().unwrap();
        let dripper = thread::spawn(move || {
            let started = Instant::now();
            while started.elapsed() < Duration::from_secs(60) && writer.write_all(&piece).is_ok() {
                thread::sleep(Duration::from_secs(1));
            }
        });
        (stream, dripper)
    };
    let started = Instant::now();
    let (mut slow, dripping) = drip(1_000_000, b"\n".to_vec());
    let (mut steady, sending) = drip(80_000 + 5 * 8000, line.repeat(1000));
    Answer::read(&mut slow).refuses(408, "timeout");
    Answer::read(&mut steady).is(200);
    assert!(started.elapsed() >= Duration::from_secs(4));
    drop((slow, steady));
    dripping.join().unwrap();
    sending.join().unwrap();
    server.end();
}

/// A client that sends its body byte by byte takes no more memory than one that sends it in one
/// piece.
#[test]
#[cfg(target_os = "linux")]
fn a_body_of_small_pieces_takes_little_memory() {
    let dir = folder();
    let server = Server::start(&dir, "");
    server.push(b"{\"n\":1}").is(200);
    let before = server.most_memory().unwrap();
    let mut stream = server.connect();
    stream.set_nodelay(true).unwrap();
    let head = post("/logs", "", 5000);
    stream.write_all(head.as_bytes()).unwrap();
    for _ in 0..5000 {
        stream.write_all(b"\n").unwrap();
        // Each becomes a separate piece.
        thread::sleep(Duration::from_micros(200));
    }
    Answer::read(&mut stream).is(200);
    let more = server.most_memory().unwrap() - before;
    assert!(more < 8 << 10, "{more} KiB");
    server.end();
}

/// A connection is a file; so are events that do not fit in memory.
#[test]
#[cfg(target_os = "linux")]
fn fewer_files_are_fewer_connections() {
    let dir = folder();
    let config = format!("listen = \"127.0.0.1:0\"\n{CLIENTS}{OUTPUT}");
    dir.write("pqseal.toml", config);
    let mut command = dir.command("sh");
    let run = format!("ulimit -n 200; exec {PQSEAL} logs serve -c pqseal.toml");
    command.args(["-c", &run]);
    let mut server = Server::run(&dir, command);
    let line = server.wait_for("few_files", |_| true);
    assert_eq!(
        (&line["granted"], &line["connections"]),
        (&200.into(), &72.into())
    );
    // The others wait in the system's queue, which holds 128.
    let idle: Vec<_> = (0..180).map(|_| server.connect()).collect();
    drop(idle);
    server.push(b"{\"n\":1}").is(200);
    server.end();
}

/// Clients without a secret cannot fill the log: one line per second, while all are counted.
#[test]
fn refusals_of_strangers_are_counted_and_not_all_logged() {
    let dir = folder();
    let server = Server::start(&dir, "");
    let started = Instant::now();
    for path in ["/logs", "/none"] {
        for _ in 0..200 {
            let head = format!("GET {path} HTTP/1.1\r\nHost: a\r\n\r\n");
            server.raw(head.as_bytes()).refuses(401, "no_secret");
        }
    }
    let seconds = usize::try_from(started.elapsed().as_secs()).unwrap();
    let metrics = server.metrics();
    assert_eq!(metrics["pqseal_requests_total{code=\"no_secret\"}"], 400);
    let log = server.end();
    let lines = log.iter().filter(|line| line["code"] == "no_secret");
    let lines = lines.count();
    assert!((1..=seconds + 2).contains(&lines), "{lines} in {seconds} s");
}

/// A client that sends requests and reads no answer loses its connection.
#[test]
fn a_client_that_reads_nothing_is_cut_off() {
    let dir = folder();
    let server = Server::start(&dir, "idle-time = \"1s\"");
    let mut deaf = server.connect();
    deaf.set_write_timeout(Some(Duration::from_secs(30)))
        .unwrap();
    let request = b"GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n".repeat(1000);
    let error = loop {
        if let Err(error) = deaf.write_all(&request) {
            break error.kind();
        }
    };
    assert!(
        matches!(error, ErrorKind::ConnectionReset | ErrorKind::BrokenPipe),
        "{error}"
    );
    until(|| server.metrics()["pqseal_connections"] == 1);
    server.end();
}
