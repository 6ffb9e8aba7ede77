//! The probe with servers that close silently, send invalid shares, send nothing, or never stop.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{SocketAddr, TcpListener},
    process::{Command, Stdio},
    sync::Arc,
    time::Duration,
};

use pqseal_tls::{
    Policy, groups,
    probe::{Failure, Probe, Transport, offer_by_name, offers},
};
use rustls::{
    ServerConnection,
    crypto::{SupportedKxGroup, aws_lc_rs, aws_lc_rs::kx_group as aws},
    server::WebPkiClientVerifier,
};

use super::{
    hostile,
    memory::{Identity, NAME},
    probe::{accepted, assert_the_rest_is_refused, listen, probe, rustls_server, serve},
};

/// Starts a server that closes the connection where others send an alert, as s2n-tls does. It does
/// not accept a ClientHello whose record is longer than `limit`, as a middlebox may do.
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

/// This includes requests for only groups that the server does not have.
#[test]
fn a_silent_refusal_is_seen_beside_a_group_that_was_not_asked_for() {
    let address = closing_server(&[aws::X25519], usize::MAX);
    let report = probe(address, &[offer_by_name("X25519MLKEM768").unwrap()]);
    assert_eq!(report.groups[0].1.clone().unwrap_err(), Failure::NotChosen);
    assert_eq!(report.is_tls13(), Some(true));
}

/// The server chooses the group and sends an invalid share, or one that gives it other keys.
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

/// A certificate that the server requests does not matter. It is requested in an encrypted record.
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

/// The server may support the group; this cannot be determined.
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

/// Each probe ends with an error that describes the failure, in bounded time and memory.
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
    let cases: [(SocketAddr, u64, Expected); 5] = [
        (silent, 1, |failure| *failure == Failure::Timeout),
        (closing, 10, |failure| *failure == Failure::Closed),
        (talking, 10, |failure| {
            matches!(failure, Failure::Protocol(_))
        }),
        (endless, 10, |failure| {
            matches!(failure, Failure::Protocol(_) | Failure::TooMuch)
        }),
        (closed, 10, |failure| matches!(failure, Failure::Connect(_))),
    ];
    for (address, seconds, expected) in cases {
        let probe = Probe {
            addresses: vec![address],
            name: NAME.try_into().unwrap(),
            timeout: Duration::from_secs(seconds),
            parallel: 2,
            transport: Transport::Tcp,
        };
        let report = probe.run(&[offer_by_name("X25519MLKEM768").unwrap()]);
        let failure = report.groups[0].1.clone().unwrap_err();
        assert!(expected(&failure), "{failure}");
        assert!(!failure.is_refusal());
    }
}

/// A listener whose queue is full delays connections, like a network that drops packets.
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
        timeout: Duration::from_secs(4),
        parallel: 1,
        transport: Transport::Tcp,
    };
    let report = probe.run(&[offer_by_name("X25519").unwrap()]);
    drop(silent.stdin.take());
    silent.wait().unwrap();
    assert_eq!(accepted(&report), ["X25519"]);
}
