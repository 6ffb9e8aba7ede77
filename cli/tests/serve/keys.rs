//! Keys, secrets, certificates and configurations.

use std::{
    fs,
    io::{Read, Write},
    path::Path,
    process::{Child, Command},
    thread,
    time::{Duration, Instant},
};

use serde_json::Value;

use crate::{
    certificates,
    common::{Dir, PRIVATE_KEY},
    limits::{helper, signal_helper, until},
    server::{Answer, CLIENTS, Lines, OUTPUT, SECRET, Server, folder, post, segments},
};

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
    // A key file that is damaged changes nothing.
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
    assert_eq!((with(token), with(crate::server::TOKEN)), (200, 401));
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

/// A helper that dies makes its records wait, the log says why it died, and it is started again.
#[test]
fn a_helper_that_died_is_started_again() {
    let dir = folder();
    let (open, lines) = helper(&dir);
    let mut server = Server::with(&dir, "", &(open + OUTPUT));
    server.push(lines.line(1).as_bytes()).is(200);
    signal_helper(&dir, "KILL");
    until(|| server.push(lines.line(2).as_bytes()).status == 503);
    let line = server.wait_for("request", |line| line["code"] == "key_unavailable");
    let reason = line["reason"].as_str().unwrap();
    assert!(reason.contains("it ended (signal: 9"), "{reason}");
    until(|| server.push(lines.line(3).as_bytes()).status == 200);
    // One that does not start is not tried by each request.
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

/// A command that gives keys and hangs keeps neither requests nor the end waiting.
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

/// Posts a body by TLS, with the certificate of this name if there is one.
fn by_tls(dir: &Dir, server: &Server, name: Option<&str>, body: &str) -> Option<Answer> {
    let request = post("/logs", "", body.len()) + body;
    certificates::by_tls(dir, server, name, request.as_bytes())
}

#[test]
fn mutual_tls_takes_clients_of_its_authority_only() {
    let dir = folder();
    certificates::make(&dir);
    let tls = "\n[tls]\ncertificate = \"localhost.pem\"\nkey = \"localhost.key\"\n";
    // Without asking for certificates.
    let server = Server::with(&dir, "", &format!("{OUTPUT}{tls}"));
    assert_eq!(
        by_tls(&dir, &server, None, "{\"n\":1}").unwrap().status,
        200
    );
    assert!(
        server
            .connect()
            .write_all(post("/logs", "", 0).as_bytes())
            .is_ok()
    );
    server.end();
    // With.
    let mut server = Server::with(&dir, "", &format!("{OUTPUT}{tls}client-ca = \"ca.pem\"\n"));
    assert_eq!(
        by_tls(&dir, &server, Some("client"), "{\"n\":2}")
            .unwrap()
            .status,
        200
    );
    assert!(by_tls(&dir, &server, None, "{\"n\":3}").is_none());
    assert!(by_tls(&dir, &server, Some("other"), "{\"n\":4}").is_none());
    server.wait_for("tls", |line| line["reason"].is_string());
    // A certificate does not replace the secret where there is one.
    dir.write("push.secret", "another secret of push");
    server.signal("HUP");
    server.wait_for("reloaded", |_| true);
    assert_eq!(
        by_tls(&dir, &server, Some("client"), "{\"n\":5}")
            .unwrap()
            .status,
        401
    );
    server.end();
    // Certificates only.
    let config = format!(
        "listen = \"127.0.0.1:0\"\n[open]\nkey = \"key.txt\"\n{OUTPUT}{tls}client-ca = \"ca.pem\"\n"
    );
    dir.write("only.toml", config);
    let mut command = dir.command(crate::common::PQSEAL);
    command.args(["logs", "serve", "-c", "only.toml"]);
    let server = Server::run(&dir, command);
    assert_eq!(
        by_tls(&dir, &server, Some("client"), "{\"n\":6}")
            .unwrap()
            .status,
        200
    );
    server.end();
    assert_eq!(
        segments(&dir.path("out")),
        "{\"n\":1}\n{\"n\":2}\n{\"n\":6}\n"
    );
}

/// A reload ends connections whose certificates were checked by the authority of before: with the
/// request that they are at, and at once if there is none.
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

#[test]
fn a_configuration_is_checked_before_it_is_used() {
    let dir = folder();
    let check = |config: &str| {
        dir.write("pqseal.toml", config);
        dir.pqseal(&["logs", "serve", "-c", "pqseal.toml", "--check"])
    };
    let good = format!("listen = \"127.0.0.1:0\"\n{CLIENTS}{OUTPUT}");
    check(&good).succeeds();
    // The lock is taken only by what runs.
    assert_eq!(fs::read_dir(dir.path("out")).unwrap().count(), 0);
    check("listen = 1").fails(2, "pqseal.toml, line 1: ");
    check(&format!("{good}rotation = 1")).fails(2, "unknown field `rotation`");
    check(&good.replace("[open]", "[open]\nkeys = \"a\"")).fails(2, "--keys");
    check(&good.replace("key.txt", "none.txt")).fails(3, "none.txt");
    check(&good.replace("push.secret", "none.secret")).fails(3, "none.secret");
    check(&good.replace("127.0.0.1", "0.0.0.0")).fails(2, "in the clear");
    check(&format!("dead-letter = \"key.txt\"\n{good}")).fails(3, "which is also read");
    dir.write("push.secret", "too short");
    check(&good).fails(2, "openssl rand -hex 32");
    dir.write("push.secret", SECRET);
    let next = good.replace(OUTPUT, "\n[next]\nurl = \"https://localhost/\"\n");
    check(&next).fails(2, "https needs ca");
    let next = good.replace(
        OUTPUT,
        "\n[next]\nurl = \"http://user:password@localhost/\"\n",
    );
    check(&next).fails(2, "value-file");
    let elsewhere =
        |folder: &str| good.replace("folder = \"out\"", &format!("folder = \"{folder}\""));
    check(&elsewhere("none")).fails(3, "write none");
    check(&elsewhere("key.txt")).fails(3, "write key.txt");
    check(&format!("dead-letter = \"none/a\"\n{good}")).fails(3, "write none/a");
    check(&format!("dead-letter = \"out\"\n{good}")).fails(3, "write out");
    check(&format!("dead-letter = \"letters\"\n{good}")).succeeds();
    assert!(!dir.path("letters").exists());
    let tls = format!("{good}[tls]\ncertificate = \"key.txt\"\nkey = \"key.txt\"\n");
    check(&tls).fails(3, "for TLS");
    check(&good).succeeds();
}

/// The files that docs/siem/serve gives to copy are those that work.
#[test]
fn the_files_to_copy_work() {
    let dir = folder();
    certificates::make(&dir);
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/siem/serve");
    let text = fs::read_to_string(docs.join("pqseal.toml")).unwrap();
    let here = dir.path("");
    let here = here.to_str().unwrap().trim_end_matches('/');
    for (name, from) in [
        ("key.pem", "key.txt"),
        ("tls.pem", "localhost.pem"),
        ("tls.key", "localhost.key"),
        ("clients.pem", "ca.pem"),
        ("logpush.secret", "push.secret"),
        ("next.value", "push.secret"),
    ] {
        fs::copy(dir.path(from), dir.path(name)).unwrap();
    }
    fs::create_dir(dir.path("events")).unwrap();
    for text in [
        text.clone(),
        with_all(&text, "[next]"),
        with_all(&text, "[output]"),
    ] {
        let text = text
            .replace("/run/credentials/pqseal.service", here)
            .replace("/var/lib/pqseal", here)
            .replace("/etc/ssl/certs/ca-certificates.crt", "ca.pem");
        dir.write("pqseal.toml", &text);
        let ran = dir.pqseal(&["logs", "serve", "-c", "pqseal.toml", "--check"]);
        assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{text}");
    }
}

/// Every line of the units in the documentation is one that systemd knows.
#[test]
#[cfg(target_os = "linux")]
fn the_units_to_copy_are_valid() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs");
    let units = [
        "edge/pqseal-edge",
        "siem/kafka/pqseal-kafka",
        "siem/modsecurity/pqseal-seal",
        "siem/serve/pqseal",
        "siem/stores/pqseal-stores",
    ];
    let verified = Command::new("systemd-analyze")
        .args(["verify", "--man=no"])
        .args(units.map(|unit| docs.join(unit).with_extension("service")))
        .output()
        .expect("systemd-analyze is missing (Debian: apt install systemd)");
    let said = String::from_utf8(verified.stderr).unwrap();
    // The program is not installed where the unit looks for it.
    let about = said.lines().filter(|line| line.contains("pqseal"));
    let wrong = about.filter(|line| !line.contains("is not executable"));
    assert_eq!(wrong.collect::<Vec<_>>(), Vec::<&str>::new());
}

/// The configuration with all members that are comments, and without the table of this name.
fn with_all(text: &str, without: &str) -> String {
    let is_member = |line: &str| line.contains(" = ") || line.contains("[next]");
    let line = |line: &str| match line.strip_prefix("# ").filter(|line| is_member(line)) {
        Some(member) => member.to_owned() + "\n",
        None => line.to_owned() + "\n",
    };
    let tables = text
        .split("\n\n")
        .map(|table| table.lines().map(line).collect::<String>());
    let tables = tables.filter(|table| !table.lines().any(|line| line == without));
    tables.collect::<Vec<_>>().join("\n")
}
