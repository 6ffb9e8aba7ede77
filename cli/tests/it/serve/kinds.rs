//! Each kind of request, and its result.

use std::fs;

use serde_json::{Value, json};

use super::server::{Lines, OUTPUT, SECRET, Server, TOKEN, folder, get, gzip, numbers, segments};
use crate::common::events;

/// The output for logs by HTTP is that of `pqseal logs open` for the same input, including dead
/// letters and counters.
#[test]
fn records_are_opened_as_by_logs_open() {
    let (dir, sealed) = (folder(), events(300));
    let mut input = sealed.read("events.ndjson");
    input.extend(b"no JSON\n{\"encrypted_matched_data\":\"AzTY\"}\n{\"encrypted_matched_data\":\"truncated\"}\r\n{}");
    dir.write("input", &input);
    let opened = dir.words("logs open -k key.txt --stats json --dead-letter letters input");
    let stats: Value = serde_json::from_str(&opened.err).unwrap();
    let letters = String::from_utf8(dir.read("letters")).unwrap();

    let server = Server::with(&dir, "dead-letter = \"dead\"", OUTPUT);
    let answer = server.push(&gzip(&input)).is(200);
    assert_eq!(answer.json(), json!({ "records": stats["records"] }));
    let metrics = server.metrics();
    for outcome in ["opened", "absent", "truncated", "failed"] {
        let name = format!("pqseal_records_total{{outcome=\"{outcome}\"}}");
        assert_eq!(json!(metrics[&name]), stats[outcome], "{outcome}");
    }
    assert_eq!(metrics["pqseal_requests_total{code=\"ok\"}"], 1);
    server.end();
    // The last line gets its line break, since others follow it.
    assert_eq!(segments(&dir.path("out")), opened.out().to_owned() + "\n");
    let dead = String::from_utf8(dir.read("dead")).unwrap();
    assert_eq!(
        dead,
        letters.replace("\"source\":\"input\"", "\"source\":\"push\"")
    );
    assert_eq!(dir.mode("dead"), 0o600);
}

/// The files in which the page and Python find what `pqseal logs open` finds.
#[test]
fn lines_of_every_kind_are_opened_as_by_logs_open() {
    let dir = folder();
    fs::create_dir(dir.path("in")).unwrap();
    let script = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../dev/checks/record_inputs.py"
    );
    dir.run("python3", &[script, "in", &dir.blob()], b"")
        .succeeds();
    dir.words("logs open -k key.txt -o opened/ --dead-letter letters in");
    let server = Server::with(&dir, "dead-letter = \"dead\"", OUTPUT);
    let (mut expected, mut files) = (String::new(), 0);
    for number in 0.. {
        let name = format!("{number:03}.ndjson");
        if !dir.path(&format!("in/{name}")).exists() {
            break;
        }
        server.push(&dir.read(&format!("in/{name}"))).is(200);
        let opened = dir.read(&format!("opened/{name}"));
        expected += str::from_utf8(&opened).unwrap();
        if !expected.ends_with('\n') {
            expected.push('\n');
        }
        files += 1;
    }
    server.end();
    assert_eq!(files, 400);
    let opened = segments(&dir.path("out"));
    for (opened, expected) in opened.lines().zip(expected.lines()) {
        assert_eq!(opened, expected);
    }
    assert_eq!(opened.len(), expected.len());
    let codes = |name: &str| {
        let letters = String::from_utf8(dir.read(name)).unwrap();
        let letters = letters
            .lines()
            .map(|line| serde_json::from_str(line).unwrap());
        let of_lines = letters.filter(|letter: &Value| {
            letter["source"] == "push" || letter["source"].as_str().unwrap().ends_with(".ndjson")
        });
        of_lines
            .map(|letter| (letter["line"].clone(), letter["code"].clone()))
            .collect::<Vec<_>>()
    };
    assert_eq!(codes("dead"), codes("letters"));
}

