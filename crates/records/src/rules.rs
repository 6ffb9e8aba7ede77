//! The fields to find in a record, and the results to write.

pub mod audit_log;
pub mod otlp;

use alloc::{
    borrow::Cow,
    format,
    string::{String, ToString},
    vec,
    vec::Vec,
};

use serde_json::{Value, json};

use crate::{
    ALL,
    path::{FieldPath, MAX_STRINGS},
};
use otlp::OtlpField;

/// The field in which the log service seals matched data.
pub const SEALED: &str = "encrypted_matched_data";
/// The name of the member with the reason why a field did not open. If the rules have results of
/// different names, which may be adjacent, each has a separate member: the result's name with
/// `_status` appended.
pub const STATUS: &str = "decrypt_status";
/// The name of the member that marks plaintext that was not UTF-8, with U+FFFD in its place. If
/// results have different names, `_lossy` is appended to each.
pub const LOSSY: &str = "decrypt_lossy";

/// The treatment of a field that was found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnField {
    /// The field is kept, and the result is added beside it.
    #[default]
    Keep,
    /// The result replaces the value, under the field's name.
    Replace,
    /// The result replaces the field, under the result's name.
    Drop,
}

/// The format of a result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ResultFormat {
    /// A string, so that the schema does not depend on the plaintext.
    #[default]
    String,
    /// The plaintext itself if it is JSON, or else a string.
    Json,
    /// The exact text of a value. Sealing includes the quotes and escapes of a string, and opening
    /// writes them back. Bytes that are not UTF-8 are kept, too, except in tables.
    Exact,
    /// Base64 of the bytes.
    Base64,
    /// The bytes, in a column of Parquet. In text, base64.
    Bytes,
}

/// The treatment of fields that are JSON other than a string when they are opened. Sealing takes
/// every value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum JsonValues {
    /// They fail as [`Problem::NotAString`](crate::Problem::NotAString).
    #[default]
    Refused,
    /// The text of objects is passed on, since they may be sealed values of other vendors.
    Objects,
    /// The text of every value is passed on.
    All,
}

/// A criterion by which fields are found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Selector {
    /// The field at a path.
    Field(FieldPath),
    /// The value with this key in an array of `{"key": ..., "value": ...}` at a path.
    Pair(FieldPath, &'static str),
    /// A member with this name or a pair with this key, anywhere in the record.
    Anywhere(Cow<'static, str>),
    /// A field of OTLP. If one rule is of this kind, rules of other kinds find nothing, and no record
    /// is sealed by them.
    Otlp(OtlpField),
}

/// A criterion by which fields are found, and the name of the result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// The criterion.
    pub find: Selector,
    /// The name of the result.
    pub into: String,
}

/// The processing of a record.
///
/// ```
/// use pqseal_records::{OnField, Preset, ResultFormat, Rule, Rules};
///
/// // The field of a log service, wherever it is in the record.
/// let preset = Preset::Auto.rules();
/// // A field by its path, replaced by the JSON that was sealed in it.
/// let named = Rules {
///     rules: vec![Rule::field(".http.request.encrypted_body".parse()?)],
///     named: true,
///     mode: OnField::Replace,
///     form: ResultFormat::Json,
///     ..Rules::default()
/// };
/// assert_eq!(named.rules[0].into, "decrypted_body");
/// assert_ne!(preset.canonical(), named.canonical());
/// # Ok::<(), pqseal_records::PathError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Rules {
    /// The fields to find. No two rules may find the same field.
    pub rules: Vec<Rule>,
    /// Set if each rule names a field that records should have. It is not set for the rules of a
    /// preset, since a record has only one of several fields.
    pub named: bool,
    /// The treatment of the fields.
    pub mode: OnField,
    /// The format of the results.
    pub form: ResultFormat,
    /// The field that blobs are bound to (version 4). The value is the characters of a string, or
    /// the unchanged text of any other value.
    pub aad_from: Option<FieldPath>,
    /// The fields that distinguish records with different keys, such as their zone.
    pub origin: Vec<FieldPath>,
    /// The name of the only member of an object that replaces a whole record. If the fields of a
    /// record cannot be sealed, or the record is not JSON, it is sealed in this way, and opening
    /// restores it. Such blobs are not bound to [`aad_from`](Self::aad_from). Not used in tables,
    /// in which an object cannot replace a row.
    pub whole: Option<&'static str>,
    /// The maximum number of fields in one record, 100,000 by default. It bounds the memory for a
    /// record.
    pub max_fields: usize,
    /// The treatment of fields that are JSON other than a string.
    pub json: JsonValues,
    /// Set if each record is replaced by an object with its results, which does not contain the
    /// record: for signed records, whose signatures any change breaks. The path is that of the
    /// record's id. Not used in tables.
    pub apart: Option<FieldPath>,
    /// Set if a field is opened although its result is already present. That result is replaced,
    /// or removed if the field does not open: anyone who writes records could have put it there.
    pub again: bool,
}

