//! Reloads while it runs: keys, secrets, certificates, and helpers that are restarted.

use std::{
    fs,
    io::{Read, Write},
    process::Child,
    thread,
    time::{Duration, Instant},
};

use serde_json::Value;

use super::{
    certificates,
    keys::by_tls,
    limits::{helper, signal_helper, until},
    server::{Lines, OUTPUT, SECRET, Server, folder, post, segments},
};
use crate::common::PRIVATE_KEY;

#[test]
fn sighup_reads_keys_and_secrets_again() {
    let dir = folder();
    let public = dir.pqseal(&["keygen", "--kem", "x25519", "-o", "new.pem"]);
    let new = Lines::to(&dir, public.out().trim());
    let mut server = Server::start(&dir, "");
    let opened = |server: &Server| {
        let count = server.metrics()["pqseal_records_total{outcome=\"opened\"}"];
        server.push(new.line(1).as_bytes()).is(200);
        server.metrics()["pqseal_records_total{outcome=\"opened\"}"] - count
    };
    assert_eq!(opened(&server), 0);
    // A damaged key file changes nothing.
    dir.write("key.txt", "no key");
    server.signal("HUP");
    let line = server.wait_for("not_reloaded", |_| true);
    assert_eq!(
        (line["code"].as_str(), line["level"].as_str()),
        (Some("bad_key"), Some("error"))
    );
    server.push(Lines::new(&dir).line(2).as_bytes()).is(200);
    assert_eq!(server.metrics()["pqseal_failed_reloads_total"], 1);
    // The old key and the new one, and another secret for `splunk`.
    let both = format!(
        "{}{PRIVATE_KEY}\n",
        String::from_utf8(dir.read("new.pem")).unwrap()
    );
    dir.write("key.txt", both);
    let token = "another secret of splunk";
    dir.write("splunk.secret", token);
    server.signal("HUP");
    server.wait_for("reloaded", |line| line["keys"] == 2);
    assert_eq!(opened(&server), 1);
    let with = |token: &str| {
        let headers = format!("Authorization: Splunk {token}\r\n");
        server.post("/services/collector/raw", &headers, b"").status
    };
    assert_eq!((with(token), with(super::server::TOKEN)), (200, 401));
    // Counters go on, by the ids of keys, although their places changed.
    let metrics = server.metrics();
    let by_key = metrics
        .iter()
        .filter(|(name, _)| name.starts_with("pqseal_opened_fields_total"));
    assert_eq!(by_key.map(|(_, count)| *count).collect::<Vec<_>>(), [1, 1]);
    server.end();
    let lines = segments(&dir.path("out"));
    let statuses = lines
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    let statuses: Vec<_> = statuses
        .map(|line| line.get("decrypt_status").is_some())
        .collect();
    assert_eq!(statuses, [true, false, false]);
}

/// A helper that dies makes its records wait, the log has the reason, and it is restarted.
#[test]
fn a_helper_that_died_is_started_again() {
    let dir = folder();
    let (open, lines) = helper(&dir);
    let pause = "[limits]\nhelper-pause = \"2s\"\n";
    let mut server = Server::with(&dir, "", &(open + OUTPUT + pause));
    server.push(lines.line(1).as_bytes()).is(200);
    signal_helper(&dir, "KILL");
    until(|| server.push(lines.line(2).as_bytes()).status == 503);
    let line = server.wait_for("request", |line| line["code"] == "key_unavailable");
    let reason = line["reason"].as_str().unwrap();
    assert!(reason.contains("it ended (signal: 9"), "{reason}");
    until(|| server.push(lines.line(3).as_bytes()).status == 200);
    // A helper that does not start is not retried by each request.
    signal_helper(&dir, "KILL");
    let moved = fs::read_to_string(dir.path("new.pem")).unwrap();
    dir.write("new.pem", "no key");
    until(|| {
        server.push(lines.line(4).as_bytes()).is(503);
        server.metrics()["pqseal_failed_reloads_total"] > 0
    });
    for _ in 0..50 {
        server
            .push(lines.line(4).as_bytes())
            .refuses(503, "key_unavailable");
    }
    assert!(server.metrics()["pqseal_failed_reloads_total"] < 5);
    dir.write("new.pem", moved);
    until(|| server.push(lines.line(5).as_bytes()).status == 200);
    server.end();
}

