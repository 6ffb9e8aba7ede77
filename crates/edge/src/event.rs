//! Events in the format of Logpush's data set `firewall_events`: one line of JSON for each rule
//! that matched. The only data of the request in an event is sealed: members such as `ClientIP` and
//! `ClientRequestPath` are left out.

use std::{
    fmt,
    time::{SystemTime, UNIX_EPOCH},
};

use pqseal_hpke::{AnyPublicKey, Message};
use pqseal_keys::{SysRng, base64};
use pqseal_matched_data::{SealOptions, Sealer};
use serde::Serialize;

use crate::rules::{Action, Match, Rule};

/// A writer of events that seals the matched data.
#[derive(Debug)]
pub struct Events(Sealer);

/// The matches of one request, and their time.
#[derive(Clone, Copy, Debug)]
pub struct Matched<'m> {
    /// The matches, as [`Rules::matches`](crate::Rules::matches) returns them.
    pub matches: &'m [Match],
    /// The time that the events report.
    pub at: SystemTime,
}

/// The reason why no event was written. None of its lines was written either.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NotSealed {
    /// Sealing failed.
    Seal(pqseal_matched_data::Error),
    /// The operating system returned no random bytes.
    Random,
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Event<'m> {
    action: &'static str,
    /// Nanoseconds since 1970.
    datetime: u64,
    description: &'m str,
    /// The status, if it is known when the event is written. The upstream's answer is not known
    /// yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    edge_response_status: Option<u16>,
    kind: &'static str,
    /// 0 for the last rule that matched, 1 for the one before it.
    match_index: usize,
    metadata: Metadata,
    #[serde(rename = "RayID")]
    ray_id: &'m str,
    #[serde(rename = "RuleID")]
    rule_id: &'m str,
    source: &'static str,
}

#[derive(Serialize)]
struct Metadata {
    encrypted_matched_data: String,
    r#type: &'static str,
}

impl Events {
    /// Creates a writer that seals to this public key. With default options matched data has
    /// version 3 for an X25519 key and version 4 for any other key.
    ///
    /// # Errors
    /// The errors of [`Sealer::new`].
    pub fn new(
        key: &AnyPublicKey,
        options: &SealOptions<'_>,
    ) -> Result<Self, pqseal_matched_data::Error> {
        Sealer::new(key, options).map(Sealer::precompute).map(Self)
    }

    /// Returns one line for each match of a request. The lines share a `RayID` that is unique to
    /// the request.
    ///
    /// # Errors
    /// [`NotSealed`]; no line is returned then.
    pub fn lines(&self, matches: &[Match], at: SystemTime) -> Result<Vec<u8>, NotSealed> {
        let lines = self.lines_of_all(&[Matched { matches, at }])?;
        Ok(lines.concat())
    }

    /// Returns the lines of each of these requests, in order, as [`Events::lines`] does. This is
    /// faster than a call for each request, because it uses [`Sealer::seal_batch`].
    ///
    /// # Errors
    /// [`NotSealed`]; no line of any request is returned then.
    pub fn lines_of_all(&self, requests: &[Matched<'_>]) -> Result<Vec<Vec<u8>>, NotSealed> {
        let found = requests.iter().flat_map(|request| request.matches);
        let messages: Vec<_> = found
            .map(|found| Message {
                aad: &[],
                pt: found.data().as_bytes(),
            })
            .collect();
        let sealed = self.0.seal_batch(&messages, &mut SysRng);
        let mut sealed = sealed.map_err(NotSealed::Seal)?.into_iter();
        let lines = requests.iter().map(|request| lines(request, &mut sealed));
        lines.collect()
    }
}

/// Returns the lines of one request, taking its sealed data from the iterator.
fn lines(
    request: &Matched<'_>,
    sealed: &mut impl Iterator<Item = Vec<u8>>,
) -> Result<Vec<u8>, NotSealed> {
    let mut id = [0; 8];
    getrandom::fill(&mut id).map_err(|_| NotSealed::Random)?;
    let ray_id = format!("{:016x}", u64::from_be_bytes(id));
    let datetime = request.at.duration_since(UNIX_EPOCH).unwrap_or_default();
    let datetime = u64::try_from(datetime.as_nanos()).unwrap_or(u64::MAX);
    let mut lines = Vec::new();
    let last = request.matches.len().saturating_sub(1);
    for ((index, found), sealed) in request.matches.iter().enumerate().zip(sealed) {
        let event = event(&found.rule, last - index, &sealed, &ray_id, datetime);
        serde_json::to_writer(&mut lines, &event).expect("memory takes texts and numbers");
        lines.push(b'\n');
    }
    Ok(lines)
}

fn event<'m>(
    rule: &'m Rule,
    match_index: usize,
    sealed: &[u8],
    ray_id: &'m str,
    datetime: u64,
) -> Event<'m> {
    let (action, edge_response_status) = match rule.action {
        Action::Log => ("log", None),
        Action::Block => ("block", Some(403)),
    };
    Event {
        action,
        datetime,
        description: &rule.description,
        edge_response_status,
        kind: "firewall",
        match_index,
        metadata: Metadata {
            encrypted_matched_data: base64::encode(sealed),
            r#type: "customer",
        },
        ray_id,
        rule_id: &rule.id,
        source: "firewallCustom",
    }
}

impl fmt::Display for NotSealed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Seal(error) => write!(f, "the matched data cannot be sealed: {error}"),
            Self::Random => f.write_str("the operating system provides no random numbers"),
        }
    }
}

impl std::error::Error for NotSealed {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Seal(error) => Some(error),
            Self::Random => None,
        }
    }
}
