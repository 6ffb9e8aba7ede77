//! The probe against servers that we know: ours, Go's, OpenSSL's, and hostile ones.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{SocketAddr, TcpListener},
    process::{Child, Command, Stdio},
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use pqseal_tls::{
    Policy, groups,
    probe::{Failure, Offer, Preference, Probe, Report, Transport, offer_by_name, offers},
    provider,
};
use rustls::{
    ServerConfig, ServerConnection,
    crypto::{SupportedKxGroup, aws_lc_rs, aws_lc_rs::kx_group as aws},
    server::WebPkiClientVerifier,
};

use crate::{
    hostile,
    live::Server,
    memory::{Identity, NAME},
};

/// The groups of `Policy::standard()` under testssl.sh's names, the hybrids first.
pub(crate) const STANDARD: [&str; 6] = [
    "X25519MLKEM768",
    "SecP256r1MLKEM768",
    "SecP384r1MLKEM1024",
    "X25519",
    "prime256v1",
    "secp384r1",
];

fn probe(address: SocketAddr, offers: &[Offer]) -> Report {
    let probe = Probe {
        addresses: vec![address],
        name: NAME.try_into().unwrap(),
        timeout: Duration::from_secs(20),
        parallel: 4,
        transport: Transport::Tcp,
    };
    probe.run(offers)
}

/// Serves each connection on a thread, for as long as the process runs.
fn listen(serve: impl Fn(std::net::TcpStream) + Clone + Send + 'static) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        for socket in listener.incoming() {
            let serve = serve.clone();
            thread::spawn(move || serve(socket.unwrap()));
        }
    });
    address
}

/// rustls as server, with these groups.
fn rustls_server(groups: &[&'static dyn SupportedKxGroup]) -> SocketAddr {
    serve(Identity::get().server(groups))
}

fn serve(config: Arc<ServerConfig>) -> SocketAddr {
    listen(move |mut socket| {
        let mut server = ServerConnection::new(config.clone()).unwrap();
        while server.is_handshaking() && server.complete_io(&mut socket).is_ok() {}
    })
}

/// The names of the groups that were accepted.
pub(crate) fn accepted(report: &Report) -> Vec<&'static str> {
    let groups = report.groups.iter();
    let accepted = groups.filter(|(_, result)| result.is_ok());
    accepted.map(|(offer, _)| offer.name).collect()
}

/// Groups that were not accepted were refused: nothing else went wrong.
fn assert_the_rest_is_refused(report: &Report) {
    for (offer, result) in &report.groups {
        if let Err(failure) = result {
            assert!(failure.is_refusal(), "{}: {failure}", offer.name);
        }
    }
}

#[test]
fn our_server_has_what_its_policy_allows() {
    let all = offers(&Policy::draft().with_experimental());
    assert_eq!(all.len(), groups::ALL.len() + 3);
    let report = probe(
        rustls_server(&provider(&Policy::standard()).kx_groups),
        &all,
    );
    assert_eq!(accepted(&report), STANDARD);
    assert_the_rest_is_refused(&report);
    assert!(report.is_post_quantum());
    // rustls takes the client's order.
    assert_eq!(report.preference(), Some(Preference::Client));
    assert!(!report.asks_for_retry());
    let certificate = report.certificate().unwrap();
    assert_eq!(certificate.key, "EC 256 bits (curve P-256)");
    assert_eq!(certificate.signature, "ecdsa_secp256r1_sha256");
    for (offer, result) in &report.groups {
        if let Ok(done) = result {
            // 150 to 300 bytes are not the share.
            assert!((150..300).contains(&(done.client_hello - offer.client_share)));
            assert!((80..110).contains(&(done.server_hello - offer.server_share)));
        }
    }
}

#[test]
fn a_server_of_bike_and_one_of_rustls_own_groups() {
    let all = offers(&Policy::draft().with_experimental());
    let report = probe(rustls_server(&[&groups::X25519_BIKEL1]), &all);
    assert_eq!(accepted(&report), ["x25519_bikel1"]);
    assert_eq!(report.preference(), None);
    let report = probe(rustls_server(&[aws::X25519MLKEM768, aws::X25519]), &all);
    assert_eq!(accepted(&report), ["X25519MLKEM768", "X25519"]);
}

/// Go prefers a hybrid, and asks for another ClientHello to get it.
#[test]
fn go_has_three_hybrids_and_prefers_one() {
    let report = probe(Server::start(&["default"]).1, &offers(&Policy::draft()));
    assert_eq!(accepted(&report)[..3], STANDARD[..3]);
    assert_the_rest_is_refused(&report);
    assert_eq!(report.preference(), Some(Preference::Server(0x11ec)));
    assert!(report.asks_for_retry());
}

/// OpenSSL's server, ended on drop.
struct OpenSsl(Child, SocketAddr);

