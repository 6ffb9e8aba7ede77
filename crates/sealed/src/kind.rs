//! The kinds of sealed values, and their detection.

use std::{fmt, str::FromStr};

use pqseal_hpke::ParseError;
use pqseal_records::json::{self, Node, Notes, same_key};

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

    /// Detects a sealed object in the text of a value. Matched data and clear values are `None`, and
    /// so are objects without all members of their kind, since clear values may have some.
    pub fn detect(text: &[u8]) -> Option<Self> {
        if !text.trim_ascii_start().starts_with(b"{") || json::validate(text).is_err() {
            return None;
        }
        let mut marks = Marks::default();
        for child in Node::root(text).children() {
            marks.member(&text[child.key], child.value.raw());
        }
        marks.kind()
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

/// Returns the sealed objects in a record, as [`Kind::detect`] detects them, with their paths. The
/// record is read once, and not copied.
///
/// ```
/// let record = br#"{"a":[{"b":{"type":"encrypted","key":"AA==","iv":"AA==","data":"AA=="}}]}"#;
/// let found = pqseal_sealed::objects(record)?;
/// assert_eq!((found.len(), found[0].0.as_str()), (1, ".a[0].b"));
/// # Ok::<(), pqseal_records::json::Bad>(())
/// ```
///
/// # Errors
/// An error if the record is not JSON.
pub fn objects(record: &[u8]) -> Result<Vec<(String, &[u8])>, json::Bad> {
    let found = json::objects::<Marks>(record)?.into_iter();
    Ok(found.map(|(path, range)| (path, &record[range])).collect())
}

/// A member that shows a kind: its name, and a check of its value.
type Mark = (&'static str, fn(&[u8]) -> bool);

/// The members that show each kind. An envelope may be of any version.
const MARKS: [(Kind, [Mark; 4]); 2] = [
    (
        Kind::AiGateway,
        [
            ("type", |value| same_key(value, "encrypted")),
            ("key", is_string),
            ("iv", is_string),
            ("data", is_string),
        ],
    ),
    (
        Kind::AgentReceipt,
        [
            ("v", |_| true),
            ("alg", is_string),
            ("recipients", |value| value.starts_with(b"[")),
            ("ct", is_string),
        ],
    ),
];

/// The marks that an object has. As in JSON.parse, the last of several members with one name
/// counts.
#[derive(Default)]
struct Marks([[bool; 4]; MARKS.len()]);

impl Marks {
    fn kind(&self) -> Option<Kind> {
        let mut kinds = MARKS.iter().zip(self.0);
        let (kind, _) = kinds.find(|(_, has)| has.iter().all(|has| *has))?.0;
        Some(*kind)
    }
}

impl Notes for Marks {
    fn member(&mut self, name: &[u8], value: &[u8]) {
        for ((_, marks), has) in MARKS.iter().zip(&mut self.0) {
            for ((known, fits), has) in marks.iter().zip(has) {
                if same_key(name, known) {
                    *has = fits(value);
                }
            }
        }
    }

    fn is_sought(&self) -> bool {
        self.kind().is_some()
    }
}

fn is_string(value: &[u8]) -> bool {
    value.starts_with(b"\"")
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
