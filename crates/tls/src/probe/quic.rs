//! A handshake over QUIC (RFC 9001), with the same deadline and limit as over TCP. It uses quinn's
//! state machine for the protocol, and a blocking socket for the datagrams.

use std::{
    any::Any,
    io,
    net::{SocketAddr, UdpSocket},
    sync::{Arc, Mutex, MutexGuard},
    time::{Duration, Instant},
};

use bytes::BytesMut;
use quinn_proto::{
    ClientConfig, ConnectError, Connection, ConnectionError, ConnectionHandle, ConnectionId,
    DatagramEvent, Endpoint, EndpointConfig, Event, Side, TransportError,
    crypto::{self, HeaderKey, KeyPair, Keys, PacketKey, Session, rustls::QuicClientConfig},
    transport_parameters::TransportParameters,
};
use rustls::{AlertDescription, crypto::SupportedKxGroup};

use super::{Deadline, Failure, Handshake, LIMIT, Probe, Recorder, config};

/// The first QUIC error code of TLS alerts (RFC 9001, section 4.8).
const CRYPTO_ERROR: u64 = 0x100;

/// The random of a ServerHello that is a HelloRetryRequest (RFC 9846, section 4.1.3).
const RETRY: [u8; 32] = [
    0xcf, 0x21, 0xad, 0x74, 0xe5, 0x9a, 0x61, 0x11, 0xbe, 0x1d, 0x8c, 0x02, 0x1e, 0x65, 0xb8, 0x91,
    0xc2, 0xa2, 0x11, 0x16, 0x7a, 0xbb, 0x8c, 0x5e, 0x07, 0x9e, 0x09, 0xe2, 0xc8, 0xa8, 0x33, 0x9c,
];
const CLIENT_HELLO: u8 = 1;
const SERVER_HELLO: u8 = 2;
const KEY_SHARE: u16 = 51;
/// The maximum number of bytes that are kept of a server's first messages.
const KEPT: usize = 1 << 14;

