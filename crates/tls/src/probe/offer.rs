//! The groups that a probe requests, under the names that testssl.sh uses.

use rustls::crypto::{SupportedKxGroup, aws_lc_rs};

use crate::{HybridGroup, Policy, groups};

/// A group to request, with the lengths of its shares in bytes.
#[derive(Clone, Copy, Debug)]
pub struct Offer {
    /// The code point.
    pub id: u16,
    /// The name that testssl.sh uses.
    pub name: &'static str,
    /// The length of the share in the ClientHello.
    pub client_share: usize,
    /// The length of the share in the ServerHello.
    pub server_share: usize,
    pub(super) group: &'static dyn SupportedKxGroup,
}

/// The classical groups of rustls' provider of AWS-LC: code point, testssl.sh's name, and
/// length of the share.
const CLASSICAL: [(u16, &str, usize); 3] = [
    (0x001d, "X25519", 32),
    (0x0017, "prime256v1", 65),
    (0x0018, "secp384r1", 97),
];

impl Offer {
    fn of(group: &'static HybridGroup) -> Self {
        Self {
            id: group.id(),
            name: HybridGroup::name(group),
            client_share: group.client_share_len(),
            server_share: group.server_share_len(),
            group,
        }
    }

    /// Reports whether the group is post-quantum: ML-KEM, Kyber or BIKE, with or without a
    /// curve.
    pub fn is_post_quantum(&self) -> bool {
        groups::by_id(self.id).is_some()
    }
}

/// Returns the groups of this crate that the policy allows, then X25519, P-256 and P-384.
pub fn offers(policy: &Policy) -> Vec<Offer> {
    let ours = groups::ALL
        .iter()
        .filter(|group| group.check(policy).is_ok())
        .map(|group| Offer::of(group));
    ours.chain(classical()).collect()
}

/// Returns groups of which most TLS 1.3 servers support one, classical groups first.
pub(super) fn common() -> impl Iterator<Item = Offer> {
    let hybrids = groups::ALL.iter().filter(|group| {
        let standard = Policy::standard();
        group.check(&standard).is_ok()
    });
    classical().chain(hybrids.map(|group| Offer::of(group)))
}

/// Returns the offer with this name. Upper and lower case are not distinguished;
/// `secp256r1` and `P-256` are accepted, too.
///
/// # Errors
/// [`groups::UnknownGroup`].
pub fn offer_by_name(name: &str) -> Result<Offer, groups::UnknownGroup> {
    let name = match name.to_ascii_lowercase().as_str() {
        "secp256r1" | "p-256" => "prime256v1".to_owned(),
        "p-384" => "secp384r1".to_owned(),
        _ => name.to_owned(),
    };
    match classical().find(|offer| offer.name.eq_ignore_ascii_case(&name)) {
        Some(offer) => Ok(offer),
        None => groups::by_name(&name).map(Offer::of),
    }
}

fn classical() -> impl Iterator<Item = Offer> {
    CLASSICAL.iter().filter_map(|&(id, name, share)| {
        let group = aws_lc_rs::ALL_KX_GROUPS
            .iter()
            .find(|group| u16::from(group.name()) == id)?;
        Some(Offer {
            id,
            name,
            client_share: share,
            server_share: share,
            group: *group,
        })
    })
}
