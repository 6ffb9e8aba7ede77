//! A client and a server that exchange bytes in memory, and their certificate.

use std::{
    io::Write,
    process::{Command, Stdio},
    sync::{Arc, OnceLock},
};

use rustls::{
    ClientConfig, ClientConnection, ConfigBuilder, Error, HandshakeKind, ProtocolVersion,
    RootCertStore, ServerConfig, ServerConnection, SupportedProtocolVersion, WantsVerifier,
    client::{EchMode, Resumption},
    crypto::{CryptoProvider, SupportedKxGroup, aws_lc_rs},
    pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer, pem::PemObject},
    server::{NoClientAuth, danger::ClientCertVerifier},
};

/// A self-signed certificate with ECDSA on P-256, and its key.
pub(crate) struct Identity {
    certificate: CertificateDer<'static>,
    key: PrivatePkcs8KeyDer<'static>,
    pub(crate) pem: String,
}

/// The name in the certificate.
pub(crate) const NAME: &str = "localhost";
pub(crate) const INNER: &str = "inner.example";
pub(crate) const PUBLIC: &str = "public.example";

impl Identity {
    /// Returns the identity, which is generated once per run.
    pub(crate) fn get() -> &'static Self {
        static IDENTITY: OnceLock<Identity> = OnceLock::new();
        IDENTITY.get_or_init(Self::make)
    }

    fn make() -> Self {
        let config = format!(
            "[req]\ndistinguished_name=dn\nx509_extensions=ext\nprompt=no\n[dn]\nCN={NAME}\n\
             [ext]\nsubjectAltName=DNS:{NAME},DNS:{INNER},DNS:{PUBLIC}\n"
        );
        let arguments = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 \
                         -config /dev/stdin -keyout - -out -";
        let mut openssl = Command::new("openssl")
            .args(arguments.split(' '))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("openssl makes the certificate (Debian: apt install openssl)");
        let mut stdin = openssl.stdin.take().unwrap();
        stdin.write_all(config.as_bytes()).unwrap();
        drop(stdin);
        let pem = openssl.wait_with_output().unwrap().stdout;
        Self {
            certificate: CertificateDer::from_pem_slice(&pem).unwrap(),
            key: PrivatePkcs8KeyDer::from_pem_slice(&pem).unwrap(),
            pem: String::from_utf8(pem).unwrap(),
        }
    }

    pub(crate) fn roots(&self) -> RootCertStore {
        let mut roots = RootCertStore::empty();
        roots.add(self.certificate.clone()).unwrap();
        roots
    }

    /// Returns a client without resumption, whose store would remember the group of the last
    /// connection.
    pub(crate) fn client(&self, groups: &[&'static dyn SupportedKxGroup]) -> Arc<ClientConfig> {
        let builder = ClientConfig::builder_with_provider(with_groups(groups));
        let builder = builder.with_safe_default_protocol_versions().unwrap();
        Arc::new(self.finish_client(builder))
    }

    pub(crate) fn client_with_ech(
        &self,
        groups: &[&'static dyn SupportedKxGroup],
        mode: EchMode,
    ) -> Arc<ClientConfig> {
        let builder = ClientConfig::builder_with_provider(with_groups(groups));
        Arc::new(self.finish_client(builder.with_ech(mode).unwrap()))
    }

    pub(crate) fn client_with_certificate(
        &self,
        groups: &[&'static dyn SupportedKxGroup],
    ) -> Arc<ClientConfig> {
        let builder = ClientConfig::builder_with_provider(with_groups(groups));
        let builder = builder.with_safe_default_protocol_versions().unwrap();
        let builder = builder.with_root_certificates(self.roots());
        let config = builder.with_client_auth_cert(vec![self.certificate.clone()], self.key());
        Arc::new(config.unwrap())
    }

    pub(crate) fn finish_client(
        &self,
        builder: ConfigBuilder<ClientConfig, WantsVerifier>,
    ) -> ClientConfig {
        let mut config = builder
            .with_root_certificates(self.roots())
            .with_no_client_auth();
        config.resumption = Resumption::disabled();
        config
    }

    pub(crate) fn server(&self, groups: &[&'static dyn SupportedKxGroup]) -> Arc<ServerConfig> {
        self.server_with(groups, Arc::new(NoClientAuth))
    }

    pub(crate) fn server_with(
        &self,
        groups: &[&'static dyn SupportedKxGroup],
        verifier: Arc<dyn ClientCertVerifier>,
    ) -> Arc<ServerConfig> {
        self.server_of(groups, verifier, rustls::DEFAULT_VERSIONS)
    }

    pub(crate) fn server_of_tls_1_2(
        &self,
        groups: &[&'static dyn SupportedKxGroup],
    ) -> Arc<ServerConfig> {
        self.server_of(groups, Arc::new(NoClientAuth), &[&rustls::version::TLS12])
    }

    fn server_of(
        &self,
        groups: &[&'static dyn SupportedKxGroup],
        verifier: Arc<dyn ClientCertVerifier>,
        versions: &[&'static SupportedProtocolVersion],
    ) -> Arc<ServerConfig> {
        let builder = ServerConfig::builder_with_provider(with_groups(groups));
        let config = builder
            .with_protocol_versions(versions)
            .unwrap()
            .with_client_cert_verifier(verifier)
            .with_single_cert(vec![self.certificate.clone()], self.key());
        Arc::new(config.unwrap())
    }

    fn key(&self) -> PrivateKeyDer<'static> {
        PrivateKeyDer::from(self.key.clone_key())
    }
}

fn with_groups(groups: &[&'static dyn SupportedKxGroup]) -> Arc<CryptoProvider> {
    Arc::new(CryptoProvider {
        kx_groups: groups.to_vec(),
        ..aws_lc_rs::default_provider()
    })
}

/// The results of a connection on both sides.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) groups: [u16; 2],
    pub(crate) kinds: [HandshakeKind; 2],
    pub(crate) version: ProtocolVersion,
}

pub(crate) struct Pair {
    pub(crate) client: ClientConnection,
    pub(crate) server: ServerConnection,
}

impl Pair {
    pub(crate) fn new(client: &Arc<ClientConfig>, server: &Arc<ServerConfig>) -> Self {
        let name = NAME.try_into().unwrap();
        Self {
            client: ClientConnection::new(client.clone(), name).unwrap(),
            server: ServerConnection::new(server.clone()).unwrap(),
        }
    }

    /// Runs the handshake, including the server's tickets.
    pub(crate) fn run(self) -> Result<Outcome, Error> {
        self.run_with(|_, _| {})
    }

    /// Runs the handshake with each flight changed in transit. The first argument of `change`
    /// numbers the flights from 0, the client's first. A side that waits for more returns
    /// `HandshakeNotComplete`.
    pub(crate) fn run_with(
        mut self,
        mut change: impl FnMut(usize, &mut Vec<u8>),
    ) -> Result<Outcome, Error> {
        let mut flights = 0;
        while self.client.wants_write() || self.server.wants_write() {
            let mut bytes = Vec::new();
            while self.client.wants_write() {
                self.client.write_tls(&mut bytes).unwrap();
            }
            change(flights, &mut bytes);
            let mut rest = &bytes[..];
            while !rest.is_empty() {
                self.server.read_tls(&mut rest).unwrap();
                self.server.process_new_packets()?;
            }
            let mut bytes = Vec::new();
            while self.server.wants_write() {
                self.server.write_tls(&mut bytes).unwrap();
            }
            change(flights + 1, &mut bytes);
            let mut rest = &bytes[..];
            while !rest.is_empty() {
                self.client.read_tls(&mut rest).unwrap();
                self.client.process_new_packets()?;
            }
            flights += 2;
        }
        if self.client.is_handshaking() || self.server.is_handshaking() {
            return Err(Error::HandshakeNotComplete);
        }
        let group = |group: Option<&'static dyn SupportedKxGroup>| group.unwrap().name().into();
        Ok(Outcome {
            groups: [
                group(self.client.negotiated_key_exchange_group()),
                group(self.server.negotiated_key_exchange_group()),
            ],
            kinds: [
                self.client.handshake_kind().unwrap(),
                self.server.handshake_kind().unwrap(),
            ],
            version: self.client.protocol_version().unwrap(),
        })
    }
}
