//! TLS on both sides: certificates of the receiver and of its clients, and the authorities of
//! the next destination. All of them are PEM files.

use std::{path::Path, sync::Arc};

use rustls::{
    ClientConfig, RootCertStore, ServerConfig,
    crypto::{CryptoProvider, aws_lc_rs},
    pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject},
    server::WebPkiClientVerifier,
};

use crate::{Error, settings};

/// Returns the TLS configuration of the receiver.
///
/// # Errors
/// If a file cannot be read, or certificate and key do not belong together.
pub fn server(config: &settings::Tls) -> Result<Arc<ServerConfig>, Error> {
    let chain = certificates(&config.certificate)?;
    let key = PrivateKeyDer::from_pem_file(&config.key).map_err(|error| bad(&config.key, error))?;
    let builder = ServerConfig::builder_with_provider(provider())
        .with_safe_default_protocol_versions()
        .map_err(|error| bad(&config.certificate, error))?;
    let builder = match &config.client_ca {
        None => builder.with_no_client_auth(),
        Some(path) => {
            let verifier =
                WebPkiClientVerifier::builder_with_provider(roots(path)?.into(), provider())
                    .build()
                    .map_err(|error| bad(path, error))?;
            builder.with_client_cert_verifier(verifier)
        }
    };
    let mut server = builder
        .with_single_cert(chain, key)
        .map_err(|error| bad(&config.certificate, error))?;
    server.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(server.into())
}

/// Returns the TLS configuration for the next destination, which trusts nobody without a file of
/// authorities.
///
/// # Errors
/// If the file cannot be read.
pub fn client(authorities: Option<&Path>) -> Result<ClientConfig, Error> {
    let roots = authorities.map_or_else(|| Ok(RootCertStore::empty()), roots)?;
    let mut client = ClientConfig::builder_with_provider(provider())
        .with_safe_default_protocol_versions()
        .expect("the provider has the cipher suites of TLS 1.2 and 1.3")
        .with_root_certificates(roots)
        .with_no_client_auth();
    client.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(client)
}

fn provider() -> Arc<CryptoProvider> {
    aws_lc_rs::default_provider().into()
}

fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, Error> {
    let read = CertificateDer::pem_file_iter(path).and_then(Iterator::collect);
    let certificates: Vec<_> = read.map_err(|error| bad(path, error))?;
    match certificates.is_empty() {
        true => Err(bad(path, "it has no certificate in PEM")),
        false => Ok(certificates),
    }
}

fn roots(path: &Path) -> Result<RootCertStore, Error> {
    let mut roots = RootCertStore::empty();
    // A system's file may contain some that are not supported.
    let (added, _) = roots.add_parsable_certificates(certificates(path)?);
    match added {
        0 => Err(bad(path, "it has no certificate that can be used")),
        _ => Ok(roots),
    }
}

fn bad(path: &Path, error: impl std::fmt::Display) -> Error {
    Error::Tls {
        file: path.to_owned(),
        reason: error.to_string(),
    }
}
