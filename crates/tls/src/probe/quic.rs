//! A handshake over QUIC (RFC 9001), with the same deadline and limit as over TCP. It uses quinn's
//! state machine for the protocol, and a blocking socket for the datagrams.

use std::{
    io,
    net::{SocketAddr, UdpSocket},
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use bytes::BytesMut;
use quinn_proto::{
    ClientConfig, Connection, ConnectionError, ConnectionHandle, DatagramEvent, Endpoint,
    EndpointConfig, Event, crypto::rustls::QuicClientConfig,
};
use rustls::{AlertDescription, crypto::SupportedKxGroup};

use super::{
    Probe,
    certificate::Recorder,
    failure::Failure,
    handshake::{self, Deadline, Handshake, LIMIT},
    session::{Hellos, Watched},
};

/// The first QUIC error code of TLS alerts (RFC 9001, section 4.8).
const CRYPTO_ERROR: u64 = 0x100;

/// Runs a handshake that offers these groups, with a share of the first, and these protocols.
pub(super) fn run(
    probe: &Probe,
    groups: &[&'static dyn SupportedKxGroup],
    alpn: &[String],
) -> Result<Handshake, Failure> {
    let deadline = Deadline::after(probe.timeout);
    let recorder = Arc::new(Recorder::default());
    let mut config = handshake::config(groups, recorder.clone()).map_err(protocol)?;
    config.alpn_protocols = alpn.iter().map(|name| name.clone().into_bytes()).collect();
    let config = Arc::new(QuicClientConfig::try_from(config).map_err(protocol)?);
    let mut last = Failure::Connect(io::ErrorKind::NotFound);
    for (at, address) in probe.addresses.iter().enumerate() {
        let first = deadline.share(probe.addresses.len() - at)?;
        let hellos = Arc::new(Mutex::new(Hellos::default()));
        let watched = Arc::new(Watched::new(config.clone(), hellos.clone()));
        let config = ClientConfig::new(watched);
        let mut exchange = match Exchange::start(*address, config, &probe.name.to_str()) {
            Ok(exchange) => exchange,
            // An example is an IPv6 address on a machine without IPv6.
            Err(failure @ Failure::Connect(_)) => {
                last = failure;
                continue;
            }
            Err(failure) => return Err(failure),
        };
        let result = exchange.drive(&first, &deadline);
        let hellos = hellos.lock().expect("no thread panics");
        match (hellos.chosen(), result) {
            (Some(_), Err(failure)) if !hellos.is_decrypted() => {
                return Err(failure.after_choice());
            }
            // Failures after a packet was decrypted do not matter.
            (Some(choice), _) => {
                return Ok(Handshake {
                    group: choice.group,
                    retry: choice.retry,
                    client_hello: choice.client_hello,
                    server_hello: choice.server_hello,
                    certificate: recorder.take(),
                });
            }
            (None, Err(failure @ Failure::Connect(_))) => last = failure,
            (None, Err(failure @ Failure::Timeout)) if exchange.received == 0 => last = failure,
            (None, result) => return Err(result.err().unwrap_or(Failure::Closed)),
        }
    }
    Err(last)
}

struct Exchange {
    socket: UdpSocket,
    address: SocketAddr,
    endpoint: Endpoint,
    handle: ConnectionHandle,
    connection: Connection,
    received: usize,
}

impl Exchange {
    fn start(address: SocketAddr, config: ClientConfig, name: &str) -> Result<Self, Failure> {
        let any: SocketAddr = match address {
            SocketAddr::V4(_) => ([0, 0, 0, 0], 0).into(),
            SocketAddr::V6(_) => ([0_u16; 8], 0).into(),
        };
        let connect = |error: io::Error| Failure::Connect(error.kind());
        let socket = UdpSocket::bind(any).map_err(connect)?;
        // A connected socket reports closed ports.
        socket.connect(address).map_err(connect)?;
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