/// Runs a handshake that offers these groups, with a share of the first, and these protocols.
pub(super) fn run(
    probe: &Probe,
    groups: &[&'static dyn SupportedKxGroup],
    alpn: &[String],
) -> Result<Handshake, Failure> {
    let deadline = Deadline::after(probe.timeout);
    let recorder = Arc::new(Recorder::default());
    let mut config = config(groups, recorder.clone()).map_err(protocol)?;
    config.alpn_protocols = alpn.iter().map(|name| name.clone().into_bytes()).collect();
    let config = Arc::new(QuicClientConfig::try_from(config).map_err(protocol)?);
    let mut last = Failure::Connect(io::ErrorKind::NotFound);
    for (at, address) in probe.addresses.iter().enumerate() {
        let first = deadline.share(probe.addresses.len() - at)?;
        let hellos = Arc::new(Mutex::new(Hellos::default()));
        let config = ClientConfig::new(Arc::new(RecordedConfig {
            config: config.clone(),
            hellos: hellos.clone(),
        }));
        let mut client = match QuicHandshake::start(*address, config, &probe.name.to_str()) {
            Ok(client) => client,
            // An example is an IPv6 address on a machine without IPv6.
            Err(failure @ Failure::Connect(_)) => {
                last = failure;
                continue;
            }
            Err(failure) => return Err(failure),
        };
        let result = client.drive(&first, &deadline);
        let hellos = hellos.lock().expect("no thread panics");
        match (hellos.handshake(), result) {
            (Some(_), Err(failure)) if !hellos.decrypted => {
                return Err(failure.after_choice());
            }
            // Failures after a packet was decrypted do not matter.
            (Some(mut handshake), _) => {
                handshake.certificate = recorder.take();
                return Ok(handshake);
            }
            (None, Err(failure @ Failure::Connect(_))) => last = failure,
            (None, Err(failure @ Failure::Timeout)) if client.received == 0 => last = failure,
            (None, result) => return Err(result.err().unwrap_or(Failure::Closed)),
        }
    }
    Err(last)
}

struct QuicHandshake {
    socket: UdpSocket,
    address: SocketAddr,
    endpoint: Endpoint,
    handle: ConnectionHandle,
    connection: Connection,
    received: usize,
}

impl QuicHandshake {
    fn start(address: SocketAddr, config: ClientConfig, name: &str) -> Result<Self, Failure> {
        let any: SocketAddr = match address {
            SocketAddr::V4(_) => ([0, 0, 0, 0], 0).into(),
            SocketAddr::V6(_) => ([0_u16; 8], 0).into(),
        };
        // A connected socket reports closed ports.
        let socket = UdpSocket::bind(any)
            .and_then(|socket| socket.connect(address).map(|()| socket))
            .map_err(|error| Failure::Connect(error.kind()))?;
        let mut endpoint = Endpoint::new(Arc::new(EndpointConfig::default()), None, false, None);
        let (handle, connection) = endpoint
            .connect(Instant::now(), config, address, name)
            .map_err(protocol)?;
        Ok(Self {
            socket,
            address,
            endpoint,
            handle,
            connection,
            received: 0,
        })
    }

    /// Runs until the handshake is complete, then closes the connection. An address that sends
    /// nothing has until `first`.
    fn drive(&mut self, first: &Deadline, deadline: &Deadline) -> Result<(), Failure> {
        let result = loop {
            self.send()?;
            match self.connection.poll() {
                Some(Event::Connected) => break Ok(()),
                Some(Event::ConnectionLost { reason }) => break Err(lost(reason)),
                Some(_) => {}
                None if self.received == 0 => self.receive(first)?,
                None => self.receive(deadline)?,
            }
        };
        let none = bytes::Bytes::new();
        self.connection.close(Instant::now(), 0_u32.into(), none);
        self.send()?;
        result
    }

    fn send(&mut self) -> Result<(), Failure> {
        let mut buffer = Vec::new();
        while let Some(transmit) = self
            .connection
            .poll_transmit(Instant::now(), 1, &mut buffer)
        {
            match self.socket.send(&buffer[..transmit.size]) {
                Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => {
                    return Err(Failure::Connect(error.kind()));
                }
                // Any other failure counts as a lost datagram.
                _ => buffer.clear(),
            }
        }
        while let Some(event) = self.connection.poll_endpoint_events() {
            if let Some(event) = self.endpoint.handle_event(self.handle, event) {
                self.connection.handle_event(event);
            }
        }
        Ok(())
    }

    /// Receives one datagram, or waits until the connection's next timeout.
    fn receive(&mut self, deadline: &Deadline) -> Result<(), Failure> {
        let due = self.connection.poll_timeout();
        let wait = due.map(|due| due.saturating_duration_since(Instant::now()));
        let left = deadline.left()?;
        let wait = wait.unwrap_or(left).min(left);
        let mut datagram = [0; 1 << 16];
        self.socket
            .set_read_timeout(Some(wait.max(Duration::from_micros(100))))
            .map_err(|error| Failure::Connect(error.kind()))?;
        match self.socket.recv(&mut datagram) {
            Ok(length) => self.take(&datagram[..length])?,
            Err(error) => match error.kind() {
                io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => {}
                kind => return Err(Failure::Connect(kind)),
            },
        }
        if due.is_some_and(|due| due <= Instant::now()) {
            self.connection.handle_timeout(Instant::now());
        }
        Ok(())
    }

    fn take(&mut self, datagram: &[u8]) -> Result<(), Failure> {
        self.received += datagram.len();
        if self.received > LIMIT {
            return Err(Failure::TooMuch);
        }
        let mut answer = Vec::new();
        let event = self.endpoint.handle(
            Instant::now(),
            self.address,
            None,
            None,
            BytesMut::from(datagram),
            &mut answer,
        );
        if let Some(DatagramEvent::ConnectionEvent(_, event)) = event {
            self.connection.handle_event(event);
        }
        Ok(())
    }
}

fn lost(reason: ConnectionError) -> Failure {
    match reason {
        ConnectionError::ConnectionClosed(close) => {
            let code = u64::from(close.error_code);
            match code.checked_sub(CRYPTO_ERROR).map(u8::try_from) {
                Some(Ok(alert)) => Failure::Alert(AlertDescription::from(alert)),
                _ => Failure::Protocol(close.to_string()),
            }
        }
        ConnectionError::TimedOut => Failure::Timeout,
        ConnectionError::ApplicationClosed(_) | ConnectionError::Reset => Failure::Closed,
        other => protocol(other),
    }
}

fn protocol(error: impl ToString) -> Failure {
    Failure::Protocol(error.to_string())
}

/// The hellos of one handshake.
#[derive(Default)]
struct Hellos {
    client_hello: Option<usize>,
    /// The server's data from before there were keys.
    server: Vec<u8>,
    /// Set if the client has accepted a ServerHello, so there are keys.
    accepted: bool,
    /// Set if a packet was decrypted with these keys, so both sides have the same.
    decrypted: bool,
}

impl Hellos {
    /// Returns the server's choice, without its certificate.
    fn handshake(&self) -> Option<Handshake> {
        let mut messages = messages(&self.server).filter(|(kind, _)| *kind == SERVER_HELLO);
        let (_, first) = messages.next()?;
        let (_, last) = messages.last().unwrap_or((SERVER_HELLO, first));
        // The random of a ServerHello follows its version.
        let random = first.get(2..).and_then(|rest| rest.first_chunk());
        Some(Handshake {
            group: group(last)?,
            retry: random == Some(&RETRY),
            client_hello: self.client_hello?,
            server_hello: 4 + first.len(),
            certificate: None,
        })
    }
}

/// A configuration whose sessions record the hellos, since quinn does not report the negotiated
/// group.
struct RecordedConfig {
    config: Arc<QuicClientConfig>,
    hellos: Arc<Mutex<Hellos>>,
}

impl crypto::ClientConfig for RecordedConfig {
    fn start_session(
        self: Arc<Self>,
        version: u32,
        name: &str,
        parameters: &TransportParameters,
    ) -> Result<Box<dyn Session>, ConnectError> {
        let config = self.config.clone();
        Ok(Box::new(RecordedSession {
            session: config.start_session(version, name, parameters)?,
            hellos: self.hellos.clone(),
        }))
    }
}

struct RecordedSession {
    session: Box<dyn Session>,
    hellos: Arc<Mutex<Hellos>>,
}

impl RecordedSession {
    fn hellos(&self) -> MutexGuard<'_, Hellos> {
        self.hellos.lock().expect("no thread panics")
    }
}

