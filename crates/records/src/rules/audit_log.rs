//! Audit logs of web application firewalls, as JSON with one transaction per line: ModSecurity 3
//! (nginx), ModSecurity 2 (Apache) and Coraza.
//!
//! The fields of all these engines are always sealed, so that plaintext does not pass if a record
//! is from another engine than expected. [`Preset::AuditLog`](crate::Preset::AuditLog) opens the
//! sealed records and restores each as the engine wrote it, byte for byte.
//!
//! ```
//! use pqseal_records::{Rules, audit_log::{Part, to_seal}};
//!
//! let matches: Rules = to_seal(&[]);
//! let all: Rules = to_seal(&[Part::Message, Part::Request, Part::Response]);
//! assert!(matches.rules.len() < all.rules.len());
//! ```

use alloc::{borrow::ToOwned, format, string::String};

use super::{OnField, ResultFormat, Rule, Rules, Selector};
use crate::path::{FieldPath, Segment};

/// A part of an audit log that is sealed in addition to the data that the rules matched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Part {
    /// The messages of the rules, which may name the argument or header that matched.
    Message,
    /// The request: its URI, headers and body.
    Request,
    /// The response: its headers and body.
    Response,
}

/// Returns rules that seal the data that the firewall's rules matched, and these parts. A record
/// that is not JSON, or in which plaintext would remain, is sealed as a whole.
pub fn to_seal(also: &[Part]) -> Rules {
    let fields = FIELDS
        .iter()
        .filter(|(part, _)| part.is_none_or(|part| also.contains(&part)));
    rules(fields.map(|(_, field)| {
        let path = path(field);
        let into = sealed_name(&path);
        let find = Selector::Field(path);
        Rule { find, into }
    }))
}

/// Returns rules that open all parts that [`to_seal`] seals.
pub(super) fn to_open() -> Rules {
    rules(FIELDS.iter().map(|(_, field)| {
        let mut path = path(field);
        let into = path.name().unwrap_or_default().to_owned();
        let sealed = Segment::Name(sealed_name(&path));
        path.0.pop();
        path.0.push(sealed);
        let find = Selector::Field(path);
        Rule { find, into }
    }))
}

fn rules(rules: impl Iterator<Item = Rule>) -> Rules {
    Rules {
        rules: rules.collect(),
        mode: OnField::Drop,
        form: ResultFormat::Exact,
        whole: Some(WHOLE),
        ..Rules::default()
    }
}

fn path(field: &str) -> FieldPath {
    field.parse().expect("the paths in this file are paths")
}

fn sealed_name(path: &FieldPath) -> String {
    format!("encrypted_{}", path.name().unwrap_or_default())
}

/// The name of the only member of a record that is sealed as a whole.
pub const WHOLE: &str = "encrypted_record";

/// Every field with its part. The part of data that the rules matched is `None`.
const FIELDS: [(Option<Part>, &str); 16] = [
    // ModSecurity 3
    (None, ".transaction.messages[].details.match"),
    (None, ".transaction.messages[].details.data"),
    (Some(Part::Message), ".transaction.messages[].message"),
    // Coraza
    (None, ".messages[].data.data"),
    (None, ".messages[].error_message"),
    (Some(Part::Message), ".messages[].message"),
    (Some(Part::Message), ".messages[].data.msg"),
    // ModSecurity 3 and Coraza. In Coraza `server_id` is the host that the request names.
    (Some(Part::Request), ".transaction.request"),
    (Some(Part::Request), ".transaction.server_id"),
    (Some(Part::Response), ".transaction.response"),
    // ModSecurity 2, and Coraza with `SecAuditLogFormat jsonlegacy`
    (None, ".audit_data.messages"),
    (None, ".audit_data.error_messages"),
    (None, ".audit_data.action.message"),
    (Some(Part::Request), ".request"),
    (Some(Part::Request), ".uploads"),
    (Some(Part::Response), ".response"),
];
