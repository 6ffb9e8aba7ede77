//! What to look for in a record, and what to write there.

pub mod audit_log;

use std::borrow::Cow;

use serde_json::{Value, json};

use crate::path::FieldPath;

/// The field that the log service seals matched data into.
pub(crate) const SEALED: &str = "encrypted_matched_data";
/// What says why a field did not open. Where results have several names, as several fields may
/// stand side by side, each has its own, the result's with `_status` after it.
pub(crate) const STATUS: &str = "decrypt_status";
/// What says that plaintext was not UTF-8, and was shown with U+FFFD in its place. Where results
/// have several names, `_lossy` after each.
pub(crate) const LOSSY: &str = "decrypt_lossy";

/// What becomes of the field that was found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnField {
    /// It stays, with the result beside it.
    #[default]
    Keep,
    /// The result replaces its value, under the same name.
    Replace,
    /// The result replaces it, under the result's name.
    Drop,
}

/// How a result is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ResultFormat {
    /// As a string: one schema whatever was sealed.
    #[default]
    String,
    /// As the JSON that it is; otherwise as a string.
    Json,
    /// For values that are to come back as they were: what seals takes a string with its quotes and
    /// escapes, and what opens writes it so. Also bytes that are not UTF-8 stay, except in tables.
    Exact,
    /// As base64 of its bytes.
    Base64,
    /// As its bytes, in a column of Parquet; as base64 where there is only text.
    Bytes,
}

/// One way to find fields.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Selector {
    /// At a path.
    Field(FieldPath),
    /// In an array of `{"key": ..., "value": ...}` at a path: the value whose key is this.
    Pair(FieldPath, &'static str),
    /// A member of this name or a pair of this key, anywhere in the record.
    Anywhere(&'static str),
}

/// A way to find fields, and the name of what is written beside them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// Which fields are sought.
    pub find: Selector,
    /// The name.
    pub into: String,
}

/// All that is done to a record.
///
/// ```
/// use pqseal_siem::{ResultFormat, OnField, Preset, Rule, Rules};
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
/// # Ok::<(), pqseal_siem::PathError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Rules {
    /// What to find. Each finds fields of its own.
    pub rules: Vec<Rule>,
    /// Whether each rule names a field that records should have. Those of a preset do not: a record
    /// has one of several.
    pub named: bool,
    /// What becomes of it.
    pub mode: OnField,
    /// How the result is written.
    pub form: ResultFormat,
    /// The field that blobs are bound to (version 4): a string's characters, any other value's
    /// text as it stands.
    pub aad_from: Option<FieldPath>,
    /// Fields that distinguish records of different keys, such as their zone.
    pub origin: Vec<FieldPath>,
    /// The name of the only member of an object that stands for a whole record. A record whose fields
    /// cannot be sealed, or that is not JSON, is sealed so, and opening gives it back. Blobs of whole
    /// records are not bound to [`aad_from`](Self::aad_from). Not in tables, where an object cannot be in
    /// the place of a row.
    pub whole: Option<&'static str>,
}

/// Fields of a log service by the name of its data set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preset {
    /// Logpush's `firewall_events`: `Metadata.encrypted_matched_data`.
    CfLogpush,
    /// Security events of the dashboard and of GraphQL: `metadata` as an array of keys and values.
    CfEvents,
    /// Payload logs of data loss prevention and of prompts to language models.
    CfDlp,
    /// Audit logs of web application firewalls, sealed by the rules of
    /// [`audit_log::to_seal`](crate::audit_log::to_seal). Records come back as they were.
    AuditLog,
    /// `encrypted_matched_data` in either shape, anywhere.
    Auto,
}

impl OnField {
    /// Its name in a [`Rules::canonical`].
    const fn name(self) -> &'static str {
        match self {
            Self::Keep => "keep",
            Self::Replace => "replace",
            Self::Drop => "drop",
        }
    }
}

impl ResultFormat {
    /// Its name in a [`Rules::canonical`].
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
    /// All that changes a result, as JSON: the same in every release, so that a program can store
    /// it, or its hash, to see whether rules have changed. [`Rules::origin`] changes no result.
    pub fn canonical(&self) -> Value {
        let rules = self.rules.iter().map(Rule::canonical);
        // In alphabetical order, so that no feature of serde_json changes it.
        let mut canonical = json!({
            "aad_from": self.aad_from.as_ref().map(FieldPath::to_string),
            "as": self.form.name(),
            "mode": self.mode.name(),
            "rules": rules.collect::<Vec<_>>(),
        });
        if let Some(whole) = self.whole {
            canonical["whole"] = whole.into();
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
        }
    }

    /// The field at a path; the result's name is `encrypted_` turned into `decrypted_`, or that put
    /// before it.
    pub fn field(path: FieldPath) -> Self {
        let into = opened_name(path.name().unwrap_or_default());
        Self {
            find: Selector::Field(path),
            into,
        }
    }
}

/// [`STATUS`], or what stands for it beside the results of this rule.
pub(crate) fn status_name(rules: &[Rule], rule: usize) -> Cow<'static, str> {
    name_beside(rules, rule, STATUS, "_status")
}

/// [`LOSSY`], or what stands for it beside the results of this rule.
pub(crate) fn lossy_name(rules: &[Rule], rule: usize) -> Cow<'static, str> {
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
    /// What it opens, and how results are written.
    pub fn rules(self) -> Rules {
        let one = |find| Rules {
            rules: vec![Rule {
                find,
                into: opened_name(SEALED),
            }],
            origin: origins(),
            ..Rules::default()
        };
        match self {
            Self::CfLogpush => one(Selector::Field(path("/Metadata/encrypted_matched_data"))),
            Self::CfEvents => one(Selector::Pair(path("/metadata"), SEALED)),
            Self::Auto => one(Selector::Anywhere(SEALED)),
            Self::CfDlp => Rules {
                rules: DLP_FIELDS.map(path).map(Rule::field).into(),
                ..Rules::default()
            },
            Self::AuditLog => audit_log::to_open(),
        }
    }
}

/// The name of what opens from the field `name`.
pub(crate) fn opened_name(name: &str) -> String {
    format!(
        "decrypted_{}",
        name.strip_prefix("encrypted_").unwrap_or(name)
    )
}

/// The dashboard's names, and those that the log push may have for them.
const DLP_FIELDS: [&str; 8] = [
    ".gen_ai_prompt_request",
    ".gen_ai_prompt_response",
    ".gen_ai_prompt_conversation",
    ".dlp_match_context_parsed.p[].p",
    ".GenAIPromptRequest",
    ".GenAIPromptResponse",
    ".GenAIPromptConversation",
    ".DLPMatchContextParsed.p[].p",
];

/// A zone has one key, and a host is in one zone.
fn origins() -> Vec<FieldPath> {
    [
        "/ZoneName",
        "/zoneName",
        "/ClientRequestHost",
        "/clientRequestHTTPHost",
    ]
    .map(path)
    .to_vec()
}

fn path(text: &str) -> FieldPath {
    text.parse().expect("the paths in this file are paths")
}
