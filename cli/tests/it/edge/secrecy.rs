//! Nothing of a request is written in the clear. A marker is in every part of many requests, and in
//! none of the files that the process has open, of its messages and of its counters.

use std::{fs, path::Path};

use super::{behind::Behind, command, end, events, rule};
use crate::{
    common::{Dir, free_address},
    serve::server::{self, Server},
};

const MARKER: &str = "mArKeR7f3a";

/// Returns rules that match by each part.
fn rules() -> String {
    let limits = "[limits]\nbody-time = \"1s\"\n".to_owned();
    let parts = ["full_uri", "headers", "body.raw"];
    let log = |part| {
        rule(
            part,
            "log",
            &format!("http.request.{part} contains \"{MARKER}\""),
        )
    };
    let blocked = "http.request.uri.path contains \"blocked\"";
    limits + &parts.map(log).concat() + &rule("blocked", "block", blocked)
}

fn requests() -> Vec<String> {
    let of = |target: &str, body: &str| {
        format!(
            "{MARKER} {target} HTTP/1.1\r\nHost: {MARKER}.example\r\nConnection: close\r\nX-{MARKER}: {MARKER}\r\nCookie: {MARKER}\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        )
    };
    vec![
        of(&format!("/{MARKER}?{MARKER}"), MARKER),
        of(
            &format!("/blocked/{MARKER}"),
            &format!("{}{MARKER}{}", "a".repeat(9000), "b".repeat(9000)),
        ),
        of(&format!("http://{MARKER}/{MARKER}"), ""),
        // Invalid: no HTTP, a wrong length, a body that ends early.
        format!("{MARKER}\r\n\r\n"),
        format!("GET /{MARKER} HTTP/1.1\r\nHost: a\r\nContent-Length: {MARKER}\r\n\r\n"),
        format!("POST /{MARKER} HTTP/1.1\r\nHost: a\r\nContent-Length: 99\r\n\r\n{MARKER}"),
        format!("CONNECT {MARKER}:1 HTTP/1.1\r\nHost: {MARKER}:1\r\nConnection: close\r\n\r\n"),
    ]
}

fn assert_absent(what: &str, bytes: &[u8]) {
    let is_there = bytes
        .windows(MARKER.len())
        .any(|part| part.eq_ignore_ascii_case(MARKER.as_bytes()));
    assert!(!is_there, "{MARKER} is in {what}");
}

fn check(dir: &Dir, proxy: Server, count: usize) {
    for request in requests() {
        let mut stream = proxy.connect();
        std::io::Write::write_all(&mut stream, request.as_bytes()).unwrap();
        let _ = server::Answer::try_read(&mut stream);
    }
    let monitor = proxy.log()[0]["monitor"].as_str().unwrap().parse().unwrap();
    assert_absent(
        "the counters",
        server::get(monitor, "/metrics").body.as_bytes(),
    );
    #[cfg(target_os = "linux")]
    open_files(&proxy);
    end(proxy);
    for entry in fs::read_dir(dir.path("")).unwrap() {
        let path = entry.unwrap().path();
        // The rules have it.
        if path.is_file() && path.file_name().unwrap() != "rules.toml" {
            assert_absent(path.to_str().unwrap(), &fs::read(&path).unwrap());
        }
    }
    // It was there: each event has it, sealed.
    let found = events(dir, "log");
    assert_eq!(found.len(), count);
    for (_, data) in found {
        assert!(data.contains(MARKER) || data.contains("blocked"));
    }
}

/// Checks all regular files that the process has open, also unnamed ones. It can leave no core.
#[cfg(target_os = "linux")]
fn open_files(proxy: &Server) {
    let process = Path::new("/proc").join(proxy.id().to_string());
    let limits = fs::read_to_string(process.join("limits")).unwrap();
    let core = limits
        .lines()
        .find(|line| line.starts_with("Max core file size"))
        .unwrap();
    assert_eq!(core.split_whitespace().nth(4), Some("0"), "{core}");
    let mut seen = 0;
    for entry in fs::read_dir(process.join("fd")).unwrap() {
        let path = entry.unwrap().path();
        if fs::metadata(&path).is_ok_and(|found| found.is_file()) {
            assert_absent(path.to_str().unwrap(), &fs::read(&path).unwrap());
            seen += 1;
        }
    }
    assert!(seen >= 2, "the log and standard error");
}

#[test]
fn no_marker_is_written_when_all_goes_well() {
    let (dir, behind) = (Dir::new(), Behind::start());
    let more = ["--monitor", "127.0.0.1:0"];
    let proxy = Server::run(&dir, command(&dir, &rules(), &behind.url(), &more));
    check(&dir, proxy, 9);
    assert!(!behind.seen().is_empty());
}

#[test]
fn no_marker_is_written_when_the_server_is_away() {
    let dir = Dir::new();
    let free = free_address();
    let (url, more) = (
        format!("http://{free}"),
        ["--monitor", "127.0.0.1:0", "--require-log"],
    );
    let proxy = Server::run(&dir, command(&dir, &rules(), &url, &more));
    check(&dir, proxy, 9);
}
