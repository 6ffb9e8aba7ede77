//! Prints the length of each handshake message, in bytes with its header of four.
//!
//! ClientHello and ServerHello are those of TLS over TCP, which are sent in the clear. The others
//! are from rustls' interface for QUIC, which returns messages before they are encrypted.

use rustls::{
    ClientConnection, ServerConnection,
    quic::{self, Version},
};

use crate::{
    NAME, Result,
    candidates::{Candidate, Rustls},
};

/// The size of QUIC's transport parameters in EncryptedExtensions, which are an empty extension
/// here.
const QUIC_EXTENSION: usize = 4;

pub(crate) fn print(all: &[Candidate]) -> Result<()> {
    for candidate in all {
        let Some(rustls) = candidate.rustls() else {
            continue;
        };
        let (client_hello, server_hello) = hellos(rustls)?;
        println!("bytes\t{}\tClientHello\t{client_hello}", candidate.name);
        println!("bytes\t{}\tServerHello\t{server_hello}", candidate.name);
        for (message, length) in encrypted(rustls)? {
            println!("bytes\t{}\t{message}\t{length}", candidate.name);
        }
    }
    Ok(())
}

/// Returns the lengths of ClientHello and ServerHello. Each is the first record of its side: a
/// header of five bytes, and the message.
fn hellos(rustls: &Rustls) -> Result<(usize, usize)> {
    let mut client = ClientConnection::new(rustls.client.clone(), NAME.try_into()?)?;
    let mut server = ServerConnection::new(rustls.server.clone())?;
    let (mut from_client, mut from_server) = (Vec::new(), Vec::new());
    client.write_tls(&mut from_client)?;
    server.read_tls(&mut &from_client[..])?;
    server.process_new_packets()?;
    server.write_tls(&mut from_server)?;
    let first = |flight: &[u8]| messages(flight.get(5..).unwrap_or_default())[0].1;
    Ok((first(&from_client), first(&from_server)))
}

/// Returns the messages after ServerHello.
fn encrypted(rustls: &Rustls) -> Result<Vec<(&'static str, usize)>> {
    let name = NAME.try_into()?;
    let mut client = quic::ClientConnection::new(rustls.client.clone(), Version::V1, name, vec![])?;
    let mut server = quic::ServerConnection::new(rustls.server.clone(), Version::V1, vec![])?;
    let mut flights = [Vec::new(), Vec::new(), Vec::new()];
    while client.write_hs(&mut flights[0]).is_some() {}
    server.read_hs(&flights[0])?;
    while server.write_hs(&mut flights[1]).is_some() {}
    for (kind, length) in messages(&flights[1]) {
        // ServerHello is read before the keys for later messages exist.
        let end = length.min(flights[1].len());
        if kind == 2 {
            client.read_hs(&flights[1][..end])?;
            client.read_hs(&flights[1][end..])?;
        }
    }
    while client.write_hs(&mut flights[2]).is_some() {}
    let of_server = messages(&flights[1])
        .into_iter()
        .filter_map(|(kind, length)| {
            Some(match kind {
                8 => ("EncryptedExtensions", length - QUIC_EXTENSION),
                11 => ("Certificate", length),
                15 => ("CertificateVerify", length),
                20 => ("Finished, server", length),
                _ => return None,
            })
        });
    let of_client = messages(&flights[2])
        .into_iter()
        .filter(|(kind, _)| *kind == 20);
    Ok(of_server
        .chain(of_client.map(|(_, length)| ("Finished, client", length)))
        .collect())
}

/// Returns the types and lengths of the whole messages: a type, and a length of three bytes.
fn messages(mut bytes: &[u8]) -> Vec<(u8, usize)> {
    let mut all = Vec::new();
    while let [kind, a, b, c, ..] = *bytes {
        let length = 4 + usize::from(a) * 65536 + usize::from(b) * 256 + usize::from(c);
        all.push((kind, length));
        bytes = bytes.get(length..).unwrap_or_default();
    }
    all
}
