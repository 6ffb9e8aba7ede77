//! `pqseal inspect`: describes a blob without any key.

use std::fmt::Write;

use clap::Args;
use pqseal_matched_data::{Blob, Description, Error as BlobError};
use serde_json::{Value, json};

#[cfg(feature = "cose")]
use super::cose;
use super::jwe;
#[cfg(feature = "file")]
use crate::file::inspect as file;
use crate::{
    blobs::{self, BlobEntry},
    error::{Error, Exit},
    escape,
    input::Source,
    kind::{self, InputKind},
    message::hex,
    output::to_stdout,
    suite,
};

/// The arguments of `pqseal inspect`.
#[derive(Args)]
#[command(after_long_help = crate::parse::help(&[
    ("A blob in a file", "pqseal inspect blob.txt"),
    ("From a pipe", "echo \"$blob\" | pqseal inspect"),
    ("As JSON", "pqseal --json inspect blob.txt"),
]))]
pub struct Inspect {
    /// The blob, JWE, COSE message or encrypted file
    #[arg(value_name = "FILE", default_value = "-")]
    input: Source,
}

/// One line of the output: the member in JSON, the label in text, the value in either.
type Fact = (&'static str, &'static str, Value);

impl Inspect {
    /// Describes every blob of the input.
    ///
    /// # Errors
    /// See [`Error`]. Blobs that cannot be parsed, or that no key can open, are reported here and
    /// give [`Exit::Incomplete`].
    pub fn run(self, json: bool) -> Result<Exit, Error> {
        let input = self.input.read()?;
        let shown = match kind::sealed(&input) {
            #[cfg(feature = "file")]
            Some(InputKind::EncryptedFile) => Some(file::show(&self.input, &input, json)),
            Some(InputKind::Jwe) => str::from_utf8(&input)
                .ok()
                .map(|text| jwe::show(text, json)),
            #[cfg(feature = "cose")]
            Some(InputKind::Cose) => Some(cose::show(&input, json)),
            _ => None,
        };
        if let Some(shown) = shown {
            return to_stdout(shown?.as_bytes()).map(|()| Exit::Done);
        }
        if let Some(other) = kind::detect(&input) {
            let advice = other.advice(&self.input.to_string());
            return Err(Error::incomplete(
                other.code(),
                format!("{} is {advice}", self.input),
            ));
        }
        let (mut text, mut errors) = (String::new(), Vec::new());
        for entry in blobs::all(&input) {
            let (mut facts, error) = facts(&entry);
            if let Some(field) = entry.field.as_ref().filter(|_| !facts.is_empty()) {
                facts.insert(0, ("field", "field", json!(field)));
            }
            match facts {
                facts if facts.is_empty() => {}
                facts if json => text += &as_json(facts),
                facts => text += &as_text(&facts, !text.is_empty()),
            }
            errors.extend(error);
        }
        to_stdout(text.as_bytes())?;
        errors.iter().for_each(|error| error.report(json));
        Ok(if errors.is_empty() {
            Exit::Done
        } else {
            Exit::Incomplete
        })
    }
}

/// Returns the facts of a blob and its error. A version 4 blob of an unsupported suite has both.
fn facts(entry: &BlobEntry) -> (Vec<Fact>, Option<Error>) {
    if let Some(value) = &entry.other {
        return match pqseal_sealed::describe(value) {
            Ok(found) => (found.map(of_other).unwrap_or_default(), None),
            Err(error) => {
                let failed = Error::incomplete(error.code(), error.to_string());
                (Vec::new(), Some(entry.placed(failed)))
            }
        };
    }
    let (facts, error) = match &entry.blob {
        Ok(blob) => match Blob::describe(blob) {
            Ok(found) => (described(&found), found.problem),
            Err(error) => (Vec::new(), Some(error)),
        },
        Err(BlobError::Truncated) => (vec![("truncated", "truncated", json!(true))], None),
        Err(error) => (Vec::new(), Some(error.clone())),
    };
    (facts, error.map(|error| entry.problem(&error)))
}

