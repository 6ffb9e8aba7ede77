//! The end of bodies: as the server and the client read it, not as headers of another connection
//! say.

use super::{behind::Behind, end, events, logging, rule, start};
use crate::common::Dir;

/// Returns a request with a chunked body of `beginsends`, with these headers.
fn chunked(method: &str, headers: &str) -> String {
    format!(
        "{method} / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n{headers}\r\n6\r\nbegins\r\n4\r\nends\r\n0\r\n\r\n"
    )
}

/// The server gets the whole body, whatever the method and however much of it the rules read.
#[test]
fn bodies_of_all_methods_are_forwarded() {
    let dir = Dir::new();
    let reads = |limit: u32| {
        let limit = format!("[limits]\nbody = \"{limit}B\"\n");
        limit + &rule("body", "log", r#"http.request.body.raw contains "begins""#)
    };
    for rules in [String::new(), reads(6), reads(10), reads(1000)] {
        let behind = Behind::start();
        let proxy = start(&dir, &rules, &behind, &[]);
        let methods = ["GET", "HEAD", "POST", "DELETE", "OPTIONS"];
        for method in methods {
            let request = chunked(method, "Transfer-Encoding: Chunked\r\n");
            proxy.raw(request.as_bytes()).is(200);
            let request = format!(
                "{method} / HTTP/1.1\r\nHost: h\r\nConnection: close, Content-Length\r\nContent-Length: 10\r\n\r\nbeginsends"
            );
            proxy.raw(request.as_bytes()).is(200);
            // A length next to a transfer coding is not forwarded.
            let both = "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n";
            proxy.raw(chunked(method, both).as_bytes()).is(200);
        }
        end(proxy);
        let seen = behind.seen();
        assert_eq!(seen.len(), 3 * methods.len());
        for seen in seen {
            assert!(!seen.head.to_ascii_lowercase().contains("content-length: 3"));
            let body = String::from_utf8(seen.body.clone()).unwrap();
            // In chunks, or not.
            let content: String = body.lines().filter(|line| line.len() > 2).collect();
            assert_eq!(content, "beginsends", "{}", seen.head);
        }
    }
}

#[test]
fn a_request_without_a_body_stays_one() {
    let (dir, behind) = (Dir::new(), Behind::start());
    let proxy = logging(&dir, "http.request.body.size eq 0", &behind);
    proxy.get("/").is(200);
    let head = "HEAD / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n";
    let answer = proxy.raw(head.as_bytes()).is(200);
    assert!(
        answer
            .head
            .to_ascii_lowercase()
            .contains("content-length: 11"),
        "{}",
        answer.head
    );
    assert_eq!(answer.body, "");
    end(proxy);
    assert_eq!(events(&dir, "log").len(), 2);
    for seen in behind.seen() {
        let head = seen.head.to_ascii_lowercase();
        assert!(
            !head.contains("transfer-encoding") && !head.contains("content-length"),
            "{head}"
        );
    }
}

#[test]
fn other_transfer_codings_and_tunnels_are_refused() {
    let (dir, behind) = (Dir::new(), Behind::start());
    let proxy = start(&dir, "", &behind, &[]);
    for headers in [
        "Transfer-Encoding: gzip, chunked\r\n",
        "Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n",
        "Transfer-Encoding: chunked, chunked\r\n",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
    ] {
        proxy.raw(chunked("POST", headers).as_bytes()).is(501);
    }
    let tunnel = "CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\nConnection: close\r\n\r\n";
    proxy.raw(tunnel.as_bytes()).is(501);
    end(proxy);
    assert!(behind.seen().is_empty());
}

#[test]
fn an_answer_has_one_length() {
    let (dir, behind) = (Dir::new(), Behind::start());
    let proxy = start(&dir, "", &behind, &[]);
    let answer = proxy.get("/both").is(200);
    let head = answer.head.to_ascii_lowercase();
    assert!(
        head.contains("transfer-encoding: chunked") && !head.contains("content-length"),
        "{head}"
    );
    assert_eq!(answer.body.to_lowercase(), "b\r\nfrom behind\r\n0\r\n\r\n");
    end(proxy);
}

#[test]
fn an_answer_of_http_1_0_becomes_one_of_http_1_1() {
    let (dir, behind) = (Dir::new(), Behind::start());
    let proxy = start(&dir, "", &behind, &[]);
    let answer = proxy.get("/old").is(200);
    assert!(answer.head.starts_with("HTTP/1.1 "), "{}", answer.head);
    // Its end is distinguished from a connection that broke off.
    assert_eq!(answer.body.to_lowercase(), "b\r\nfrom behind\r\n0\r\n\r\n");
    end(proxy);
}
