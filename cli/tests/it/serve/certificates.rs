//! Certificates by OpenSSL, and its client.

use std::{
    io::Write,
    process::{Child, Stdio},
};

use super::server::{Answer, Server};
use crate::common::Dir;

/// Makes an authority, its certificate for `localhost`, and one for a client, in files.
pub(crate) fn make(dir: &Dir) {
    let run = |line: &str| {
        let made = dir
            .command("openssl")
            .args(line.split(' '))
            .output()
            .expect("openssl is missing (Debian: apt install openssl)");
        assert!(
            made.status.success(),
            "{line}: {}",
            String::from_utf8_lossy(&made.stderr)
        );
    };
    let new = "-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes";
    run(&format!(
        "req -x509 {new} -days 2 -subj /CN=authority -keyout ca.key -out ca.pem"
    ));
    for (name, usage) in [("localhost", "serverAuth"), ("client", "clientAuth")] {
        run(&format!(
            "req {new} -subj /CN={name} -keyout {name}.key -out {name}.csr"
        ));
        let extensions = format!("subjectAltName=DNS:{name}\nextendedKeyUsage={usage}\n");
        dir.write("extensions", extensions);
        run(&format!(
            "x509 -req -in {name}.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile extensions -out {name}.pem"
        ));
    }
    run(&format!(
        "req -x509 {new} -days 2 -subj /CN=client -keyout other.key -out other.pem"
    ));
}

/// Returns OpenSSL's client, with the certificate of this name if there is one.
pub(crate) fn client(dir: &Dir, server: &Server, name: Option<&str>) -> Child {
    let mut client = dir.command("openssl");
    client
        .args([
            "s_client",
            "-quiet",
            "-verify_return_error",
            "-CAfile",
            "ca.pem",
        ])
        .args(["-servername", "localhost", "-verify_hostname", "localhost"])
        .args(["-connect", &server.address.to_string()])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    if let Some(name) = name {
        client.args([
            "-cert",
            &format!("{name}.pem"),
            "-key",
            &format!("{name}.key"),
        ]);
    }
    client.spawn().unwrap()
}

/// Sends a request by that client.
pub(crate) fn by_tls(
    dir: &Dir,
    server: &Server,
    name: Option<&str>,
    request: &[u8],
) -> Option<Answer> {
    let mut child = client(dir, server, name);
    let mut stdin = child.stdin.take().unwrap();
    // A client that was refused does not read.
    let _ = stdin.write_all(request);
    let answer = Answer::try_read(&mut child.stdout.take().unwrap());
    drop(stdin);
    child.wait().unwrap();
    answer
}
