//! The kinds of sealed values, and their detection.

use std::{fmt, str::FromStr};

use pqseal_hpke::ParseError;

use crate::{ai_gateway::Object, receipt::Envelope};

/// A kind of sealed value. As text it is `matched-data`, `ai-gateway` or `agent-receipt`.
///
/// ```
/// use pqseal_sealed::Kind;
///
/// let value = br#"{"type":"encrypted","key":"AA==","iv":"AA==","data":"AA=="}"#;
/// assert_eq!(Kind::detect(value), Some(Kind::AiGateway));
/// assert_eq!(Kind::detect(br#"{"type":"text"}"#), None);
/// assert_eq!("ai-gateway".parse(), Ok(Kind::AiGateway));
/// ```
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Matched data of a web firewall, in base64.
    MatchedData,
    /// A field in a log of Cloudflare's AI Gateway.
    AiGateway,
    /// A disclosure of an agent receipt.
    AgentReceipt,
}

impl Kind {
    /// Every kind.
    pub const ALL: &'static [Self] = &[Self::MatchedData, Self::AiGateway, Self::AgentReceipt];

    /// Detects a sealed object in the text of a value. Matched data and clear values are `None`.
    pub fn detect(text: &[u8]) -> Option<Self> {
        if !text.trim_ascii_start().starts_with(b"{") {
            return None;
        }
        if Object::is_in(text) {
            Some(Self::AiGateway)
        } else {
            Envelope::is_in(text).then_some(Self::AgentReceipt)
        }
    }

    /// Returns the name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::MatchedData => "matched-data",
            Self::AiGateway => "ai-gateway",
            Self::AgentReceipt => "agent-receipt",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Kind {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        let mut kinds = Self::ALL.iter().copied();
        kinds
            .find(|kind| kind.name() == text)
            .ok_or(ParseError::new("matched-data, ai-gateway or agent-receipt"))
    }
}
