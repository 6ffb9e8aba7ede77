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
    let usage = object.text("use").ok_or(NOT_STRINGS)?;
    let operations = object.values("key_ops").ok_or(NOT_STRINGS)?;
    let operations = operations.into_iter().map(SecretText::parse);
    let operations: Vec<_> = operations.collect::<Option<_>>().ok_or(NOT_STRINGS)?;
    let signs = |op: &SecretText| ["sign", "verify"].contains(&op.as_str());
    if usage == "sig" || operations.iter().any(signs) {
        return Err(KeyError::Jwk(
            "it is a key for signatures, by its use or key_ops",
        ));
    }
    Ok(())
}
