//! `pqseal-edge`: real processes and real sockets on loopback, with a server behind it that records
//! what it gets.

pub(crate) mod behind;
mod clients;
mod failures;
mod forwarding;
mod framing;
mod heads;
mod killed;
mod secrecy;

use std::{fs, process::Command};

use clap::CommandFactory;
use pqseal_cli::edge::Options;
use serde_json::Value;

use crate::{
    common::{Dir, PLAINTEXT, PUBLIC_KEY},
    serve::server::Server,
};
use behind::Behind;

const EDGE: &str = env!("CARGO_BIN_EXE_pqseal-edge");

/// Returns a rule with this id, action and expression, which has no `'''`.
pub(crate) fn rule(id: &str, action: &str, expression: &str) -> String {
    format!("[[rule]]\nid = \"{id}\"\naction = \"{action}\"\nexpression = '''{expression}'''\n")
}

/// Returns the command of a proxy with these rules in front of `upstream`, with the log `log`.
pub(crate) fn command(dir: &Dir, rules: &str, upstream: &str, more: &[&str]) -> Command {
    dir.write("rules.toml", rules);
    let mut command = dir.command(EDGE);
    command.args(["--rules", "rules.toml", "--upstream", upstream]);
    if !more.contains(&"--to") {
        command.args(["--to", PUBLIC_KEY]);
    }
    if !more.contains(&"--listen") {
        command.args(["--listen", "127.0.0.1:0"]);
    }
    if !more.contains(&"--log") {
        command.args(["--log", "log"]);
    }
    command.args(more);
    command
}

pub(crate) fn start(dir: &Dir, rules: &str, behind: &Behind, more: &[&str]) -> Server {
    Server::run(dir, command(dir, rules, &behind.url(), more))
}

/// Starts a proxy that logs requests that match the expression, and answers them only then.
pub(crate) fn logging(dir: &Dir, expression: &str, behind: &Behind) -> Server {
    start(
        dir,
        &rule("r", "log", expression),
        behind,
        &["--require-log"],
    )
}

/// Returns the events of a file, and the plaintext of each.
pub(crate) fn events(dir: &Dir, log: &str) -> Vec<(Value, String)> {
    if !dir.path(log).exists() {
        return Vec::new();
    }
    let opened = dir.words(&format!("logs open -k key.txt --preset cf-logpush {log}"));
    let opened = opened.succeeds();
    let parse = |line: &str| {
        let event: Value = serde_json::from_str(line).unwrap();
        let data = event["Metadata"]["decrypted_matched_data"].as_str();
        let data = data.unwrap_or_else(|| panic!("{line}")).to_owned();
        (event, data)
    };
    opened.out().lines().map(parse).collect()
}

/// Ends the proxy, so that all events are written, and returns the last line of its log.
pub(crate) fn end(proxy: Server) -> Value {
    exit(proxy, 0)
}

/// Like [`end`], with this exit code.
fn exit(mut proxy: Server, code: i32) -> Value {
    proxy.signal("TERM");
    proxy.wait_exit(code);
    let last = proxy.log().pop().unwrap();
    assert_eq!(last["event"], "stopped");
    last
}

#[test]
fn the_published_request_is_forwarded_logged_and_opened() {
    let (dir, behind) = (Dir::new(), Behind::start());
    let rules = rule(
        "published",
        "log",
        r#"http.request.version eq "HTTP/1.1" and (http.request.uri.path matches "\n+." or http.request.uri.query matches "\x00+.")"#,
    );
    let proxy = start(&dir, &rules, &behind, &[]);
    let request = "GET /cms/%0Aadmin?action=%00post HTTP/1.1\r\nHost: example.com\r\nConnection: close\r\n\r\n";
    let answer = proxy.raw(request.as_bytes()).is(200);
    assert_eq!(answer.body, "from behind");
    proxy.get("/harmless").is(200);
    let counted = end(proxy);
    assert_eq!(
        (&counted["requests"], &counted["events_written"]),
        (&2.into(), &1.into())
    );

    let seen = behind.seen();
    assert_eq!(seen.len(), 2);
    assert!(
        seen[0]
            .head
            .starts_with("GET /cms/%0Aadmin?action=%00post HTTP/1.1\r\n"),
        "{}",
        seen[0].head
    );
    let events = events(&dir, "log");
    let [(event, data)] = &events[..] else {
        panic!("{} events", events.len());
    };
    assert_eq!(data, PLAINTEXT);
    assert_eq!(
        (&event["RuleID"], &event["Action"]),
        (&"published".into(), &"log".into())
    );
    assert_eq!(dir.mode("log"), 0o600);
}

