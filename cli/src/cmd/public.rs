//! How a public key is shown: one line for people and dashboards, or one JSON object.

use envelope::{
    Fingerprint,
    hpke::AnyPublicKey,
    keys::{self, KeyError},
};
use serde_json::json;

/// The natural form, ending in a line break.
pub(super) fn text(key: &AnyPublicKey) -> Result<String, KeyError> {
    keys::write_public(key, keys::default_format(key))
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