impl OpenSsl {
    fn start(arguments: &[&str]) -> Self {
        let pem = Server::identity();
        // It reports no port, so one is found for it.
        let free = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = free.local_addr().unwrap();
        drop(free);
        let child = Command::new("openssl")
            .args([
                "s_server",
                "-quiet",
                "-accept",
                &address.to_string(),
                "-cert",
            ])
            .arg(&pem)
            .arg("-key")
            .arg(&pem)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("openssl is missing (Debian: apt install openssl)");
        let started = Instant::now();
        while std::net::TcpStream::connect(address).is_err() {
            assert!(
                started.elapsed() < Duration::from_secs(20),
                "openssl does not start"
            );
            thread::sleep(Duration::from_millis(20));
        }
        Self(child, address)
    }
}

impl Drop for OpenSsl {
    fn drop(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

#[test]
fn openssl_with_classical_groups_is_not_post_quantum() {
    let server = OpenSsl::start(&["-groups", "X25519:P-256"]);
    let report = probe(server.1, &offers(&Policy::draft()));
    assert_eq!(accepted(&report), ["X25519", "prime256v1"]);
    assert_the_rest_is_refused(&report);
    assert!(report.is_tls13() == Some(true) && !report.is_post_quantum());
    assert_eq!(report.other, None);
    // Its alert to a group that it does not have says nothing of its version.
    let report = probe(server.1, &[offer_by_name("X25519MLKEM768").unwrap()]);
    assert!(accepted(&report).is_empty());
    assert_the_rest_is_refused(&report);
    assert!(report.is_tls13() == Some(true) && !report.is_post_quantum());
    assert_eq!(report.other.unwrap().group, 0x1d);
}

/// As servers from before TLS 1.3 do, which find no cipher suite that they know.
#[test]
fn a_handshake_failure_alone_says_nothing_of_the_version() {
    let old = listen(|mut socket| {
        let _ = socket.read(&mut [0; 4096]);
        let _ = socket.write_all(&[21, 3, 3, 0, 2, 2, 40]);
    });
    let report = probe(old, &offers(&Policy::standard()));
    assert_the_rest_is_refused(&report);
    assert_eq!((report.is_tls13(), report.is_post_quantum()), (None, false));
}

#[test]
fn a_server_without_tls_1_3_is_reported_as_one() {
    let server = OpenSsl::start(&["-tls1_2"]);
    let report = probe(server.1, &offers(&Policy::standard()));
    assert_eq!(report.is_tls13(), Some(false));
    for (offer, result) in &report.groups {
        assert_eq!(
            result.clone().unwrap_err(),
            Failure::NoTls13,
            "{}",
            offer.name
        );
    }
}

/// A server that closes the connection where others send an alert, as s2n-tls does. It takes no
/// ClientHello whose record is longer than `limit`, as a device on the way may do.
fn closing_server(groups: &[&'static dyn SupportedKxGroup], limit: usize) -> SocketAddr {
    let config = Identity::get().server(groups);
    listen(move |mut socket| {
        let mut server = ServerConnection::new(config.clone()).unwrap();
        let mut bytes = [0; 4096];
        while server.is_handshaking() {
            let read = socket.read(&mut bytes).unwrap_or(0);
            if read == 0 || read > limit {
                return;
            }
            server.read_tls(&mut &bytes[..read]).unwrap();
            if server.process_new_packets().is_err() {
                return;
            }
            while server.wants_write() {
                server.write_tls(&mut socket).unwrap();
            }
        }
    })
}

#[test]
fn a_server_that_closes_without_an_alert_refuses() {
    let all = offers(&Policy::draft());
    let address = closing_server(&[&groups::SECP256R1MLKEM768, aws::X25519], usize::MAX);
    let report = probe(address, &all);
    assert_eq!(accepted(&report), ["SecP256r1MLKEM768", "X25519"]);
    assert_the_rest_is_refused(&report);
    for (offer, result) in &report.groups {
        if let Err(failure) = result {
            assert_eq!(*failure, Failure::NotChosen, "{}", offer.name);
        }
    }
}

/// Also where only groups were asked for that it does not have.
#[test]
fn a_silent_refusal_is_seen_beside_a_group_that_was_not_asked_for() {
    let address = closing_server(&[aws::X25519], usize::MAX);
    let report = probe(address, &[offer_by_name("X25519MLKEM768").unwrap()]);
    assert_eq!(report.groups[0].1.clone().unwrap_err(), Failure::NotChosen);
    assert_eq!(report.is_tls13(), Some(true));
}

/// The server chooses the group and sends a bad share, or one that gives it other keys.
#[test]
fn a_group_that_never_worked_is_not_accepted() {
    for bad in [
        &hostile::SHORT,
        &hostile::LOW_ORDER,
        &hostile::NOT_CANONICAL,
    ] {
        let report = probe(
            rustls_server(&[bad]),
            &[offer_by_name("X25519MLKEM768").unwrap()],
        );
        let failure = report.groups[0].1.clone().unwrap_err();
        assert!(matches!(failure, Failure::Protocol(_)), "{failure}");
        assert!(!failure.is_refusal());
        assert_eq!(report.is_tls13(), None);
    }
}

/// A certificate that it wants does not matter, and is asked for in an encrypted record.
#[test]
fn a_server_that_wants_a_certificate_accepts() {
    let identity = Identity::get();
    let verifier = WebPkiClientVerifier::builder_with_provider(
        Arc::new(identity.roots()),
        Arc::new(aws_lc_rs::default_provider()),
    );
    let groups: [&'static dyn SupportedKxGroup; 1] = [&groups::X25519MLKEM768];
    let server = serve(identity.server_with(&groups, verifier.build().unwrap()));
    let report = probe(server, &[offer_by_name("X25519MLKEM768").unwrap()]);
    assert_eq!(accepted(&report), ["X25519MLKEM768"]);
}

/// The group may be there: nobody can tell.
#[test]
fn a_long_hello_that_is_dropped_leaves_the_group_unknown() {
    let all = ["X25519MLKEM768", "X25519", "P-256"].map(|name| offer_by_name(name).unwrap());
    let report = probe(
        closing_server(&[&groups::X25519MLKEM768, aws::X25519], 1000),
        &all,
    );
    assert_eq!(accepted(&report), ["X25519"]);
    let [hybrid, _, p256] = &report.groups[..] else {
        panic!("three were asked for");
    };
    let failure = hybrid.1.clone().unwrap_err();
    assert_eq!(failure, Failure::Closed);
    assert!(!failure.is_refusal());
    assert_eq!(p256.1.clone().unwrap_err(), Failure::NotChosen);
}

/// Each ends with an error that says what happened, in bounded time and memory.
#[test]
fn hostile_servers_are_no_trouble() {
    let silent = listen(|mut socket| drop(socket.read_to_end(&mut Vec::new())));
    let closing = listen(drop);
    let talking = listen(|mut socket| {
        while socket
            .write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n")
            .is_ok()
        {}
    });
    // Records of type change_cipher_spec, without end.
    let endless = listen(|mut socket| while socket.write_all(&[20, 3, 3, 0, 1, 1]).is_ok() {});
    let closed = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    type Expected = fn(&Failure) -> bool;
    let cases: [(SocketAddr, Expected); 5] = [
        (silent, |failure| *failure == Failure::Timeout),
        (closing, |failure| *failure == Failure::Closed),
        (talking, |failure| matches!(failure, Failure::Protocol(_))),
        (endless, |failure| {
            matches!(failure, Failure::Protocol(_) | Failure::TooMuch)
        }),
        (closed, |failure| matches!(failure, Failure::Connect(_))),
    ];
    for (address, expected) in cases {
        let started = Instant::now();
        let probe = Probe {
            addresses: vec![address],
            name: NAME.try_into().unwrap(),
            timeout: Duration::from_secs(2),
            parallel: 2,
            transport: Transport::Tcp,
        };
        let report = probe.run(&[offer_by_name("X25519MLKEM768").unwrap()]);
        let failure = report.groups[0].1.clone().unwrap_err();
        assert!(expected(&failure), "{failure}");
        assert!(!failure.is_refusal());
        assert!(started.elapsed() < Duration::from_secs(15));
    }
}

/// A listener whose queue is full lets connections wait, as a network does that drops packets.
#[test]
fn the_address_after_a_silent_one_is_asked() {
    let script = "import socket, sys\ns = socket.socket()\ns.bind(('127.0.0.1', 0))\ns.listen(0)\n\
                  print(s.getsockname()[1], flush=True)\nsys.stdin.read()";
    let mut silent = Command::new("python3")
        .args(["-c", script])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("python3 is missing (Debian: apt install python3)");
    let mut port = String::new();
    let mut lines = BufReader::new(silent.stdout.take().unwrap());
    lines.read_line(&mut port).unwrap();
    let address = SocketAddr::from(([127, 0, 0, 1], port.trim().parse().unwrap()));
    let second = Duration::from_secs(1);
    let connect = || std::net::TcpStream::connect_timeout(&address, second);
    let queue: Vec<_> = (0..5).map_while(|_| connect().ok()).collect();
    assert!(queue.len() < 5, "the queue is never full");
    let probe = Probe {
        addresses: vec![address, rustls_server(&[aws::X25519])],
        name: NAME.try_into().unwrap(),
        timeout: Duration::from_secs(8),
        parallel: 1,
        transport: Transport::Tcp,
    };
    let report = probe.run(&[offer_by_name("X25519").unwrap()]);
    drop(silent.stdin.take());
    silent.wait().unwrap();
    assert_eq!(accepted(&report), ["X25519"]);
}

#[test]
fn offers_have_testssls_names_and_the_registrys() {
    for (name, id) in [
        ("x25519", 0x1d),
        ("P-256", 0x17),
        ("secp384r1", 0x18),
        ("mlkem768", 0x201),
    ] {
        assert_eq!(offer_by_name(name).unwrap().id, id);
    }
    let error = offer_by_name("x25519_sikep434").unwrap_err();
    assert!(error.to_string().contains("SIKE is broken"));
}
