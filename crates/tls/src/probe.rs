//! A probe of the groups that a server negotiates. It runs one handshake per group, one with common
//! groups if the server accepts none of these, a second for a group without an answer, and two more
//! for the server's preference.
//!
//! A handshake ends as soon as it is complete; no request is sent. Certificates are reported, but
//! not checked against any root, since the probe only determines algorithms.

mod certificate;
mod failure;
mod handshake;
mod offer;
#[cfg(feature = "quic")]
mod quic;
mod records;
#[cfg(feature = "quic")]
mod session;

use std::{
    net::SocketAddr,
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};

use rustls::{crypto::SupportedKxGroup, pki_types::ServerName};

pub use certificate::Certificate;
pub use failure::Failure;
pub use handshake::Handshake;
pub use offer::{Offer, offer_by_name, offers};

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

/// The side whose order of groups decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preference {
    /// The server, which chooses this group for any order of the client.
    Server(u16),
    /// The client: the server uses its first group, or the first with a share.
    Client,
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
        let is_open = |failure: &Failure| {
            failure.is_refusal() && *failure != Failure::NoTls13
                || matches!(failure, Failure::Closed | Failure::Timeout)
        };
        let failures: Option<Vec<_>> = groups
            .iter()
            .map(|(_, result)| result.as_ref().err())
            .collect();
        if !failures?.into_iter().any(is_open) {
            return None;
        }
        let asked = |offer: &Offer| groups.iter().any(|(known, _)| known.id == offer.id);
        let others: Groups = offer::common()
            .filter(|offer| !asked(offer))
            .map(|offer| offer.group)
            .collect();
        self.all(&others)
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
        let other = other.and_then(|done| offer::common().find(|offer| offer.id == done.group));
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
        let work = || {
            while let at = next.fetch_add(1, Ordering::Relaxed)
                && let Some(groups) = lists.get(at)
            {
                let result = self.handshake(groups);
                results.lock().expect("no thread panics")[at] = result;
            }
        };
        thread::scope(|scope| {
            for _ in 0..self.parallel.min(lists.len()).max(1) {
                scope.spawn(work);
            }
        });
        results.into_inner().expect("no thread panics")
    }
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
        let mut results = self.groups.iter().map(|(_, result)| result);
        let shows = |result: &Result<_, Failure>| {
            result.as_ref().map_or_else(Failure::is_of_tls13, |_| true)
        };
        if self.other.is_some() || results.clone().any(shows) {
            return Some(true);
        }
        let none = |result: &Result<_, Failure>| matches!(result, Err(Failure::NoTls13));
        (results.len() > 0 && results.all(none)).then_some(false)
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