#[test]
fn a_rule_that_blocks_answers_403_and_nothing_is_forwarded() {
    let (dir, behind) = (Dir::new(), Behind::start());
    let rules = [
        rule("all", "log", r#"http.request.method eq "GET""#),
        rule(
            "admin",
            "block",
            r#"http.request.uri.path contains "admin""#,
        ),
        rule("never", "log", "not ssl"),
    ]
    .concat();
    let proxy = start(&dir, &rules, &behind, &["--require-log"]);
    proxy.get("/admin").is(403);
    // The answer waited for this.
    let found = events(&dir, "log");
    let summary: Vec<_> = found
        .iter()
        .map(|(event, data)| {
            (
                event["RuleID"].as_str().unwrap(),
                event["MatchIndex"].as_u64().unwrap(),
                data.as_str(),
            )
        })
        .collect();
    assert_eq!(
        summary,
        [
            ("all", 1, r#"{"http.request.method": "GET"}"#),
            ("admin", 0, r#"{"http.request.uri.path": "/admin"}"#)
        ]
    );
    assert_eq!(found[0].0["RayID"], found[1].0["RayID"]);
    assert_eq!(found[1].0["EdgeResponseStatus"], 403);
    assert_eq!(end(proxy)["blocked"], 1);
    assert!(behind.seen().is_empty());
}

#[test]
fn rules_are_read_again_and_wrong_ones_are_not_used() {
    let (dir, behind) = (Dir::new(), Behind::start());
    let [a, b] = ["a", "b"].map(|name| {
        rule(
            name,
            "block",
            &format!("http.request.uri.path eq \"/{name}\""),
        )
    });
    let mut proxy = start(&dir, &a, &behind, &[]);
    proxy.get("/a").is(403);
    proxy.get("/b").is(200);
    dir.write("rules.toml", b);
    proxy.signal("HUP");
    proxy.wait_for("reloaded", |line| line["rules"] == 1);
    proxy.get("/a").is(200);
    proxy.get("/b").is(403);
    dir.write("rules.toml", rule("c", "block", "http.unknown eq 1"));
    proxy.signal("HUP");
    let line = proxy.wait_for("not_reloaded", |_| true);
    assert!(
        line["reason"].as_str().unwrap().contains("unknown field"),
        "{line}"
    );
    proxy.get("/b").is(403);
    dir.write("rules.toml", "");
    proxy.signal("HUP");
    proxy.wait_for("not_reloaded", |line| {
        line["reason"].as_str().unwrap().contains("has no rule")
    });
    proxy.get("/b").is(403);
    end(proxy);
}

#[test]
fn a_log_that_is_renamed_is_made_again() {
    let (dir, behind) = (Dir::new(), Behind::start());
    let proxy = logging(&dir, "not ssl", &behind);
    proxy.get("/1").is(200);
    fs::rename(dir.path("log"), dir.path("log.1")).unwrap();
    proxy.get("/2").is(200);
    proxy.get("/3").is(200);
    end(proxy);
    assert_eq!(
        (events(&dir, "log.1").len(), events(&dir, "log").len()),
        (1, 2)
    );
}

#[test]
fn the_manual_has_a_page_of_it_whose_examples_parse() {
    let dir = Dir::new();
    dir.pqseal(&["man", "-o", "pages"]).succeeds();
    let page = String::from_utf8(dir.read("pages/pqseal-edge.1")).unwrap();
    assert!(page.contains("require\\-log"), "{page}");
    let help = dir.run(EDGE, &["--help"], b"").succeeds();
    let examples = help
        .out()
        .lines()
        .filter(|line| line.starts_with("  pqseal-edge "));
    let mut count = 0;
    for example in examples {
        let parsed = Options::command().try_get_matches_from(example.split_whitespace());
        assert!(parsed.is_ok(), "{example}");
        count += 1;
    }
    assert_eq!(count, 3);
}
