//! The probe over QUIC, with a server of ours, and hostile ones.

use std::{
    collections::HashMap,
    net::{SocketAddr, UdpSocket},
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use bytes::BytesMut;
use pqseal_tls::{
    Policy, groups,
    probe::{Failure, Preference, Probe, Transport, offer_by_name, offers},
    provider,
};
use quinn_proto::{
    Connection, ConnectionHandle, DatagramEvent, Endpoint, EndpointConfig, ServerConfig,
    crypto::rustls::QuicServerConfig,
};
use rustls::crypto::SupportedKxGroup;

use super::{
    hostile,
    memory::{Identity, NAME},
    probe::{STANDARD, accepted},
};

fn probe(address: SocketAddr, alpn: &str, seconds: u64) -> Probe {
    Probe {
        addresses: vec![address],
        name: NAME.try_into().unwrap(),
        timeout: Duration::from_secs(seconds),
        parallel: 4,
        transport: Transport::Quic {
            alpn: vec![alpn.to_owned()],
        },
    }
}

/// Starts a rustls QUIC server with these groups, which runs as long as the process.
fn serve(groups: &[&'static dyn SupportedKxGroup]) -> SocketAddr {
    let mut config = (*Identity::get().server(groups)).clone();
    config.alpn_protocols = vec![b"h3".to_vec()];
    let config = QuicServerConfig::try_from(config).unwrap();
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    let address = socket.local_addr().unwrap();
    let config = ServerConfig::with_crypto(Arc::new(config));
    let endpoint = Endpoint::new(
        Arc::new(EndpointConfig::default()),
        Some(Arc::new(config)),
        false,
        None,
    );
    thread::spawn(move || Server::new(socket, endpoint).run());
    address
}

struct Server {
    socket: UdpSocket,
    endpoint: Endpoint,
    connections: HashMap<ConnectionHandle, Connection>,
}

impl Server {
    fn new(socket: UdpSocket, endpoint: Endpoint) -> Self {
        // The interval at which timers are checked.
        let often = Some(Duration::from_millis(5));
        socket.set_read_timeout(often).unwrap();
        Self {
            socket,
            endpoint,
            connections: HashMap::new(),
        }
    }

    fn run(mut self) {
        let mut datagram = [0; 1 << 16];
        loop {
            if let Ok((length, from)) = self.socket.recv_from(&mut datagram) {
                self.take(BytesMut::from(&datagram[..length]), from);
            }
            self.connections.retain(|handle, connection| {
                let now = Instant::now();
                if connection.poll_timeout().is_some_and(|due| due <= now) {
                    connection.handle_timeout(now);
                }
                let mut buffer = Vec::new();
                while let Some(transmit) = connection.poll_transmit(now, 1, &mut buffer) {
                    let sent = self.socket.send_to(&buffer, transmit.destination);
                    sent.unwrap();
                    buffer.clear();
                }
                while let Some(event) = connection.poll_endpoint_events() {
                    if let Some(event) = self.endpoint.handle_event(*handle, event) {
                        connection.handle_event(event);
                    }
                }
                while connection.poll().is_some() {}
                !connection.is_drained()
            });
        }
    }

    fn take(&mut self, datagram: BytesMut, from: SocketAddr) {
        let (now, mut answer) = (Instant::now(), Vec::new());
        let event = self
            .endpoint
            .handle(now, from, None, None, datagram, &mut answer);
        match event {
            Some(DatagramEvent::NewConnection(incoming)) => {
                match self.endpoint.accept(incoming, now, &mut answer, None) {
                    Ok((handle, connection)) => {
                        self.connections.insert(handle, connection);
                    }
                    Err(refused) => {
                        if let Some(transmit) = refused.response {
                            self.send(&answer[..transmit.size], from);
                        }
                    }
                }
            }
            Some(DatagramEvent::ConnectionEvent(handle, event)) => {
                if let Some(connection) = self.connections.get_mut(&handle) {
                    connection.handle_event(event);
                }
            }
            Some(DatagramEvent::Response(transmit)) => {
                self.send(&answer[..transmit.size], from);
            }
            None => {}
        }
    }

    fn send(&self, datagram: &[u8], to: SocketAddr) {
        self.socket.send_to(datagram, to).unwrap();
    }
}

#[test]
fn our_server_has_the_same_groups_over_quic() {
    let all = offers(&Policy::draft().with_experimental());
    let address = serve(&provider(&Policy::standard()).kx_groups);
    let report = probe(address, "h3", 20).run(&all);
    assert_eq!(accepted(&report), STANDARD);
    assert_eq!(report.preference(), Some(Preference::Client));
    assert!(report.is_post_quantum() && !report.asks_for_retry());
    let certificate = report.certificate().unwrap();
    assert_eq!(certificate.key, "EC 256 bits (curve P-256)");
    for (offer, result) in &report.groups {
        match result {
            // 150 to 350 bytes are not the share.
            Ok(done) => {
                assert_eq!(done.group, offer.id);
                assert!((150..350).contains(&(done.client_hello - offer.client_share)));
                assert!((50..110).contains(&(done.server_hello - offer.server_share)));
            }
            Err(failure) => assert!(failure.is_refusal(), "{}: {failure}", offer.name),
        }
    }
}

/// The ClientHello takes two datagrams.
#[test]
fn bike_works_over_quic() {
    let all = [offer_by_name("x25519_bikel1").unwrap()];
    let report = probe(serve(&[&groups::X25519_BIKEL1]), "h3", 20).run(&all);
    assert_eq!(accepted(&report), ["x25519_bikel1"]);
}

#[test]
fn a_server_without_the_protocol_is_not_a_refusal_of_the_group() {
    let address = serve(&[&groups::X25519MLKEM768]);
    let all = [offer_by_name("X25519MLKEM768").unwrap()];
    let report = probe(address, "nonesuch", 20).run(&all);
    let failure = report.groups[0].1.clone().unwrap_err();
    assert!(!failure.is_refusal());
    assert!(
        failure.to_string().contains("application protocols"),
        "{failure}"
    );
}

#[test]
fn a_group_that_never_worked_is_not_accepted() {
    for bad in [
        &hostile::SHORT,
        &hostile::LOW_ORDER,
        &hostile::NOT_CANONICAL,
    ] {
        let all = [offer_by_name("X25519MLKEM768").unwrap()];
        let report = probe(serve(&[bad]), "h3", 4).run(&all);
        let failure = report.groups[0].1.clone().unwrap_err();
        assert!(!failure.is_refusal(), "{failure}");
    }
}

#[test]
fn the_address_after_a_silent_one_is_asked() {
    let silent = UdpSocket::bind("127.0.0.1:0").unwrap();
    let mut probe = probe(serve(&[&groups::X25519MLKEM768]), "h3", 4);
    probe.addresses.insert(0, silent.local_addr().unwrap());
    let report = probe.run(&[offer_by_name("X25519MLKEM768").unwrap()]);
    assert_eq!(accepted(&report), ["X25519MLKEM768"]);
}

/// The system refuses to connect a socket to the broadcast address, as it refuses IPv6 on a machine
/// without it.
#[test]
fn the_address_after_one_that_cannot_be_used_is_asked() {
    let mut probe = probe(serve(&[&groups::X25519MLKEM768]), "h3", 8);
    probe
        .addresses
        .insert(0, ([255, 255, 255, 255], 443).into());
    let report = probe.run(&[offer_by_name("X25519MLKEM768").unwrap()]);
    assert_eq!(accepted(&report), ["X25519MLKEM768"]);
}

#[test]
fn silent_absent_and_endless_servers_end_in_time() {
    let silent = UdpSocket::bind("127.0.0.1:0").unwrap();
    let closed = UdpSocket::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    let endless = UdpSocket::bind("127.0.0.1:0").unwrap();
    let endless_address = endless.local_addr().unwrap();
    thread::spawn(move || {
        let (_, client) = endless.recv_from(&mut [0; 1 << 16]).unwrap();
        while endless.send_to(&[0xc0; 1200], client).is_ok() {}
    });
    type Expected = fn(&Failure) -> bool;
    let cases: [(SocketAddr, u64, Expected); 3] = [
        (silent.local_addr().unwrap(), 1, |failure| {
            *failure == Failure::Timeout
        }),
        (closed, 10, |failure| matches!(failure, Failure::Connect(_))),
        (endless_address, 10, |failure| *failure == Failure::TooMuch),
    ];
    for (address, seconds, expected) in cases {
        let report = probe(address, "h3", seconds).run(&[offer_by_name("X25519").unwrap()]);
        let failure = report.groups[0].1.clone().unwrap_err();
        assert!(expected(&failure), "{failure}");
    }
}
