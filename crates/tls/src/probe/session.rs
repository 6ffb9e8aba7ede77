//! A wrapper of quinn's session that records the hellos, since quinn does not report the negotiated
//! group.

use std::{
    any::Any,
    sync::{Arc, Mutex, MutexGuard},
};

use quinn_proto::{
    ConnectError, ConnectionId, Side, TransportError,
    crypto::{
        ClientConfig, ExportKeyingMaterialError, HeaderKey, KeyPair, Keys, PacketKey, Session,
        rustls::QuicClientConfig,
    },
    transport_parameters::TransportParameters,
};

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

/// The hellos of one handshake.
#[derive(Default)]
pub(super) struct Hellos {
    client_hello: Option<usize>,
    /// The server's data from before there were keys.
    server: Vec<u8>,
    /// Set if the client has accepted a ServerHello, so there are keys.
    accepted: bool,
    /// Set if a packet was decrypted with these keys, so both sides have the same.
    decrypted: bool,
}

/// The choice of a server.
pub(super) struct Choice {
    pub(super) group: u16,
    pub(super) retry: bool,
    pub(super) client_hello: usize,
    pub(super) server_hello: usize,
}

/// A configuration whose sessions are recorded.
pub(super) struct Watched {
    config: Arc<QuicClientConfig>,
    hellos: Arc<Mutex<Hellos>>,
}

struct WatchedSession {
    session: Box<dyn Session>,
    hellos: Arc<Mutex<Hellos>>,
}

impl Watched {
    pub(super) fn new(config: Arc<QuicClientConfig>, hellos: Arc<Mutex<Hellos>>) -> Self {
        Self { config, hellos }
    }
}

impl Hellos {
    pub(super) fn is_decrypted(&self) -> bool {
        self.decrypted
    }

    /// Returns the server's choice.
    pub(super) fn chosen(&self) -> Option<Choice> {
        let messages = || messages(&self.server).filter(|(kind, _)| *kind == SERVER_HELLO);
        let (_, first) = messages().next()?;
        let (_, last) = messages().last()?;
        Some(Choice {
            group: group(last)?,
            retry: random(first) == Some(&RETRY),
            client_hello: self.client_hello?,
            server_hello: 4 + first.len(),
        })
    }
}

impl ClientConfig for Watched {
    fn start_session(
        self: Arc<Self>,
        version: u32,
        name: &str,
        parameters: &TransportParameters,
    ) -> Result<Box<dyn Session>, ConnectError> {
        let config = self.config.clone();
        Ok(Box::new(WatchedSession {
            session: config.start_session(version, name, parameters)?,
            hellos: self.hellos.clone(),
        }))
    }
}

impl WatchedSession {
    fn hellos(&self) -> MutexGuard<'_, Hellos> {
        self.hellos.lock().expect("no thread panics")
    }
}

impl Session for WatchedSession {
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
    ) -> Result<(), ExportKeyingMaterialError> {
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

/// Returns the random of a ServerHello, which follows its version.
fn random(hello: &[u8]) -> Option<&[u8; 32]> {
    hello.get(2..)?.first_chunk()
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
        let once = hellos(hello([1; 32], 0x11ec)).chosen().unwrap();
        assert_eq!((once.group, once.retry), (0x11ec, false));
        let both = [hello(RETRY, 0x11ed), hello([1; 32], 0x11ed)].concat();
        let twice = hellos(both).chosen().unwrap();
        assert_eq!((twice.group, twice.retry), (0x11ed, true));
        assert_eq!(twice.server_hello, hello(RETRY, 0).len());
    }

    /// Truncated anywhere, there is no choice and no panic.
    #[test]
    fn a_part_of_a_hello_is_no_choice() {
        let whole = hello([1; 32], 0x11ec);
        for length in 0..whole.len() {
            assert!(hellos(whole[..length].to_vec()).chosen().is_none());
            let mut short = whole[..length].to_vec();
            if length > 3 {
                short[3] = u8::try_from(length - 4).unwrap();
            }
            assert!(hellos(short).chosen().is_none(), "{length}");
        }
    }
}
