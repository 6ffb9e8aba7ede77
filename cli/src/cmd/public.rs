//! How a public key is shown: one line for people and dashboards, or one JSON object.

use envelope::{
    Fingerprint,
    hpke::AnyPublicKey,
    keys::{self, KeyError, KeyForm},
};
use serde_json::json;

/// The form that goes into dashboards for an X25519 key, and pqseal's line for others, which says whose key it is.
pub(super) fn text(key: &AnyPublicKey) -> Result<String, KeyError> {
    keys::write_public(key, natural_form(key))
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

/// Raw, where a reader assumes the right KEM without being told.
fn natural_form(key: &AnyPublicKey) -> KeyForm {
    let read_back = keys::write_public(key, KeyForm::Raw).and_then(|text| keys::read_public(&text, None));
    if read_back.is_ok_and(|read| read == *key) { KeyForm::Raw } else { KeyForm::Line }
}
