//! Certificates, configurations, and the files of the documentation.

use std::{fs, path::Path, process::Command};

use super::{
    certificates,
    server::{Answer, CLIENTS, OUTPUT, SECRET, Server, folder, post, segments},
};
use crate::common::{Dir, PQSEAL};

/// Posts a body by TLS, with the certificate of this name if there is one.
pub(crate) fn by_tls(dir: &Dir, server: &Server, name: Option<&str>, body: &str) -> Option<Answer> {
    let request = post("/logs", "", body.len()) + body;
    certificates::by_tls(dir, server, name, request.as_bytes())
}

#[test]
fn mutual_tls_takes_clients_of_its_authority_only() {
    let dir = folder();
    certificates::make(&dir);
    let status = |server: &Server, name, number| {
        let answer = by_tls(&dir, server, name, &format!("{{\"n\":{number}}}"));
        answer.map(|answer| answer.status)
    };
    let tls = "\n[tls]\ncertificate = \"localhost.pem\"\nkey = \"localhost.key\"\n";
    // The server does not ask for certificates.
    let server = Server::with(&dir, "", &format!("{OUTPUT}{tls}"));
    assert_eq!(status(&server, None, 1), Some(200));
    server.end();
    // The server asks for certificates.
    let mut server = Server::with(&dir, "", &format!("{OUTPUT}{tls}client-ca = \"ca.pem\"\n"));
    assert_eq!(status(&server, Some("client"), 2), Some(200));
    assert_eq!(status(&server, None, 3), None);
    assert_eq!(status(&server, Some("other"), 4), None);
    server.wait_for("tls", |line| line["reason"].is_string());
    // A certificate does not replace the secret where there is one.
    dir.write("push.secret", "another secret of push");
    server.signal("HUP");
    server.wait_for("reloaded", |_| true);
    assert_eq!(status(&server, Some("client"), 5), Some(401));
    server.end();
    // Certificates only.
    let config = format!(
        "listen = \"127.0.0.1:0\"\n[open]\nkey = \"key.txt\"\n{OUTPUT}{tls}client-ca = \"ca.pem\"\n"
    );
    dir.write("only.toml", config);
    let mut command = dir.command(PQSEAL);
    command.args(["logs", "serve", "-c", "only.toml"]);
    let server = Server::run(&dir, command);
    assert_eq!(status(&server, Some("client"), 6), Some(200));
    server.end();
    let taken = segments(&dir.path("out"));
    assert_eq!(taken, "{\"n\":1}\n{\"n\":2}\n{\"n\":6}\n");
}

#[test]
fn a_configuration_is_checked_before_it_is_used() {
    let dir = folder();
    let check = |config: &str| {
        dir.write("pqseal.toml", config);
        dir.words("logs serve -c pqseal.toml --check")
    };
    let good = format!("listen = \"127.0.0.1:0\"\n{CLIENTS}{OUTPUT}");
    check(&good).succeeds();
    // Only a running receiver takes the lock.
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
    let next = next.replace("https://", "http://user:password@");
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

/// The files of docs/siem/serve work.
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
        dir.words("logs serve -c pqseal.toml --check").succeeds();
    }
}

/// systemd knows every line of the units in the documentation.
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

/// Returns the configuration with all members that are comments, and without the table of
/// this name.
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
