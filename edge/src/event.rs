//! Events as Logpush writes those of its data set `firewall_events`: a line of JSON for each rule that
//! matched. Of the request there is only what is sealed: members such as `ClientIP` and
//! `ClientRequestPath` are left out.

use std::{
    fmt,
    time::{SystemTime, UNIX_EPOCH},
};

use envelope::{SealOptions, Sealer, SysRng, base64, hpke::AnyPublicKey};
use serde::Serialize;

use crate::{
    engine::Match,
    rules::{Action, Rule},
};

/// Seals what matched, and writes events.
#[derive(Debug)]
pub struct Events(Sealer);

/// Why there is no event. None of its lines was written.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NotSealed {
    /// It could not be sealed.
    Seal(envelope::Error),
    /// The operating system gave no random number.
    Random,
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Event<'m> {
    action: &'static str,
    /// Nanoseconds since 1970.
    datetime: u64,
    description: &'m str,
    /// What is known when the event is written: not how the upstream will answer.
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
    /// Binds the key of the one who may read. With default options an X25519 key gets matched data of
    /// version 3, any other key of version 4.
    ///
    /// # Errors
    /// Those of [`Sealer::new`].
    pub fn new(key: &AnyPublicKey, options: &SealOptions<'_>) -> Result<Self, envelope::Error> {
        Sealer::new(key, options).map(Sealer::precompute).map(Self)
    }

    /// One line for each match of a request, which have a `RayID` of their own in common.
    ///
    /// # Errors
    /// [`NotSealed`], and then no line is written.
    pub fn lines(&self, matches: &[Match], at: SystemTime) -> Result<Vec<u8>, NotSealed> {
        let mut id = [0; 8];
        getrandom::fill(&mut id).map_err(|_| NotSealed::Random)?;
        let id = format!("{:016x}", u64::from_be_bytes(id));
        let mut lines = Vec::new();
        for (index, found) in matches.iter().enumerate() {
            let event = self.event(found, matches.len() - 1 - index, &id, at)?;
            serde_json::to_writer(&mut lines, &event).expect("memory takes texts and numbers");
            lines.push(b'\n');
        }
        Ok(lines)
    }

    fn event<'m>(
        &self,
        found: &'m Match,
        match_index: usize,
        ray_id: &'m str,
        at: SystemTime,
    ) -> Result<Event<'m>, NotSealed> {
        let since = at.duration_since(UNIX_EPOCH).unwrap_or_default();
        let sealed = self.0.seal(&[], found.data().as_bytes(), &mut SysRng);
        let Rule {
            id,
            description,
            action,
            ..
        } = &*found.rule;
        Ok(Event {
            action: match action {
                Action::Log => "log",
                Action::Block => "block",
            },
            datetime: u64::try_from(since.as_nanos()).unwrap_or(u64::MAX),
            description,
            edge_response_status: (*action == Action::Block).then_some(403),
            kind: "firewall",
            match_index,
            metadata: Metadata {
                encrypted_matched_data: base64::encode(&sealed.map_err(NotSealed::Seal)?),
                r#type: "customer",
            },
            ray_id,
            rule_id: id,
            source: "firewallCustom",
        })
    }
}

impl fmt::Display for NotSealed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Seal(error) => write!(f, "what matched cannot be sealed: {error}"),
            Self::Random => f.write_str("the operating system gives no random numbers"),
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
