//! The common code of the examples: rustls' configurations with pqseal's provider, from
//! PEM files.

use std::{env, error::Error, sync::Arc};

use pqseal_tls::{Policy, groups, provider};
use rustls::{
    ClientConfig, RootCertStore, ServerConfig,
    crypto::SupportedKxGroup,
    pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject},
};

/// The application protocol of the QUIC programs.
pub const ECHO: &[u8] = b"echo";

/// Any error.
pub type Result<T> = std::result::Result<T, Box<dyn Error + Send + Sync>>;

/// Returns the configuration of a client that trusts the certificates in this file.
pub fn client(roots: &str) -> Result<ClientConfig> {
    let mut store = RootCertStore::empty();
    for root in CertificateDer::pem_file_iter(roots)? {
        store.add(root?)?;
    }
    let config = ClientConfig::builder_with_provider(Arc::new(provider(&Policy::standard())))
        .with_safe_default_protocol_versions()?
        .with_root_certificates(store)
        .with_no_client_auth();
    Ok(config)
}

/// Returns the configuration of a server with this certificate chain and its key.
pub fn server(chain: &str, key: &str) -> Result<ServerConfig> {
    let chain = CertificateDer::pem_file_iter(chain)?.collect::<std::result::Result<_, _>>()?;
    let config = ServerConfig::builder_with_provider(Arc::new(provider(&Policy::standard())))
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_single_cert(chain, PrivateKeyDer::from_pem_file(key)?)?;
    Ok(config)
}

/// Returns the name of a connection's group.
pub fn group(group: Option<&dyn SupportedKxGroup>) -> &'static str {
    group
        .and_then(|group| groups::name(group.name().into()))
        .unwrap_or("unknown")
}

/// Returns the arguments of the program, which must be `N`.
pub fn arguments<const N: usize>(usage: &str) -> Result<[String; N]> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    arguments
        .try_into()
        .map_err(|_| format!("usage: {usage}").into())
}