/// Returns the facts of a value that is not matched data. Nothing in it is authenticated before it
/// is opened.
fn of_other(found: pqseal_sealed::Description) -> Vec<Fact> {
    let optional = [
        ("kid", "kid (hint)", found.kid.map(|kid| json!(kid))),
        (
            "rsa_bits",
            "RSA bits",
            found.wrapped_key_len.map(|len| json!(len * 8)),
        ),
    ];
    let optional = optional
        .into_iter()
        .filter_map(|(member, label, value)| Some((member, label, value?)));
    let mut facts = vec![
        ("kind", "kind", json!(found.kind.name())),
        ("algorithm", "algorithm", json!(found.algorithm)),
    ];
    facts.extend(optional);
    let len = found.plaintext_len.map(|len| json!(len));
    facts.extend(len.map(|len| ("plaintext_bytes", "plaintext bytes", len)));
    facts
}

fn described(found: &Description<'_>) -> Vec<Fact> {
    let status = found.status.map_or_else(
        || "not supported by this build".to_owned(),
        |status| status.to_string(),
    );
    let [kem, kdf, aead] = suite::rows(found.suite);
    let mut facts = vec![
        ("version", "version", json!(found.version)),
        ("specification", "HPKE", json!(found.specification)),
        ("status", "status", json!(status)),
        ("kem", "KEM", kem),
        ("kdf", "KDF", kdf),
        ("aead", "AEAD", aead),
    ];
    let optional = [
        ("caution", "caution", found.caution.map(|text| json!(text))),
        (
            "key_id",
            "key id",
            found.key_id.map(|id| json!(id.to_string())),
        ),
        ("blob_bytes", "blob bytes", Some(json!(found.blob_len))),
        (
            "plaintext_bytes",
            "plaintext bytes",
            found.plaintext_len.map(|len| json!(len)),
        ),
    ];
    facts.extend(
        optional
            .into_iter()
            .filter_map(|(member, label, value)| Some((member, label, value?))),
    );
    match found.enc {
        // The encapsulated key of version 4 is too long to read, so its size is shown.
        enc if found.version == 4 => {
            facts.extend(enc.map(|enc| ("encapsulated_key_bytes", "enc bytes", json!(enc.len()))));
            facts.push(("truncated", "truncated", json!(false)));
        }
        enc => {
            facts.push((
                "trailing_bytes",
                "trailing bytes",
                json!(found.trailing_len),
            ));
            facts.push(("truncated", "truncated", json!(false)));
            let hex = hex(enc.unwrap_or_default());
            facts.push(("encapsulated_key", "encapsulated key", json!(hex)));
        }
    }
    facts
}

fn as_json(facts: Vec<Fact>) -> String {
    let object: serde_json::Map<_, _> = facts
        .into_iter()
        .map(|(member, _, value)| (member.to_owned(), value))
        .collect();
    escape::json(&Value::Object(object).to_string()) + "\n"
}

fn as_text(facts: &[Fact], after_another: bool) -> String {
    let mut text = String::from(if after_another { "\n" } else { "" });
    for (_, label, value) in facts {
        let _ = writeln!(text, "{:18}{}", format!("{label}:"), shown(value));
    }
    text
}

fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => escape::bytes(text.as_bytes()),
        Value::Bool(true) => {
            "yes: the payload was too large to be logged, and nothing can be opened".to_owned()
        }
        Value::Bool(false) => "no".to_owned(),
        Value::Object(row) => row
            .values()
            .filter_map(Value::as_str)
            .collect::<Vec<_>>()
            .join("  "),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The writer of a log chooses the names in it.
    #[test]
    fn names_in_an_input_are_escaped() {
        let kid = r"\u001b]0;x\u0007\nkind: x\u009b\u202e";
        let ct = "A".repeat(24);
        let envelope = format!(
            r#"{{"v":"1","alg":"hpke-x25519-hkdf-sha256-aes-256-gcm","recipients":[{{"kid":"{kid}","enc":"{}"}}],"ct":"{ct}"}}"#,
            "A".repeat(43)
        );
        let record = format!(r#"{{"{kid}":{envelope}}}"#);
        let [entry] = &blobs::all(record.as_bytes())[..] else {
            panic!("one object")
        };
        let (mut shown, error) = facts(entry);
        assert!(error.is_none());
        shown.push(("field", "field", json!(entry.field)));
        let text = as_text(&shown, false);
        assert_eq!(text.lines().count(), shown.len(), "{text}");
        let json = as_json(shown);
        for line in text.lines().chain(json.lines()) {
            let mut chars = line.chars();
            assert!(
                chars.all(|c| !c.is_control() && c != '\u{202e}'),
                "{line:?}"
            );
        }
    }
}
