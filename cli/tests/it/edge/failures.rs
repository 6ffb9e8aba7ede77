//! Logs that cannot be written, servers that do not answer, and wrong arguments.

use std::{fs, io::Write, path::Path, thread, time::Duration};

use super::{EDGE, behind::Behind, clients::next_answer, command, end, exit, rule, start};
use crate::{
    common::{Dir, PRIVATE_KEY, PUBLIC_KEY, free_address},
    serve::server::{self, Server},
};

#[test]
#[cfg(target_os = "linux")]
fn a_log_that_cannot_be_written_is_counted_and_stops_requests_if_it_is_required() {
    let (dir, behind) = (Dir::new(), Behind::start());
    let rules = rule("bad", "log", r#"http.request.uri.path eq "/bad""#);
    let mut proxy = start(&dir, &rules, &behind, &["--log", "/dev/full"]);
    proxy.get("/bad").is(200);
    proxy.wait_for("storage", |_| true);
    let counted = exit(proxy, 1);
    assert_eq!(
        (&counted["events_lost"], &counted["refused"]),
        (&1.into(), &0.into())
    );

    let more = ["--log", "/dev/full", "--require-log"];
    let proxy = start(&dir, &rules, &behind, &more);
    proxy.get("/bad").is(503);
    proxy.get("/good").is(200);
    let counted = exit(proxy, 1);
    assert_eq!(
        (&counted["events_lost"], &counted["refused"]),
        (&1.into(), &1.into())
    );
    assert_eq!(counted["events_written"], 0);
    let seen: Vec<_> = behind
        .seen()
        .into_iter()
        .map(|seen| seen.head[..9].to_owned())
        .collect();
    assert_eq!(seen, ["GET /bad ", "GET /good"]);
}

/// A pipe without a reader takes some events, and then none.
#[test]
#[cfg(target_os = "linux")]
fn a_log_that_blocks_is_not_waited_for_without_end() {
    let (dir, behind) = (Dir::new(), Behind::start());
    assert!(dir.command("mkfifo").arg("log").status().unwrap().success());
    let limits = "[limits]\nlog-time = \"1s\"\nstop-time = \"1s\"\n".to_owned();
    let log = |number: u32| {
        rule(
            &format!("r{number}"),
            "log",
            r#"http.request.uri ne "none""#,
        )
    };
    let rules: String = (0..25).map(log).collect();
    let proxy = start(&dir, &(limits + &rules), &behind, &["--require-log"]);
    let path = format!("/{}", "x".repeat(1000));
    // Each gives about 43,000 bytes; a pipe holds 65,536.
    proxy.get(&path).is(200);
    proxy.get(&path).is(503);
    proxy.get(&path).is(503);
    assert_eq!(exit(proxy, 3)["refused"], 2);
    assert_eq!(behind.seen().len(), 1);
}

#[test]
fn a_server_that_does_not_answer_is_reported() {
    let (dir, behind) = (Dir::new(), Behind::start());
    let free = free_address();
    let (url, more) = (format!("http://{free}"), ["--monitor", "127.0.0.1:0"]);
    let mut proxy = Server::run(&dir, command(&dir, "", &url, &more));
    proxy.get("/").is(502);
    let line = proxy.wait_for("upstream", |_| true);
    let reason = line["reason"].as_str().unwrap();
    assert!(
        reason.starts_with("it cannot be reached: Connection refused"),
        "{reason}"
    );
    assert_eq!(line["server"], free.to_string());
    let monitor = proxy.wait_for("listening", |_| true)["monitor"]
        .as_str()
        .unwrap()
        .parse()
        .unwrap();
    server::get(monitor, "/healthz").is(200);
    let health = |path: &str| dir.shell(&format!("pqseal-edge --health http://{monitor}{path}"));
    health("/healthz").succeeds();
    health("/other").fails(1, "status 404");
    let metrics = server::get(monitor, "/metrics").is(200).body;
    assert!(
        metrics.contains("\npqseal_edge_unanswered_total 1\n"),
        "{metrics}"
    );
    server::get(monitor, "/other").is(404);
    end(proxy);
    health("/healthz").fails(1, "no answer");

    let proxy = start(&dir, "[limits]\nanswer-time = \"1s\"\n", &behind, &[]);
    proxy.get("/never").is(504);
    end(proxy);
}

/// Each request may take a file for its client and one for the server.
#[test]
#[cfg(target_os = "linux")]
fn fewer_files_are_fewer_connections() {
    let (dir, behind) = (Dir::new(), Behind::start());
    let proxy = command(&dir, "", &behind.url(), &[]);
    let mut limited = dir.command("sh");
    limited.args(["-c", "ulimit -n 100; exec \"$@\"", "sh"]);
    limited.arg(proxy.get_program()).args(proxy.get_args());
    let mut proxy = Server::run(&dir, limited);
    let line = proxy.wait_for("few_files", |_| true);
    assert_eq!(
        (&line["granted"], &line["connections"]),
        (&100.into(), &18.into())
    );
    proxy.get("/").is(200);
    end(proxy);
}

#[test]
fn what_is_wrong_is_said_before_anything_is_done() {
    let dir = Dir::new();
    let names = "any(http.request.headers.names[*] eq \"a\")";
    for (name, text) in [
        ("good.toml", rule("a", "log", "ssl")),
        ("bad.toml", rule("a", "log", names)),
        ("quote.toml", rule("a", "log", "http.host eq \"a")),
        (
            "unknown.toml",
            "[[rule]]\nid = \"a\"\nexpresion = \"ssl\"\n".to_owned(),
        ),
        ("limits.toml", "[limits]\nbody = \"1GiB\"\n".to_owned()),
        ("size.toml", "[limits]\nbody = -1\n".to_owned()),
        ("notes.txt", "not an event".to_owned()),
    ] {
        dir.write(name, text);
    }
    let good = format!("--rules good.toml --to {PUBLIC_KEY} --upstream http://a --log log --check");
    let run = |line: &str| dir.run(EDGE, &line.split(' ').collect::<Vec<_>>(), b"");
    run(&good).succeeds();
    let private = format!("pqseal-private-key:x25519:{PRIVATE_KEY}");
    // A word of the command, its replacement, the exit code, and the message.
    for (from, to, code, words) in [
        ("good", "bad", 2, "there are no maps, arrays or functions"),
        ("good", "unknown", 2, "line 3: unknown field `expresion`"),
        ("good", "limits", 2, "1 byte to 64MiB"),
        ("good", "size", 2, "a size must be a number of bytes"),
        ("good", "quote", 2, "docs/edge.md describes expressions"),
        ("good", "missing", 3, "cannot read missing.toml"),
        ("http://a", "https://a", 2, "https is not supported"),
        ("http://a", "http://a/path", 2, "without a path"),
        ("log log", "log notes.txt", 3, "something other than events"),
        ("log log", "log good.toml", 3, "name a separate file"),
        ("log log", "log no/log", 3, "cannot write no/log"),
        (PUBLIC_KEY, &private, 2, "--to is a private key"),
    ] {
        let ran = run(&good.replace(from, to));
        assert!(!ran.err.contains(PRIVATE_KEY), "{}", ran.err);
        ran.fails(code, words);
    }
    assert_eq!(dir.read("notes.txt"), b"not an event");
    assert!(!dir.path("log").exists(), "--check writes nothing");
}

#[test]
fn the_file_to_copy_works() {
    let dir = Dir::new();
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/edge.md");
    let docs = fs::read_to_string(docs).unwrap();
    let (_, file) = docs.split_once("```toml\n").unwrap();
    let (file, _) = file.split_once("```").unwrap();
    let (limits, rest) = file.split_once("\n\n").unwrap();
    assert!(limits.starts_with("# [limits]\n# body"), "{limits}");
    // Only the first `# ` of a line: what follows a member is a comment.
    let without = format!("\n{limits}").replace("\n# ", "\n");
    for limits in [limits, &without] {
        let arguments = ["--rules", "rules.toml", "--to", PUBLIC_KEY, "--upstream"];
        dir.write("rules.toml", format!("{limits}\n\n{rest}"));
        let more = ["http://127.0.0.1:1", "--log", "log", "--check"];
        let ran = dir.run(EDGE, &[&arguments[..], &more].concat(), b"");
        ran.succeeds();
    }
}

/// A pipe without a reader takes some events. Then 1,024 requests wait, and up to 256 more that the
/// writing thread has taken; the events of others are lost.
#[test]
#[cfg(target_os = "linux")]
fn events_that_come_faster_than_the_log_takes_them_are_counted() {
    let (dir, behind) = (Dir::new(), Behind::start());
    assert!(dir.command("mkfifo").arg("log").status().unwrap().success());
    let limits = "[limits]\nstop-time = \"1s\"\n".to_owned();
    let rule = rule("long", "block", r#"http.request.uri contains "x""#);
    let mut proxy = start(&dir, &(limits + &rule), &behind, &[]);
    let request = format!("GET /{} HTTP/1.1\r\nHost: h\r\n\r\n", "x".repeat(1000));
    // A pipe holds fewer than 50 of these events.
    let mut stream = proxy.connect();
    for _ in 0..1500 {
        stream.write_all(request.as_bytes()).unwrap();
        next_answer(&mut stream);
    }
    let line = proxy.wait_for("busy", |_| true);
    let reason = line["reason"].as_str().unwrap();
    assert!(reason.starts_with("events come faster"), "{reason}");
    let counted = exit(proxy, 3);
    let [lost, written] = ["events_lost", "events_written"].map(|name| counted[name].as_u64());
    let waiting = 1500 - lost.unwrap() - written.unwrap();
    assert!((1025..=1280).contains(&waiting), "{counted}");
    assert_eq!(
        (&counted["matched"], &counted["refused"]),
        (&1500.into(), &0.into())
    );
}

/// With `--require-log` they are refused immediately, although others wait for `log-time`.
#[test]
#[cfg(target_os = "linux")]
fn requests_that_come_faster_than_the_log_takes_events_are_refused() {
    let (dir, behind) = (Dir::new(), Behind::start());
    assert!(dir.command("mkfifo").arg("log").status().unwrap().success());
    let limits = "[limits]\nlog-time = \"1h\"\n".to_owned();
    let rule = rule("long", "log", r#"http.request.uri contains "x""#);
    let mut proxy = start(&dir, &(limits + &rule), &behind, &["--require-log"]);
    let path = format!("/{}", "x".repeat(1000));
    let request = format!("GET {path} HTTP/1.1\r\nHost: h\r\n\r\n");
    let send = |_| {
        let mut stream = proxy.connect();
        stream.write_all(request.as_bytes()).unwrap();
        stream
    };
    // The pipe is full, and the writing thread waits for it, before the others come.
    let mut waiting: Vec<_> = (0..60).map(send).collect();
    thread::sleep(Duration::from_millis(500));
    waiting.extend((0..540).map(send));
    proxy.wait_for("busy", |_| true);
    proxy.get(&path).is(503);
    proxy.get("/good").is(200);
    drop(waiting);
    proxy.kill();
}
