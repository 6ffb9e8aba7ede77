//! Many concurrent connections, and peers that start but do not continue.

use std::fs;

use pqseal_tls::groups;
use rustls::{ClientConnection, Error, InvalidMessage, ServerConnection};

use super::memory::{Identity, Pair};

/// The number of concurrent connections.
const CROWD: usize = 1000;
/// The maximum memory of a connection, both sides, in bytes: buffers for a record each, an
/// expanded key, and memory that other tests use meanwhile.
const EACH: usize = 256 << 10;

/// Returns the memory of this process, in bytes.
fn resident() -> usize {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:"));
    let kib = line.and_then(|line| line.split_whitespace().nth(1));
    kib.unwrap().parse::<usize>().unwrap() << 10
}

fn flight(write: impl FnOnce(&mut Vec<u8>) -> std::io::Result<usize>) -> Vec<u8> {
    let mut bytes = Vec::new();
    write(&mut bytes).unwrap();
    bytes
}

fn read(server: &mut ServerConnection, mut bytes: &[u8]) -> Result<(), Error> {
    while !bytes.is_empty() {
        server.read_tls(&mut bytes).unwrap();
        server.process_new_packets()?;
    }
    Ok(())
}

/// All clients have sent a ClientHello before any gets an answer, and half of them never
/// continue.
#[test]
fn a_thousand_handshakes_at_once_take_bounded_memory() {
    let identity = Identity::get();
    for group in [&groups::X25519MLKEM768, &groups::X25519_BIKEL1] {
        let (client, server) = (identity.client(&[group]), identity.server(&[group]));
        let before = resident();
        let mut pairs: Vec<Pair> = (0..CROWD).map(|_| Pair::new(&client, &server)).collect();
        for pair in &mut pairs {
            let hello = flight(|bytes| pair.client.write_tls(bytes));
            read(&mut pair.server, &hello).unwrap();
            assert!(pair.server.is_handshaking());
        }
        let grown = resident().saturating_sub(before);
        assert!(grown < CROWD * EACH, "{group:?}: {grown} bytes");
        pairs.truncate(CROWD / 2);
        for pair in pairs {
            let outcome = pair.run().unwrap();
            assert_eq!(outcome.groups, [group.id(); 2]);
        }
    }
}

/// A server holds only the received part of a ClientHello.
#[test]
fn half_a_client_hello_is_waited_for_in_bounded_memory() {
    let identity = Identity::get();
    let (client, config) = (
        identity.client(&[&groups::X25519MLKEM768]),
        identity.server(&[&groups::X25519MLKEM768]),
    );
    let hello = flight(|bytes| Pair::new(&client, &config).client.write_tls(bytes));
    let before = resident();
    let mut servers: Vec<ServerConnection> = (0..CROWD)
        .map(|_| ServerConnection::new(config.clone()).unwrap())
        .collect();
    for (at, server) in servers.iter_mut().enumerate() {
        read(server, &hello[..at % hello.len()]).unwrap();
        assert!(server.wants_read() && !server.wants_write());
    }
    let grown = resident().saturating_sub(before);
    assert!(grown < CROWD * EACH, "{grown} bytes");
}

/// A message that announces 16 MiB, in full records without end, is refused before it is
/// collected.
#[test]
fn an_endless_server_hello_is_refused_at_once() {
    let config = Identity::get().client(&[&groups::X25519MLKEM768]);
    let name = super::memory::NAME.try_into().unwrap();
    let mut client = ClientConnection::new(config, name).unwrap();
    let mut record = vec![2; 5 + (1 << 14)];
    record[..9].copy_from_slice(&[22, 3, 3, 1 << 6, 0, 2, 0xff, 0xff, 0xff]);
    let mut taken = 0;
    let mut records = record.iter().copied().cycle();
    let error = loop {
        assert!(taken < 1 << 18, "{taken} bytes are too many");
        let bytes: Vec<u8> = records.by_ref().take(4096).collect();
        taken += client.read_tls(&mut &bytes[..]).unwrap();
        if let Err(error) = client.process_new_packets() {
            break error;
        }
    };
    assert_eq!(
        error,
        Error::InvalidMessage(InvalidMessage::HandshakePayloadTooLarge)
    );
}
