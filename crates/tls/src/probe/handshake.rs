//! A handshake over TCP, with a deadline and a limit on the data that the server may send.

use std::{
    io::{self, Read, Write},
    net::TcpStream,
    sync::Arc,
};

use rustls::{ClientConnection, Error, HandshakeKind, crypto::SupportedKxGroup};

use super::{
    Certificate, Deadline, LIMIT, Probe, Recorder, config,
    failure::{Failure, failed, refused},
};

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
    let client = config(groups, recorder.clone())
        .and_then(|config| ClientConnection::new(Arc::new(config), probe.name.clone()))
        .map_err(|error| Failure::Protocol(error.to_string()))?;
    let mut exchange = TcpHandshake {
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

struct TcpHandshake {
    socket: TcpStream,
    client: ClientConnection,
    records: Records,
    /// The lengths of ClientHello and ServerHello.
    hellos: [Option<usize>; 2],
    received: usize,
    /// Set if a record of the server was decrypted, so both sides have the same keys.
    decrypted: bool,
}

impl TcpHandshake {
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

/// Returns the length of the hello at the start of a flight. In a handshake record, the message
/// follows five bytes, and its length follows one more.
fn hello_len(flight: &[u8]) -> Option<usize> {
    let header = flight.get(..9).filter(|header| header[0] == 22)?;
    let length = [0, header[6], header[7], header[8]];
    usize::try_from(u32::from_be_bytes(length))
        .ok()
        .map(|length| 4 + length)
}

/// The content type of an encrypted record (RFC 9846, section 5.2).
const APPLICATION_DATA: u8 = 23;

/// A position in a server's stream of records, whose ends show which of them the client decrypted.
#[derive(Default)]
struct Records {
    /// The received part of the header of the current record: type, version, length.
    header: Vec<u8>,
    /// The number of bytes that are missing of the current record's content.
    left: usize,
}

impl Records {
    /// Splits the bytes where the current header or record ends, or at their end.
    fn split<'a>(&mut self, bytes: &'a [u8]) -> (&'a [u8], &'a [u8]) {
        if self.is_at_end() {
            self.header.clear();
        }
        let missing = 5 - self.header.len();
        if missing == 0 {
            let (part, rest) = bytes.split_at(self.left.min(bytes.len()));
            self.left -= part.len();
            return (part, rest);
        }
        let (part, rest) = bytes.split_at(missing.min(bytes.len()));
        self.header.extend_from_slice(part);
        if let [.., high, low] = *self.header
            && self.header.len() == 5
        {
            self.left = usize::from(u16::from_be_bytes([high, low]));
        }
        (part, rest)
    }

    /// Reports whether the last part was the end of an encrypted record.
    fn is_encrypted(&self) -> bool {
        self.is_at_end() && self.header[0] == APPLICATION_DATA
    }

    fn is_at_end(&self) -> bool {
        self.header.len() == 5 && self.left == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// However the stream is split, the encrypted record ends at the same position.
    #[test]
    fn an_encrypted_record_ends_where_its_length_says() {
        let stream = [
            &[22, 3, 3, 0, 2, 9, 9][..],
            &[20, 3, 3, 0, 1, 1],
            &[23, 3, 3, 0, 3, 1, 2, 3],
            &[23, 3, 3],
        ]
        .concat();
        for size in 1..=stream.len() {
            let (mut records, mut at, mut ends) = (Records::default(), 0, Vec::new());
            for mut rest in stream.chunks(size) {
                while !rest.is_empty() {
                    let (part, after) = records.split(rest);
                    (at, rest) = (at + part.len(), after);
                    if records.is_encrypted() {
                        ends.push(at);
                    }
                }
            }
            assert_eq!(ends, [21], "{size}");
        }
    }
}
