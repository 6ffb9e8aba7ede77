//! A handshake over TCP, with a deadline and a limit on the data that the server may send.

use std::{
    io::{self, Read, Write},
    net::TcpStream,
    sync::Arc,
    time::{Duration, Instant},
};

use rustls::{
    ClientConfig, ClientConnection, Error, HandshakeKind,
    client::Resumption,
    crypto::{CryptoProvider, SupportedKxGroup, aws_lc_rs},
};

use super::{
    Probe,
    certificate::{Certificate, Recorder},
    failure::{Failure, failed, refused},
    records::Records,
};

/// The maximum number of bytes that a server may send before its handshake is complete. Long
/// certificate chains have tens of thousands of bytes.
pub(super) const LIMIT: usize = 1 << 18;

/// A handshake in which the server chose a group, and both sides derived the same keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Handshake {
    /// The group.
    pub group: u16,
    /// Set if the server requested another ClientHello first.
    pub retry: bool,
    /// The length of the first ClientHello with its header, in bytes.
    pub client_hello: usize,
    /// The length of the first ServerHello, or HelloRetryRequest, with its header, in bytes.
    pub server_hello: usize,
    /// The server's certificate, if the handshake received it.
    pub certificate: Option<Certificate>,
}

/// Runs a handshake that offers these groups, with a share of the first.
pub(super) fn run(
    probe: &Probe,
    groups: &[&'static dyn SupportedKxGroup],
) -> Result<Handshake, Failure> {
    let deadline = Deadline::after(probe.timeout);
    let recorder = Arc::new(Recorder::default());
    let protocol = |error: Error| Failure::Protocol(error.to_string());
    let config = config(groups, recorder.clone()).map_err(protocol)?;
    let client = ClientConnection::new(Arc::new(config), probe.name.clone()).map_err(protocol)?;
    let mut exchange = Exchange {
        socket: connect(probe, &deadline)?,
        client,
        records: Records::default(),
        hellos: [None; 2],
        received: 0,
        decrypted: false,
    };
    let result = exchange.drive(&deadline);
    let group = exchange.client.negotiated_key_exchange_group();
    let group = match (group, result) {
        // rustls names the group before it uses the server's share, which may be invalid. Failures
        // after a record was decrypted, such as a request for a certificate, do not matter.
        (Some(_), Err(failure)) if !exchange.decrypted => return Err(failure.after_choice()),
        (Some(group), _) => group,
        (None, result) => return Err(result.err().unwrap_or(Failure::Closed)),
    };
    let [client_hello, server_hello] = exchange.hellos.map(Option::unwrap_or_default);
    let kind = exchange.client.handshake_kind();
    Ok(Handshake {
        group: group.name().into(),
        retry: kind == Some(HandshakeKind::FullWithHelloRetryRequest),
        client_hello,
        server_hello,
        certificate: recorder.take(),
    })
}

/// Returns a configuration without resumption, which would remember the group of an earlier
/// connection.
pub(super) fn config(
    groups: &[&'static dyn SupportedKxGroup],
    recorder: Arc<Recorder>,
) -> Result<ClientConfig, Error> {
    let provider = CryptoProvider {
        kx_groups: groups.to_vec(),
        ..aws_lc_rs::default_provider()
    };
    let mut config = ClientConfig::builder_with_provider(Arc::new(provider))
        .with_protocol_versions(&[&rustls::version::TLS13])?
        .dangerous()
        .with_custom_certificate_verifier(recorder)
        .with_no_client_auth();
    config.resumption = Resumption::disabled();
    Ok(config)
}

fn connect(probe: &Probe, deadline: &Deadline) -> Result<TcpStream, Failure> {
    let mut last = Failure::Connect(io::ErrorKind::NotFound);
    for (at, address) in probe.addresses.iter().enumerate() {
        let share = deadline.share(probe.addresses.len() - at)?;
        match TcpStream::connect_timeout(address, share.left()?) {
            Ok(socket) => {
                // A failure only costs speed.
                let _ = socket.set_nodelay(true);
                return Ok(socket);
            }
            Err(error) => last = Failure::Connect(error.kind()),
        }
    }
    Err(last)
}

struct Exchange {
    socket: TcpStream,
    client: ClientConnection,
    records: Records,
    /// The lengths of ClientHello and ServerHello.
    hellos: [Option<usize>; 2],
    received: usize,
    /// Set if a record of the server was decrypted, so both sides have the same keys.
    decrypted: bool,
}

impl Exchange {
    fn drive(&mut self, deadline: &Deadline) -> Result<(), Failure> {
        loop {
            self.send(deadline)?;
            if !self.client.is_handshaking() {
                return Ok(());
            }
            if let Err(failure) = self.receive(deadline) {
                // This sends the alert that tells the server the reason.
                let _ = self.send(deadline);
                return Err(failure);
            }
        }
    }

    fn send(&mut self, deadline: &Deadline) -> Result<(), Failure> {
        let mut bytes = Vec::new();
        while self.client.wants_write() {
            self.client.write_tls(&mut bytes).map_err(failed)?;
        }
        self.hellos[0] = self.hellos[0].or(hello_len(&bytes));
        let left = Some(deadline.left()?);
        self.socket.set_write_timeout(left).map_err(failed)?;
        self.socket.write_all(&bytes).map_err(failed)
    }

    fn receive(&mut self, deadline: &Deadline) -> Result<(), Failure> {
        let mut bytes = [0; 4096];
        let left = Some(deadline.left()?);
        self.socket.set_read_timeout(left).map_err(failed)?;
        let read = self.socket.read(&mut bytes).map_err(failed)?;
        self.received += read;
        if read == 0 {
            return Err(Failure::Closed);
        }
        if self.received > LIMIT {
            return Err(Failure::TooMuch);
        }
        let mut rest = &bytes[..read];
        self.hellos[1] = self.hellos[1].or(hello_len(rest));
        while !rest.is_empty() {
            let (part, after) = self.records.split(rest);
            self.take(part)?;
            rest = after;
        }
        Ok(())
    }

    /// Processes bytes that extend at most to the end of a record.
    fn take(&mut self, mut part: &[u8]) -> Result<(), Failure> {
        while !part.is_empty() {
            self.client.read_tls(&mut part).map_err(failed)?;
            let result = self.client.process_new_packets();
            // An alert in an encrypted record was decrypted, too.
            let decrypted = matches!(result, Ok(_) | Err(Error::AlertReceived(_)));
            self.decrypted |= decrypted && self.records.is_encrypted();
            result.map_err(refused)?;
        }
        Ok(())
    }
}

/// The time at which a handshake must be complete.
pub(super) struct Deadline(Instant);

impl Deadline {
    pub(super) fn after(timeout: Duration) -> Self {
        Self(Instant::now() + timeout)
    }

    pub(super) fn left(&self) -> Result<Duration, Failure> {
        let left = self.0.checked_duration_since(Instant::now());
        left.filter(|left| !left.is_zero()).ok_or(Failure::Timeout)
    }

    /// Returns the end of the first of `count` equal parts of the remaining time.
    pub(super) fn share(&self, count: usize) -> Result<Self, Failure> {
        let count = u32::try_from(count).unwrap_or(u32::MAX).max(1);
        Ok(Self::after(self.left()? / count))
    }
}

/// Returns the length of the hello at the start of a flight. In a handshake record, the message
/// follows five bytes, and its length follows one more.
fn hello_len(flight: &[u8]) -> Option<usize> {
    let header = flight.get(..9).filter(|header| header[0] == 22)?;
    let length = [0, header[6], header[7], header[8]];
    usize::try_from(u32::from_be_bytes(length))
        .ok()
        .map(|length| 4 + length)
}
