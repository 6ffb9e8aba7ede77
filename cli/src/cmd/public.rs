//! The output of a public key: one line for people and dashboards, or one JSON object.

use pqseal_hpke::AnyPublicKey;
use pqseal_keys::{Fingerprint, KeyError, KeyFormat};
use serde_json::json;

/// Returns the key in its default format, ending in a line break.
pub(super) fn text(key: &AnyPublicKey) -> Result<String, KeyError> {
    pqseal_keys::write_public(key, pqseal_keys::default_format(key))
}

/// Returns the pqseal-public-key line, which names the half, and the comment above it: the base64,
/// if dashboards take that.
pub(super) fn comment_and_line(key: &AnyPublicKey) -> Result<(String, String), KeyError> {
    let comment = match pqseal_keys::default_format(key) {
        KeyFormat::Raw => format!("# for dashboards: {}", text(key)?),
        _ => String::new(),
    };
    Ok((comment, pqseal_keys::write_public(key, KeyFormat::Line)?))
}

/// Describes a public key as JSON.
pub(super) fn json(key: &AnyPublicKey) -> Result<String, KeyError> {
    let fingerprint = Fingerprint::of(key);
    let described = json!({
        "kem": key.kem().short_name,
        "public_key": text(key)?.trim_end(),
        "fingerprint": fingerprint.to_string(),
        "key_id": fingerprint.key_id().to_string(),
    });
    Ok(format!("{described}\n"))
}
