//! The probe with servers that we know: ours, Go's and OpenSSL's.

use std::{
    io::{Read, Write},
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
    crypto::{SupportedKxGroup, aws_lc_rs::kx_group as aws},
};

use super::{
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

pub(crate) fn probe(address: SocketAddr, offers: &[Offer]) -> Report {
    let probe = Probe {
        addresses: vec![address],
        name: NAME.try_into().unwrap(),
        timeout: Duration::from_secs(20),
        parallel: 4,
        transport: Transport::Tcp,
    };
    probe.run(offers)
}

/// Serves each connection on a thread, as long as the process runs.
pub(crate) fn listen(serve: impl Fn(std::net::TcpStream) + Clone + Send + 'static) -> SocketAddr {
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

/// Starts a rustls server with these groups.
pub(crate) fn rustls_server(groups: &[&'static dyn SupportedKxGroup]) -> SocketAddr {
    serve(Identity::get().server(groups))
}

pub(crate) fn serve(config: Arc<ServerConfig>) -> SocketAddr {
    listen(move |mut socket| {
        let mut server = ServerConnection::new(config.clone()).unwrap();
        while server.is_handshaking() && server.complete_io(&mut socket).is_ok() {}
    })
}

/// Returns the names of the accepted groups.
pub(crate) fn accepted(report: &Report) -> Vec<&'static str> {
    let groups = report.groups.iter();
    let accepted = groups.filter(|(_, result)| result.is_ok());
    accepted.map(|(offer, _)| offer.name).collect()
}

/// Asserts that the other groups were refused, without other failures.
pub(crate) fn assert_the_rest_is_refused(report: &Report) {
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

/// Go prefers a hybrid, and requests another ClientHello to get it.
#[test]
fn go_has_three_hybrids_and_prefers_one() {
    let report = probe(Server::start(&["default"]).1, &offers(&Policy::draft()));
    assert_eq!(accepted(&report)[..3], STANDARD[..3]);
    assert_the_rest_is_refused(&report);
    assert_eq!(report.preference(), Some(Preference::Server(0x11ec)));
    assert!(report.asks_for_retry());
}

/// An OpenSSL server, which is stopped on drop.
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

/// This is the alert of servers from before TLS 1.3, which find no cipher suite
/// that they know.
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
