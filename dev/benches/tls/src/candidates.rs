//! The candidates: a TLS library and the only group that both sides support.

use std::{
    fs,
    io::{self, Read, Write},
    net::TcpStream,
    path::Path,
    sync::Arc,
};

use pqseal_tls::groups;
use rustls::{
    ClientConfig, ClientConnection, RootCertStore, ServerConfig, ServerConnection, StreamOwned,
    client::Resumption,
    crypto::{CryptoProvider, SupportedKxGroup, aws_lc_rs, aws_lc_rs::kx_group as aws},
    pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject},
};

use crate::{NAME, Result, s2n};

/// A connection whose handshake is complete.
pub(crate) trait Stream: Read + Write {}
impl<T: Read + Write> Stream for T {}

/// One candidate, configured for both sides.
pub(crate) struct Candidate {
    /// Its name in the tables.
    pub(crate) name: &'static str,
    kind: Kind,
}

enum Kind {
    Rustls(Rustls),
    S2n(s2n::Config),
}

/// rustls with one group, on both sides.
#[derive(Clone)]
pub(crate) struct Rustls {
    pub(crate) client: Arc<ClientConfig>,
    pub(crate) server: Arc<ServerConfig>,
}

/// Returns every candidate. The folder has `certificate.pem`, which is its own root, and
/// `key.pem`.
pub(crate) fn all(folder: &Path) -> Result<Vec<Candidate>> {
    let rustls: [(&'static str, &'static dyn SupportedKxGroup); 7] = [
        ("X25519", aws::X25519),
        ("X25519MLKEM768", &groups::X25519MLKEM768),
        ("X25519MLKEM768 of rustls", aws::X25519MLKEM768),
        ("X25519Kyber768Draft00", &groups::X25519KYBER768DRAFT00),
        ("x25519_bikel1", &groups::X25519_BIKEL1),
        ("SecP256r1MLKEM768", &groups::SECP256R1MLKEM768),
        ("SecP256r1MLKEM768 of rustls", aws::SECP256R1MLKEM768),
    ];
    // Security policies of s2n-tls, and the group that each negotiates.
    let s2n = [
        ("X25519 of s2n-tls", "AWS-CRT-SDK-TLSv1.3", "x25519"),
        ("X25519MLKEM768 of s2n-tls", "default_pq", "X25519MLKEM768"),
    ];
    let certificate = fs::read(folder.join("certificate.pem"))?;
    let key = fs::read(folder.join("key.pem"))?;
    let mut all = Vec::new();
    for (name, group) in rustls {
        let kind = Kind::Rustls(Rustls::new(group, &certificate, &key)?);
        all.push(Candidate { name, kind });
    }
    for (name, policy, group) in s2n {
        let kind = Kind::S2n(s2n::Config::new(policy, group, &certificate, &key)?);
        all.push(Candidate { name, kind });
    }
    Ok(all)
}

impl Candidate {
    /// Performs the client's handshake.
    pub(crate) fn connect(&self, mut socket: TcpStream) -> io::Result<Box<dyn Stream>> {
        socket.set_nodelay(true)?;
        Ok(match &self.kind {
            Kind::Rustls(rustls) => {
                let name = NAME.try_into().map_err(io::Error::other)?;
                let client = ClientConnection::new(rustls.client.clone(), name);
                let mut client = client.map_err(io::Error::other)?;
                client.complete_io(&mut socket)?;
                rustls.check(client.negotiated_key_exchange_group())?;
                Box::new(StreamOwned::new(client, socket))
            }
            Kind::S2n(config) => Box::new(config.connect(socket)?),
        })
    }

    /// Performs the server's handshake.
    pub(crate) fn accept(&self, mut socket: TcpStream) -> io::Result<Box<dyn Stream>> {
        socket.set_nodelay(true)?;
        Ok(match &self.kind {
            Kind::Rustls(rustls) => {
                let server = ServerConnection::new(rustls.server.clone());
                let mut server = server.map_err(io::Error::other)?;
                server.complete_io(&mut socket)?;
                rustls.check(server.negotiated_key_exchange_group())?;
                Box::new(StreamOwned::new(server, socket))
            }
            Kind::S2n(config) => Box::new(config.accept(socket)?),
        })
    }

    /// Returns the configuration for QUIC and for the count of bytes, which only rustls
    /// supports.
    pub(crate) fn rustls(&self) -> Option<&Rustls> {
        match &self.kind {
            Kind::Rustls(rustls) => Some(rustls),
            Kind::S2n(_) => None,
        }
    }
}

impl Rustls {
    /// Checks that this is the only group of the configuration.
    fn check(&self, group: Option<&'static dyn SupportedKxGroup>) -> io::Result<()> {
        let wanted = self.client.crypto_provider().kx_groups[0].name();
        match group.map(|group| group.name()) {
            Some(group) if group == wanted => Ok(()),
            other => {
                let message = format!("rustls negotiated {other:?} in place of {wanted:?}");
                Err(io::Error::other(message))
            }
        }
    }

    /// Creates a configuration without resumption and tickets, so that every handshake is a
    /// full one.
    fn new(group: &'static dyn SupportedKxGroup, pem: &[u8], key: &[u8]) -> Result<Self> {
        let provider = Arc::new(CryptoProvider {
            kx_groups: vec![group],
            ..aws_lc_rs::default_provider()
        });
        let certificate = CertificateDer::from_pem_slice(pem)?;
        let mut roots = RootCertStore::empty();
        roots.add(certificate.clone())?;
        let mut client = ClientConfig::builder_with_provider(provider.clone())
            .with_protocol_versions(&[&rustls::version::TLS13])?
            .with_root_certificates(roots)
            .with_no_client_auth();
        client.resumption = Resumption::disabled();
        let mut server = ServerConfig::builder_with_provider(provider)
            .with_protocol_versions(&[&rustls::version::TLS13])?
            .with_no_client_auth()
            .with_single_cert(vec![certificate], PrivateKeyDer::from_pem_slice(key)?)?;
        server.send_tls13_tickets = 0;
        Ok(Self {
            client: Arc::new(client),
            server: Arc::new(server),
        })
    }
}
