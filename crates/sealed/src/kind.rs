//! The kinds of sealed values: their detection, and their descriptions, which need no key.

use std::{fmt, str::FromStr};

use pqseal_hpke::ParseError;
use pqseal_records::{
    JsonValues, Preset,
    json::{self, Node, Notes, same_key},
};

use crate::{
    Error, age,
    ai_gateway::{self, AiGatewayObject},
    jwe,
    receipt::{self, Envelope},
};

/// A kind of sealed value. As text it is `matched-data`, `ai-gateway`, `agent-receipt`, `jwe` or
/// `age`.
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
    /// A JWE in compact serialization.
    Jwe,
    /// An armored file in the age format.
    Age,
}

impl Kind {
    /// Every kind.
    pub const ALL: &'static [Self] = &[
        Self::MatchedData,
        Self::AiGateway,
        Self::AgentReceipt,
        Self::Jwe,
        Self::Age,
    ];

    /// Detects a sealed value in its text, which for a string is that between its quotes. Matched
    /// data and clear values are `None`, and so are objects without all members of their kind, since
    /// clear values may have some.
    pub fn detect(text: &[u8]) -> Option<Self> {
        match text.trim_ascii_start().first()? {
            b'{' => {
                json::validate(text).ok()?;
                let mut marks = Marks::default();
                for child in Node::root(text).children() {
                    marks.member(&text[child.key], child.value.raw());
                }
                marks.kind()
            }
            b'-' => age::is_armored(text).then_some(Self::Age),
            _ => jwe::compact(text).map(|_| Self::Jwe),
        }
    }

    /// Detects a sealed value like [`Self::detect`], unless no key can open it: a JWE of another
    /// algorithm, such as the token of a session, which records may hold beside what is sought.
    pub fn detect_supported(text: &[u8]) -> Option<Self> {
        Self::detect(text).filter(|kind| *kind != Self::Jwe || jwe::is_supported(text))
    }

    /// Returns the kind of all values that a preset names; `None` if each is detected.
    pub const fn of_preset(preset: Preset) -> Option<Self> {
        match preset {
            Preset::AiGateway => Some(Self::AiGateway),
            Preset::AgentReceipts => Some(Self::AgentReceipt),
            _ => None,
        }
    }

    /// Returns the kind that is required along with a version of matched data above 1. Values of
    /// other kinds are bound to no record, so they could replace bound blobs.
    ///
    /// # Errors
    /// The kind, if it is another one.
    pub fn required(kind: Option<Self>, min_version: u8) -> Result<Option<Self>, Self> {
        match kind {
            None if min_version > 1 => Ok(Some(Self::MatchedData)),
            Some(other) if min_version > 1 && other != Self::MatchedData => Err(other),
            kind => Ok(kind),
        }
    }

    /// Returns the values other than strings that are opened, if all are of this kind, or if `None`
    /// each kind is detected.
    pub const fn json_values(kind: Option<Self>) -> JsonValues {
        match kind {
            None => JsonValues::Objects,
            Some(Self::MatchedData | Self::Jwe | Self::Age) => JsonValues::Refused,
            Some(Self::AiGateway | Self::AgentReceipt) => JsonValues::All,
        }
    }

    /// Returns the name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::MatchedData => "matched-data",
            Self::AiGateway => "ai-gateway",
            Self::AgentReceipt => "agent-receipt",
            Self::Jwe => "jwe",
            Self::Age => "age",
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
            .ok_or(ParseError::new(
                "matched-data, ai-gateway, agent-receipt, jwe or age",
            ))
    }
}

/// The properties of a sealed value that are known without a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Description {
    /// The kind.
    pub kind: Kind,
    /// The algorithms. Those of a JWE and an age file are any text that the input has there.
    pub algorithm: String,
    /// The size of the wrapped key, which is that of the RSA modulus, in bytes.
    pub wrapped_key_len: Option<usize>,
    /// The key that it names, which is not authenticated.
    pub kid: Option<String>,
    /// The size of the plaintext, in bytes; unknown for a JWE.
    pub plaintext_len: Option<usize>,
}

/// Describes the text of a value; `None` if it is not a sealed value.
///
/// ```
/// let text = br#"{"type":"text","text":"in the clear"}"#;
/// assert_eq!(pqseal_sealed::describe(text), Ok(None));
/// ```
///
/// # Errors
/// The reason why no key opens it.
pub fn describe(text: &[u8]) -> Result<Option<Description>, Error> {
    Ok(match Kind::detect(text) {
        Some(kind @ Kind::AiGateway) => AiGatewayObject::parse(text)?.map(|object| Description {
            kind,
            algorithm: "RSA-OAEP with SHA-256, AES-256-GCM".to_owned(),
            wrapped_key_len: Some(object.key.len()),
            kid: None,
            plaintext_len: Some(object.data.len() - ai_gateway::TAG),
        }),
        Some(kind @ Kind::AgentReceipt) => Envelope::parse(text)?.map(|envelope| Description {
            kind,
            algorithm: receipt::ALGORITHM.to_owned(),
            wrapped_key_len: None,
            plaintext_len: Some(envelope.ct.len() - receipt::TAG),
            kid: Some(envelope.kid),
        }),
        Some(kind @ Kind::Jwe) => {
            let description = jwe::compact(text).map(jwe::describe).transpose()?;
            description.map(|(algorithm, kid)| Description {
                kind,
                algorithm,
                wrapped_key_len: None,
                kid,
                plaintext_len: None,
            })
        }
        Some(kind @ Kind::Age) => {
            let (algorithm, plaintext_len) = age::describe(text)?;
            Some(Description {
                kind,
                algorithm,
                wrapped_key_len: None,
                kid: None,
                plaintext_len: Some(plaintext_len),
            })
        }
        Some(Kind::MatchedData) | None => None,
    })
}

/// Returns the sealed objects in a record, as [`Kind::detect`] detects them, with their paths. The
/// record is read once, and not copied. Sealed strings are found by
/// [`strings`](pqseal_records::json::strings).
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
