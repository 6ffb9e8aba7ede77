//! A probe of the groups that a server negotiates. It runs one handshake per group, one with common
//! groups if the server accepts none of these, a second for a group without an answer, and two more
//! for the server's preference.
//!
//! A handshake ends as soon as it is complete; no request is sent. Certificates are reported, but
//! not checked against any root, since the probe only determines algorithms.

mod certificate;
mod failure;
mod handshake;
#[cfg(feature = "quic")]
mod quic;

use std::{
    net::SocketAddr,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use rustls::{
    ClientConfig, Error,
    client::Resumption,
    crypto::{CryptoProvider, SupportedKxGroup, aws_lc_rs},
    pki_types::ServerName,
};

use crate::{HybridGroup, Policy, groups};
pub use certificate::Certificate;
use certificate::Recorder;
pub use failure::Failure;
pub use handshake::Handshake;

/// A server to probe, with the options of the probe.
///
/// ```no_run
/// use std::{net::ToSocketAddrs, time::Duration};
/// use pqseal_tls::{Policy, probe::{Probe, Transport, offers}};
///
/// let probe = Probe {
///     addresses: "example.com:443".to_socket_addrs()?.collect(),
///     name: "example.com".try_into()?,
///     timeout: Duration::from_secs(10),
///     parallel: 4,
///     transport: Transport::Tcp,
/// };
/// let report = probe.run(&offers(&Policy::standard()));
/// for (offer, result) in &report.groups {
///     match result {
///         Ok(handshake) => println!("{}: {} bytes", offer.name, handshake.client_hello),
///         Err(failure) => println!("{}: {failure}", offer.name),
///     }
/// }
/// println!("post-quantum: {}", report.is_post_quantum());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Probe {
    /// The addresses of the server, of which the first that answers is used. Each gets an equal
    /// share of the remaining time.
    pub addresses: Vec<SocketAddr>,
    /// The name in the ClientHello.
    pub name: ServerName<'static>,
    /// The maximum duration of one handshake.
    pub timeout: Duration,
    /// The maximum number of concurrent handshakes, at least one.
    pub parallel: usize,
    /// The transport of the handshakes.
    pub transport: Transport,
}

impl Probe {
    /// Probes each group, then all accepted groups.
    pub fn run(&self, offers: &[Offer]) -> Report {
        let alone: Vec<_> = offers.iter().map(|offer| vec![offer.group]).collect();
        let mut groups: Vec<_> = offers.iter().copied().zip(self.each(&alone)).collect();
        let other = self.ask_for_others(&groups);
        self.ask_again(&mut groups, other.as_ref());
        let accepted = groups.iter().filter(|(_, result)| result.is_ok());
        let mut accepted: Groups = accepted.map(|(offer, _)| offer.group).collect();
        let first_to_last = self.all(&accepted);
        accepted.reverse();
        let last_to_first = self.all(&accepted);
        Report {
            groups,
            other,
            first_to_last,
            last_to_first,
        }
    }

    /// Probes common groups, if all were refused. The server may support TLS 1.3 with other groups,
    /// but its alert, usually `handshake_failure`, is that of an older server without TLS 1.3.
    fn ask_for_others(&self, groups: &[(Offer, Result<Handshake, Failure>)]) -> Option<Handshake> {
        let mut open = false;
        for (_, result) in groups {
            let failure = result.as_ref().err()?;
            open |= failure.is_refusal() && *failure != Failure::NoTls13
                || matches!(failure, Failure::Closed | Failure::Timeout);
        }
        if !open {
            return None;
        }
        let others = common().filter(|offer| groups.iter().all(|(asked, _)| asked.id != offer.id));
        self.all(&others.map(|offer| offer.group).collect::<Groups>())
    }

