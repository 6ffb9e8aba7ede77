//! The key and the signature of a server's certificate.

use std::sync::Mutex;

use rustls::{
    DigitallySignedStruct, Error, SignatureScheme,
    client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier},
    crypto::{aws_lc_rs, verify_tls13_signature},
    pki_types::{CertificateDer, ServerName, UnixTime, alg_id},
    server::ParsedCertificate,
};

/// The algorithms by which a server authenticates itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Certificate {
    /// The kind of the certificate's key, such as `EC 256 bits (curve P-256)` or `RSA 2048 bits`.
    pub key: String,
    /// The signature scheme of the handshake, by its name in the registry of TLS SignatureScheme.
    pub signature: String,
}

/// A verifier that accepts every certificate, and records its key and the scheme of the
/// handshake's signature. It does check that signature.
#[derive(Debug, Default)]
pub(super) struct Recorder(Mutex<Option<Certificate>>);

impl Recorder {
    pub(super) fn take(&self) -> Option<Certificate> {
        self.0.lock().ok()?.take()
    }
}

impl ServerCertVerifier for Recorder {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        Err(Error::General("the probe only offers TLS 1.3".into()))
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        if let (Ok(parsed), Ok(mut seen)) =
            (ParsedCertificate::try_from(certificate), self.0.lock())
        {
            *seen = Some(Certificate {
                key: key(&parsed.subject_public_key_info()).unwrap_or("unknown".to_owned()),
                signature: scheme(signed.scheme),
            });
        }
        let algorithms = aws_lc_rs::default_provider().signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signed, &algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        let provider = aws_lc_rs::default_provider();
        provider
            .signature_verification_algorithms
            .supported_schemes()
    }
}

/// Returns the kind of the key in a SubjectPublicKeyInfo (RFC 5280, section 4.1), if it is known.
fn key(spki: &[u8]) -> Option<String> {
    let (info, _) = element(spki)?;
    let (algorithm, rest) = element(info)?;
    let names = [
        (alg_id::ECDSA_P256, "EC 256 bits (curve P-256)"),
        (alg_id::ECDSA_P384, "EC 384 bits (curve P-384)"),
        (alg_id::ECDSA_P521, "EC 521 bits (curve P-521)"),
        (alg_id::ED25519, "EdDSA 253 bits (curve Ed25519)"),
    ];
    if let Some((_, name)) = names.iter().find(|(id, _)| id.as_ref() == algorithm) {
        return Some((*name).to_owned());
    }
    if algorithm != alg_id::RSA_ENCRYPTION.as_ref() {
        return None;
    }
    // A BIT STRING, its number of unused bits, RSAPublicKey, and in it the modulus with a leading
    // zero.
    let (bits, _) = element(rest)?;
    let (public, _) = element(bits.get(1..)?)?;
    let (modulus, _) = element(public)?;
    let leading = modulus.iter().take_while(|byte| **byte == 0).count();
    Some(format!("RSA {} bits", (modulus.len() - leading) * 8))
}

/// Returns the content of the first DER element, and the bytes after it.
fn element(der: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, header) = match *der.get(1)? {
        short @ 0..=0x7f => (usize::from(short), 2),
        0x81 => (usize::from(*der.get(2)?), 3),
        0x82 => (
            usize::from(*der.get(2)?) * 256 + usize::from(*der.get(3)?),
            4,
        ),
        _ => return None,
    };
    der.get(header..)?.split_at_checked(length)
}

fn scheme(scheme: SignatureScheme) -> String {
    match scheme {
        SignatureScheme::ECDSA_NISTP256_SHA256 => "ecdsa_secp256r1_sha256".into(),
        SignatureScheme::ECDSA_NISTP384_SHA384 => "ecdsa_secp384r1_sha384".into(),
        SignatureScheme::ECDSA_NISTP521_SHA512 => "ecdsa_secp521r1_sha512".into(),
        SignatureScheme::RSA_PSS_SHA256 => "rsa_pss_rsae_sha256".into(),
        SignatureScheme::RSA_PSS_SHA384 => "rsa_pss_rsae_sha384".into(),
        SignatureScheme::RSA_PSS_SHA512 => "rsa_pss_rsae_sha512".into(),
        SignatureScheme::ED25519 => "ed25519".into(),
        other => format!("{:#06x}", u16::from(other)),
    }
}
