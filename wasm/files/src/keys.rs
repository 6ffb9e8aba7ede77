//! New identities, and the recipients of identities.

use pqseal_age::{HpkeIdentity, MLKEM768X25519, X25519Identity, keys};
use pqseal_wasm_shared::{Error, memory::wiping_stack};
use wasm_bindgen::prelude::*;

use crate::{
    error::{failed, of_keys},
    text,
};

/// Generates a post-quantum identity (ML-KEM-768 with X25519), `AGE-SECRET-KEY-PQ-1...`. It is a
/// string, which cannot be overwritten.
#[wasm_bindgen(js_name = generateHybridIdentity)]
pub fn generate_hybrid_identity() -> Result<String, Error> {
    wiping_stack(|| {
        let identity = HpkeIdentity::generate(&MLKEM768X25519).map_err(failed)?;
        let text = identity.to_text();
        Ok(text.map(|text| text.to_string()).unwrap_or_default())
    })
}

/// Generates an X25519 identity, `AGE-SECRET-KEY-1...`, for programs that do not support
/// post-quantum recipients yet.
#[wasm_bindgen(js_name = generateX25519Identity)]
pub fn generate_x25519_identity() -> Result<String, Error> {
    wiping_stack(|| {
        let identity = X25519Identity::generate().map_err(failed)?;
        Ok(identity.to_text().to_string())
    })
}

/// Returns the recipient of an identity, `age1...`, to which others encrypt. For an identity file,
/// it is the recipient of the first identity.
#[wasm_bindgen(js_name = identityToRecipient)]
pub fn identity_to_recipient(
    #[wasm_bindgen(unchecked_param_type = "string | Bytes")] identity: &JsValue,
) -> Result<String, Error> {
    wiping_stack(|| {
        let text = text::text(identity, "identity")?;
        let several = text.trim().contains('\n');
        let read = keys::read_identities(&text).map_err(|error| of_keys(error, several))?;
        let recipient = read.first().and_then(|identity| identity.recipient_text());
        recipient.ok_or_else(|| Error::argument("identity", "one that has a recipient"))
    })
}