    /// Offers each group without an answer again, with an accepted group beside it. Servers that
    /// lack a group, such as s2n-tls, may close the connection or send nothing, but so may a
    /// middlebox that drops long ClientHellos. If the server now chooses the other group, it
    /// received the long ClientHello, so it does not support this group.
    fn ask_again(
        &self,
        groups: &mut [(Offer, Result<Handshake, Failure>)],
        other: Option<&Handshake>,
    ) {
        let mut accepted = groups.iter().filter(|(_, result)| result.is_ok());
        let accepted = accepted.next_back().map(|(offer, _)| *offer);
        let other = other.and_then(|done| common().find(|offer| offer.id == done.group));
        let Some(Offer { group: known, .. }) = accepted.or(other) else {
            return;
        };
        let open: Vec<_> = groups
            .iter_mut()
            .filter(|(_, result)| matches!(result, Err(Failure::Closed | Failure::Timeout)))
            .collect();
        let both: Vec<_> = open
            .iter()
            .map(|(offer, _)| vec![offer.group, known])
            .collect();
        for ((offer, result), again) in open.into_iter().zip(self.each(&both)) {
            match again {
                Ok(handshake) if handshake.group == offer.id => *result = Ok(handshake),
                Ok(_) => *result = Err(Failure::NotChosen),
                // There is still no answer.
                Err(_) => {}
            }
        }
    }

    fn all(&self, groups: &[&'static dyn SupportedKxGroup]) -> Option<Handshake> {
        if groups.is_empty() {
            return None;
        }
        self.handshake(groups).ok()
    }

    fn handshake(&self, groups: &[&'static dyn SupportedKxGroup]) -> Result<Handshake, Failure> {
        match &self.transport {
            Transport::Tcp => handshake::run(self, groups),
            #[cfg(feature = "quic")]
            Transport::Quic { alpn } => quic::run(self, groups, alpn),
        }
    }

    /// Runs a handshake for each of these lists of groups, `parallel` at a time. Returns the
    /// results in order.
    fn each(&self, lists: &[Groups]) -> Vec<Result<Handshake, Failure>> {
        let next = AtomicUsize::new(0);
        let results = Mutex::new(vec![Err(Failure::Timeout); lists.len()]);
        thread::scope(|scope| {
            for _ in 0..self.parallel.min(lists.len()).max(1) {
                scope.spawn(|| {
                    while let at = next.fetch_add(1, Ordering::Relaxed)
                        && let Some(groups) = lists.get(at)
                    {
                        let result = self.handshake(groups);
                        results.lock().expect("no thread panics")[at] = result;
                    }
                });
            }
        });
        results.into_inner().expect("no thread panics")
    }
}

/// The groups of one ClientHello, which has a share of the first.
type Groups = Vec<&'static dyn SupportedKxGroup>;

/// The transport of a handshake.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Transport {
    /// TLS over TCP.
    Tcp,
    /// QUIC version 1 (RFC 9000).
    #[cfg(feature = "quic")]
    Quic {
        /// The application protocols to offer, such as `h3`. Most servers refuse a connection
        /// without one that they support.
        alpn: Vec<String>,
    },
}

/// The results of a probe.
#[derive(Clone, Debug)]
pub struct Report {
    /// Each requested group with the result of the handshake with only this group. If the server
    /// ended it without an answer, a second handshake with an accepted group beside it decides.
    pub groups: Vec<(Offer, Result<Handshake, Failure>)>,
    /// The server's choice among X25519, P-256, P-384 and the standard hybrids, as far as these
    /// were not requested, if it accepted none of the requested groups.
    pub other: Option<Handshake>,
    /// The server's choice among all groups that it accepts, offered in the order of the request.
    pub first_to_last: Option<Handshake>,
    /// The server's choice among the same groups, offered in the reverse order.
    pub last_to_first: Option<Handshake>,
}

impl Report {
    /// Reports whether the server accepts a post-quantum group, alone or in a hybrid.
    pub fn is_post_quantum(&self) -> bool {
        let mut groups = self.groups.iter();
        groups.any(|(offer, result)| offer.is_post_quantum() && result.is_ok())
    }