/// The fields of a log service, by the name of its data set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preset {
    /// Logpush's `firewall_events`: `Metadata.encrypted_matched_data`.
    CfLogpush,
    /// Security events of the dashboard and of GraphQL: `metadata` as an array of keys and values.
    CfEvents,
    /// Payload logs of data loss prevention and of prompts to language models.
    CfDlp,
    /// Logs of Cloudflare's AI Gateway: `Metadata`, `RequestBody` and `ResponseBody`, which are
    /// objects in a format of that gateway.
    AiGateway,
    /// Agent receipts, whose disclosures are HPKE envelopes. Each record is replaced by its
    /// results ([`Rules::apart`]).
    AgentReceipts,
    /// Audit logs of web application firewalls, sealed by the rules of
    /// [`audit_log::to_seal`]. The original records are restored.
    AuditLog,
    /// The content of requests to language models in OTLP, for opening and sealing: see
    /// [`otlp`].
    OtlpGenai,
    /// The content of HTTP requests and responses in OTLP, for opening and sealing.
    OtlpHttp,
    /// `encrypted_matched_data` as a member or as a pair of key and value, anywhere.
    Auto,
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            rules: Vec::new(),
            named: false,
            mode: OnField::default(),
            form: ResultFormat::default(),
            aad_from: None,
            origin: Vec::new(),
            whole: None,
            max_fields: 100_000,
            json: JsonValues::default(),
            apart: None,
            again: false,
        }
    }
}

impl OnField {
    /// Returns the name that [`Rules::canonical`] uses.
    const fn name(self) -> &'static str {
        match self {
            Self::Keep => "keep",
            Self::Replace => "replace",
            Self::Drop => "drop",
        }
    }
}

impl ResultFormat {
    /// Returns the name that [`Rules::canonical`] uses.
    const fn name(self) -> &'static str {
        match self {
            Self::String => "string",
            Self::Json => "json",
            Self::Exact => "exact",
            Self::Base64 => "base64",
            Self::Bytes => "bytes",
        }
    }
}

impl Rules {
    /// Reports whether the fields are those of OTLP ([`otlp`]).
    #[must_use]
    pub fn is_otlp(&self) -> bool {
        ALL && self.rules.iter().any(Rule::is_otlp)
    }

    /// Returns all settings that affect results, as JSON. It is the same in every release, so that
    /// a program can store it, or its hash, to detect changed rules. [`Rules::origin`] is not
    /// included, since it does not affect results.
    pub fn canonical(&self) -> Value {
        let rules = self.rules.iter().map(Rule::canonical);
        // Members are in alphabetical order, so that no feature of serde_json changes it.
        let mut canonical = json!({
            "aad_from": self.aad_from.as_ref().map(FieldPath::to_string),
            "as": self.form.name(),
            "max_fields": self.max_fields,
            "mode": self.mode.name(),
            "rules": rules.collect::<Vec<_>>(),
            "strings": MAX_STRINGS,
        });
        if let Some(whole) = self.whole {
            canonical["whole"] = whole.into();
        }
        match self.json {
            JsonValues::Refused => {}
            JsonValues::Objects => canonical["json"] = "objects".into(),
            JsonValues::All => canonical["json"] = "all".into(),
        }
        if let Some(id) = &self.apart {
            canonical["apart"] = id.to_string().into();
        }
        if self.again {
            canonical["again"] = true.into();
        }
        canonical
    }
}

impl Rule {
    fn canonical(&self) -> Value {
        match &self.find {
            Selector::Field(path) => json!({ "field": path.to_string(), "into": self.into }),
            Selector::Pair(path, key) => {
                json!({ "into": self.into, "key": key, "pairs": path.to_string() })
            }
            Selector::Anywhere(name) => json!({ "anywhere": name, "into": self.into }),
            Selector::Otlp(field) => json!({ "otlp": field.to_string() }),
        }
    }

    /// Reports whether the rule finds fields of OTLP.
    pub(crate) const fn is_otlp(&self) -> bool {
        matches!(self.find, Selector::Otlp(_))
    }

