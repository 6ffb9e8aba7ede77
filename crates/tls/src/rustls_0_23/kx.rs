//! The implementation of rustls' `SupportedKxGroup` for [`HybridGroup`].

use pqseal_hpke::{Error as HpkeError, Secret};
use rustls::{
    Error, NamedGroup, PeerMisbehaved, ProtocolVersion,
    crypto::{
        ActiveKeyExchange, CompletedKeyExchange, GetRandomFailed, SharedSecret, SupportedKxGroup,
    },
    ffdhe_groups::FfdheGroup,
};

use crate::group::{Exchange, HybridGroup};

impl SupportedKxGroup for HybridGroup {
    fn start(&self) -> Result<Box<dyn ActiveKeyExchange>, Error> {
        Ok(Box::new(Self::start(self).map_err(error)?))
    }

    /// Encapsulates to the client's share. The default implementation generates a separate key
    /// and completes it, which is wrong for a KEM.
    fn start_and_complete(&self, client: &[u8]) -> Result<CompletedKeyExchange, Error> {
        let answer = self.answer(client).map_err(error)?;
        Ok(CompletedKeyExchange {
            group: self.id.into(),
            pub_key: answer.share,
            secret: shared(&answer.secret),
        })
    }

    /// Returns `None`, which keeps rustls' table of FFDHE groups out of the program.
    fn ffdhe_group(&self) -> Option<FfdheGroup<'static>> {
        None
    }

    /// Converts the code point by `From`, since rustls compares variants, and names some of these
    /// code points.
    fn name(&self) -> NamedGroup {
        self.id.into()
    }

    /// Allows only TLS 1.3, since TLS 1.2 does not support KEMs.
    fn usable_for_version(&self, version: ProtocolVersion) -> bool {
        version == ProtocolVersion::TLSv1_3
    }
}

impl ActiveKeyExchange for Exchange {
    fn complete(self: Box<Self>, server: &[u8]) -> Result<SharedSecret, Error> {
        self.finish(server)
            .map(|secret| shared(&secret))
            .map_err(error)
    }

    fn hybrid_component(&self) -> Option<(NamedGroup, &[u8])> {
        self.classical().map(|(id, share)| (id.into(), share))
    }

    fn complete_hybrid_component(self: Box<Self>, server: &[u8]) -> Result<SharedSecret, Error> {
        self.finish_classical(server)
            .map(|secret| shared(&secret))
            .map_err(error)
    }

    fn ffdhe_group(&self) -> Option<FfdheGroup<'static>> {
        None
    }

    fn pub_key(&self) -> &[u8] {
        &self.share
    }

    fn group(&self) -> NamedGroup {
        self.id.into()
    }
}

/// Copies a secret. rustls wipes its copy on drop, as we do ours.
fn shared(secret: &Secret) -> SharedSecret {
    SharedSecret::from(secret.as_ref())
}

/// Converts an error. For an invalid share rustls sends the alert `illegal_parameter`.
fn error(error: HpkeError) -> Error {
    match error {
        HpkeError::Rng => GetRandomFailed.into(),
        _ => PeerMisbehaved::InvalidKeyShare.into(),
    }
}
