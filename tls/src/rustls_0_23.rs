//! The groups and suites as rustls 0.23 wants them. What a move to rustls 0.24 changes is here: the
//! traits of key exchange and of HPKE, and how code points are written.

mod hpke_suite;
mod kx;

use rustls::crypto::{CryptoProvider, SupportedKxGroup};

use crate::{CLASSICAL, Component, Policy, Status, groups};

pub use hpke_suite::EchSuite;

/// A provider for clients and servers: the groups that the policy allows, and everything else from
/// rustls' provider of AWS-LC. TLS 1.2 works with its classical groups.
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

/// `base` with the groups that the policy allows. It has the cipher suites, signatures and
/// randomness.
pub fn provider_on(mut base: CryptoProvider, policy: &Policy) -> CryptoProvider {
    base.kx_groups = kx_groups(&base, policy);
    base
}

/// The groups of this crate that the policy allows, then those of `base` that it allows: classical
/// ones, all standard. A client sends the share of the first group and, if that group is a hybrid
/// and its classical half is in the list, the classical share too.
pub fn kx_groups(base: &CryptoProvider, policy: &Policy) -> Vec<&'static dyn SupportedKxGroup> {
    let ours = groups::ALL
        .iter()
        .filter(|group| group.check(policy).is_ok())
        .map(|group| *group as &'static dyn SupportedKxGroup);
    let allowed = |id| {
        groups::by_id(id).is_none() && policy.check(Component::Group, id, Status::Standard).is_ok()
    };
    let theirs = base.kx_groups.iter().copied();
    ours.chain(theirs.filter(|group| allowed(group.name().into())))
        .collect()
}

/// `policy` without the classical groups: a connection is post-quantum or fails.
#[must_use]
pub fn post_quantum_only(policy: Policy) -> Policy {
    CLASSICAL
        .iter()
        .fold(policy, |policy, (id, _)| policy.deny(Component::Group, *id))
}
