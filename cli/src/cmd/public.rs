//! How a public key is shown: one line for people and dashboards, or one JSON object.

use envelope::{
    Fingerprint,
    hpke::AnyPublicKey,
    keys::{self, KeyError, KeyFormat},
};
use serde_json::json;

/// The natural form, ending in a line break.
pub(super) fn text(key: &AnyPublicKey) -> Result<String, KeyError> {
    keys::write_public(key, keys::default_format(key))
}

/// The pqseal line, which says that the key is the public half. Before it stands the comment to write
/// above it: the base64, if dashboards take that.
pub(super) fn comment_and_line(key: &AnyPublicKey) -> Result<(String, String), KeyError> {
    let comment = match keys::default_format(key) {
        KeyFormat::Raw => format!("# for dashboards: {}", text(key)?),
        _ => String::new(),
    };
    Ok((comment, keys::write_public(key, KeyFormat::Line)?))
}

/// Everything there is to say of a public key.
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
