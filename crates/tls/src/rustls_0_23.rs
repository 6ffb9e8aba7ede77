//! The groups and suites for rustls 0.23: implementations of its traits for key exchange and HPKE.
//! `probe` also uses rustls, as a client does, and `ech` has rustls' type in `SUITES`. The rest of
//! the crate is independent of rustls.

mod hpke_suite;

use pqseal_hpke::{Error as HpkeError, Secret};
use rustls::{
    Error, NamedGroup, PeerMisbehaved, ProtocolVersion,
    crypto::{
        ActiveKeyExchange, CompletedKeyExchange, CryptoProvider, GetRandomFailed, SharedSecret,
        SupportedKxGroup,
    },
    ffdhe_groups::FfdheGroup,
};

use crate::{
    CLASSICAL, Component, Policy, Status,
    group::{ClientExchange, HybridGroup},
    groups,
};

pub use hpke_suite::EchSuite;

/// Returns a provider for clients and servers with the groups that the policy allows, and
/// everything else from rustls' provider of AWS-LC. TLS 1.2 works with its classical groups.
///
/// ```
/// use std::sync::Arc;
/// use pqseal_tls::{Policy, provider};
/// use rustls::{ClientConfig, RootCertStore};
///
/// let provider = Arc::new(provider(&Policy::standard()));
/// let config = ClientConfig::builder_with_provider(provider)
///     .with_safe_default_protocol_versions()?
///     .with_root_certificates(RootCertStore::empty())
///     .with_no_client_auth();
/// # Ok::<(), rustls::Error>(())
/// ```
#[cfg(feature = "aws-lc")]
pub fn provider(policy: &Policy) -> CryptoProvider {
    provider_on(rustls::crypto::aws_lc_rs::default_provider(), policy)
}

/// Returns `base` with the groups that the policy allows. Cipher suites, signatures and randomness
/// are those of `base`.
pub fn provider_on(mut base: CryptoProvider, policy: &Policy) -> CryptoProvider {
    base.kx_groups = kx_groups(&base, policy);
    base
}

/// Returns the groups of this crate that the policy allows, then the classical groups of `base`
/// that it allows, all of which have the status standard. If the policy allows none of
/// [`CLASSICAL`], no group of `base` is included. A client sends the share of the first group. If
/// that group is a hybrid and its classical half is in the list, the classical share is sent, too.
///
/// Use it for a custom provider, or to put another group first:
///
/// ```
/// # #[cfg(feature = "aws-lc")] {
/// use pqseal_tls::{Component, Policy, kx_groups};
/// use rustls::{NamedGroup, crypto::aws_lc_rs};
///
/// let base = aws_lc_rs::default_provider();
/// let policy = Policy::standard().deny(Component::Group, 0x0018); // secp384r1
/// let mut provider = base.clone();
/// provider.kx_groups = kx_groups(&base, &policy);
/// provider.kx_groups.sort_by_key(|group| group.name() != NamedGroup::secp256r1MLKEM768);
/// # let ids: Vec<u16> = provider.kx_groups.iter().map(|group| group.name().into()).collect();
/// # assert_eq!(ids, [0x11eb, 0x11ec, 0x11ed, 0x001d, 0x0017]);
/// # }
/// ```
pub fn kx_groups(base: &CryptoProvider, policy: &Policy) -> Vec<&'static dyn SupportedKxGroup> {
    let ours = groups::ALL
        .iter()
        .filter(|group| group.check(policy).is_ok())
        .map(|group| *group as &'static dyn SupportedKxGroup);
    let mut allowed: Vec<_> = ours.collect();
    // A group that is unknown to this crate, such as Brainpool, counts as classical.
    if CLASSICAL.iter().any(|(id, _)| allows(policy, *id)) {
        let theirs = base.kx_groups.iter().copied();
        allowed.extend(theirs.filter(|group| {
            let id = group.name().into();
            groups::by_id(id).is_none() && allows(policy, id)
        }));
    }
    allowed
}

/// Returns `policy` without the classical groups ([`CLASSICAL`]), so that a connection is
/// post-quantum or fails.
///
/// ```
/// # #[cfg(feature = "aws-lc")] {
/// use pqseal_tls::{Policy, groups, post_quantum_only, provider};
///
/// let provider = provider(&post_quantum_only(Policy::standard()));
/// let names = provider.kx_groups.iter().map(|group| groups::name(group.name().into()));
/// let names: Option<Vec<_>> = names.collect();
/// let hybrids = ["X25519MLKEM768", "SecP256r1MLKEM768", "SecP384r1MLKEM1024"];
/// assert_eq!(names.as_deref(), Some(&hybrids[..]));
/// # }
/// ```
#[must_use]
pub fn post_quantum_only(policy: Policy) -> Policy {
    CLASSICAL
        .iter()
        .fold(policy, |policy, (id, _)| policy.deny(Component::Group, *id))
}

/// Reports whether the policy allows a classical group.
fn allows(policy: &Policy, id: u16) -> bool {
    policy.check(Component::Group, id, Status::Standard).is_ok()
}

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

impl ActiveKeyExchange for ClientExchange {
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
