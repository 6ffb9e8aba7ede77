//! The groups and suites as rustls 0.23 wants them: its traits of key exchange and of HPKE, and how
//! code points are written. `probe` also uses rustls, as a client does, and `ech` has rustls' type in
//! `SUITES`; the rest of the crate does not know it.

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

/// `base` with the groups that the policy allows. Cipher suites, signatures and randomness stay those
/// of `base`.
pub fn provider_on(mut base: CryptoProvider, policy: &Policy) -> CryptoProvider {
    base.kx_groups = kx_groups(&base, policy);
    base
}

/// The groups of this crate that the policy allows, then those of `base` that it allows: classical
/// ones, all standard. A policy that allows none of [`CLASSICAL`] takes none of `base`. A client sends the share of the first group and, if that group is a hybrid
/// and its classical half is in the list, the classical share too.
///
/// For a provider of one's own, or to put another group first:
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
    let check = |id| policy.check(Component::Group, id, Status::Standard).is_ok();
    // What this crate does not know, such as Brainpool, is classical to all we know.
    let any_classical = CLASSICAL.iter().any(|(id, _)| check(*id));
    let allowed = |id| groups::by_id(id).is_none() && any_classical && check(id);
    let theirs = base.kx_groups.iter().copied();
    ours.chain(theirs.filter(|group| allowed(group.name().into())))
        .collect()
}

/// `policy` without the classical groups ([`CLASSICAL`]): a connection is post-quantum or fails.
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