impl Session for RecordedSession {
    fn read_handshake(&mut self, bytes: &[u8]) -> Result<bool, TransportError> {
        let mut hellos = self.hellos();
        // quinn returns the bytes of a packet only after it has decrypted it.
        hellos.decrypted |= hellos.accepted;
        if !hellos.accepted {
            let room = KEPT.saturating_sub(hellos.server.len()).min(bytes.len());
            hellos.server.extend_from_slice(&bytes[..room]);
        }
        drop(hellos);
        self.session.read_handshake(bytes)
    }

    fn write_handshake(&mut self, buffer: &mut Vec<u8>) -> Option<Keys> {
        let start = buffer.len();
        let keys = self.session.write_handshake(buffer);
        let mut hellos = self.hellos();
        hellos.accepted |= keys.is_some();
        let mut written = messages(&buffer[start..]);
        if let Some((CLIENT_HELLO, hello)) = written.next() {
            hellos.client_hello.get_or_insert(4 + hello.len());
        }
        drop(hellos);
        keys
    }

    fn initial_keys(&self, id: &ConnectionId, side: Side) -> Keys {
        self.session.initial_keys(id, side)
    }

    fn handshake_data(&self) -> Option<Box<dyn Any>> {
        self.session.handshake_data()
    }

    fn peer_identity(&self) -> Option<Box<dyn Any>> {
        self.session.peer_identity()
    }

