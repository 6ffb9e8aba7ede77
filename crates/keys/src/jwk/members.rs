//! The parsing common to keys of every type (RFC 7517, section 4): names of members, and the use
//! of a key.

use super::NOT_STRINGS;
use crate::{KeyError, object::Object, secret_text::SecretText};

/// Parses the members of a key, with all checks that are the same for every type.
pub(super) fn parse(text: &str) -> Result<Object<'_>, KeyError> {
    let object = Object::parse(text).ok_or(NOT_STRINGS)?;
    if object.has_repeated_name() {
        return Err(KeyError::Jwk("a member is given twice"));
    }
    check_use(&object)?;
    Ok(object)
}

/// Refuses a key for signatures: it must not be used for encryption too, even if its curve
/// supports it.
fn check_use(object: &Object<'_>) -> Result<(), KeyError> {
    let mut signs = object.text("use").ok_or(NOT_STRINGS)? == "sig";
    for operation in object.values("key_ops").ok_or(NOT_STRINGS)? {
        let operation = SecretText::parse(operation).ok_or(NOT_STRINGS)?;
        signs |= matches!(operation.as_str(), "sign" | "verify");
    }
    match signs {
        true => Err(KeyError::Jwk(
            "it is a key for signatures, by its use or key_ops",
        )),
        false => Ok(()),
    }
}