#[test]
fn every_form_of_request_is_taken() {
    let dir = folder();
    let lines = Lines::new(&dir);
    let server = Server::start(&dir, "");
    let splunk = format!("Authorization: Splunk {TOKEN}\r\n");
    // Logpush: gzip, with or without the headers that say so, or with odd ones.
    server
        .post("/logs", "", &gzip(lines.line(0).as_bytes()))
        .is(200);
    let kinds = ["application/gzip", "text/plain; charset=\"", "a"];
    for (kind, number) in kinds.into_iter().zip(1..) {
        let headers = format!("Content-Type: {kind}\r\nContent-Encoding: gzip\r\n");
        let post = |path, body: &[u8]| server.post(path, &headers, body).is(200);
        post("/logs", &gzip(lines.line(number).as_bytes()));
        post("/logs?a=b", lines.line(number + 3).as_bytes());
    }
    // Several members of gzip, and one without a line break at its end.
    let members = [
        gzip(lines.line(7).as_bytes()),
        gzip(lines.line(8).trim_end().as_bytes()),
    ];
    server.push(&members.concat()).is(200);
    server.push(lines.line(9).trim_end().as_bytes()).is(200);
    // In chunks.
    let (line, chunked) = (lines.line(10), "Transfer-Encoding: chunked\r\n");
    let head = super::server::post("/logs", chunked, 0).replace("Content-Length: 0\r\n", "");
    let body = format!("{:x}\r\n{line}\r\n0\r\n\r\n", line.len());
    server.raw((head + &body).as_bytes()).is(200);
    // PUT, as upload tools do it.
    let put = super::server::post("/logs", "", line.len()).replacen("POST", "PUT", 1);
    let line = lines.line(11);
    server.raw((put + &line).as_bytes()).is(200);
    // A bearer.
    let bearer = format!("Authorization: Bearer {TOKEN}\r\n");
    server
        .post("/logs", &bearer, lines.line(12).as_bytes())
        .is(200);
    // The collector's raw form, with a channel.
    let path = "/services/collector/raw?channel=a";
    let raw = server.post(path, &splunk, &gzip(lines.line(13).as_bytes()));
    assert_eq!(raw.is(200).json(), json!({ "text": "Success", "code": 0 }));
    // An empty body is accepted, and so is a test of the destination, which is not written.
    server.push(b"").is(200);
    server.push(&gzip(b"{\"content\":\"tests\"}")).is(200);
    assert_eq!(server.metrics()["pqseal_test_uploads_total"], 1);
    let log = server.end();
    let counts = numbers(&segments(&dir.path("out")));
    assert_eq!(counts, (0..14).map(|number| (number, 1)).collect());
    let lines = log.iter().filter(|line| line["event"] == "request");
    assert!(lines.clone().count() == 15 && lines.clone().all(|line| line["code"] == "ok"));
    // Nothing of events and secrets is in the log.
    let log = log.iter().map(Value::to_string).collect::<String>();
    assert!(
        !log.contains("matched") && !log.contains(SECRET) && !log.contains(TOKEN),
        "{log}"
    );
}

/// docs/siem/serve says that rules find fields within the object that the collector gets.
#[test]
fn events_for_a_collector_are_opened_in_place() {
    let dir = folder();
    let lines = Lines::new(&dir);
    let server = Server::start(&dir, "");
    let splunk = format!("Authorization: Splunk {TOKEN}\r\n");
    let event = |n| {
        let event = lines.line(n);
        format!(
            "{{\"time\":1.50,\"n\":{n},\n \"event\":{}}}",
            event.trim_end()
        )
    };
    let send = |path: &str, body: &str| server.post(path, &splunk, body.as_bytes());
    for (path, number) in [
        ("/services/collector/event", 0),
        ("/services/collector", 2),
        ("/services/collector/event/1.0", 4),
    ] {
        let answer = send(path, &(event(number) + &event(number + 1)));
        let expected = json!({ "text": "Success", "code": 0 });
        assert_eq!(answer.is(200).json(), expected);
    }
    for (body, code) in [("", 5), ("[]", 6), ("{\"event\":", 6), ("{\"a\":1}", 12)] {
        let answer = send("/services/collector/event", body).is(400);
        assert_eq!(answer.json()["code"], code, "{body}");
    }
    let health = send("/services/collector/health", "").is(200);
    assert_eq!(health.json()["code"], 17);
    // As a load balancer asks, and with a wrong token.
    for (token, status) in [("", 200), ("Authorization: Splunk other\r\n", 401)] {
        let path = "/services/collector/health/1.0";
        let request = format!("GET {path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n{token}\r\n");
        server.raw(request.as_bytes()).is(status);
    }
    server.end();
    let text = segments(&dir.path("out"));
    assert_eq!(numbers(&text), (0..6).map(|number| (number, 1)).collect());
    for line in text.lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        assert_eq!(line["event"]["decrypted_matched_data"], "matched");
    }
    // Numbers stay as they were written.
    assert!(text.starts_with("{\"time\":1.50,"));
}

#[test]
fn counters_and_health_have_an_address_of_their_own_if_wanted() {
    let dir = folder();
    let server = Server::start(&dir, "");
    let without = |path: &str| {
        let request = format!("GET {path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
        server.raw(request.as_bytes())
    };
    without("/healthz").is(200);
    without("/readyz").is(200);
    without("/metrics").refuses(401, "no_secret");
    server.get("/metrics").is(200);
    server.get("/logs").refuses(405, "method");
    server.get("/other").refuses(404, "no_such_path");
    server.end();

    let server = Server::with(&dir, "monitor = \"127.0.0.1:0\"", OUTPUT);
    let listening = server.log().remove(0);
    let monitor = listening["monitor"].as_str().unwrap().parse().unwrap();
    for path in ["/healthz", "/readyz", "/metrics"] {
        get(monitor, path).is(200);
        server.get(path).refuses(404, "no_such_path");
    }
    get(monitor, "/logs").is(404);
    let health = dir.words(&format!("logs serve --health http://{monitor}/readyz"));
    health.succeeds();
    server.end();
}
