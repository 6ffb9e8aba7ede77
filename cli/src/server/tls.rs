//! TLS on both sides: certificates of the receiver and of its clients, and the authorities of
//! the next destination. All of them are PEM files.

use std::{path::Path, sync::Arc};

use rustls::{
    ClientConfig, RootCertStore, ServerConfig,
    crypto::{CryptoProvider, aws_lc_rs},
    pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject},
    server::WebPkiClientVerifier,
};

use super::settings;
use crate::{error::Error, escape};

/// Returns the TLS configuration of the receiver.
///
/// # Errors
/// If a file cannot be read, or certificate and key do not belong together.
pub(crate) fn server(config: &settings::Tls) -> Result<Arc<ServerConfig>, Error> {
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

/// Returns the TLS configuration for the next destination.
///
/// # Errors
/// If the file with authorities cannot be read.
pub(crate) fn client(authorities: &Path) -> Result<Arc<ClientConfig>, Error> {
    let mut client = ClientConfig::builder_with_provider(provider())
        .with_safe_default_protocol_versions()
        .map_err(|error| bad(authorities, error))?
        .with_root_certificates(roots(authorities)?)
        .with_no_client_auth();
    client.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(client.into())
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
    Error {
        exit: crate::error::Exit::Stopped,
        code: "tls",
        message: format!("cannot use {} for TLS: {error}", escape::path(path)),
    }
}