    /// Creates a rule for the members with a name and the pairs with that key, anywhere in the
    /// record. The name of the result is that of [`Rule::field`].
    pub fn anywhere(name: String) -> Self {
        let into = opened_name(&name);
        Self {
            find: Selector::Anywhere(name.into()),
            into,
        }
    }

    /// Creates a rule for the field at a path. In the name of the result, `decrypted_` replaces the
    /// prefix `encrypted_`, or is put before the name.
    pub fn field(path: FieldPath) -> Self {
        let into = opened_name(path.name().unwrap_or_default());
        Self {
            find: Selector::Field(path),
            into,
        }
    }
}

/// Returns [`STATUS`], or the name used instead beside the results of this rule.
pub fn status_name(rules: &[Rule], rule: usize) -> Cow<'static, str> {
    name_beside(rules, rule, STATUS, "_status")
}

/// Returns [`LOSSY`], or the name used instead beside the results of this rule.
pub fn lossy_name(rules: &[Rule], rule: usize) -> Cow<'static, str> {
    name_beside(rules, rule, LOSSY, "_lossy")
}

fn name_beside(rules: &[Rule], rule: usize, only: &'static str, ending: &str) -> Cow<'static, str> {
    let into = &rules[rule].into;
    if rules.iter().all(|rule| rule.into == *into) {
        only.into()
    } else {
        format!("{into}{ending}").into()
    }
}

impl Preset {
    /// Returns the fields to open, with the format of the results.
    pub fn rules(self) -> Rules {
        match self {
            Self::CfLogpush => of_zones(Selector::Field(path("/Metadata/encrypted_matched_data"))),
            Self::CfEvents => of_zones(Selector::Pair(path("/metadata"), SEALED)),
            Self::Auto => of_zones(Selector::Anywhere(SEALED.into())),
            Self::CfDlp => Rules {
                rules: DLP_FIELDS.map(path).map(Rule::field).into(),
                ..Rules::default()
            },
            Self::AuditLog => audit_log::to_open(),
            Self::OtlpGenai => otlp::genai(),
            Self::OtlpHttp => otlp::http(),
            Self::AiGateway => Rules {
                rules: AI_GATEWAY_FIELDS.map(path).map(Rule::field).into(),
                json: JsonValues::All,
                ..Rules::default()
            },
            Self::AgentReceipts => Rules {
                rules: RECEIPT_FIELDS
                    .map(|(field, into)| Rule {
                        find: Selector::Field(path(field)),
                        into: into.into(),
                    })
                    .into(),
                form: ResultFormat::Json,
                json: JsonValues::All,
                apart: Some(path(".id")),
                ..Rules::default()
            },
        }
    }
}

/// Returns the name of the result for the field `name`.
fn opened_name(name: &str) -> String {
    format!(
        "decrypted_{}",
        name.strip_prefix("encrypted_").unwrap_or(name)
    )
}

/// The names in the dashboard, and the names that Logpush may use for them.
const DLP_FIELDS: [&str; 9] = [
    ".gen_ai_conversation",
    ".gen_ai_prompt_request",
    ".gen_ai_prompt_response",
    ".gen_ai_prompt_conversation",
    ".dlp_match_context_parsed.p[].p",
    ".GenAIPromptRequest",
    ".GenAIPromptResponse",
    ".GenAIPromptConversation",
    ".DLPMatchContextParsed.p[].p",
];

/// The fields that AI Gateway seals.
const AI_GATEWAY_FIELDS: [&str; 3] = [".Metadata", ".RequestBody", ".ResponseBody"];

/// The envelopes of an agent receipt, and the names of their results.
const RECEIPT_FIELDS: [(&str, &str); 2] = [
    (
        ".credentialSubject.action.parameters_disclosure",
        "parameters",
    ),
    (".credentialSubject.outcome.response_disclosure", "response"),
];

/// The fields that identify a zone, directly or by a host in it. A zone has one key.
const ZONES: [&str; 4] = [
    "/ZoneName",
    "/zoneName",
    "/ClientRequestHost",
    "/clientRequestHTTPHost",
];

/// Returns the rules for [`SEALED`] in the records of zones.
fn of_zones(find: Selector) -> Rules {
    Rules {
        rules: vec![Rule {
            find,
            into: opened_name(SEALED),
        }],
        origin: ZONES.map(path).into(),
        ..Rules::default()
    }
}

fn path(text: &str) -> FieldPath {
    text.parse().expect("the paths in this file are paths")
}
