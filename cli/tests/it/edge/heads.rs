//! Rules see the head that the server gets, or the request is refused.

use super::{behind::Behind, end, events, logging, rule, start};
use crate::common::Dir;

/// Returns the value of a header that the server got once.
fn header<'h>(head: &'h str, name: &str) -> &'h str {
    let mut values = head.lines().filter_map(|line| {
        let (found, value) = line.split_once(':')?;
        found.eq_ignore_ascii_case(name).then_some(value.trim())
    });
    let value = values.next().unwrap_or_else(|| panic!("no {name}: {head}"));
    assert_eq!(values.next(), None, "{name} twice: {head}");
    value
}

#[test]
fn rules_see_the_host_that_the_server_gets() {
    let (dir, behind) = (Dir::new(), Behind::start());
    let both = r#"http.host ne "none" and http.request.headers.host ne "none""#;
    let proxy = logging(&dir, both, &behind);
    let url = behind.url();
    let own = url.strip_prefix("http://").unwrap();
    let cases = [
        (
            "GET / HTTP/1.1\r\nHost: Real.example:81\r\nConnection: close, host\r\n\r\n",
            "Real.example:81",
        ),
        (
            "GET http://real.example/p HTTP/1.1\r\nHost: other.example\r\nConnection: close\r\n\r\n",
            "real.example",
        ),
        (
            "GET http://[::1]:80/p HTTP/1.1\r\nConnection: close\r\n\r\n",
            "[::1]:80",
        ),
        ("GET / HTTP/1.1\r\nHost:\r\nConnection: close\r\n\r\n", ""),
        ("GET / HTTP/1.0\r\nHost: old.example\r\n\r\n", "old.example"),
        ("GET / HTTP/1.0\r\n\r\n", own),
    ];
    for (request, _) in cases {
        proxy.raw(request.as_bytes()).is(200);
    }
    end(proxy);
    let (seen, found) = (behind.seen(), events(&dir, "log"));
    assert_eq!((seen.len(), found.len()), (cases.len(), cases.len()));
    for (((request, host), seen), (_, data)) in cases.iter().zip(&seen).zip(&found) {
        assert_eq!(header(&seen.head, "host"), *host, "{request}");
        let expected =
            format!(r#"{{"http.host": "{host}", "http.request.headers.host": "{host}"}}"#);
        assert_eq!(*data, expected, "{request}");
    }
}

#[test]
fn a_head_without_one_host_or_with_a_wrong_target_is_refused() {
    let (dir, behind) = (Dir::new(), Behind::start());
    let proxy = start(&dir, &rule("all", "log", "not ssl"), &behind, &[]);
    for head in [
        "GET / HTTP/1.1\r\n",
        "GET / HTTP/1.1\r\nHost: a.example\r\nHost: b.example\r\n",
        "GET / HTTP/1.0\r\nHost: a.example\r\nHost: a.example\r\n",
        "GET http://a.example/ HTTP/1.1\r\nHost: a.example\r\nHost: b.example\r\n",
        "GET http://x@admin.example/ HTTP/1.1\r\nHost: admin.example\r\n",
        "GET / HTTP/1.1\r\nHost: x@admin.example\r\n",
        "GET / HTTP/1.1\r\nHost: admin.example/x\r\n",
        "GET / HTTP/1.1\r\nHost: a.example, b.example\r\n",
        "GET / HTTP/1.1\r\nHost: \u{e9}.example\r\n",
        "GET anything HTTP/1.1\r\nHost: anything\r\n",
        "GET anything:80 HTTP/1.1\r\nHost: anything\r\n",
        "GET * HTTP/1.1\r\nHost: h\r\n",
    ] {
        let answer = proxy.raw(format!("{head}Connection: close\r\n\r\n").as_bytes());
        assert_eq!(answer.status, 400, "{head}");
        assert!(answer.body.ends_with('\n'), "hyper refused {head}");
    }
    let counted = end(proxy);
    assert_eq!(counted["matched"], 0);
    assert!(behind.seen().is_empty());
}

#[test]
fn rules_see_the_target_that_the_server_gets() {
    let (dir, behind) = (Dir::new(), Behind::start());
    let proxy = logging(&dir, r#"raw.http.request.uri ne "none""#, &behind);
    let cases = [
        ("GET http://h?x=1", "/?x=1"),
        ("GET http://h", "/"),
        ("GET /a%2Fb?c#d", "/a%2Fb?c"),
        ("GET //a/./b?", "//a/./b?"),
        ("OPTIONS *", "*"),
    ];
    for (request, _) in cases {
        let head = format!("{request} HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
        proxy.raw(head.as_bytes()).is(200);
    }
    end(proxy);
    let (seen, found) = (behind.seen(), events(&dir, "log"));
    assert_eq!((seen.len(), found.len()), (cases.len(), cases.len()));
    for (((request, target), seen), (_, data)) in cases.iter().zip(&seen).zip(&found) {
        assert_eq!(seen.head.split(' ').nth(1), Some(*target), "{request}");
        let expected = format!(r#"{{"raw.http.request.uri": "{target}"}}"#);
        assert_eq!(*data, expected, "{request}");
    }
}

/// The length is forwarded in any case, so `Connection` does not hide it.
#[test]
fn rules_see_the_length_that_the_server_gets() {
    let (dir, behind) = (Dir::new(), Behind::start());
    let long = r#"http.request.headers.content_length matches "^[0-9]{2}$""#;
    let proxy = logging(&dir, long, &behind);
    let request = b"POST / HTTP/1.1\r\nHost: h\r\nConnection: close, content-length\r\nContent-Length: 10\r\n\r\n0123456789";
    proxy.raw(request).is(200);
    end(proxy);
    assert_eq!(header(&behind.seen()[0].head, "content-length"), "10");
    let data = &events(&dir, "log")[0].1;
    assert_eq!(data, r#"{"http.request.headers.content_length": "10"}"#);
}

#[test]
fn rules_see_no_header_that_is_not_forwarded() {
    let (dir, behind) = (Dir::new(), Behind::start());
    let rules = [
        "[limits]\nheader-time = \"1s\"\n".to_owned(),
        rule("cookie", "log", r#"http.cookie ne "none""#),
        rule("own", "log", r#"http.request.headers.x_own ne "none""#),
    ]
    .concat();
    let proxy = start(&dir, &rules, &behind, &["--require-log"]);
    // A byte that is not ASCII hides no name in the same line.
    let head = b"GET / HTTP/1.1\r\nHost: h\r\nConnection: close, Cookie, \xe9, x-own\r\nCookie: a=b\r\nX-Own: 1\r\n\r\n";
    proxy.raw(head).is(200);
    end(proxy);
    let head = behind.seen()[0].head.to_ascii_lowercase();
    assert!(
        !head.contains("cookie") && !head.contains("x-own"),
        "{head}"
    );
    let [cookie, own] = &events(&dir, "log")[..] else {
        panic!("two rules match");
    };
    assert_eq!(cookie.1, r#"{"http.cookie": ""}"#);
    assert_eq!(own.1, r#"{"http.request.headers.x_own": ""}"#);
}