    /// Reports whether the server supports TLS 1.3, if known. It does if it accepted a group, or
    /// refused one with an alert that TLS 1.2 does not have. It does not if every handshake showed
    /// that.
    pub fn is_tls13(&self) -> Option<bool> {
        let mut none = !self.groups.is_empty();
        for (_, result) in &self.groups {
            match result {
                Ok(_) => return Some(true),
                Err(failure) if failure.is_of_tls13() => return Some(true),
                Err(failure) => none &= *failure == Failure::NoTls13,
            }
        }
        match self.other {
            Some(_) => Some(true),
            None => none.then_some(false),
        }
    }

    /// Returns the side whose order decides, or `None` if fewer than two groups were accepted.
    pub fn preference(&self) -> Option<Preference> {
        let accepted = self.groups.iter().filter(|(_, result)| result.is_ok());
        let (first, last) = (self.first_to_last.as_ref()?, self.last_to_first.as_ref()?);
        (accepted.count() > 1).then_some(if first.group == last.group {
            Preference::Server(first.group)
        } else {
            Preference::Client
        })
    }

    /// Reports whether the server requests another ClientHello to get its preferred group.
    pub fn asks_for_retry(&self) -> bool {
        let both = [&self.first_to_last, &self.last_to_first];
        both.into_iter().flatten().any(|handshake| handshake.retry)
    }

    /// Returns the server's certificate, from the first handshake that received it.
    pub fn certificate(&self) -> Option<&Certificate> {
        let accepted = self.groups.iter().flat_map(|(_, result)| result);
        let mut accepted = accepted.chain(&self.other);
        accepted.find_map(|handshake| handshake.certificate.as_ref())
    }
}

/// The side whose order of groups decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preference {
    /// The server, which chooses this group for any order of the client.
    Server(u16),
    /// The client: the server uses its first group, or the first with a share.
    Client,
}

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
    group: &'static dyn SupportedKxGroup,
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
fn common() -> impl Iterator<Item = Offer> {
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

/// The classical groups of rustls' provider of AWS-LC: code point, testssl.sh's name, and
/// length of the share.
const CLASSICAL: [(u16, &str, usize); 3] = [
    (0x001d, "X25519", 32),
    (0x0017, "prime256v1", 65),
    (0x0018, "secp384r1", 97),
];

/// The maximum number of bytes that a server may send before its handshake is complete. Long
/// certificate chains have tens of thousands of bytes.
const LIMIT: usize = 1 << 18;

/// The time at which a handshake must be complete.
struct Deadline(Instant);

impl Deadline {
    fn after(timeout: Duration) -> Self {
        Self(Instant::now() + timeout)
    }

    fn left(&self) -> Result<Duration, Failure> {
        let left = self.0.checked_duration_since(Instant::now());
        left.filter(|left| !left.is_zero()).ok_or(Failure::Timeout)
    }

    /// Returns the end of the first of `count` equal parts of the remaining time.
    fn share(&self, count: usize) -> Result<Self, Failure> {
        let count = u32::try_from(count).unwrap_or(u32::MAX).max(1);
        Ok(Self::after(self.left()? / count))
    }
}

/// Returns a configuration without resumption, which would remember the group of an earlier
/// connection.
fn config(
    groups: &[&'static dyn SupportedKxGroup],
    recorder: Arc<Recorder>,
) -> Result<ClientConfig, Error> {
    let provider = CryptoProvider {
        kx_groups: groups.to_vec(),
        ..aws_lc_rs::default_provider()
    };
    let mut config = ClientConfig::builder_with_provider(Arc::new(provider))
        .with_protocol_versions(&[&rustls::version::TLS13])?
        .dangerous()
        .with_custom_certificate_verifier(recorder)
        .with_no_client_auth();
    config.resumption = Resumption::disabled();
    Ok(config)
}