    fn early_crypto(&self) -> Option<(Box<dyn HeaderKey>, Box<dyn PacketKey>)> {
        self.session.early_crypto()
    }

    fn early_data_accepted(&self) -> Option<bool> {
        self.session.early_data_accepted()
    }

    fn is_handshaking(&self) -> bool {
        self.session.is_handshaking()
    }

    fn transport_parameters(&self) -> Result<Option<TransportParameters>, TransportError> {
        self.session.transport_parameters()
    }

    fn next_1rtt_keys(&mut self) -> Option<KeyPair<Box<dyn PacketKey>>> {
        self.session.next_1rtt_keys()
    }

    fn is_valid_retry(&self, id: &ConnectionId, header: &[u8], payload: &[u8]) -> bool {
        self.session.is_valid_retry(id, header, payload)
    }

    fn export_keying_material(
        &self,
        output: &mut [u8],
        label: &[u8],
        context: &[u8],
    ) -> Result<(), crypto::ExportKeyingMaterialError> {
        self.session.export_keying_material(output, label, context)
    }
}

/// Returns the types and contents of the complete messages at the start.
fn messages(mut bytes: &[u8]) -> impl Iterator<Item = (u8, &[u8])> {
    std::iter::from_fn(move || {
        let (header, rest) = bytes.split_first_chunk::<4>()?;
        let length = u32::from_be_bytes([0, header[1], header[2], header[3]]);
        let (content, rest) = rest.split_at_checked(usize::try_from(length).ok()?)?;
        bytes = rest;
        Some((header[0], content))
    })
}

/// Returns the group in the key_share extension. The extensions follow version, random, session id,
/// cipher suite and compression method.
fn group(hello: &[u8]) -> Option<u16> {
    let (id_length, rest) = hello.get(34..)?.split_first()?;
    let mut rest = rest.get(usize::from(*id_length) + 3 + 2..)?;
    loop {
        let (header, after) = rest.split_first_chunk::<4>()?;
        let length = u16::from_be_bytes([header[2], header[3]]);
        let (content, after) = after.split_at_checked(usize::from(length))?;
        if u16::from_be_bytes([header[0], header[1]]) == KEY_SHARE {
            return content.first_chunk().map(|id| u16::from_be_bytes(*id));
        }
        rest = after;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a ServerHello with a session id of three bytes, another extension, and this group.
    fn hello(random: [u8; 32], group: u16) -> Vec<u8> {
        let [high, low] = group.to_be_bytes();
        let mut content = [&[3, 3][..], &random, &[3, 9, 9, 9, 0x13, 1, 0]].concat();
        content.extend([0, 12, 0, 43, 0, 2, 3, 4, 0, 51, 0, 2, high, low]);
        let length = u8::try_from(content.len()).unwrap();
        [&[SERVER_HELLO, 0, 0, length], &content[..]].concat()
    }

    fn hellos(server: Vec<u8>) -> Hellos {
        Hellos {
            client_hello: Some(7),
            server,
            accepted: true,
            decrypted: true,
        }
    }

    #[test]
    fn a_retry_is_seen_and_the_last_hello_has_the_group() {
        let once = hellos(hello([1; 32], 0x11ec)).handshake().unwrap();
        assert_eq!((once.group, once.retry), (0x11ec, false));
        let both = [hello(RETRY, 0x11ed), hello([1; 32], 0x11ed)].concat();
        let twice = hellos(both).handshake().unwrap();
        assert_eq!((twice.group, twice.retry), (0x11ed, true));
        assert_eq!(twice.server_hello, hello(RETRY, 0).len());
    }

    /// Truncated anywhere, there is no choice and no panic.
    #[test]
    fn a_part_of_a_hello_is_no_choice() {
        let whole = hello([1; 32], 0x11ec);
        for length in 0..whole.len() {
            assert!(hellos(whole[..length].to_vec()).handshake().is_none());
            let mut short = whole[..length].to_vec();
            if length > 3 {
                short[3] = u8::try_from(length - 4).unwrap();
            }
            assert!(hellos(short).handshake().is_none(), "{length}");
        }
    }
}
