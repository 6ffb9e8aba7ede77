//! The parts of requests and answers that are forwarded, and those that are not.

use std::io::Write;

use super::{behind::Behind, end, events, rule, start};
use crate::{
    common::Dir,
    serve::{
        certificates,
        server::{Answer, Server, get},
    },
};

fn post(proxy: &Server, headers: &str, body: &[u8]) -> Answer {
    let head = format!("POST /form HTTP/1.1\r\nHost: h\r\nConnection: close\r\n{headers}\r\n");
    proxy.raw(&[head.as_bytes(), body].concat())
}

#[test]
fn headers_of_a_connection_are_not_forwarded_and_others_are() {
    let (dir, behind) = (Dir::new(), Behind::start());
    let proxy = start(&dir, "", &behind, &[]);
    let request = "GET /a%2fb?c=%20 HTTP/1.1\r\nHost: example.com:81\r\nConnection: close, X-Mine\r\nX-Mine: 1\r\nTE: trailers\r\nUpgrade: h2c\r\nProxy-Authorization: Basic eDp5\r\nX-Forwarded-For: 192.0.2.1\r\nX-Forwarded-Proto: gopher\r\nCookie: a=b\r\nVia: 1.0 first\r\n\r\n";
    let answer = proxy.raw(request.as_bytes()).is(200);
    let head = answer.head.to_ascii_lowercase();
    assert!(
        head.contains("x-end: 2") && head.contains("via: 1.1 pqseal-edge"),
        "{head}"
    );
    assert!(!head.contains("x-hop"), "{head}");
    end(proxy);
    let seen = &behind.seen()[0].head;
    let lower = seen.to_ascii_lowercase();
    assert!(seen.starts_with("GET /a%2fb?c=%20 HTTP/1.1\r\n"), "{seen}");
    for line in [
        "host: example.com:81",
        "x-forwarded-for: 192.0.2.1, 127.0.0.1",
        "x-forwarded-proto: http",
        "cookie: a=b",
        "via: 1.0 first\r\nvia: 1.1 pqseal-edge",
    ] {
        assert!(
            lower.contains(&format!("\r\n{line}\r\n")),
            "{line} is not in {seen}"
        );
    }
    for name in [
        "connection:",
        "x-mine",
        "te:",
        "upgrade",
        "proxy-authorization",
        "gopher",
    ] {
        assert!(
            !lower.contains(&format!("\r\n{name}")),
            "{name} is in {seen}"
        );
    }
}

/// Rules read the beginning; all of it is forwarded.
#[test]
fn bodies_are_forwarded_whole_whatever_rules_read_of_them() {
    let (dir, behind) = (Dir::new(), Behind::start());
    let more = "http.request.body.truncated and http.request.body.size eq 65536";
    let rules = [
        "[limits]\nbody = \"64KiB\"\n".to_owned(),
        rule("begins", "log", "http.request.body.raw contains \"begins\""),
        rule("ends", "log", "http.request.body.raw contains \"ends\""),
        rule("more", "log", more),
    ]
    .concat();
    let proxy = start(&dir, &rules, &behind, &["--require-log"]);
    let large = [b"begins".to_vec(), b"x".repeat(1 << 20), b"ends".to_vec()].concat();
    let length = format!("Content-Length: {}\r\n", large.len());
    post(&proxy, &length, &large).is(200);
    let chunked = b"6\r\nbegins\r\n4\r\nends\r\n0\r\n\r\n";
    post(&proxy, "Transfer-Encoding: chunked\r\n", chunked).is(200);
    post(&proxy, "Content-Length: 0\r\n", b"").is(200);
    end(proxy);
    let found = events(&dir, "log");
    let ids: Vec<_> = found
        .iter()
        .map(|(event, _)| event["RuleID"].as_str().unwrap())
        .collect();
    assert_eq!(ids, ["begins", "more", "begins", "ends"]);
    assert_eq!(found[3].1, r#"{"http.request.body.raw": "beginsends"}"#);
    let seen = behind.seen();
    assert!(seen[0].body == large && seen[0].head.contains(&length.to_ascii_lowercase()));
    let text = String::from_utf8_lossy(&seen[1].body).into_owned();
    assert!(text.contains("begins") && text.contains("ends"), "{text}");
    assert!(seen[2].body.is_empty());
}

#[test]
fn a_slow_body_is_given_up_and_the_end_waits_for_requests() {
    let (dir, behind) = (Dir::new(), Behind::start());
    let rules = [
        "[limits]\nbody-time = \"1s\"\n".to_owned(),
        rule("body", "log", r#"http.request.body.raw contains "x""#),
    ]
    .concat();
    let mut proxy = start(&dir, &rules, &behind, &["--monitor", "127.0.0.1:0"]);
    let mut slow = proxy.connect();
    slow.write_all(b"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\nx")
        .unwrap();
    Answer::read(&mut slow).is(408);
    // A request in work when the proxy is asked to end is answered.
    let mut last = proxy.connect();
    last.write_all(b"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nx")
        .unwrap();
    let monitor = proxy.log()[0]["monitor"].as_str().unwrap().parse().unwrap();
    let has_begun = || get(monitor, "/metrics").body.contains("requests_total 2\n");
    while !has_begun() {}
    proxy.signal("TERM");
    last.write_all(b"x").unwrap();
    Answer::read(&mut last).is(200);
    // A second signal would end it immediately.
    proxy.wait_end();
    assert_eq!(behind.seen().len(), 1);
}

#[test]
fn clients_may_come_by_tls() {
    let (dir, behind) = (Dir::new(), Behind::start());
    certificates::make(&dir);
    let tls = "[tls]\ncertificate = \"localhost.pem\"\nkey = \"localhost.key\"\n".to_owned();
    let expression = r#"ssl and http.request.full_uri eq "https://h/secret""#;
    let rules = tls + &rule("tls", "log", expression);
    let proxy = start(&dir, &rules, &behind, &["--require-log"]);
    let request = b"GET /secret HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n";
    let answer = certificates::by_tls(&dir, &proxy, None, request);
    answer.unwrap().is(200);
    end(proxy);
    let head = behind.seen()[0].head.to_ascii_lowercase();
    assert!(head.contains("\r\nx-forwarded-proto: https\r\n"), "{head}");
    let expected = r#"{"ssl": true, "http.request.full_uri": "https://h/secret"}"#;
    assert_eq!(events(&dir, "log")[0].1, expected);
}