/// A command for keys that hangs delays neither requests nor the end.
#[test]
fn a_reload_that_hangs_does_not_keep_it_from_ending() {
    let dir = folder();
    let command = "if test -e hang; then touch hangs; exec sleep 60; fi; cat key.txt";
    let limits = "[limits]\nstop-time = \"1s\"\n";
    let open = format!("key-command = '{command}'\n{OUTPUT}{limits}");
    let mut server = Server::with(&dir, "", &open);
    dir.write("hang", "");
    server.signal("HUP");
    until(|| dir.path("hangs").exists());
    server.push(b"{\"n\":1}").is(200);
    let started = Instant::now();
    server.signal("TERM");
    server.wait_end();
    assert!(started.elapsed() < Duration::from_secs(30));
    assert_eq!(segments(&dir.path("out")), "{\"n\":1}\n");
}

/// A reload closes connections whose certificates were checked with an older authority: after their
/// current request, or at once if they have none.
#[test]
fn a_reload_ends_connections_of_an_older_authority() {
    let dir = folder();
    certificates::make(&dir);
    fs::copy(dir.path("ca.pem"), dir.path("clients.pem")).unwrap();
    let tls = "[tls]\ncertificate = \"localhost.pem\"\nkey = \"localhost.key\"\nclient-ca = \"clients.pem\"\n";
    let limits = "[limits]\nheader-time = \"120s\"\n";
    let mut server = Server::with(&dir, "", &format!("{OUTPUT}{tls}{limits}"));
    let mut clients: Vec<_> = ["", "{\"n\":1}\n", "{\"n\":2}\n"]
        .map(|_| certificates::client(&dir, &server, Some("client")))
        .into();
    let request = |number: u64| {
        let body = format!("{{\"n\":{number}}}");
        post("/logs", "", body.len()).replace("Connection: close\r\n", "") + &body
    };
    let send = |client: &mut Child, bytes: &str| {
        let stdin = client.stdin.as_mut().unwrap();
        let _ = stdin
            .write_all(bytes.as_bytes())
            .and_then(|()| stdin.flush());
    };
    // One is silent, one has had an answer, and one is in the middle of a request.
    let (whole, half) = (request(1), request(2));
    send(&mut clients[1], &whole);
    send(&mut clients[2], &whole);
    let both = |line: &Value| line["request"] == 2;
    server.wait_for("request", both);
    let (first, rest) = half.split_at(half.len() - 3);
    send(&mut clients[2], first);
    // All of them are there, and this one.
    until(|| {
        let request = "GET /metrics HTTP/1.1\r\nHost: a\r\nConnection: close\r\nX-Secret: ";
        let request = format!("{request}{SECRET}\r\n\r\n");
        let metrics = certificates::by_tls(&dir, &server, Some("client"), request.as_bytes());
        let text = metrics.unwrap().body;
        text.contains("\npqseal_connections 4\n")
    });
    thread::sleep(Duration::from_secs(1));
    fs::copy(dir.path("other.pem"), dir.path("clients.pem")).unwrap();
    server.signal("HUP");
    server.wait_for("reloaded", |_| true);
    thread::sleep(Duration::from_secs(1));
    for (client, bytes) in clients
        .iter_mut()
        .zip([&whole, &whole, &(rest.to_owned() + &whole)])
    {
        send(client, bytes);
    }
    let answers = clients.iter_mut().map(|client| {
        let mut text = String::new();
        let mut out = client.stdout.take().unwrap();
        out.read_to_string(&mut text).unwrap();
        drop(client.stdin.take());
        client.wait().unwrap();
        text.matches("HTTP/1.1 200").count()
    });
    assert_eq!(answers.collect::<Vec<_>>(), [0, 1, 2]);
    assert!(by_tls(&dir, &server, Some("client"), "{\"n\":3}").is_none());
    server.end();
}
