//! Calendars of programs that run for long: the receiver, the edge, and `logs seal --follow`.

use std::{thread, time::Duration};

use super::{Done, day, dir, read};
use crate::{
    common::PQSEAL,
    follow::run::{Run, append},
    serve::server::{OUTPUT, SECRET, Server},
};

/// What a firewall wrote, with a field that `logs seal --preset modsecurity` seals.
const LINE: &str = "{\"transaction\":{\"messages\":[{\"details\":{\"data\":\"secret\"}}]}}\n";

#[test]
fn a_followed_audit_log_is_sealed_to_a_calendar_that_is_read_again() {
    let dir = dir();
    let log = dir.path("audit.log");
    append(&log, LINE);
    let seal = "logs seal --preset modsecurity --to logs.pub --follow audit.log";
    let words: Vec<_> = seal.split(' ').collect();
    let run = Run::of(&dir, dir.command(PQSEAL), &words);
    run.wait_for_lines(1);
    let more = |run: &Run, lines| {
        run.signal("HUP");
        // A signal before the record is seen before it.
        thread::sleep(Duration::from_millis(300));
        append(&log, LINE);
        run.wait_for_lines(lines);
    };

    // An extended calendar; then, each refused, another one, the private one, and one without today.
    let (from, to) = (day(1), day(8));
    dir.shell(&format!(
        "pqseal calendar extend logs.calendar --days 60 >> logs.pub;
         pqseal calendar public logs.calendar --from {from} --to {to} > cut.pub"
    ))
    .done();
    more(&run, 2);
    assert_eq!(read(&dir, "logs.pub").count(), 70);
    let said = String::from_utf8(dir.read("err")).unwrap();
    assert_eq!(said.matches("the calendar in logs.pub ends").count(), 1);
    super::make(&dir, "-o other.calendar");
    more(&run, 3);
    run.wait_for("err", |said| said.contains("is not the calendar"));
    dir.write("logs.pub", dir.read("logs.calendar"));
    more(&run, 4);
    run.wait_for("err", |said| said.contains("calendar public"));
    dir.write("logs.pub", dir.read("cut.pub"));
    more(&run, 5);
    run.wait_for("err", |said| said.contains("left out"));
    run.end(0);

    dir.shell("mv out sealed").done();
    let open = "logs open -k logs.calendar --preset modsecurity --strict sealed";
    assert_eq!(dir.words(open).done().out(), LINE.repeat(5));
}

#[test]
fn a_calendar_that_cannot_be_read_again_stays_in_use() {
    let dir = dir();
    let log = dir.path("audit.log");
    append(&log, LINE);
    let seal = "logs seal --preset modsecurity --to - --follow audit.log";
    let words: Vec<_> = seal.split(' ').collect();
    let mut command = dir.command(PQSEAL);
    command.stdin(std::fs::File::open(dir.path("logs.pub")).unwrap());
    let run = Run::of(&dir, command, &words);
    run.wait_for_lines(1);
    run.signal("HUP");
    // A signal before the record is seen before it.
    thread::sleep(Duration::from_millis(300));
    // Sealed as a whole, which asks for the calendar too.
    append(&log, "not JSON\n");
    run.wait_for_lines(2);
    run.wait_for("err", |said| {
        said.contains("standard input cannot be read again")
    });
    run.end(0);
}

#[test]
fn a_receiver_gets_another_lent_week() {
    let dir = dir();
    dir.write("push.secret", SECRET);
    dir.write("splunk.secret", "fedcba9876543210fedc");
    std::fs::create_dir(dir.path("out")).unwrap();
    let blob = dir.feed("seal --to logs.pub", b"secret").done();
    let line = format!(
        "{{\"encrypted_matched_data\":\"{}\"}}\n",
        blob.out().trim_end()
    );
    let lend = |day: String| {
        dir.words(&format!(
            "calendar lend logs.calendar --from {day} --to {day} -o lent.calendar"
        ))
        .done();
        dir.shell("mv lent.calendar key.txt").done();
    };
    lend(day(1));
    let mut server = Server::with(&dir, "", OUTPUT);
    server.push(line.as_bytes()).is(200);
    lend(day(0));
    server.signal("HUP");
    server.wait_for("reloaded", |_| true);
    server.push(line.as_bytes()).is(200);
    server.end();
    let all = crate::serve::server::segments(&dir.path("out"));
    assert_eq!(all.matches("decrypted_matched_data").count(), 1, "{all}");
}

#[test]
#[cfg(feature = "edge")]
fn the_edge_seals_to_a_calendar_that_is_read_again() {
    use crate::edge::{behind::Behind, end, rule, start};

    let (dir, behind) = (dir(), Behind::start());
    let rules = rule("r", "log", "not ssl");
    let options = ["--require-log", "--to", "logs.pub", "--warn-days", "20"];
    let mut proxy = start(&dir, &rules, &behind, &options);
    proxy.wait_for("calendar_ends", |_| true);
    proxy.get("/1").is(200);
    let private = dir.read("logs.calendar");
    dir.write("logs.pub", &private);
    proxy.signal("HUP");
    proxy.wait_for("not_reloaded", |line| {
        line["reason"].as_str().unwrap().contains("calendar public")
    });
    proxy.get("/2").is(200);
    // Another calendar.
    super::make(&dir, "-o other.calendar");
    proxy.signal("HUP");
    let id = read(&dir, "logs.pub").id();
    let to = format!("calendar {id}");
    proxy.wait_for("reloaded", |line| line["to"] == to);
    proxy.get("/3").is(200);
    // New rules, without the file of the calendar, which stays in use.
    std::fs::remove_file(dir.path("logs.pub")).unwrap();
    dir.write("rules.toml", rules + &rule("s", "log", "ssl"));
    proxy.signal("HUP");
    proxy.wait_for("reloaded", |line| line["rules"] == 2 && line["to"] == to);
    proxy.get("/4").is(200);
    end(proxy);
    for (key, opened) in [("logs.calendar", 2), ("other.calendar", 2)] {
        let open = format!("logs open -k {key} --preset cf-logpush --stats json log");
        let ran = dir.words(&open);
        let stats: serde_json::Value =
            serde_json::from_str(ran.err.lines().last().unwrap()).unwrap();
        assert_eq!(stats["opened"], opened, "{stats}");
    }
}

#[test]
#[cfg(feature = "edge")]
fn the_edge_does_not_start_without_a_period() {
    let dir = dir();
    dir.write("rules.toml", "");
    let edge = env!("CARGO_BIN_EXE_pqseal-edge");
    let run = |to: &str, more: &[&str]| {
        let options = ["--rules", "rules.toml", "--upstream", "http://127.0.0.1:1"];
        let log = ["--log", "log", "--listen", "127.0.0.1:0", "--to", to];
        dir.run(edge, &[&options[..], &log, more].concat(), b"")
    };
    for (name, from) in [("past", "2020-01-01"), ("future", "2099-01-01")] {
        let new = format!("calendar new --from {from} --days 7 -o {name}");
        dir.write("public", dir.words(&new).done().out());
        run("public", &[]).fails(3, "nothing is sealed");
        run("public", &["--check"]).fails(3, "nothing is sealed");
    }
    run("logs.calendar", &["--check"]).fails(3, "calendar public");
    let ran = run("logs.pub", &["--check"]).done();
    assert!(
        ran.err.contains("the calendar in logs.pub ends"),
        "{}",
        ran.err
    );
    let ran = run("logs.pub", &["--check", "--warn-days", "3"]).done();
    assert_eq!(ran.err, "");
    assert!(!dir.path("log").exists());
}
