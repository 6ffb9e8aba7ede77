//! What a server negotiates: one handshake per group, and two more for its preference.
//!
//! A handshake ends as soon as it is complete; no request is sent. Certificates are reported, and
//! not checked against any root, since the question is which algorithms a server has.

mod certificate;
mod handshake;

use std::{
    net::SocketAddr,
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};

use rustls::{
    crypto::{SupportedKxGroup, aws_lc_rs},
    pki_types::ServerName,
};

pub use certificate::Certificate;
pub use handshake::{Failure, Handshake};

use crate::{HybridGroup, Policy, groups};

/// A server, and how to ask it.
#[derive(Clone, Debug)]
pub struct Probe {
    /// Where it listens; the first address that answers is used.
    pub addresses: Vec<SocketAddr>,
    /// The name in the ClientHello.
    pub name: ServerName<'static>,
    /// How long one handshake may take in all.
    pub timeout: Duration,
    /// How many handshakes run at once, at least one.
    pub parallel: usize,
}

/// A group to ask for, with the lengths of its shares in bytes.
#[derive(Clone, Copy, Debug)]
pub struct Offer {
    /// The code point.
    pub id: u16,
    /// The name, as testssl.sh has it.
    pub name: &'static str,
    /// The share in the ClientHello.
    pub client_share: usize,
    /// The share in the ServerHello.
    pub server_share: usize,
    group: &'static dyn SupportedKxGroup,
}

/// What a server answered.
#[derive(Clone, Debug)]
pub struct Report {
    /// Each group that was asked for, and the handshake with this group only.
    pub groups: Vec<(Offer, Result<Handshake, Failure>)>,
    /// What it chose among all that it accepts, offered in the order of the request.
    pub first_to_last: Option<Handshake>,
    /// The same, offered in the reverse order.
    pub last_to_first: Option<Handshake>,
}

/// Whose order of groups decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preference {
    /// The server chooses this group, whatever the client's order.
    Server(u16),
    /// The server takes the client's first group, or the first that it has a share for.
    Client,
}

/// Classical groups of rustls' provider of AWS-LC: code point, testssl.sh's name, share.
const CLASSICAL: [(u16, &str, usize); 3] = [
    (0x001d, "X25519", 32),
    (0x0017, "prime256v1", 65),
    (0x0018, "secp384r1", 97),
];

/// The groups of this crate that the policy allows, then X25519, P-256 and P-384.
pub fn offers(policy: &Policy) -> Vec<Offer> {
    let ours = groups::ALL
        .iter()
        .filter(|group| group.check(policy).is_ok())
        .map(|group| Offer::of(group));
    ours.chain(classical()).collect()
}

/// The offer with this name, in upper or lower case; `secp256r1` and `P-256` are names too.
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

    /// Whether the group withstands a quantum computer.
    pub fn is_post_quantum(&self) -> bool {
        groups::by_id(self.id).is_some()
    }
}

impl Probe {
    /// Asks for each group, then for all that were accepted.
    pub fn run(&self, offers: &[Offer]) -> Report {
        let results = self.each(offers);
        let groups: Vec<_> = offers.iter().copied().zip(results).collect();
        let accepted = groups.iter().filter(|(_, result)| result.is_ok());
        let mut accepted: Vec<_> = accepted.map(|(offer, _)| offer.group).collect();
        let first_to_last = self.all(&accepted);
        accepted.reverse();
        let last_to_first = self.all(&accepted);
        Report {
            groups,
            first_to_last,
            last_to_first,
        }
    }

    fn all(&self, groups: &[&'static dyn SupportedKxGroup]) -> Option<Handshake> {
        if groups.is_empty() {
            return None;
        }
        handshake::run(self, groups).ok()
    }

    /// A handshake for each offer, `parallel` at a time, in the order of the offers.
    fn each(&self, offers: &[Offer]) -> Vec<Result<Handshake, Failure>> {
        let next = AtomicUsize::new(0);
        let results = Mutex::new(vec![Err(Failure::Timeout); offers.len()]);
        let work = || {
            while let at = next.fetch_add(1, Ordering::Relaxed)
                && let Some(offer) = offers.get(at)
            {
                let result = handshake::run(self, &[offer.group]);
                results.lock().expect("no thread panics")[at] = result;
            }
        };
        thread::scope(|scope| {
            for _ in 0..self.parallel.clamp(1, offers.len().max(1)) {
                scope.spawn(work);
            }
        });
        results.into_inner().expect("no thread panics")
    }
}

impl Report {
    /// Whether the server accepts a post-quantum group, alone or in a hybrid.
    pub fn is_post_quantum(&self) -> bool {
        let mut groups = self.groups.iter();
        groups.any(|(offer, result)| offer.is_post_quantum() && result.is_ok())
    }

    /// Whether any group was accepted.
    pub fn is_tls13(&self) -> bool {
        self.groups.iter().any(|(_, result)| result.is_ok())
    }

    /// Whose order decides. `None` with fewer than two groups accepted.
    pub fn preference(&self) -> Option<Preference> {
        let accepted = self.groups.iter().filter(|(_, result)| result.is_ok());
        let (first, last) = (self.first_to_last.as_ref()?, self.last_to_first.as_ref()?);
        (accepted.count() > 1).then_some(if first.group == last.group {
            Preference::Server(first.group)
        } else {
            Preference::Client
        })
    }

    /// Whether the server asks for another ClientHello to get the group that it prefers.
    pub fn asks_for_retry(&self) -> bool {
        let both = [&self.first_to_last, &self.last_to_first];
        both.into_iter().flatten().any(|handshake| handshake.retry)
    }

    /// The server's certificate, from the first handshake that came so far.
    pub fn certificate(&self) -> Option<&Certificate> {
        let mut accepted = self.groups.iter().flat_map(|(_, result)| result);
        accepted.find_map(|handshake| handshake.certificate.as_ref())
    }
}
